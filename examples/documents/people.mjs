// The people of the example, as facts of its unit tests.
export const PEOPLE = {
  tenants: [{ key: 'acme' }, { key: 'umbra' }],
  users: ['ana', 'ben', 'cyd', 'eve'].map((key) => ({ key })),
  resource_instances: [{ resource: 'folder', key: 'reports', tenant: 'acme' }],
  role_assignments: [
    { user: 'ana', role: 'member', tenant: 'acme' },
    { user: 'ben', role: 'member', tenant: 'acme' },
    { user: 'ana', role: 'editor', resource_instance: 'folder:reports' },
    { user: 'ana', role: 'admin', tenant: 'acme' },
    { user: 'cyd', role: 'auditor', tenant: 'acme' },
    { user: 'eve', role: 'member', tenant: 'umbra' },
  ],
}
