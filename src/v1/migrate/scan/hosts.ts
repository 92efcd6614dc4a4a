// Which hosts can be of the first API version, and the v2 counterparts of its paths.

const FACTS = '/v2/facts/{proj_id}/{env_id}'
const SCHEMA = '/v2/schema/{proj_id}/{env_id}'

/** Collections of v1, and where their objects are in v2. */
export const COLLECTIONS: Readonly<Record<string, string>> = {
  users: `${FACTS}/users`,
  tenants: `${FACTS}/tenants`,
  role_assignments: `${FACTS}/role_assignments`,
  roles: `${SCHEMA}/roles`,
  resources: `${SCHEMA}/resources`,
  embeddables: '/v2/auth/elements_login_as',
}

/** Hosts that serve only the first version, including their subdomains. A team adds its own with --host. */
export const V1_HOSTS: readonly string[] = ['authorizon.com']

/** Whether the host name belongs to the product, in any version. */
export const isProduct = (host: string): boolean => /permit|zerohop|authorizon/i.test(host)

const INTERNAL = /^(?:\d+(?:\.\d+){3}|.*\.(?:local|internal|svc|lan|test|localhost))$/i

/** Whether the host is a literal public name that is not the product's. A variable may be any host. */
export function isOther(host: string): boolean {
  const isName = /^[\w.-]+\.[\w-]+$/.test(host)
  return isName && !isProduct(host) && !INTERNAL.test(host)
}

/** What to write in place of a v1 path. */
export function insteadOfPath(collection: string): string {
  const to = Object.hasOwn(COLLECTIONS, collection)
    ? COLLECTIONS[collection]!
    : '/v2/facts/… for users, tenants and role_assignments, /v2/schema/… for roles and resources'
  return `${to}, with keys instead of slugs and custom ids`
}

/** The occurrences of the hosts or their subdomains in a text: offset and name. */
export function* hostsIn(
  text: string,
  hosts: readonly string[],
): Generator<{ readonly at: number; readonly found: string }> {
  for (const host of hosts) {
    const escaped = host.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    for (const match of text.matchAll(new RegExp(`(?<![\\w.-])(?:[\\w-]{1,63}\\.){0,8}${escaped}(?![\\w-])`, 'gi')))
      yield { at: match.index, found: match[0] }
  }
}

export const INSTEAD_OF_HOST = 'the address of an API or a PDP of the second version'
