// The world of the rows about access diffs: users with a role in their tenant and in two more, and an editor's role on
// a folder of documents each. The same world as changes, for an image, and as calls of the API.

const TENANTS = 1_000
export const FACTS = new Set(['user', 'role_assignment', 'resource_instance', 'relationship_tuple', 'tenant'])
export const put = (kind, key, value) => ({ op: 'put', kind, key, value })
const NONE = { no_direct_roles_on_object: false }

export const MEMBER = { permissions: ['document:read'], extends: [] }
export const SENIORS = { type: 'userset', resource: null, conditions: { 'user.level': { equals: 9 } }, parent: null }
/** Drafts of the user's own level. */
export const DRAFTS = {
  type: 'resourceset',
  resource: 'document',
  conditions: { 'resource.state': { equals: 'draft' }, 'resource.level': { equals: { ref: 'user.level' } } },
  parent: null,
}
export const DOCUMENT_READER = {
  resource: 'document',
  role: 'reader',
  permissions: ['document:read'],
  extends: [],
  granted_to: {
    when: NONE,
    users_with_role: [{ role: 'editor', on_resource: 'folder', linked_by_relation: 'parent', when: NONE }],
  },
}
export const userKey = (at) => `user-${String(at).padStart(6, '0')}`
export const tenantKey = (at) => `tenant-${String(at % TENANTS).padStart(3, '0')}`

/** Users with a role in their tenant and in two more, and an editor's role on a folder of documents each. */
export function worldChanges(users) {
  const changes = [
    put('resource', 'folder', { actions: ['open'] }),
    put('resource', 'document', { actions: ['read', 'write', 'share'] }),
    put('role', 'member', MEMBER),
    put('role', 'guest', { permissions: ['folder:open'], extends: [] }),
    put('resource_role', 'folder/editor', {
      resource: 'folder',
      role: 'editor',
      permissions: [],
      extends: [],
      granted_to: null,
    }),
    put('resource_role', 'document/reader', DOCUMENT_READER),
    put('condition_set', 'seniors', SENIORS),
    put('condition_set', 'everybody', { type: 'userset', resource: null, conditions: {}, parent: null }),
    put('condition_set', 'drafts', DRAFTS),
    put('set_rule', 'everybody/document:write/drafts', {
      user_set: 'everybody',
      permission: 'document:write',
      resource_set: 'drafts',
    }),
    put('set_rule', 'seniors/folder:open/__autogen_folder', {
      user_set: 'seniors',
      permission: 'folder:open',
      resource_set: '__autogen_folder',
    }),
  ]
  for (let at = 0; at < TENANTS; at++) changes.push(put('tenant', tenantKey(at), {}))
  for (let at = 0; at < users; at++) {
    const [user, tenant] = [userKey(at), tenantKey(at)]
    changes.push(put('user', user, { attributes: { level: at % 10 } }))
    const held = [
      ['member', tenant],
      ['guest', tenantKey(at + 1)],
      ['guest', tenantKey(at + 2)],
    ]
    for (const [role, where] of held)
      changes.push(put('role_assignment', `${user}/${role}/${where}`, { user, role, tenant: where }))
    const folder = `folder:f${at}`
    changes.push(put('resource_instance', folder, { tenant }))
    const editor = { user, role: 'editor', tenant, resource_instance: folder }
    changes.push(put('role_assignment', `${user}/editor/${tenant}/${folder}`, editor))
    for (const document of [`document:a${at}`, `document:b${at}`]) {
      const tuple = { subject: folder, relation: 'parent', object: document }
      changes.push(put('resource_instance', document, { tenant }))
      changes.push(put('relationship_tuple', `${folder}/parent/${document}`, tuple))
    }
  }
  return changes
}

/** The schema of the world as a policy file. */
export const POLICY = {
  zerohop: 2,
  resources: [
    { key: 'folder', actions: { open: {} }, roles: { editor: {} } },
    {
      key: 'document',
      actions: { read: {}, write: {}, share: {} },
      attributes: { state: { type: 'string' }, level: { type: 'number' } },
      relations: { parent: 'folder' },
      roles: { reader: { permissions: ['read'], granted_to: DOCUMENT_READER.granted_to } },
    },
  ],
  roles: [
    { key: 'member', ...MEMBER },
    { key: 'guest', permissions: ['folder:open'] },
  ],
  condition_sets: [
    { key: 'seniors', type: 'userset', conditions: SENIORS.conditions },
    { key: 'everybody', type: 'userset', conditions: {} },
    { key: 'drafts', type: 'resourceset', resource: 'document', conditions: DRAFTS.conditions },
  ],
  set_rules: [
    { user_set: 'everybody', permission: 'document:write', resource_set: 'drafts' },
    { user_set: 'seniors', permission: 'folder:open', resource_set: 'folder' },
  ],
}

/** The facts of the world as bulk calls, in an order in which each finds what it names. */
export function factCalls(users) {
  const changes = worldChanges(users)
  const calls = (wanted, bodyOf) =>
    changes.filter(({ kind }) => kind === wanted).map(({ key, value }) => bodyOf(value, key))
  return [
    { method: 'POST', path: '$F/bulk/tenants', most: 2_000, items: calls('tenant', (_, key) => ({ key, name: key })) },
    { method: 'POST', path: '$F/bulk/users', most: 3_000, items: calls('user', (value, key) => ({ key, ...value })) },
    {
      method: 'PUT',
      path: '$F/bulk/resource_instances',
      most: 3_000,
      items: calls('resource_instance', ({ tenant }, name) => {
        const [resource, key] = name.split(':')
        return { resource, key, tenant }
      }),
    },
    {
      method: 'POST',
      path: '$F/relationship_tuples/bulk',
      most: 1_000,
      items: calls('relationship_tuple', (one) => one),
    },
    { method: 'POST', path: '$F/role_assignments/bulk', most: 2_000, items: calls('role_assignment', (one) => one) },
  ]
}
