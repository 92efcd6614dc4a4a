// What the random histories and questions reach, for one seed, so that the answer is the same on every machine. Every
// edge is met often enough that a run of 300,000 checks meets it again and again; what they never meet, no law is
// tested for.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Condition, parseConditions, type Test } from '../../src/model/condition.ts'
import type { Json, JsonObject } from '../../src/model/objects.ts'
import { operandAt } from '../reference/attributes.ts'
import { check } from '../reference/check.ts'
import { isKnown, type Request } from '../reference/request.ts'
import { World } from '../support/world.ts'
import { listOperations, POOLS, untimedHistories } from './histories.ts'
import type { Play } from './laws.ts'
import { numbers } from './numbers.ts'
import { questions } from './questions.ts'

const met = new Map<string, number>()
const meet = (edge: string, when = true) => void (when && met.set(edge, (met.get(edge) ?? 0) + 1))

/** Every edge, and how often at least it is met below. */
const EDGES: Readonly<Record<string, number>> = {
  '63 roles in a tenant': 5,
  '64 roles in a tenant': 5,
  '65 roles in a tenant': 5,
  'more than 128 roles in a tenant': 2,
  '32 and more set rules on one permission': 20,
  'relations in a circle': 20,
  'a derivation over three relations': 20,
  'an object that was deleted is there again': 20,
  'a missing value under `not`, allowed': 100,
  'an ill-typed value': 100,
  'an empty list': 100,
  '-0 in a question': 20,
  'a number beyond 2^53 in a question': 20,
  'the smallest number in a condition': 20,
  'a key as a value of an attribute': 100,
  'text beyond ASCII in a question': 100,
  'text of another plane in a question': 20,
  'a key of 256 bytes': 100,
  'half a surrogate pair as a key': 20,
  '`__proto__` as an attribute': 100,
  'two spellings of one instant': 20,
  'a lie about identity': 100,
  'a member of a key': 100,
}

beforeAll(() => {
  const plays: fc.Arbitrary<Play> = fc.record({ history: untimedHistories, seed: fc.nat() })
  for (const { history, seed } of fc.sample(plays, { seed: 1, numRuns: 120 })) {
    const pool = POOLS[history.pool]
    const next = numbers(seed)
    const world = new World()
    const gone = new Set<string>()
    for (const edits of history.revisions) {
      for (const edit of edits) {
        for (const operation of listOperations(world, pool, edit)) {
          for (const { op, kind, key } of world.run(operation)) {
            meet('an object that was deleted is there again', op === 'put' && gone.delete(`${kind} ${key}`))
            if (op === 'delete') gone.add(`${kind} ${key}`)
          }
        }
      }
      meetState(world)
      for (const request of questions(world, pool, next, 20)) meetQuestion(world, request)
    }
  }
})

function meetState({ policy }: World): void {
  const roles = new Map<string, number>()
  for (const { user, tenant, resource_instance } of policy.role_assignment.values()) {
    if (!resource_instance) roles.set(`${user}/${tenant}`, (roles.get(`${user}/${tenant}`) ?? 0) + 1)
  }
  for (const count of roles.values()) {
    meet(`${count} roles in a tenant`)
    meet('more than 128 roles in a tenant', count > 128)
  }
  const rules = new Map<string, number>()
  for (const { permission } of policy.set_rule.values()) rules.set(permission, (rules.get(permission) ?? 0) + 1)
  for (const count of rules.values()) meet('32 and more set rules on one permission', count >= 32)
  const objects = new Map<string, string[]>()
  for (const { subject, object } of policy.relationship_tuple.values()) {
    objects.set(subject, [...(objects.get(subject) ?? []), object])
  }
  const from = (instance: string) => objects.get(instance) ?? []
  for (const start of objects.keys()) {
    const reached = new Set(from(start))
    for (const each of reached) for (const object of from(each)) reached.add(object)
    meet('relations in a circle', reached.has(start))
  }
}

/**
 * Instances by how many relations they are away from a role that was assigned, given that something is derived over
 * each.
 */
function meetDerivations(world: World, request: Request): void {
  const { policy } = world
  if (!check(policy, request)) return
  const near = new Set([...policy.role_assignment.values()].map(({ resource_instance }) => resource_instance ?? ''))
  const tuples = [...policy.relationship_tuple.values()]
  for (let steps = 0; steps < 2; steps++) {
    for (const { object } of tuples.filter(({ subject }) => near.has(subject))) near.add(object)
  }
  const instance = `${request.resource.type}:${request.resource.key}`
  meet('a derivation over three relations', policy.resource_instance.has(instance) && !near.has(instance))
}

function meetQuestion(world: World, request: Request): void {
  const { sent = {}, user, action, resource } = request
  meetDerivations(world, request)
  for (const value of valuesIn(sent as JsonObject)) {
    meet('-0 in a question', Object.is(value, -0))
    meet('a number beyond 2^53 in a question', typeof value === 'number' && Math.abs(value) > 2 ** 53)
    meet('an empty list', Array.isArray(value) && value.length === 0)
    if (typeof value !== 'string') continue
    meet('text beyond ASCII in a question', /[^\0-\u007f]/.test(value))
    meet('text of another plane in a question', /[\u{10000}-\u{10ffff}]/u.test(value))
    meet('a key as a value of an attribute', world.policy.user.has(value) || world.policy.role.has(value))
    meet('two spellings of one instant', value.startsWith('2026-11-20T0'))
  }
  for (const key of [user, action, resource.type, resource.key ?? '', resource.tenant ?? '']) {
    meet('a key of 256 bytes', key.length === 256)
    meet('half a surrogate pair as a key', !key.isWellFormed())
  }
  const root = sent.user ?? {}
  meet(
    'a lie about identity',
    ['key', 'roles', 'tenants'].some((name) => Object.hasOwn(root, name)),
  )
  meet(
    '`__proto__` as an attribute',
    Object.values(sent).some((attributes) => Object.hasOwn(attributes, '__proto__')),
  )
  // conditions are about users who are stored (D16)
  if (isKnown(world.policy, request) && world.policy.user.has(user)) meetConditions(world, request)
}

function meetConditions({ policy }: World, request: Request): void {
  const permission = `${request.resource.type}:${request.action}`
  const allowed = check(policy, request)
  for (const rule of policy.set_rule.values()) {
    if (rule.permission !== permission) continue
    for (const key of [rule.user_set, rule.resource_set]) {
      const set = policy.condition_set.get(key)
      if (set !== undefined) walk(parseConditions(set.conditions), false)
    }
  }
  function walk(condition: Condition, under: boolean): void {
    if (condition.kind === 'not') walk(condition.item, true)
    else if (condition.kind !== 'operand') for (const item of condition.items) walk(item, under)
    else {
      const { value } = operandAt(policy, request, condition.left)
      const [name = '', ...members] = condition.left.names
      meet('a member of a key', IDENTITY.includes(name) && members.length > 0)
      meet('a missing value under `not`, allowed', value === undefined && allowed && (under || negates(condition.test)))
      meet('an ill-typed value', value !== undefined && wants(condition.test, value))
      meet('the smallest number in a condition', JSON.stringify(condition.test).includes('5e-324'))
    }
  }
}

const IDENTITY = ['key', 'type', 'tenant', 'roles', 'tenants']
const negates = (test: Test): boolean => test.kind === 'not'
/** A comparison with a value of another type. */
const wants = (test: Test, value: Json): boolean =>
  test.kind === 'compare' && test.right.kind === 'value' && typeof test.right.value !== typeof value

function* valuesIn(value: Json): Generator<Json> {
  yield value
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) yield* valuesIn(inner)
}

describe('random histories and questions', () => {
  it.each(Object.entries(EDGES))('meet %s at least %i times', (edge, least) => {
    expect(met.get(edge) ?? 0).toBeGreaterThanOrEqual(least)
  })
})
