// The events of a story that is run in every way: random edits of a policy, and between them what is unpleasant:
// every kind of object deleted and written again under its key, rules whose names mean something else after a while,
// keys that are names of JavaScript, users who are suspended and resumed, rules for a role on instances, roles for everybody
// that are given and taken away, and questions that were asked before what they are about was deleted.
import fc from 'fast-check'
import { KEY_BYTES_MAX } from '../../src/model/limits.ts'
import { type JsonObject, tenantRoleKey } from '../../src/model/objects.ts'
import { EVERYBODY } from '../reference/everybody.ts'
import type { Request } from '../reference/request.ts'
import type { Row } from '../support/rows.ts'
import { groupDeletes, putsOf } from '../support/ways/objects.ts'
import { type Operation, operationKey, World } from '../support/world.ts'
import { withEverybody } from './everybody.ts'
import { rowsFor } from './filter-law.ts'
import { addMore, FILTER_POOL, filterEdit, filterQuestions, filterWorld } from './filter-worlds.ts'
import { byShare, findPool, type History, listOperations, timedHistories, untimedHistories } from './histories.ts'
import { numbers } from './numbers.ts'
import type { Pool } from './pool.ts'
import { questions } from './questions.ts'
import { makeWords } from './set-edits.ts'
import { withTimes } from './times.ts'
import type { Next } from './values.ts'

/** Edits of roles, relations and rules; or a small world whose rules read rows, and edits of it. */
export type Drawn =
  | { readonly history: History; readonly seed: number }
  | { readonly edits: number; readonly seed: number; readonly times?: number; readonly everybody?: number }

const REVISIONS_MAX = 8

/** The tables that split are asked elsewhere: the definition of a listing would take minutes. */
const ofFew = ({ pool, revisions, ...history }: History): History => ({
  ...history,
  pool: pool === 'odd' ? 'odd' : 'small',
  revisions: revisions.slice(0, REVISIONS_MAX),
})

export const untimedStories: fc.Arbitrary<Drawn> = fc.oneof(
  fc.record({ history: untimedHistories.map(ofFew), seed: fc.nat() }),
  fc.record({ edits: fc.integer({ min: 3, max: REVISIONS_MAX }), seed: fc.nat() }),
)
/** The same where grants are for a time (D15). */
export const timedStories: fc.Arbitrary<Drawn> = fc.oneof(
  fc.record({ history: timedHistories.map(ofFew), seed: fc.nat() }),
  fc.record({ edits: fc.integer({ min: 3, max: REVISIONS_MAX }), seed: fc.nat(), times: fc.nat() }),
)
const ownStories = byShare(untimedStories, timedStories)
/** Of either, where some roles are for everybody (D16). */
export const sharedStories: fc.Arbitrary<Drawn> = fc
  .record({ drawn: ownStories, everybody: fc.nat() })
  .map(({ drawn, everybody }) =>
    'history' in drawn ? { ...drawn, history: { ...drawn.history, everybody } } : { ...drawn, everybody },
  )
export const stories: fc.Arbitrary<Drawn> = fc.oneof(ownStories, sharedStories)

/** The edits of a small world are about its users, its tenants and `doc`. */
const canEdit = ({ policy }: World): boolean =>
  policy.user.size > 0 && policy.tenant.size > 0 && policy.resource.has('doc')

const any = <T>(next: Next, from: readonly T[]): T | undefined => from[next(from.length)]

/** Under this key stands what no write turns into the other: a set of another type, a relation between other types. */
function isElse({ policy, relations }: World, operation: Operation): boolean {
  const [op, kind, object] = operation
  if (op === 'put' && kind === 'condition_set') {
    const stored = policy.condition_set.get(object.key)
    return stored !== undefined && (stored.type !== object.type || stored.resource !== (object.resource ?? null))
  }
  if (op !== 'put' || kind !== 'relation') return false
  const stored = relations.get(operationKey(operation))
  return stored !== undefined && stored.subject_resource !== object.subject_resource
}

const isThere = (name: string | undefined): name is string => name !== undefined

const assignmentsOfEverybody = ({ policy }: World) =>
  [...policy.role_assignment.values()].filter(({ user }) => user === EVERYBODY)

const pickSeeds = ({ times, everybody }: Pick<Pool, 'times' | 'everybody'>) => ({
  ...(times === undefined ? {} : { times }),
  ...(everybody === undefined ? {} : { everybody }),
})

/** Names of JavaScript, and the longest key of two bytes a character. */
const ODD_KEYS = ['__proto__', 'constructor', 'ä'.repeat(128)]

export class Script {
  readonly next: Next
  readonly #drawn: Drawn
  readonly #pool: Pool
  /** what was deleted, as it was */
  readonly #gone: Operation[] = []
  /** to be asked next, about what was just written */
  readonly #due: Request[] = []
  /** asked before, to be asked again */
  readonly #asked: Request[] = []

  constructor(drawn: Drawn) {
    this.#drawn = drawn
    this.next = numbers(drawn.seed)
    this.#pool = 'history' in drawn ? findPool(drawn.history) : { ...FILTER_POOL, ...pickSeeds(drawn) }
  }

  get revisions(): number {
    return 'history' in this.#drawn ? this.#drawn.history.revisions.length : this.#drawn.edits
  }

  /** The operations of a revision of a story that stands at this world. */
  operations(world: World, revision: number): Operation[] {
    const { next } = this
    const ahead = new World(world)
    const all: Operation[] = []
    const add = (operations: readonly Operation[]) => {
      ahead.runAll(operations)
      all.push(...operations)
    }
    if ('history' in this.#drawn) {
      for (const edit of this.#drawn.history.revisions[revision]!) add(listOperations(ahead, this.#pool, edit))
    } else if (revision === 0) {
      const { world: first } = filterWorld(next, 0)
      if (next(2) === 0) addMore(first, next(2 ** 31))
      add(this.#settled([...putsOf(first)]))
    } else {
      for (let count = 1 + next(3); count > 0 && canEdit(ahead); count--) add(this.#settled(filterEdit(ahead, next)))
      const { times } = this.#pool
      if (times !== undefined) add(listOperations(ahead, this.#pool, ['retime', times + revision, revision]))
    }
    if (revision === 1 && next(2) === 0) add(this.#forRole(ahead))
    if (revision === 1 && next(2) === 0) for (let count = 1 + next(3); count > 0; count--) add(this.#own(ahead))
    if (revision > 0) for (let count = next(3); count > 0; count--) add(this.#unpleasant(ahead))
    return all
  }

  /** As the story has grants: some for everybody, some for a time. */
  #settled(operations: readonly Operation[]): readonly Operation[] {
    const { everybody } = this.#pool
    return this.#timed(everybody === undefined ? operations : withEverybody(operations, this.next(2 ** 31)))
  }

  #timed(operations: readonly Operation[]): readonly Operation[] {
    return this.#pool.times === undefined ? operations : withTimes(operations, this.next(2 ** 31))
  }

  #unpleasant(world: World): readonly Operation[] {
    const { next } = this
    const found = any(next, [...groupDeletes(world).values()])
    const gone = any(next, found ?? [])
    const was = gone && [...putsOf(world)].find((put) => put[1] === gone[1] && operationKey(put) === operationKey(gone))
    switch (next(this.#pool.everybody === undefined ? 10 : 13)) {
      case 0:
        return gone === undefined || was === undefined ? [] : [gone, was]
      case 1:
      case 2: {
        if (gone === undefined || was === undefined) return []
        this.#gone.push(was)
        return [gone]
      }
      case 3: {
        const back = any(next, this.#gone)
        return back === undefined || isElse(world, back) ? [] : [back]
      }
      case 4:
        return this.#renamed(world)
      case 5:
        return this.#suspended(world)
      case 6:
        return this.#forRole(world)
      case 7:
      case 8:
        return this.#own(world)
      case 9:
      case 10:
        return this.#shared(world)
      case 11: {
        const shared = any(next, assignmentsOfEverybody(world))
        return shared === undefined ? [] : [['delete', 'role_assignment', shared]]
      }
      default: {
        const key = any(next, ODD_KEYS)!
        return [['put', next(2) === 0 ? 'user' : 'tenant', { key, attributes: { a: next(3) } }]]
      }
    }
  }

  /** A rule that names a role; then a set of that key, and the same rule again; then neither. */
  #renamed({ policy }: World): readonly Operation[] {
    const { next } = this
    const key = any(next, [...policy.role.keys()])
    const [type = '', action = ''] = this.#permission(policy)
    if (key === undefined || action === '') return []
    const rule = { user_set: key, permission: `${type}:${action}`, resource_set: type }
    const conditions: JsonObject = next(2) === 0 ? {} : { 'user.a': { equals: 1 } }
    const set = ['put', 'condition_set', { key, type: 'userset', conditions }] as const
    const steps: readonly Operation[] = [
      ['put', 'set_rule', rule],
      set,
      ['put', 'set_rule', rule],
      ['delete', 'set_rule', rule],
      ['delete', 'condition_set', { key }],
      ['delete', 'set_rule', rule],
    ]
    return steps.slice(0, 1 + next(steps.length))
  }

  /** Somebody is suspended (D16), where grants are for a time perhaps for a time too; or resumed. */
  #suspended({ policy }: World): readonly Operation[] {
    const key = any(this.next, [...policy.user.keys()])
    if (key === undefined) return []
    const { suspension, ...user } = policy.user.get(key)!
    return this.#timed([['put', 'user', { key, ...user, ...(suspension === undefined ? { suspension: {} } : {}) }]])
  }

  /** Everybody gets a role (D16), in a tenant or on an instance, where grants are for a time perhaps for a time too. */
  #shared({ policy }: World): readonly Operation[] {
    const { next } = this
    const [on, { tenant = undefined } = {}] = any(next, [...policy.resource_instance]) ?? []
    const ofType = [...policy.resource_role.values()].filter(({ resource }) => on?.startsWith(`${resource}:`))
    const given = any(next, ofType)
    if (given !== undefined && on !== undefined && tenant !== undefined && next(3) > 0)
      return this.#timed([
        ['put', 'role_assignment', { user: EVERYBODY, role: given.role, tenant, resource_instance: on }],
      ])
    const [role, somewhere] = [any(next, [...policy.role.keys()]), any(next, [...policy.tenant.keys()])]
    if (role === undefined || somewhere === undefined) return []
    return this.#timed([['put', 'role_assignment', { user: EVERYBODY, role, tenant: somewhere }]])
  }

  /** A tenant makes a role or changes one (D18), which may have the key of a role of the environment, and gives it to a user. */
  #own({ policy }: World): readonly Operation[] {
    const { next } = this
    const [tenant, user] = [any(next, [...policy.tenant.keys()]), any(next, [...policy.user.keys()])]
    const role = any(next, [...this.#pool.roles, 'own'])!
    const key = tenantRoleKey(role, tenant ?? '')
    if (tenant === undefined || Buffer.byteLength(key) > KEY_BYTES_MAX) return []
    const of = [...policy.tenant_role.values()].filter((each) => each.tenant === tenant)
    const isParent = of.some((each) => each.extends.includes(key))
    // of its own it extends those alone that extend none, and are extended by none of those: a short chain
    const own = of.filter((each) => each.role !== role && each.extends.every((parent) => policy.role.has(parent)))
    const parents = [...policy.role.keys(), ...(isParent ? [] : own.map((each) => tenantRoleKey(each.role, tenant)))]
    const permissions = [...policy.resource].flatMap(([type, { actions }]) =>
      actions.map((action) => `${type}:${action}`),
    )
    const some = (from: readonly string[]) => [...new Set([any(next, from), any(next, from)].slice(next(3)))]
    const given = user === undefined ? [] : [['put', 'role_assignment', { user, role: key, tenant }] as const]
    return [
      [
        ...(['put', 'tenant_role'] as const),
        { tenant, role, permissions: some(permissions).filter(isThere), extends: some(parents).filter(isThere) },
      ],
      ...this.#timed(given),
      ...(next(2) === 0 ? this.#ruleFor([role, key][next(2)]!, policy, { user, tenant }) : []),
    ]
  }

  /** A rule for who has a role of this key by a condition, about which is asked then. */
  #ruleFor(role: string, policy: World['policy'], { user = '', tenant = '' }): readonly Operation[] {
    const [type = '', action = ''] = this.#permission(policy)
    const key = 'who-has-a-role'
    const conditions = { 'user.roles': { array_contains: role } }
    if (action === '' || (policy.condition_set.get(key)?.type ?? 'userset') !== 'userset') return []
    this.#due.push({ user, action, resource: { type, tenant } })
    return [
      ['put', 'condition_set', { key, type: 'userset', conditions }],
      ['put', 'set_rule', { user_set: key, permission: `${type}:${action}`, resource_set: type }],
    ]
  }

  /** A rule for a role on instances (D17), alone or with a condition on them. */
  #forRole({ policy }: World): readonly Operation[] {
    const { next } = this
    const role = any(next, [...policy.resource_role.values()])
    if (role === undefined) return []
    const { resource: type } = role
    const action = any(next, policy.resource.get(type)?.actions ?? [])
    if (action === undefined) return []
    const sets = [...policy.condition_set].filter(([, set]) => set.type === 'resourceset' && set.resource === type)
    const resource_set = any(next, [`__autogen_${type}`, ...sets.map(([key]) => key)])!
    const user_set = `__autogen_${type}#${role.role}`
    return [['put', 'set_rule', { user_set, permission: `${type}:${action}`, resource_set }]]
  }

  #permission({ resource }: World['policy']): readonly string[] {
    const all = [...resource].flatMap(([type, { actions }]) => actions.map((action) => [type, action]))
    return any(this.next, all) ?? []
  }

  /** New questions, and some that were asked before. */
  questions(world: World, count: number): Request[] {
    const { next } = this
    const again = this.#asked.filter(() => next(this.#asked.length) < count)
    const fresh =
      'history' in this.#drawn
        ? [...questions(world, this.#pool, next, count)]
        : filterQuestions(world, next, count).map((request) => this.#turned(world, request))
    const due = this.#due.splice(0, count)
    this.#asked.push(...due, ...fresh)
    return [...due, ...fresh.slice(due.length), ...again.slice(0, count)]
  }

  /** Now and then by somebody else, or about an instance. */
  #turned({ policy }: World, request: Request): Request {
    const { next } = this
    const others = this.#pool.everybody === undefined ? [] : [EVERYBODY, 'nobody']
    const user = next(3) === 0 ? any(next, [...policy.user.keys(), ...others]) : undefined
    const key = next(2) === 0 ? any(next, [...policy.resource_instance.keys()]) : undefined
    const [type, ...rest] = key?.split(':') ?? [request.resource.type]
    const resource = key === undefined ? request.resource : { ...request.resource, type: type!, key: rest.join(':') }
    return { ...request, ...(user === undefined ? {} : { user }), resource }
  }

  rows(world: World, request: Request): readonly Row[] {
    return [...rowsFor(world, makeWords(world, this.#pool), request, this.next)]
  }
}
