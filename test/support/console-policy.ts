// A policy with a bit of everything, which tests of the console show: roles that extend others, resource roles over
// relations, condition sets, tenants, and names as long as people write them.

const ROLES = ['viewer', 'editor', 'accountant', 'auditor', 'admin'] as const
const PEOPLE = [
  { key: 'ana@acme.example', first_name: 'Ana', last_name: 'Silva', department: 'finance', role: 'admin' },
  { key: 'ben@acme.example', first_name: 'Ben', last_name: 'Okafor', department: 'sales', role: 'viewer' },
  { key: 'cleo@acme.example', first_name: 'Cleo', last_name: 'Marsh', department: 'finance', role: 'accountant' },
  { key: 'dev@globex.example', first_name: 'Dev', last_name: 'Patel', department: 'finance', role: 'editor' },
  { key: 'eli@globex.example', first_name: 'Eli', last_name: 'Novak', department: 'support', role: 'auditor' },
] as const
const userTenant = (user: string): string => (user.includes('globex') ? 'globex' : 'acme')

export const CONSOLE_POLICY = {
  zerohop: 2,
  user_attributes: { department: { type: 'string', description: 'where the user works' }, level: { type: 'number' } },
  resources: [
    {
      key: 'invoice',
      name: 'Invoice',
      actions: { read: {}, create: {}, approve: {}, delete: {} },
      attributes: { amount: { type: 'number' }, department: { type: 'string' } },
      relations: { parent: 'folder' },
      roles: {
        reader: {
          permissions: ['read'],
          granted_to: {
            users_with_role: [{ role: 'owner', on_resource: 'folder', linked_by_relation: 'parent' }],
          },
        },
      },
    },
    {
      key: 'folder',
      name: 'Folder',
      actions: { read: {}, share: {} },
      roles: { owner: { permissions: ['read', 'share'] } },
    },
    { key: 'report', name: 'Report', actions: { read: {}, export: {} } },
  ],
  roles: [
    { key: 'viewer', name: 'Viewer', permissions: ['invoice:read', 'report:read'] },
    { key: 'editor', name: 'Editor', permissions: ['invoice:create'], extends: ['viewer'] },
    { key: 'accountant', name: 'Accountant', permissions: ['report:export'], extends: ['editor'] },
    { key: 'auditor', name: 'Auditor', permissions: ['invoice:read', 'report:read', 'report:export'] },
    { key: 'admin', name: 'Administrator', permissions: ['invoice:delete', 'folder:share'], extends: ['accountant'] },
  ] satisfies { key: (typeof ROLES)[number]; [member: string]: unknown }[],
  condition_sets: [
    {
      key: 'finance-staff',
      name: 'Finance staff',
      type: 'userset',
      conditions: { 'user.department': { equals: 'finance' } },
    },
    {
      key: 'small-invoices',
      name: 'Small invoices',
      type: 'resourceset',
      resource: 'invoice',
      conditions: { 'resource.amount': { 'less-than': 1000 } },
    },
  ],
  set_rules: [{ user_set: 'finance-staff', permission: 'invoice:approve', resource_set: 'small-invoices' }],
  tenants: [
    { key: 'acme', name: 'Acme' },
    { key: 'globex', name: 'Globex' },
  ],
  users: PEOPLE.map(({ key, first_name, last_name, department }) => ({
    key,
    email: key,
    first_name,
    last_name,
    attributes: { department },
  })),
  role_assignments: [
    ...PEOPLE.map(({ key, role }) => ({ user: key, role, tenant: userTenant(key) })),
    { user: 'ben@acme.example', role: 'owner', resource_instance: 'folder:q4' },
  ],
  resource_instances: [
    { resource: 'folder', key: 'q4', tenant: 'acme' },
    { resource: 'invoice', key: '18', tenant: 'acme', attributes: { amount: 120, department: 'finance' } },
    { resource: 'invoice', key: '19', tenant: 'acme', attributes: { amount: 25_000, department: 'sales' } },
  ],
  relationship_tuples: [{ subject: 'folder:q4', relation: 'parent', object: 'invoice:18' }],
}

/** The same, with what roles of tenants are made of: two permissions, and a role that they may extend. */
export const OFFERING_POLICY = {
  ...CONSOLE_POLICY,
  resources: CONSOLE_POLICY.resources.map((resource) =>
    resource.key === 'report'
      ? { ...resource, actions: { read: { grantable: true }, export: { name: 'Export as PDF', grantable: true } } }
      : resource,
  ),
  roles: CONSOLE_POLICY.roles.map((role) => ({
    ...role,
    ...(role.key === 'viewer' || role.key === 'auditor' ? { assignable_by_tenants: true } : {}),
    ...(role.key === 'viewer' ? { extendable: true } : {}),
  })),
}
