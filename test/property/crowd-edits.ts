// Edits that crowd one permission with set rules whose sets ask for equal values, in every form that an index may or
// may not see: at the top, behind and inside other tests, above the set, by roles and lists. Few names and values, so
// that many rules look alike.
import type { Json, JsonObject } from '../../src/model/objects.ts'
import type { Operation, World } from '../support/world.ts'
import { numbers } from './numbers.ts'
import type { Pool } from './pool.ts'
import { conditions, type Next, type Words } from './values.ts'

const SETS = 12
const ROOTS = ['user', 'user', 'resource', 'resource', 'context', 'tenant', 'action']
const NAMES = ['a', 'b', 'c']
const VALUES: readonly Json[] = ['a', 'b', 1, 0, -0, true, false, '1', '2026-11-20', '2026-11-20T00:00Z', 1795132800000]
const IDENTITY = ['user.key', 'resource.key', 'resource.type', 'resource.tenant', 'tenant.key']
const any = <T>(next: Next, from: readonly T[]): T => from[next(from.length)]!

function equality(next: Next, words: Words): JsonObject {
  const kind = next(12)
  if (kind === 0 && words.roles.length > 0) return { 'user.roles': { array_contains: any(next, words.roles) } }
  if (kind === 1 && words.tenants.length > 0) return { 'user.tenants': { array_contains: any(next, words.tenants) } }
  if (kind === 2) {
    const keys = [...words.users, ...words.instances, ...words.tenants, ...words.resources]
    return { [any(next, IDENTITY)]: { equals: any(next, keys) } }
  }
  const path = `${any(next, ROOTS)}.${any(next, NAMES)}`
  if (kind === 3) return { [path]: { array_contains: any(next, VALUES) } }
  if (kind === 4) return { [`${path}.${any(next, NAMES)}`]: { equals: any(next, VALUES) } }
  if (kind === 5) return { 'context.now': { equals: any(next, VALUES.slice(8)) } }
  return { [path]: { equals: any(next, VALUES) } }
}

/** One to three equality tests that must all hold, and sometimes something else before, between or around them. */
function crowded(next: Next, words: Words): JsonObject {
  const tests = Array.from({ length: 1 + next(3) }, () => equality(next, words))
  const other = () => conditions(next, words, 1 + next(2))
  switch (next(9)) {
    case 0:
      return { allOf: [{ anyOf: [other(), tests[0]!] }, ...tests.slice(1), other()] }
    case 1:
      return { allOf: [{ not: other() }, { allOf: tests }] }
    case 2:
      return { anyOf: [{ allOf: tests }] }
    case 3:
      return { anyOf: [{ allOf: tests }, other()] }
    case 4:
      return { not: { not: { allOf: tests } } }
    case 5:
      return { allOf: [...tests, { not: tests[0]! }] }
    case 6:
      return { 'user.a': { any_match: { match: { b: { equals: any(next, VALUES) } } } }, ...tests[0]! }
    default:
      return Object.assign({}, ...tests) as JsonObject
  }
}

/**
 * A set of the crowd: `about` is a type, or null for users. Above it is only what was numbered before it, so no circle
 * comes about.
 */
function putSet({ policy }: World, pool: Pool, words: Words, next: Next, about: string | null, at: number): Operation {
  const prefix = about === null ? 'u' : `r${pool.resources.indexOf(about)}x`
  const parent = `${prefix}${next(at + 1) - 1}`
  const above = next(3) === 0 && policy.condition_set.has(parent) ? parent : null
  const type = about === null ? 'userset' : 'resourceset'
  const value = {
    key: `${prefix}${at}`,
    type,
    resource: about,
    conditions: crowded(next, words),
    parent: above,
  } as const
  return ['put', 'condition_set', value]
}

function listTypes({ policy }: World, pool: Pool): string[] {
  return pool.resources.slice(0, 6).filter((type) => (policy.resource.get(type)?.actions.length ?? 0) > 0)
}

/** Sets and rules until a permission has many. */
export function crowd(world: World, pool: Pool, words: Words, seed: number): Operation[] {
  const next = numbers(seed)
  const types = listTypes(world, pool)
  if (types.length === 0) return []
  const type = any(next, types)
  const permission = `${type}:${world.policy.resource.get(type)!.actions[0]}`
  const operations: Operation[] = []
  const number = pool.resources.indexOf(type)
  for (let at = 0; at < SETS; at++) {
    operations.push(putSet(world, pool, words, next, null, at), putSet(world, pool, words, next, type, at))
  }
  const roles = [...world.policy.role.keys()].slice(0, 6)
  for (let count = 10 + next(40); count > 0; count--) {
    const role = roles.length > 0 && next(6) === 0 ? `__autogen_${any(next, roles)}` : undefined
    // One user set that many rules share, and one resource set.
    const user_set = role ?? `u${next(3) === 0 ? 0 : next(SETS)}`
    const resource_set = next(5) === 0 ? `__autogen_${type}` : `r${number}x${next(4) === 0 ? 0 : next(SETS)}`
    operations.push(['put', 'set_rule', { user_set, permission, resource_set }])
  }
  return operations
}

/** One set of a crowd says something else, or has another above it. */
export function crowdSet(world: World, pool: Pool, words: Words, seed: number): Operation[] {
  const next = numbers(seed)
  const sets = [...world.policy.condition_set].filter(([key]) => /^(u|r\d+x)\d+$/.test(key))
  if (sets.length === 0) return []
  const [key, { resource }] = any(next, sets)
  return [putSet(world, pool, words, next, resource, Number(/\d+$/.exec(key)![0]))]
}
