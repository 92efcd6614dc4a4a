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
]
