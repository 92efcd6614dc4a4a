// The world of the rows about a role under a condition (D17): documents in folders, people with a role on some of them, and
// what the role gives. Only that differs between two worlds.

const DOCUMENTS = 20_000
const FOLDERS = 2_000
const HELD = 5
/** Every tenth document is archived. */
const isArchived = (document) => document % 10 === 0

const put = (kind, key, value) => ({ op: 'put', kind, key, value })
const pad = (number) => String(number).padStart(6, '0')
const userKey = (at) => `user-${pad(at)}`
const OFF = { no_direct_roles_on_object: false }

/** What makes somebody a reader of a document, by name. */
const GIVEN = {
  plain: { permissions: ['document:read'] },
  role: { user_set: '__autogen_document#editor' },
  tenantRole: { user_set: '__autogen_member' },
}
export const listGiven = () => Object.keys(GIVEN)

/**
 * As changes, for an image.
 * @param {{ users: number, given: keyof typeof GIVEN }} world `plain`: the role has the permission. `role`: whoever has the
 * role may read what is not archived. `tenantRole`: so may whoever has a role in the tenant
 */
export function* conditionalChanges({ users, given }) {
  const { permissions = [], user_set } = GIVEN[given]
  const keeper = { role: 'keeper', on_resource: 'folder', linked_by_relation: 'parent', when: OFF }
  yield put('tenant', 'acme', {})
  yield put('resource', 'folder', { actions: [] })
  yield put('resource', 'document', { actions: ['read'], attributes: { archived: 'bool' } })
  yield put('role', 'member', { permissions: [], extends: [] })
  yield put('resource_role', 'folder/keeper', {
    ...{ resource: 'folder', role: 'keeper', permissions: [], extends: [], granted_to: null },
  })
  yield put('resource_role', 'document/editor', {
    ...{ resource: 'document', role: 'editor', permissions, extends: [] },
    granted_to: { when: OFF, users_with_role: [keeper] },
  })
  for (let at = 0; at < users; at++) yield put('user', userKey(at), { attributes: {} })
  for (let at = 0; at < FOLDERS; at++) yield put('resource_instance', folder(at), { tenant: 'acme' })
  for (let at = 0; at < DOCUMENTS; at++) {
    yield put('resource_instance', document(at), { tenant: 'acme', attributes: { archived: isArchived(at) } })
    const tuple = { subject: folder(at % FOLDERS), relation: 'parent', object: document(at) }
    yield put('relationship_tuple', Object.values(tuple).join('/'), tuple)
  }
  const conditions = { 'resource.archived': { equals: false } }
  yield put('condition_set', 'live', { type: 'resourceset', resource: 'document', conditions, parent: null })
  if (user_set !== undefined) {
    const rule = { user_set, permission: 'document:read', resource_set: 'live' }
    yield put('set_rule', Object.values(rule).join('/'), rule)
  }
  for (let at = 0; at < users; at++) {
    yield grant(at, 'member')
    for (let number = 0; number < HELD; number++) {
      yield grant(at, 'editor', document(assigned(at, number)))
      yield grant(at, 'keeper', folder(kept(at, number)))
    }
  }
}

const document = (at) => `document:d${pad(at)}`
const folder = (at) => `folder:f${pad(at)}`
const assigned = (user, number) => (user * 7 + number * 4_001) % DOCUMENTS
const kept = (user, number) => (user * 3 + number * 401) % FOLDERS

function grant(at, role, instance) {
  const user = userKey(at)
  const on = instance === undefined ? {} : { resource_instance: instance }
  const key = [user, role, 'acme', ...(instance === undefined ? [] : [instance])].join('/')
  return put('role_assignment', key, { user, role, tenant: 'acme', ...on })
}

/**
 * A third of the questions is about a document on which the user has the role, two thirds are not: about one that is
 * archived where there is one, and about one of somebody else.
 * @param {'assigned' | 'derived'} by how the user has the role
 */
export function conditionalQuestions({ users, given }, count, by) {
  const holds = (user, at) =>
    numbers.some((number) => assigned(user, number) === at || kept(user, number) === at % FOLDERS)
  return Array.from({ length: count }, (_, number) => {
    const user = (number * 7_919) % users
    const of = number % HELD
    const held = by === 'assigned' ? assigned(user, of) : kept(user, of) + FOLDERS * (number % 10)
    const at = number % 3 === 2 ? (held + 1) % DOCUMENTS : held
    const isAllowed =
      given === 'tenantRole' ? !isArchived(at) : holds(user, at) && (given === 'plain' || !isArchived(at))
    return { user: userKey(user), resource: { type: 'document', key: `d${pad(at)}`, tenant: 'acme' }, isAllowed }
  })
}

const numbers = Array.from({ length: HELD }, (_, number) => number)
