// The worlds that every candidate is measured on: W1, W2, W3 (and a tiny one for CI), made from a seed so that each
// process makes the same one for itself. Has the plain definition of the right answer, which must stay simple.

/**
 * @typedef {{ user: string, action: string, resource: string, tenant: string }} Check
 * @typedef {{ key: string, permissions: { resource: string, action: string }[] }} Role
 * @typedef {{ tenant: string, roles: Role[] }} Grant
 * @typedef {{ key: string, grants: Grant[] }} User
 * @typedef {object} World
 * @property {string} name
 * @property {string[]} actions
 * @property {string[]} resources
 * @property {string[]} tenants
 * @property {Role[]} roles
 * @property {User[]} users
 * @property {number} assignments
 * @property {Check[]} checks
 * @property {boolean[]} expected what the plain definition says for each check
 */

export const WORKLOADS = {
  tiny: {
    roles: 5,
    resources: 4,
    actions: 3,
    users: 50,
    tenants: 3,
    tenantsPerUser: 2,
    rolesMax: 2,
    permissionsPerRole: 4,
  },
  W1: {
    roles: 10,
    resources: 10,
    actions: 5,
    users: 1_000,
    tenants: 1,
    tenantsPerUser: 1,
    rolesMax: 2,
    permissionsPerRole: 10,
  },
  W2: {
    roles: 100,
    resources: 50,
    actions: 6,
    users: 10_000,
    tenants: 100,
    tenantsPerUser: 3,
    rolesMax: 3,
    permissionsPerRole: 30,
  },
  W3: {
    roles: 1_000,
    resources: 200,
    actions: 8,
    users: 100_000,
    tenants: 1_000,
    tenantsPerUser: 3,
    rolesMax: 3,
    permissionsPerRole: 80,
  },
}
// 143,000 users with six assignments each, and what they refer to: 1,000,000 facts.
WORKLOADS.million = { ...WORKLOADS.W3, users: 143_000 }

export const CHECKS = 20_000

/** A generator of numbers in [0, 1) that gives the same sequence for the same seed (mulberry32). */
export function makeRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * @param {keyof typeof WORKLOADS} name
 * @returns {World}
 */
export function makeWorld(name, { seed = 20_261_120, checks = CHECKS } = {}) {
  const size = WORKLOADS[name]
  const random = makeRandom(seed)
  const below = (limit) => Math.floor(random() * limit)
  const actions = keys('action', size.actions, 1)
  const resources = keys('resource', size.resources, 2)
  const tenants = keys('tenant', size.tenants, 3)
  const permissions = resources.flatMap((resource) => actions.map((action) => ({ resource, action })))
  const roles = keys('role', size.roles, 3).map((key) => ({
    key,
    permissions: pick(permissions, size.permissionsPerRole, below),
  }))
  let assignments = 0
  const users = keys('user', size.users, 6).map((key) => {
    const grants = pick(tenants, size.tenantsPerUser, below).map((tenant) => {
      const held = pick(roles, 1 + below(size.rolesMax), below)
      assignments += held.length
      return { tenant, roles: held }
    })
    return { key, grants }
  })
  const world = { name, actions, resources, tenants, roles, users, assignments, checks: [], expected: [] }
  askHalfAllowed(world, checks, below)
  return world
}

/** The plain definition: a role that the user holds in that tenant has that permission. */
export function decidePlainly(userByKey, check) {
  const user = userByKey.get(check.user)
  const grant = user?.grants.find((held) => held.tenant === check.tenant)
  return (grant?.roles ?? []).some((role) =>
    role.permissions.some((permission) => permission.resource === check.resource && permission.action === check.action),
  )
}

/**
 * Half of the checks are allowed; of the denied ones one in fifty names something unknown and one in five another
 * tenant.
 */
function askHalfAllowed(world, count, below) {
  const userByKey = new Map(world.users.map((user) => [user.key, user]))
  const pickOne = (list) => list[below(list.length)]
  for (let i = 0; i < count; i++) {
    const wanted = below(2) === 1
    let check
    do {
      const user = pickOne(world.users)
      const grant = pickOne(user.grants)
      const permission = wanted
        ? pickOne(pickOne(grant.roles).permissions)
        : { resource: pickOne(world.resources), action: pickOne(world.actions) }
      const elsewhere = !wanted && below(5) === 0
      check = {
        user: user.key,
        action: permission.action,
        resource: permission.resource,
        tenant: elsewhere ? pickOne(world.tenants) : grant.tenant,
      }
      if (!wanted && below(50) === 0) check[pickOne(['user', 'action', 'resource', 'tenant'])] = 'nobody-knows'
    } while (decidePlainly(userByKey, check) !== wanted)
    world.checks.push(check)
    world.expected.push(wanted)
  }
}

/** `count` different elements, in random order. */
function pick(list, count, below) {
  const picked = new Set()
  while (picked.size < Math.min(count, list.length)) picked.add(list[below(list.length)])
  return [...picked]
}

function keys(kind, count, digits) {
  return Array.from({ length: count }, (_, i) => `${kind}-${String(i).padStart(digits, '0')}`)
}

/** What the deltas and images count: users, tenants and role assignments. */
export const countFacts = (world) => world.users.length + world.tenants.length + world.assignments

/** The changes that make Zerohop hold the same world. */
export function* policyChanges(world) {
  for (const key of world.resources) yield { op: 'put', kind: 'resource', key, value: { actions: world.actions } }
  for (const role of world.roles) {
    const permissions = role.permissions.map(({ resource, action }) => `${resource}:${action}`)
    yield { op: 'put', kind: 'role', key: role.key, value: { permissions, extends: [] } }
  }
  for (const key of world.tenants) yield { op: 'put', kind: 'tenant', key, value: {} }
  for (const user of world.users) yield* userChanges(user)
}

/** One user and what the user holds. */
export function* userChanges(user) {
  yield { op: 'put', kind: 'user', key: user.key, value: {} }
  for (const { tenant, roles } of user.grants) {
    for (const role of roles) yield assignmentChange(user.key, role.key, tenant)
  }
}

function assignmentChange(user, role, tenant) {
  return { op: 'put', kind: 'role_assignment', key: `${user}/${role}/${tenant}`, value: { user, role, tenant } }
}

/** The deletes that undo these puts, in an order in which nothing refers to what is gone. */
export function undo(puts) {
  return puts.map(({ kind, key }) => ({ op: 'delete', kind, key })).reverse()
}

/**
 * One more role for some user in some tenant, over and over, by the names that makeWorld gives; needs no world in
 * memory.
 */
export function assignmentMaker(size, seed = 7) {
  const random = makeRandom(seed)
  const key = (kind, count, digits) => `${kind}-${String(Math.floor(random() * count)).padStart(digits, '0')}`
  return () => assignmentChange(key('user', size.users, 6), key('role', size.roles, 3), key('tenant', size.tenants, 3))
}
