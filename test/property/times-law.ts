// The law of times (D15) and of suspensions (D16): at every instant an image answers as the definition does of the policy
// that is in force then. Roles and tuples begin and end, are put anew with other times or with none, and are taken; each
// end is asked about just before it, at it and after it, in no order, so that nothing may be kept from one instant to the
// next.
import { Image as Images } from '../../src/image/image.ts'
import type { KernelSource } from '../../src/kernel/module.ts'
import { isInForce, type TimesPolicy } from '../../src/kinds/times.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { assignmentKey, tupleKey } from '../../src/model/objects.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { check } from '../reference/check.ts'
import { applyChanges, type Policy, toPolicy } from '../reference/policy.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { numbers } from './numbers.ts'
import type { Next } from './values.ts'

const DAY = 86_400_000
/** Everything begins and ends at one of these. */
export const ENDS = [1, 2, 3].map((day) => 20_000 * DAY + day * DAY)
/** Before, at and after each of them, and years away. */
export const INSTANTS = [0, ...ENDS.flatMap((end) => [end - 1, end, end + 1]), 40_000 * DAY]

/** What questions name. */
export const NAMES = {
  users: ['ana', 'ben', 'cyd'],
  tenants: ['default', 'acme'],
  types: ['doc', 'folder'],
  keys: ['folder:top', 'folder:sub', 'doc:one', 'doc:two'],
}
const { users: USERS, tenants: TENANTS, keys: INSTANCES } = NAMES
const findTenant = (instance: string): string => (instance === 'doc:two' ? 'default' : 'acme')
const ACTIONS = ['read', 'write', 'share', 'audit', 'print']
const TENANT_ROLES = ['viewer', 'editor', 'auditor', 'guest']
const ROLES = { doc: ['reader', 'owner'], folder: ['keeper', 'visitor'] }
const RELATED = [
  ['folder:top', 'parent', 'folder:sub'],
  ['folder:sub', 'parent', 'doc:one'],
  ['folder:top', 'near', 'doc:one'],
  ['folder:sub', 'near', 'doc:one'],
  ['folder:top', 'near', 'doc:two'],
] as const

const put = (kind: PolicyChange['kind'], key: string, value: object): PolicyChange =>
  ({ op: 'put', kind, key, value }) as PolicyChange
const remove = (kind: PolicyChange['kind'], key: string): PolicyChange => ({ op: 'delete', kind, key })

const when = (direct: boolean) => ({ no_direct_roles_on_object: direct })
const given = (role: string, relations: readonly string[], direct = false) => {
  const rule = { role, on_resource: 'folder', when: when(direct) }
  return { when: when(false), users_with_role: relations.map((each) => ({ ...rule, linked_by_relation: each })) }
}
const resourceRole = (resource: string, role: string, permissions: string[], granted_to: object | null = null) =>
  put('resource_role', `${resource}/${role}`, { resource, role, permissions, extends: [], granted_to })
const set = (key: string, conditions: object, resource: string | null = null) =>
  put('condition_set', key, { type: resource === null ? 'userset' : 'resourceset', resource, conditions, parent: null })
const rule = (user_set: string, action: string, resource_set = '__autogen_doc') => {
  const value = { user_set, permission: `doc:${action}`, resource_set }
  return put('set_rule', `${user_set}/${value.permission}/${value.resource_set}`, value)
}

/** Roles that extend, are derived, also only without a direct one; sets that read roles, tenants and what tenants store. */
export const POLICY: readonly PolicyChange[] = [
  put('resource', '__tenant', { actions: [], attributes: { level: 'number' } }),
  put('resource', 'folder', { actions: ['read'] }),
  put('resource', 'doc', { actions: ACTIONS }),
  put('role', 'viewer', { permissions: ['doc:read'], extends: [] }),
  put('role', 'editor', { permissions: ['doc:write'], extends: ['viewer'] }),
  put('role', 'auditor', { permissions: [], extends: [] }),
  put('role', 'guest', { permissions: [], extends: [] }),
  resourceRole('folder', 'keeper', ['folder:read'], given('keeper', ['parent'])),
  resourceRole('folder', 'visitor', []),
  resourceRole('doc', 'owner', ['doc:write'], given('keeper', ['near'], true)),
  resourceRole('doc', 'reader', ['doc:read'], given('keeper', ['parent', 'near'])),
  put('tenant', 'default', {}),
  put('tenant', 'acme', { attributes: { level: 3 } }),
  ...INSTANCES.map((key) =>
    put('resource_instance', key, { tenant: findTenant(key), attributes: key === 'doc:two' ? { n: 2 } : {} }),
  ),
  set('of-acme', { allOf: [{ 'user.tenants': { array_contains: 'acme' } }] }),
  set('no-guest', { not: { allOf: [{ 'user.roles': { array_contains: 'guest' } }] } }),
  set('level', { allOf: [{ 'tenant.level': { equals: 3 } }] }),
  rule('of-acme', 'share'),
  rule('no-guest', 'print'),
  rule('__autogen_auditor', 'audit'),
  rule('level', 'audit'),
  // whose sides both read the row, so that the user alone decides nothing
  set('numbered', { allOf: [{ 'resource.n': { 'greater-than': 1 } }] }),
  set('numbers', { allOf: [{ 'resource.n': { 'less-than': 9 } }] }, 'doc'),
  rule('numbered', 'write', 'numbers'),
  ...USERS.map((key) => put('user', key, {})),
]

/** None, one or both of two times in their order. */
function drawTimes(next: Next): TimesPolicy {
  const [from, until] = [next(ENDS.length), next(ENDS.length)].sort()
  const times = [{}, { valid_from: ENDS[from!]! }, { valid_until: ENDS[until!]! }]
  if (from === until) return times[next(times.length)]!
  return [...times, { valid_from: ENDS[from!]!, valid_until: ENDS[until!]! }][next(times.length + 1)]!
}

function drawAssignment(next: Next): { key: string; value: object } {
  const user = USERS[next(USERS.length)]!
  if (next(2) === 0) {
    const [role, tenant] = [TENANT_ROLES[next(TENANT_ROLES.length)]!, TENANTS[next(TENANTS.length)]!]
    return { key: assignmentKey(user, role, tenant), value: { user, role, tenant, ...drawTimes(next) } }
  }
  const resource_instance = INSTANCES[next(INSTANCES.length)]!
  const of = ROLES[resource_instance.startsWith('doc') ? 'doc' : 'folder']
  const on = { user, role: of[next(of.length)]!, tenant: findTenant(resource_instance), resource_instance }
  return { key: assignmentKey(user, on.role, on.tenant, resource_instance), value: { ...on, ...drawTimes(next) } }
}

/** So many changes of the policy as it stands, which it then has. */
export function drawChanges(policy: Policy, next: Next, count: number): PolicyChange[] {
  const changes: PolicyChange[] = []
  for (let left = count; left > 0; left--)
    for (const change of drawChange(policy, next)) {
      const isOfNobody = change.op === 'put' && change.kind === 'role_assignment' && !policy.user.has(change.value.user)
      if (isOfNobody) continue
      changes.push(change)
      applyChanges(policy, [change])
    }
  return changes
}

function* drawChange(policy: Policy, next: Next): Iterable<PolicyChange> {
  const verb = next(14)
  if (verb < 6) {
    const { key, value } = drawAssignment(next)
    yield put('role_assignment', key, value)
  } else if (verb < 8) {
    const keys = [...policy.role_assignment.keys()]
    if (keys.length > 0) yield remove('role_assignment', keys[next(keys.length)]!)
  } else if (verb < 10) {
    const [subject, relation, object] = RELATED[next(RELATED.length)]!
    const key = tupleKey(subject, relation, object)
    yield put('relationship_tuple', key, { subject, relation, object, ...drawTimes(next) })
  } else if (verb === 10) {
    const keys = [...policy.relationship_tuple.keys()]
    if (keys.length > 0) yield remove('relationship_tuple', keys[next(keys.length)]!)
  } else if (verb > 11) {
    const user = USERS[next(USERS.length)]!
    if (policy.user.has(user)) yield put('user', user, next(3) === 0 ? {} : { suspension: drawTimes(next) })
  } else {
    const user = USERS[next(USERS.length)]!
    const assigned = [...policy.role_assignment.keys()].filter((key) => key.startsWith(`${user}/`))
    yield* assigned.map((key) => remove('role_assignment', key))
    yield policy.user.has(user) ? remove('user', user) : put('user', user, {})
  }
}

/** The policy as it is at an instant. */
export function inForceAt(policy: Policy, now: number): Policy {
  const only = <T extends TimesPolicy>(objects: ReadonlyMap<string, T>) =>
    new Map([...objects].filter(([, value]) => isInForce(value, now)))
  const { role_assignment, relationship_tuple } = policy
  const user = new Map(
    [...policy.user].map(([key, { suspension, ...value }]) => [
      key,
      suspension !== undefined && isInForce(suspension, now) ? { ...value, suspension: {} } : value,
    ]),
  )
  return { ...policy, user, role_assignment: only(role_assignment), relationship_tuple: only(relationship_tuple) }
}

export const QUESTIONS = USERS.flatMap((user) =>
  ACTIONS.flatMap((action) => [
    ...TENANTS.map((tenant) => ({ user, action, resource: { type: 'doc', tenant } })),
    { user, action, resource: { type: 'doc', key: 'one' } },
    { user, action, resource: { type: 'doc', key: 'two' } },
    { user, action, resource: { type: 'doc', key: 'new', tenant: 'acme', relations: { parent: ['folder:sub'] } } },
  ]),
)

/** An image that is asked at one instant after another. */
class Asked {
  readonly #pdp: Pdp
  #now = 0
  readonly #subjects: readonly ((at: number) => boolean)[]

  constructor(image: Images) {
    this.#pdp = new Pdp(new FixedImage(image))
    image.useClock(() => this.#now)
    this.#subjects = QUESTIONS.map(({ user, action, resource }) => {
      if ('relations' in resource) return () => this.#pdp.check(user, action, resource)
      const tenant = 'tenant' in resource ? resource.tenant : null
      const subject = this.#pdp.subject(user, { tenant })
      return () => subject.can(action, 'key' in resource ? `doc:${resource.key}` : 'doc')
    })
  }

  at(now: number): { readonly checks: boolean[]; readonly bulk: boolean[]; readonly handles: boolean[] } {
    this.#now = now
    return {
      checks: QUESTIONS.map(({ user, action, resource }) => this.#pdp.check(user, action, resource)),
      bulk: this.#pdp.bulkCheck(QUESTIONS),
      handles: this.#subjects.map((can) => can(now)),
    }
  }
}

/**
 * The first thing that a kernel does otherwise in a random history; undefined when it does everything as defined.
 * @param seen counts the answers, and those that another instant changes
 * @param Image the class that is tested
 */
export function timesLaw(
  kernel: KernelSource,
  seed: number,
  seen?: (answers: number, turned: number) => void,
  Image = Images,
) {
  const next = numbers(seed)
  const policy = toPolicy(POLICY)
  const image = Image.build(ENVIRONMENT, makePosition(1), POLICY, { kernel })
  const asked = new Asked(image)
  for (let revision = 2; revision < 14; revision++) {
    image.apply(deltaTo(revision, drawChanges(policy, next, 1 + next(5))))
    image.verify()
    const others = [image.compact(), Image.load(image.save(), { kernel }), image.clone()]
    const ways = [asked, ...others.map((each) => new Asked(each))]
    if (
      !Buffer.from(others[0]!.save()).equals(
        Image.build(ENVIRONMENT, makePosition(revision), image.contents(), { kernel }).save(),
      )
    )
      return `revision ${revision}: a build of the contents has other bytes than a compaction`
    const rights: string[] = []
    for (let left = 4; left > 0; left--) {
      const now = INSTANTS[next(INSTANTS.length)]!
      const then = inForceAt(policy, now)
      const right = QUESTIONS.map((question) => check(then, question))
      rights.push(right.join())
      for (const [way, each] of ways.entries())
        for (const [door, answers] of Object.entries(each.at(now)))
          for (const [at, answer] of answers.entries())
            if (answer !== right[at])
              return `revision ${revision}, way ${way}, ${door} at ${now}: ${JSON.stringify(QUESTIONS[at])} is ${answer}`
    }
    seen?.(QUESTIONS.length * rights.length, new Set(rights).size - 1)
  }
  return undefined
}
