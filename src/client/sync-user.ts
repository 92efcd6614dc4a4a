// Makes sure that a user is there with what is given, and changes nothing else: attributes that are not named stay, and
// so does a suspension. Another writer of the same user is not overwritten.
import type { components } from '../../build/management-api.ts'
import { SYNC_ROUNDS_MAX } from '../model/limits.ts'
import { dataOf, type ManagementClient } from './management-client.ts'

type UserCreate = components['schemas']['UserCreate']
type User = components['schemas']['User']

const USERS = '/v2/facts/{p}/{e}/users'

/**
 * Creates the user, or changes what is given; roles are added.
 * @param path project and environment, each an id or a key
 * @throws API_REFUSED
 */
export async function syncUser(
  client: ManagementClient,
  path: { readonly p: string; readonly e: string },
  user: UserCreate,
): Promise<User> {
  const query = { on_duplicate: 'ignore' } as const
  const made = dataOf(await client.POST(USERS, { params: { path, query }, body: user }))
  if (made.outcome !== 'kept') return made
  const { key, role_assignments: roles, ...fields } = user
  const params = { path: { ...path, ref: key } }
  for (let round = 1; ; round++) {
    const read = await client.GET(`${USERS}/{ref}`, { params })
    const attributes = fields.attributes ? { attributes: { ...dataOf(read).attributes, ...fields.attributes } } : {}
    const headers = { 'if-match': read.response.headers.get('etag') ?? '*' }
    const body = { ...withoutNull(fields), ...attributes }
    const changed = await client.PATCH(`${USERS}/{ref}`, { params, body, headers })
    if (changed.response.status === 412 && round < SYNC_ROUNDS_MAX) continue
    const now = dataOf(changed)
    if (!roles || roles.length === 0) return now
    const given = roles.map((role) => ({ ...role, user: key }))
    dataOf(await client.PUT('/v2/facts/{p}/{e}/role_assignments/bulk', { params: { path }, body: given }))
    return dataOf(await client.GET(`${USERS}/{ref}`, { params }))
  }
}

/** What is not known of a user is left as it is. */
const withoutNull = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T
