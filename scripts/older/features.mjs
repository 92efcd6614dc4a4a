// What older versions do not know: how an environment gets it, and what an older PDP says to it.

/** @typedef {(method: string, path: string, body?: unknown) => Promise<unknown>} Call `{e}` is the environment's path */

/** @type {{ name: string, bring: (call: Call) => Promise<unknown>, refusal: RegExp }[]} */
export const FEATURES = [
  {
    name: 'grants for a time',
    bring: (call) =>
      call('POST', '/v2/facts/{e}/role_assignments', {
        ...{ user: 'cleo', role: 'reader', tenant: 'acme' },
        valid_until: '2100-01-01T00:00:00Z',
      }),
    refusal: /change code 13 is not known/,
  },
  {
    name: 'a suspended user',
    bring: (call) => call('PUT', '/v2/facts/{e}/users/cleo/suspension', { reason: 'left' }),
    refusal: /change code 15 is not known/,
  },
  {
    name: 'a role of everyone',
    bring: async (call) => {
      await call('PATCH', '/v2/schema/{e}/roles/reader', { everybody: true })
      await call('POST', '/v2/facts/{e}/role_assignments', { user: '*', role: 'reader', tenant: 'acme' })
    },
    refusal: /change code 16 is not known/,
  },
  {
    name: 'a role on instances as user set',
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
    bring: async (call) => {
      await call('PATCH', '/v2/schema/{e}/resources/doc/actions/read', { grantable: true })
      await call('POST', '/v2/facts/{e}/tenants/acme/roles', { key: 'clerk', name: 'Clerk', permissions: ['doc:read'] })
    },
    refusal: /change code 18 is not known/,
  },
]
