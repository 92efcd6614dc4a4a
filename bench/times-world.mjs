// The world of the rows about grants for a time: users who each have a role in some tenants, and some hold it
// until an instant. Which users, and how many roles `many` holds, is all that differs between two worlds.

const TENANTS = 1_000
const ROLES = 1_000
const HELD_TENANTS = 3
/** Far from the instant of every question. */
const UNTIL = Date.UTC(2100, 0, 1)
const ENDED = Date.UTC(2001, 0, 1)

const put = (kind, key, value) => ({ op: 'put', kind, key, value })
const pad = (number, digits) => String(number).padStart(digits, '0')
export const tenantKey = (at) => `tenant-${pad(at, 4)}`
const userKey = (at) => `user-${pad(at, 6)}`
const otherKey = (at) => `other-${pad(at, 6)}`

/**
 * As changes, for an image.
 * @param {{ users: number, others: number, isAsked: boolean, areOthers: boolean }} world `users`: who are asked about;
 * `others`: who are not. `isAsked`, `areOthers`: whether the roles of these have an end
 */
export function* timedChanges({ users, others, isAsked, areOthers }) {
  yield put('resource', 'invoice', { actions: ['read', 'pay'] })
  yield put('role', 'reader', { permissions: ['invoice:read'], extends: [] })
  for (let at = 0; at < ROLES; at++) yield put('role', `role-${pad(at, 4)}`, { permissions: [], extends: [] })
  for (let at = 0; at < TENANTS; at++) yield put('tenant', tenantKey(at), {})
  for (let at = 0; at < users; at++) yield* rolesOf(userKey(at), at, isAsked)
  for (let at = 0; at < others; at++) yield* rolesOf(otherKey(at), at, areOthers)
}

/**
 * A user with as many roles in one tenant as there are, and one of them allows something; with `isTimed` all have an end,
 * and every second one has ended.
 */
export function* manyChanges({ count, isTimed }) {
  yield put('resource', 'invoice', { actions: ['read', 'pay'] })
  yield put('tenant', tenantKey(0), {})
  yield put('user', 'many', { attributes: {} })
  for (let at = 0; at < count; at++) {
    const role = `role-${pad(at, 4)}`
    yield put('role', role, { permissions: at === count - 1 ? ['invoice:read'] : [], extends: [] })
    yield grant('many', role, tenantKey(0), isTimed ? (at % 2 === 0 ? ENDED : UNTIL) : undefined)
  }
}

function* rolesOf(user, at, isTimed) {
  yield put('user', user, { attributes: {} })
  for (let number = 0; number < HELD_TENANTS; number++)
    yield grant(user, 'reader', tenantKey((at + number) % TENANTS), isTimed ? UNTIL : undefined)
}

const grant = (user, role, tenant, until) =>
  put('role_assignment', `${user}/${role}/${tenant}`, {
    ...{ user, role, tenant },
    ...(until === undefined ? {} : { valid_until: until }),
  })

/** Half of the questions are allowed: the user holds the role in that tenant. */
export function timedQuestions(users, count) {
  return Array.from({ length: count }, (_, number) => {
    const at = (number * 7919) % users
    const isAllowed = number % 2 === 0
    const tenant = tenantKey((at + (isAllowed ? number % HELD_TENANTS : HELD_TENANTS + 1)) % TENANTS)
    return { user: userKey(at), resource: { type: 'invoice', tenant }, isAllowed }
  })
}

export const countGrants = ({ users, others }) => (users + others) * HELD_TENANTS
