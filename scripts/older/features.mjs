// What older versions do not know: how an environment gets it, the format that a data folder has then, and what an older
// PDP says to it. What is in no image has no such sentence: a PDP goes on to follow.

/**
 * @typedef {(method: string, path: string, body?: unknown, headers?: object) => Promise<unknown>} Call `{e}` is the
 * environment's path, `{env}` its path below `/v2/projects`
 */

/** @type {{ name: string, format: number, bring: (call: Call) => Promise<unknown>, refusal?: RegExp }[]} */
export const FEATURES = [
  {
    name: 'grants for a time',
    format: 4,
    bring: (call) =>
      call('POST', '/v2/facts/{e}/role_assignments', {
        ...{ user: 'cleo', role: 'reader', tenant: 'acme' },
        valid_until: '2100-01-01T00:00:00Z',
      }),
    refusal: /change code 13 is not known/,
  },
  {
    name: 'a suspended user',
    format: 5,
    bring: (call) => call('PUT', '/v2/facts/{e}/users/cleo/suspension', { reason: 'left' }),
    refusal: /change code 15 is not known/,
  },
  {
    name: 'a role of everyone',
    format: 7,
    bring: async (call) => {
      await call('PATCH', '/v2/schema/{e}/roles/reader', { everybody: true })
      await call('POST', '/v2/facts/{e}/role_assignments', { user: '*', role: 'reader', tenant: 'acme' })
    },
    refusal: /change code 16 is not known/,
  },
  {
    name: 'a role on instances as user set',
    format: 6,
    bring: async (call) => {
      await call('POST', '/v2/schema/{e}/resources/doc/roles', { key: 'editor', name: 'Editor', permissions: ['read'] })
      await call('POST', '/v2/schema/{e}/condition_sets', {
        ...{ key: 'docs', name: 'Docs', type: 'resourceset', resource_id: 'doc' },
        conditions: { allOf: [{ 'resource.tenant': { equals: 'acme' } }] },
      })
      await call('POST', '/v2/facts/{e}/set_rules', {
        user_set: 'doc#editor',
        permission: 'doc:read',
        resource_set: 'docs',
      })
    },
    refusal: /change code 17 is not known/,
  },
  {
    name: 'a role of a tenant',
    format: 11,
    bring: async (call) => {
      await call('PATCH', '/v2/schema/{e}/resources/doc/actions/read', { grantable: true })
      await call('POST', '/v2/facts/{e}/tenants/acme/roles', { key: 'clerk', name: 'Clerk', permissions: ['doc:read'] })
    },
    refusal: /change code 18 is not known/,
  },
  {
    name: 'an invite by a tenant',
    format: 8,
    bring: async (call) => {
      await call('PATCH', '/v2/schema/{e}/roles/reader', { assignable_by_tenants: true })
      const invite = { email: 'dora@example.com', role: 'reader' }
      await call('POST', '/v2/facts/{e}/tenants/acme/invites', invite, { 'x-as-tenant': 'acme' })
    },
  },
  {
    name: 'required reasons',
    format: 9,
    bring: (call) => call('PATCH', '/v2/projects/{env}', { require_reason: true }),
  },
  {
    name: 'a proposal',
    format: 9,
    bring: (call) =>
      call('POST', '/v2/projects/{env}/proposals', {
        policy: { zerohop: 2, roles: [{ key: 'writer', permissions: [] }] },
      }),
  },
  {
    name: 'an access request',
    format: 10,
    bring: async (call) => {
      const requestable = { by: 'everybody', max_duration: 3600, reason: 'optional' }
      await call('PATCH', '/v2/schema/{e}/roles/reader', { requestable })
      await call('POST', '/v2/facts/{e}/access_requests', {
        ...{ as: 'cleo', role: 'reader', tenant: 'acme' },
        duration: 60,
      })
    },
  },
  {
    name: 'a sync and what it claims',
    format: 13,
    bring: async (call) => {
      const run = '0123456789abcdef0123456789abcdef'
      await call('POST', '/v2/facts/{e}/syncs/app/lease', { source: run, run })
      const items = [{ op: 'put', kind: 'user', item: { key: 'dora' } }]
      await call('POST', '/v2/facts/{e}/syncs/app/slices', { run, items })
    },
  },
]
