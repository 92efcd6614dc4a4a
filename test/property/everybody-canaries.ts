// Faults of the host about roles for everybody (D16): that a listing, an explanation or a diff forgets them, or takes them for
// roles of users. Those of filters are in filter-everybody-canaries.ts.
import type { Canary } from '../support/canary.ts'

/** What everybody holds is forgotten. */
export const OF_FORGOTTEN: Canary = {
  'shared-grants': '0',
  'found-shared-grant': '0',
  'users-by-everybody': 'true',
  'listings-of-who-is-not-stored': 'true',
  'line-of-everybody': '0',
  'shared-permissions': 'true',
  'shared-tenants': '(user === 0 ? [] : tenantsOfGrantsFor(kernel, user))',
  'shared-instances': '{ withEverybody: false }',
  'reasons-of-who-is-not-stored': 'true',
  'shared-reasons': '[]',
  'deltas-of-everybody': 'true',
}

/** What everybody holds is taken for what a user holds, or counts in tenants that were not asked for. */
export const OF_EVERYBODY_AS_USERS: Canary = {
  'shared-in-other-tenants': 'false',
  'tenants-of-everybody': (code) => `${code}.concat(tenantsOfGrantsFor(kernel, userId))`,
  'users-with-own-ways': 'usersWithOwnWays(evaluator, asked)',
  'shared-where-users-belong': 'true',
  'own-roles-on-instances': 'true',
  'own-roles-in-tenants': '(findGrant(kernel, this.#user, tenant) || findSharedGrant(kernel, tenant))',
  'diffs-by-own-roles': (code) => code.replace(/^ownAloneIn\(\[.*?\], /, '((run) => run())('),
}
