// The definition: what an access diff is (docs/access-diff.md). Every question is asked of both policies, as `check`
// defines it, with nothing sent but the instant of each side.

import { type Condition, parseConditions } from '../../src/model/condition.ts'
import { readings } from '../../src/model/condition-reads.ts'
import { check } from './check.ts'
import { EVERYBODY, withoutEverybody } from './everybody.ts'
import { authorizedUsers } from './listing.ts'
import type { Policy } from './policy.ts'
import type { Request } from './request.ts'
import { hasResource, hasUser, rulesFor } from './sets.ts'
import { policyAt } from './times.ts'

export interface Source {
  readonly kind: 'role' | 'resource_role' | 'set_rule'
  readonly role?: string
  readonly user_set?: string
  readonly resource_set?: string
}

export interface Flip {
  readonly user: string
  readonly action: string
  readonly resource: { readonly type: string; readonly key?: string }
  readonly tenant: string
  readonly because: Source
  readonly lifecycle?: string
  /** of two instants: it flips already when only `context.now` is the second one, and nothing starts, ends or changes */
  readonly by?: 'condition'
}

export interface Flips {
  readonly gained: readonly Flip[]
  readonly lost: readonly Flip[]
}
type Direction = keyof Flips

/** What is listed, and what of the instances is not because a flip on their type covers it. */
export interface Defined {
  readonly listed: Flips
  readonly covered: Flips
  /** questions that were asked of both policies */
  readonly questions: number
}

interface Side {
  readonly policy: Policy
  /** with the set rules that count on a type */
  readonly onTypes: Policy
  /** answers that were asked for before: a policy is often compared with several others */
  readonly known: Map<string, boolean>
}
interface Asked {
  readonly user: string
  readonly action: string
  readonly type: string
  readonly key?: string
}

/** @param at the instant of each side (D15); one number is that of both */
export function definedDiff(before: Policy, after: Policy, at: number | readonly [was: number, is: number]): Defined {
  const [was, is] = typeof at === 'number' ? [at, at] : at
  const diff = new Diff(policyAt(before, was), policyAt(after, is), [was, is])
  return diff.run()
}

class Diff {
  readonly #sides: readonly [Side, Side]
  readonly #at: readonly [number, number]
  readonly #listed = { gained: [] as Flip[], lost: [] as Flip[] }
  readonly #covered = { gained: [] as Flip[], lost: [] as Flip[] }
  #questions = 0

  constructor(before: Policy, after: Policy, at: readonly [number, number]) {
    this.#sides = [ensureSide(before), ensureSide(after)]
    this.#at = at
  }

  run(): Defined {
    const tenants = this.#either('tenant')
    const instances = this.#either('resource_instance')
    for (const user of [EVERYBODY, ...this.#either('user')]) {
      for (const [type, action] of this.#permissions()) {
        const onType = { user, action, type }
        const flipped = new Map<string, Direction>()
        for (const tenant of tenants) {
          const direction = this.#compare(onType, [tenant, tenant])
          if (direction === undefined) continue
          flipped.set(tenant, direction)
          this.#listed[direction].push(this.#flip(onType, [tenant, tenant], direction))
        }
        for (const instance of instances) {
          if (!instance.startsWith(`${type}:`)) continue
          const asked = { ...onType, key: instance.slice(type.length + 1) }
          const homes = this.#sides.map(({ policy }) => policy.resource_instance.get(instance)?.tenant)
          const inTenants = [homes[0] ?? homes[1]!, homes[1] ?? homes[0]!] as const
          const direction = this.#compare(asked, inTenants)
          if (direction === undefined) continue
          const flip = this.#flip(asked, inTenants, direction)
          ;(flipped.get(flip.tenant) === direction ? this.#covered : this.#listed)[direction].push(flip)
        }
      }
    }
    const sorted = (flips: { gained: Flip[]; lost: Flip[] }): Flips => ({
      gained: flips.gained.sort(inOrder),
      lost: flips.lost.sort(inOrder),
    })
    return { listed: sorted(this.#listed), covered: sorted(this.#covered), questions: this.#questions }
  }

  #either(kind: 'user' | 'tenant' | 'resource_instance'): Set<string> {
    return new Set(this.#sides.flatMap(({ policy }) => [...policy[kind].keys()]))
  }

  #permissions(): [type: string, action: string][] {
    const names = this.#sides.flatMap(({ policy }) =>
      [...policy.resource].flatMap(([type, { actions }]) => actions.map((action) => `${type}:${action}`)),
    )
    return [...new Set(names)].map((name) => name.split(':') as [string, string])
  }

  #request({ user, action, type, key }: Asked, tenant: string, side: number): Request {
    const resource = key === undefined ? { type, tenant } : { type, key, tenant }
    return { user, action, resource, sent: { context: { now: this.#at[side]! } } }
  }

  #compare(asked: Asked, tenants: readonly [string, string]): Direction | undefined {
    this.#questions++
    const [was, is] = this.#sides.map((each, side) => {
      const { known } = each
      const request = this.#request(asked, tenants[side]!, side)
      const name = JSON.stringify(request)
      const allowed = known.get(name) ?? check(policyFor(each, asked), request)
      known.set(name, allowed)
      return allowed
    })
    if (was === is) return undefined
    return is === true ? 'gained' : 'lost'
  }

  #flip(asked: Asked, tenants: readonly [string, string], direction: Direction): Flip {
    const { user, action, type, key } = asked
    const side = direction === 'gained' ? 1 : 0
    const tenant = tenants[side]
    const because = firstSource(policyFor(this.#sides[side], asked), this.#request(asked, tenant, side))
    const lifecycle = this.#lifecycle(user, tenant, key === undefined ? undefined : `${type}:${key}`)
    const resource = key === undefined ? { type } : { type, key }
    const [before] = this.#sides
    const [was, is] = this.#at
    const atOther = this.#request(asked, tenants[0], 1)
    const isByCondition = was !== is && check(policyFor(before, asked), atOther) === (direction === 'gained')
    return {
      ...{ user, action, resource, tenant, because },
      ...(lifecycle === undefined ? {} : { lifecycle }),
      ...(isByCondition ? { by: 'condition' as const } : {}),
    }
  }

  #lifecycle(user: string, tenant: string, instance: string | undefined): string | undefined {
    const [before, after] = this.#sides.map(({ policy }) => policy) as [Policy, Policy]
    const objects = [
      ['user', 'user', user],
      ['tenant', 'tenant', tenant],
      ['instance', 'resource_instance', instance],
    ] as const
    for (const [name, kind, key] of objects) {
      if (key === undefined || key === EVERYBODY) continue
      if (!before[kind].has(key)) return `new_${name}`
      if (!after[kind].has(key)) return `deleted_${name}`
    }
    return undefined
  }
}

/** D16: users are asked about what they hold themselves; what everybody has is asked about once. */
function policyFor({ policy, onTypes }: Side, { user, key }: Pick<Asked, 'user' | 'key'>): Policy {
  const whole = key === undefined ? onTypes : policy
  return user === EVERYBODY ? whole : withoutEverybody(whole)
}

/** The first way by which the question is allowed, which it is. */
function firstSource(policy: Policy, request: Request): Source {
  const { user, ...about } = request
  const ways = authorizedUsers(policy, about).find(([key]) => key === user)![1]
  const inTenant = ways.filter(([on]) => on.startsWith('__tenant:')).map(([, role]) => role)
  if (inTenant.length > 0) return { kind: 'role', role: inTenant.sort(compare)[0]! }
  const onInstances = ways
    .map(([, role]) => role)
    .filter((role) => role.includes('#') && !role.startsWith('__autogen_'))
  if (onInstances.length > 0) return { kind: 'resource_role', role: onInstances.sort(compare)[0]! }
  const rules = rulesFor(policy, request)
    .filter((rule) => hasUser(policy, request, rule.user_set) && hasResource(policy, request, rule.resource_set))
    .map(({ user_set, resource_set }) => [shown(user_set), shown(resource_set)] as const)
  const [[user_set, resource_set]] = rules.sort(([a, b], [c, d]) => compare(a, c) || compare(b, d)) as [
    [string, string],
  ]
  return { kind: 'set_rule', user_set, resource_set }
}

const shown = (set: string): string => (set.startsWith('__autogen_') ? set.slice('__autogen_'.length) : set)

const sides = new WeakMap<Policy, Side>()

/** Whether the answer that a flip is about is an allow, of a policy at an instant. */
export function isAllowedAt(
  policy: Policy,
  { user, action, resource, tenant }: Omit<Flip, 'because'>,
  t: number,
): boolean {
  const request = { user, action, resource: { ...resource, tenant }, sent: { context: { now: t } } }
  const of = resource.key === undefined ? { user } : { user, key: resource.key }
  return check(policyFor(ensureSide(policyAt(policy, t)), of), request)
}

/** The policy, and the same with only those set rules that do not depend on the resource. */
function ensureSide(policy: Policy): Side {
  const known = sides.get(policy)
  if (known !== undefined) return known
  const counting = [...policy.set_rule].filter(
    ([, { user_set, resource_set }]) => !readsResource(policy, user_set) && !readsResource(policy, resource_set),
  )
  const side = { policy, onTypes: { ...policy, set_rule: new Map(counting) }, known: new Map<string, boolean>() }
  sides.set(policy, side)
  return side
}

function readsResource(policy: Policy, key: string): boolean {
  if (key.includes('#')) return true // D17: a role that is held on the resource
  for (let set = policy.condition_set.get(key); set !== undefined; set = policy.condition_set.get(set.parent ?? '')) {
    for (const { root, names } of paths(parseConditions(set.conditions)))
      if (root === 'resource' && names[0] !== 'type' && names[0] !== 'tenant') return true
  }
  return false
}

const paths = (condition: Condition) => [...readings(condition)].map(({ path }) => path)

/** The order of a page. */
function inOrder(left: Flip, right: Flip): number {
  return (
    compare(left.resource.type, right.resource.type) ||
    compare(left.action, right.action) ||
    compare(left.tenant, right.tenant) ||
    compare(left.user, right.user) ||
    compare(left.resource.key ?? '', right.resource.key ?? '')
  )
}

const compare = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))
