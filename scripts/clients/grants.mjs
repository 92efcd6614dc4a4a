// What published clients do not know, brought into an environment before they read it: roles and relations for a time, one
// of them ended, a suspended user, roles of everybody, and a role on instances as a user set.

const LATER = '2100-01-01T00:00:00Z'
const EARLIER = '2001-01-01T00:00:00Z'
const TENANT = 'ledgers'

/** @param {(method: string, path: string, body?: unknown) => Promise<unknown>} call `{e}` is the path of the environment */
export async function bringGrants(call) {
  const assign = (user, own) => call('POST', '/v2/facts/{e}/role_assignments', { user, tenant: TENANT, ...own })
  const resource = (key, own) => call('POST', '/v2/schema/{e}/resources', { key, name: key, ...own })
  await resource('shelf', { actions: {}, roles: { clerk: { name: 'Clerk' } } })
  await resource('ledger', {
    actions: { audit: {} },
    relations: { shelved: 'shelf' },
    roles: { keeper: { name: 'Keeper', permissions: ['audit'] } },
  })
  await call('POST', '/v2/schema/{e}/roles', { key: 'auditor', name: 'Auditor', permissions: ['ledger:audit'] })
  await call('PATCH', '/v2/schema/{e}/roles/auditor', { everybody: true })
  await call('PATCH', '/v2/schema/{e}/resources/ledger/roles/keeper', { everybody: true })
  await call('POST', '/v2/schema/{e}/condition_sets', {
    ...{ key: 'open_ledgers', name: 'Open ledgers', type: 'resourceset', resource_id: 'ledger' },
    conditions: { allOf: [{ 'resource.tenant': { equals: TENANT } }] },
  })
  const rule = { user_set: 'ledger#keeper', permission: 'ledger:audit', resource_set: 'open_ledgers' }
  await call('POST', '/v2/facts/{e}/set_rules', rule)
  await call('POST', '/v2/facts/{e}/tenants', { key: TENANT, name: 'Ledgers' })
  for (const user of ['until', 'ended', 'from', 'suspended']) await call('POST', '/v2/facts/{e}/users', { key: user })
  for (const [resource, key] of Object.entries({ shelf: 'first', ledger: 'open' }))
    await call('POST', '/v2/facts/{e}/resource_instances', { resource, key, tenant: TENANT })
  await assign('until', { role: 'auditor', valid_until: LATER })
  await assign('ended', { role: 'auditor', valid_until: EARLIER })
  await assign('from', { role: 'keeper', resource_instance: 'ledger:open', valid_from: LATER })
  await assign('suspended', { role: 'auditor' })
  await assign('*', { role: 'auditor' })
  await assign('*', { role: 'keeper', resource_instance: 'ledger:open', valid_until: LATER })
  const tuple = { subject: 'shelf:first', relation: 'shelved', object: 'ledger:open' }
  await call('POST', '/v2/facts/{e}/relationship_tuples', { ...tuple, valid_until: LATER })
  await call('PUT', '/v2/facts/{e}/users/suspended/suspension', { reason: 'left' })
}
