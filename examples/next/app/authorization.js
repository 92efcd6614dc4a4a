// The decision point of this server, its rows, and who is signed in. A real application has a database and asks it by
// `toSql` instead of `matches`: docs/node-application.md.
import { randomUUID } from 'node:crypto'
import { cookies } from 'next/headers'
import { connect } from 'zerohop'
import { matches, toResource } from 'zerohop/filters'

/** Where a row holds what the policy speaks of. */
const MAPPING = {
  tenant: 'tenant',
  key: 'id',
  attributes: { status: { column: 'status', type: 'text' }, owner: { column: 'owner', type: 'text' } },
  relations: { folder: { resource: 'folder', column: 'folder' } },
}
/** In a real application: the identity provider, and the tenant that the user has chosen. */
const SESSIONS = new Map(Object.entries({ ana: 'acme', ben: 'acme', cyd: 'acme', eve: 'umbra' }))

const row = (title, tenant, status, owner, folder) => ({ id: randomUUID(), title, tenant, status, owner, folder })

/** One in the process: Next loads this file once for each of pages, actions and routes. */
globalThis.documents ??= [
  row('Handbook', 'acme', 'public', 'cyd', null),
  row('Budget', 'acme', 'draft', 'cyd', 'reports'),
  row('Prices', 'acme', 'draft', 'cyd', 'sales'),
  row('Plan', 'acme', 'draft', 'ben', 'sales'),
  row('Secret', 'umbra', 'public', 'eve', null),
]

/** The first request connects. */
export function decisions() {
  globalThis.decisions ??= connect({ url: process.env.ZEROHOP_API, apiKey: process.env.ZEROHOP_KEY })
  return globalThis.decisions
}

/** Who is signed in, or undefined. */
export async function session() {
  const user = (await cookies()).get('user')?.value
  const tenant = SESSIONS.get(user)
  return tenant === undefined ? undefined : { user, tenant }
}

/** What the policy reads of a row. Pass it on as it is: a copy has lost its mark. */
export const toDocument = (stored) => toResource(stored, MAPPING, { type: 'document', dialect: 'sqlite' })

/** The rows that the user may read: those that a check of each would allow. */
export async function readable({ user, tenant }) {
  const filter = (await decisions()).filter(user, 'read', 'document', { tenant })
  return globalThis.documents.filter((stored) => matches(filter, toDocument(stored)))
}

export const makeSnapshot = async ({ user, tenant }) => (await decisions()).snapshot(user, { tenants: [tenant] })
