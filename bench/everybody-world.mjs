// The world of the rows about roles of everyone (D16): documents of one tenant, and users who have a role there,
// or none. Two worlds differ only in the roles of everyone.

const put = (kind, key, value) => ({ op: 'put', kind, key, value })
const pad = (number) => String(number).padStart(6, '0')
const EVERYONE = '*'
const TENANT = 'acme'
const ELSEWHERE = 'elsewhere'

/** The roles of everyone in a world, by its name. */
const GIVEN = {
  nothing: () => [],
  'a role in another tenant': () => [grant(EVERYONE, 'reader', ELSEWHERE)],
  'a role on each document': (documents) =>
    Array.from({ length: documents }, (_, at) => grant(EVERYONE, 'visitor', TENANT, document(at))),
}
export const listGiven = () => Object.keys(GIVEN)

/**
 * As changes, for an image.
 * @param {{ users: number, documents: number, given: keyof typeof GIVEN }} world every second user is a reader in the tenant
 */
export function* everybodyChanges({ users, documents, given }) {
  yield put('resource', 'document', { actions: ['read', 'write'] })
  yield put('role', 'reader', { permissions: ['document:read'], extends: [], everybody: true })
  yield put('resource_role', 'document/visitor', {
    ...{ resource: 'document', role: 'visitor', permissions: ['document:read'], extends: [] },
    ...{ granted_to: null, everybody: true },
  })
  for (const tenant of [TENANT, ELSEWHERE]) yield put('tenant', tenant, {})
  for (let at = 0; at < users; at++) yield put('user', userKey(at), { attributes: {} })
  for (let at = 0; at < documents; at++) yield put('resource_instance', document(at), { tenant: TENANT })
  for (let at = 0; at < users; at += 2) yield grant(userKey(at), 'reader', TENANT)
  yield* GIVEN[given](documents)
}

/**
 * Of users without a role of their own: about documents, or about their type in the tenant, and then nothing is allowed.
 */
export function everybodyQuestions({ users, documents, given }, count, areAboutDocuments) {
  return Array.from({ length: count }, (_, number) => {
    const user = ((number * 7_919) % (users / 2)) * 2 + 1
    const on = areAboutDocuments ? { key: `d${pad((number * 31) % documents)}` } : {}
    const isAllowed = areAboutDocuments && given === 'a role on each document'
    return { user: userKey(user), resource: { type: 'document', tenant: TENANT, ...on }, isAllowed }
  })
}

/** Of a user without a role of their own, and in which tenant. */
export const ASKED = { user: 'user-000001', tenant: TENANT }

const userKey = (at) => `user-${pad(at)}`
const document = (at) => `document:d${pad(at)}`

function grant(user, role, tenant, instance) {
  const on = instance === undefined ? {} : { resource_instance: instance }
  return put('role_assignment', [user, role, tenant, ...Object.values(on)].join('/'), { user, role, tenant, ...on })
}
