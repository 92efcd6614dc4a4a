// The world of the curves: tenants of a thousand facts each, all alike, so that only their number differs between two
// sizes. What every question has as its answer follows from the numbers here, without any engine.
import { makeRandom } from './workloads.mjs'

export const FACTS_PER_TENANT = 1_000
/** In each tenant; with the tenant itself, and every keeper, a thousand. */
const USERS = 160
const DOCUMENTS = 216
const FOLDERS = 24
const KEEPERS = 16
const TUPLES = 103
/** The one instance whose key has this text. */
export const RARE = 'quartz'

const pad = (number, digits) => String(number).padStart(digits, '0')
const tenantKey = (tenant) => `tenant-${pad(tenant, 5)}`
const userKey = (tenant, at) => `user-${pad(tenant * USERS + at, 7)}`
const folderKey = (tenant, at) => `folder-${pad(tenant * FOLDERS + at, 7)}`
const documentKey = (tenant, at) =>
  tenant === 0 && at === DOCUMENTS - 1 ? `the-${RARE}-file` : `document-${pad(tenant * DOCUMENTS + at, 7)}`

const isViewer = (at) => at % 2 === 0
const chooseDepartment = (at) => (at % 20 === 7 ? 'legal' : at % 20 === 3 ? 'design' : 'sales')
const chooseForm = (at) => (at % 4 === 0 ? 'contract' : 'note')

export const POLICY = {
  zerohop: 2,
  user_attributes: { department: { type: 'string' } },
  resources: [
    { key: 'folder', actions: { keep: {} }, roles: { keeper: { permissions: ['keep'] } } },
    {
      key: 'document',
      actions: { read: {}, edit: {}, view: {}, seal: {}, annotate: {} },
      attributes: { form: { type: 'string' } },
      relations: { parent: 'folder' },
      roles: {
        editor: { permissions: ['edit'] },
        reader: {
          permissions: ['view'],
          granted_to: { users_with_role: [{ role: 'keeper', on_resource: 'folder', linked_by_relation: 'parent' }] },
        },
      },
    },
  ],
  roles: [{ key: 'viewer', permissions: ['document:read'] }, { key: 'guest' }],
  condition_sets: [
    { key: 'legal', type: 'userset', conditions: { 'user.department': { equals: 'legal' } } },
    { key: 'design', type: 'userset', conditions: { 'user.department': { equals: 'design' } } },
    ...['contract', 'note'].map((form) => ({
      key: `${form}s`,
      type: 'resourceset',
      resource: 'document',
      conditions: { 'resource.form': { equals: form } },
    })),
  ],
  set_rules: [
    { user_set: 'legal', permission: 'document:seal', resource_set: 'contracts' },
    { user_set: 'design', permission: 'document:annotate', resource_set: 'notes' },
  ],
}

/** The facts of the world as lines of a file of facts (docs/facts-file.md), each after those that it names. */
export function* factLines(tenants) {
  const each = function* (count, fact) {
    for (let tenant = 0; tenant < tenants; tenant++) {
      for (let at = 0; at < count; at++) yield `${JSON.stringify(fact(tenant, at))}\n`
    }
  }
  yield '{"zerohop_facts":1}\n'
  yield* each(1, (tenant) => ({ tenant: { key: tenantKey(tenant) } }))
  yield* each(USERS, (tenant, at) => ({
    user: { key: userKey(tenant, at), attributes: { department: chooseDepartment(at) } },
  }))
  yield* each(USERS, (tenant, at) => ({ membership: { user: userKey(tenant, at), tenant: tenantKey(tenant) } }))
  const instance = (resource, key, tenant, attributes) => ({
    resource_instance: { key, resource, tenant: tenantKey(tenant), attributes },
  })
  yield* each(FOLDERS, (tenant, at) => instance('folder', folderKey(tenant, at), tenant))
  yield* each(DOCUMENTS, (tenant, at) =>
    instance('document', documentKey(tenant, at), tenant, { form: chooseForm(at) }),
  )
  yield* each(TUPLES, (tenant, at) => ({
    relationship_tuple: {
      subject: `folder:${folderKey(tenant, at % FOLDERS)}`,
      relation: 'parent',
      object: `document:${documentKey(tenant, at)}`,
    },
  }))
  const given = (user, role, tenant, resource_instance) => ({
    role_assignment: { user, role, tenant: tenantKey(tenant), resource_instance },
  })
  yield* each(USERS, (tenant, at) => given(userKey(tenant, at), isViewer(at) ? 'viewer' : 'guest', tenant))
  yield* each(USERS, (tenant, at) =>
    given(userKey(tenant, at), 'editor', tenant, `document:${documentKey(tenant, at)}`),
  )
  yield* each(KEEPERS, (tenant, at) =>
    given(userKey(tenant, at * 10), 'keeper', tenant, `folder:${folderKey(tenant, at)}`),
  )
}

/** Questions all over the world, each with its right answer; about half of the answers are yes. */
export function makeQuestions(tenants, count) {
  const random = makeRandom(34)
  const below = (limit) => Math.floor(random() * limit)
  const question = (tenant, user, action, document) => ({
    user: userKey(tenant, user),
    action,
    resource: {
      type: 'document',
      tenant: tenantKey(tenant),
      ...(document === undefined ? {} : { key: documentKey(tenant, document) }),
    },
  })
  const ways = {
    'by a role in the tenant': (tenant) => {
      const user = below(USERS)
      return { ...question(tenant, user, 'read'), expected: isViewer(user) }
    },
    'by a role on the instance': (tenant) => {
      const [user, other] = [below(USERS), below(2)]
      return { ...question(tenant, user, 'edit', user + other), expected: other === 0 }
    },
    'by a role on the folder': (tenant) => {
      const [keeper, other] = [below(KEEPERS), below(2)]
      return { ...question(tenant, keeper * 10, 'view', keeper + FOLDERS + other), expected: other === 0 }
    },
    'by a rule': (tenant) => {
      const [user, document] = [below(USERS / 20) * 20 + 7, below(DOCUMENTS / 2) * 2]
      return { ...question(tenant, user, 'seal', document), expected: chooseForm(document) === 'contract' }
    },
  }
  return Object.entries(ways).map(([way, ask]) => ({
    way,
    questions: Array.from({ length: count }, () => ask(below(tenants))),
  }))
}

/** Users with three roles: in their tenant, on a document and on a folder with five more documents. */
export function makeKeepers(tenants, count, keeper = 1) {
  const random = makeRandom(35 + keeper)
  const drawn = new Set()
  while (drawn.size < Math.min(count, tenants)) drawn.add(Math.floor(random() * tenants))
  return [...drawn].map((tenant) => ({
    user: userKey(tenant, keeper * 10),
    tenant: tenantKey(tenant),
    document: documentKey(tenant, keeper * 10),
    entries: [
      `__tenant:${tenantKey(tenant)}`,
      `folder:${folderKey(tenant, keeper)}`,
      `document:${documentKey(tenant, keeper * 10)}`,
      ...[0, 1, 2, 3, 4].map((at) => `document:${documentKey(tenant, keeper + at * FOLDERS)}`),
    ].sort(),
  }))
}

/** Users with the role that lets them read, each with the first documents of the tenant, and all that may read these. */
export function makeViewers(tenants, count, page) {
  const random = makeRandom(37)
  return Array.from({ length: count }, () => {
    const tenant = Math.floor(random() * tenants)
    const keys = (length, key) => Array.from({ length }, (_, at) => key(tenant, at))
    return {
      user: userKey(tenant, Math.floor(random() * (USERS / 2)) * 2),
      tenant: tenantKey(tenant),
      documents: keys(DOCUMENTS, documentKey).sort().slice(0, page),
      viewers: keys(USERS, userKey)
        .filter((_, at) => isViewer(at))
        .slice(0, page),
    }
  })
}

/** Users without the role that lets them read, each in a tenant. */
export function makeGuests(tenants, count) {
  const random = makeRandom(36)
  return Array.from({ length: count }, (_, at) => {
    const tenant = Math.floor(random() * tenants)
    return { user: userKey(tenant, at * 2 + 1), tenant: tenantKey(tenant) }
  })
}
