// The policy of the example, written into a data folder: what never depends on a document is a role, what depends on
// where it lies is a relation, what depends on its own columns is a set rule.
import { open } from 'zerohop/embedded'

/** Opens the folder, with the policy, two tenants and some people in it. */
export async function openWithPolicy(data) {
  const zerohop = await open({ data })
  if (zerohop.resources.get('document') === undefined) await write(zerohop)
  return zerohop
}

async function write({ resources, roles, tenants, users, assignments, instances, conditionSets, setRules }) {
  // `grantable`: administrators of a tenant may put it into roles of their own
  const actions = { read: { grantable: true }, edit: {}, create: {} }
  await resources.create({
    key: 'folder',
    actions: { fill: {} },
    roles: { editor: { name: 'Editor', permissions: ['fill'] } },
  })
  await resources.create({
    key: 'document',
    actions,
    attributes: { status: { type: 'string' }, owner: { type: 'string' } },
    relations: { folder: 'folder' },
    roles: {
      writer: {
        name: 'Writer',
        permissions: ['read', 'edit', 'create'],
        granted_to: { users_with_role: [{ role: 'editor', on_resource: 'folder', linked_by_relation: 'folder' }] },
      },
    },
  })
  // Who manages the members of a tenant, and which roles its administrators may give. Members may ask for one of them.
  await resources.create({ key: 'members', actions: { manage: {}, see: { grantable: true } } })
  const assignable_by_tenants = true
  const managing = ['members:manage', 'members:see']
  await roles.create({ key: 'admin', name: 'Administrator', permissions: managing, assignable_by_tenants })
  const requestable = { approvers: ['admin'], max_duration: 86_400 }
  const auditor = { key: 'auditor', name: 'Auditor', permissions: ['document:read'] }
  await roles.create({ ...auditor, assignable_by_tenants, requestable })
  await roles.create({ key: 'member', name: 'Member', assignable_by_tenants })

  await conditionSets.create({
    key: 'members',
    type: 'userset',
    conditions: { 'user.roles': { array_contains: 'member' } },
  })
  const resource_id = 'document'
  const is = (key, test) => conditionSets.create({ key, type: 'resourceset', resource_id, conditions: test })
  await is('public', { 'resource.status': { equals: 'public' } })
  await is('own', { 'resource.owner': { equals: { ref: 'user.key' } } })
  await setRules.create({ user_set: 'members', permission: 'document:read', resource_set: 'public' })
  for (const action of ['read', 'edit'])
    await setRules.create({ user_set: 'members', permission: `document:${action}`, resource_set: 'own' })

  for (const key of ['acme', 'umbra']) await tenants.create({ key })
  for (const key of ['ana', 'ben', 'cyd', 'eve']) await users.create({ key })
  // Folders are known to Zerohop because somebody holds a role on them. Documents are not.
  await instances.create({ resource: 'folder', key: 'reports', tenant: 'acme' })
  const give = (user, role, tenant, resource_instance) =>
    assignments.assign({ user, role, tenant, ...(resource_instance ? { resource_instance } : {}) })
  for (const user of ['ana', 'ben']) await give(user, 'member', 'acme')
  await give('ana', 'editor', 'acme', 'folder:reports')
  await give('ana', 'admin', 'acme')
  await give('cyd', 'auditor', 'acme')
  await give('eve', 'member', 'umbra')
}
