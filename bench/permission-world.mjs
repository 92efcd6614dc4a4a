// The world of the rows about the permissions of a user: an environment of any size in which `ana` has a role in three
// tenants and two folders, `holder` a role on many documents, and `root` one on a folder above as many others. Every
// tenant has as many users and documents as every other one.

const FACTS_OF_TENANT = 1_000
const ON_FOLDERS = 2
const OFF = { no_direct_roles_on_object: false }
const put = (kind, key, value) => ({ op: 'put', kind, key, value })
const pad = (number, digits) => String(number).padStart(digits, '0')
const tenantKey = (at) => `tenant-${pad(at, 4)}`

/**
 * The set rules that an environment can have; what each says depends on the owner of a document:
 * - others: for users of a level that `ana` does not have
 * - members: for who has a role in the tenant
 * - everybody: for anyone
 */
export const RULES = ['others', 'members', 'everybody']

const USER_SETS = { others: { 'user.level': { equals: 9 } }, everybody: {} }

/**
 * As changes, for an image of about so many facts.
 * @param held documents of `holder`, and as many of `root`
 */
export function* permissionChanges(facts, { rules, held }) {
  const tenants = Math.max(3, Math.round(facts / FACTS_OF_TENANT))
  yield put('resource', '__user', { actions: [], attributes: { level: 'number' } })
  yield put('resource', 'folder', { actions: ['open'] })
  yield put('resource', 'document', { actions: ['read', 'write', 'share'], attributes: { owner: 'string' } })
  yield put('resource', 'invoice', { actions: ['read', 'pay'] })
  yield put('role', 'member', { permissions: ['document:read', 'folder:open'], extends: [] })
  yield put('role', 'payer', { permissions: ['invoice:read', 'invoice:pay'], extends: [] })
  const ofFolder = { permissions: ['folder:open'], extends: [], granted_to: null }
  yield put('resource_role', 'folder/editor', { resource: 'folder', role: 'editor', ...ofFolder })
  yield put('resource_role', 'document/editor', {
    ...{ resource: 'document', role: 'editor', permissions: ['document:read', 'document:write'], extends: [] },
    granted_to: {
      when: OFF,
      users_with_role: [{ role: 'editor', on_resource: 'folder', linked_by_relation: 'parent', when: OFF }],
    },
  })
  yield* ruleChanges(rules)
  for (let at = 0; at < tenants; at++) yield put('tenant', tenantKey(at), {})
  for (let at = 0; at < tenants; at++) yield* factsOfTenant(at)
  yield* heldChanges(held)
}

function* ruleChanges(rules) {
  const conditions = { 'resource.owner': { equals: { ref: 'user.key' } } }
  yield put('condition_set', 'own', { type: 'resourceset', resource: 'document', conditions, parent: null })
  const users = rules === 'members' ? 'member' : rules
  if (rules !== 'members')
    yield put('condition_set', users, { type: 'userset', resource: null, conditions: USER_SETS[rules], parent: null })
  const user_set = rules === 'members' ? '__autogen_member' : users
  const permission = 'document:share'
  yield put('set_rule', `${user_set}/${permission}/own`, { user_set, permission, resource_set: 'own' })
}

/** A thousand facts: users with a role each, folders, and documents in folders. */
function* factsOfTenant(at) {
  const tenant = tenantKey(at)
  for (let number = 0; number < 100; number++) {
    const user = `user-${pad(at, 4)}-${pad(number, 3)}`
    yield put('user', user, { attributes: { level: number % 10 } })
    yield* roleOf(user, number % 4 === 0 ? 'payer' : 'member', tenant)
  }
  for (let number = 0; number < 400; number++) {
    const [folder, document] = [
      `folder:${pad(at, 4)}-${pad(number % 40, 2)}`,
      `document:${pad(at, 4)}-${pad(number, 3)}`,
    ]
    if (number < 40) yield put('resource_instance', folder, { tenant })
    const owner = number < 3 ? 'ana' : `user-${pad(at, 4)}-${pad(number % 100, 3)}`
    yield put('resource_instance', document, { tenant, attributes: { owner } })
    yield within(folder, document)
  }
}

function* heldChanges(held) {
  yield put('user', 'ana', { attributes: { level: 1 } })
  for (let at = 0; at < 3; at++) yield* roleOf('ana', at === 0 ? 'payer' : 'member', tenantKey(at))
  for (let at = 0; at < ON_FOLDERS; at++) yield* roleOf('ana', 'editor', tenantKey(at), `folder:${pad(at, 4)}-00`)
  yield put('user', 'holder', { attributes: { level: 1 } })
  yield put('user', 'root', { attributes: { level: 1 } })
  const tenant = tenantKey(0)
  yield put('resource_instance', 'folder:root', { tenant })
  yield* roleOf('root', 'editor', tenant, 'folder:root')
  for (let at = 0; at < held; at++) {
    const [own, leaf] = [`document:held-${pad(at, 5)}`, `document:leaf-${pad(at, 5)}`]
    yield put('resource_instance', own, { tenant, attributes: { owner: 'nobody' } })
    yield* roleOf('holder', 'editor', tenant, own)
    yield put('resource_instance', leaf, { tenant, attributes: { owner: 'nobody' } })
    yield within('folder:root', leaf)
  }
}

function* roleOf(user, role, tenant, on) {
  const key = on === undefined ? `${user}/${role}/${tenant}` : `${user}/${role}/${tenant}/${on}`
  yield put('role_assignment', key, { user, role, tenant, ...(on === undefined ? {} : { resource_instance: on }) })
}

const within = (subject, object) =>
  put('relationship_tuple', `${subject}/parent/${object}`, { subject, relation: 'parent', object })
