// A policy with a rule of each kind, and its test file.
import type { Source } from '../../src/management/policy-file/problem.ts'

export const POLICY: Source = {
  name: 'policy.yaml',
  text: `zerohop: 2
user_attributes: { department: { type: string } }
resources:
  - key: folder
    actions: { list: {} }
    roles: { owner: { permissions: ['folder:list'] } }
  - key: invoice
    actions: { read: {}, write: {}, approve: {} }
    attributes: { amount: { type: number }, locked: { type: bool } }
    relations: { parent: folder }
    roles:
      reader: { permissions: ['invoice:read'] }
      keeper:
        permissions: ['invoice:write']
        extends: [reader]
        granted_to: { users_with_role: [{ role: owner, on_resource: folder, linked_by_relation: parent }] }
roles:
  - { key: viewer, permissions: ['invoice:read'] }
  - { key: editor, permissions: ['invoice:write'], extends: [viewer] }
condition_sets:
  - { key: staff, type: userset, conditions: { user.department: { equals: finance } } }
  - key: small
    type: resourceset
    resource: invoice
    conditions: { allOf: [{ resource.amount: { less-than: 1000 } }, { not: { resource.locked: { equals: true } } }] }
set_rules:
  - { user_set: staff, permission: 'invoice:approve', resource_set: small }
`,
}

export const FACTS = `facts:
  tenants: [{ key: acme }]
  users:
    - { key: ana, attributes: { department: finance } }
    - { key: ben }
    - { key: eve }
  role_assignments:
    - { user: ana, role: editor, tenant: acme }
    - { user: ben, role: viewer, tenant: acme }
    - { user: eve, role: owner, resource_instance: 'folder:f1' }
  resource_instances:
    - { resource: folder, key: f1, tenant: acme }
    - { resource: invoice, key: '17', tenant: acme, attributes: { amount: 500 } }
  relationship_tuples:
    - { subject: 'folder:f1', relation: parent, object: 'invoice:17' }
`

/** A test file with the facts; the first expectation is in line 17. */
export const testFile = (expectations: string, name: string = 'tests/invoices.yaml'): Source => ({
  name,
  text: `${FACTS}expect:\n${expectations}`,
})
