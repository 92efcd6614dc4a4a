// A key that was revoked writes nothing any more, at whatever replica and however long a write takes: a write holds
// what a revocation waits for. docs/replicas.md.
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ManagementData } from '../../src/management/host/open.ts'
import { hashSecret } from '../../src/management/objects/api-key.ts'
import { KEYS_LOCK } from '../../src/store/postgres/entries.ts'
import { connectTo, endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { BY, closeReplicas, development, openReplica } from '../support/replica-stores.ts'

/** longer than any lock is held here */
const STATEMENT_MS = 30_000

let server: Postgres

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('replicas', () => {
  beforeAll(async () => {
    server = await startPostgres()
  })

  afterEach(closeReplicas)

  afterAll(endPostgres)

  it('refuse a write whose key another replica revoked', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const { organization } = one
    const { result } = await one.store.commit(organization, 'createApiKey', { level: 'org', access: 'admin' }, BY)
    const asking = { key: { organization, hash: hashSecret(result.secret) } }
    const environment = development(one)
    await one.store.commit(environment, 'createUser', { key: 'kept' }, BY, asking)
    await other.store.commit(organization, 'deleteApiKey', { ref: result.key.id }, BY)
    const late = one.store.commit(environment, 'createUser', { key: 'late' }, BY, asking)
    await expect(late).rejects.toMatchObject({ code: 'KEY_REVOKED' })
    expect(one.store.view(environment).get('user', 'late')).toBeUndefined()
  })

  it('refuse a write with the key of a tenant that another replica deleted, also when one of the same key follows', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const environment = development(one)
    const { store } = one
    const tenant = { key: 'acme', name: 'Acme' }
    const { id } = (await store.commit(environment, 'createTenant', tenant, BY)).result
    await store.commit(environment, 'createRole', { key: 'guest', assignable_by_tenants: true }, BY)
    await store.commit(environment, 'createUser', { key: 'mia' }, BY)
    const input = { user: 'mia', role: 'guest', tenant: 'acme' }
    await store.commit(environment, 'assign', input, BY)
    const write = () => store.commit(environment, 'writeInTenant', { tenant: id, name: 'putAssignment', input }, BY)
    await write()
    await other.store.commit(environment, 'deleteTenant', { ref: 'acme' }, BY)
    await other.store.commit(environment, 'createTenant', { ...tenant, name: 'Another' }, BY)
    await other.store.commit(environment, 'assign', input, BY)
    // it has not followed yet
    await expect(write()).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND', details: { kind: 'tenant', ref: id } })
  })

  it('acknowledge a revocation when the writes of the key have ended, also those of a replica that hangs', async () => {
    const url = await server.database()
    const replica = await openReplica(url, { statementMs: STATEMENT_MS })
    const { asking, id } = await newKey(replica)
    const hanging = await holdKeys(url, replica, 'shared')
    let isRevoked = false
    const revoked = replica.store.commit(replica.organization, 'deleteApiKey', { ref: id }, BY).then(() => {
      isRevoked = true
    })
    await pause(300)
    expect(isRevoked).toBe(false)
    await hanging.query('COMMIT')
    await hanging.end()
    await revoked
    const late = replica.store.commit(development(replica), 'createUser', { key: 'late' }, BY, asking)
    await expect(late).rejects.toMatchObject({ code: 'KEY_REVOKED' })
  })

  it('look at a key when the change of keys that is under way has ended, and let others write meanwhile', async () => {
    const url = await server.database()
    const replica = await openReplica(url, { statementMs: STATEMENT_MS })
    const { asking } = await newKey(replica)
    const environment = development(replica)
    const changing = await holdKeys(url, replica, 'alone')
    let isWritten = false
    const written = replica.store.commit(environment, 'createUser', { key: 'keyed' }, BY, asking).then(() => {
      isWritten = true
    })
    await replica.store.commit(environment, 'createUser', { key: 'keyless' }, BY) // without a key: of the server itself
    expect(isWritten).toBe(false)
    await changing.query('COMMIT')
    await changing.end()
    await written
    expect([...replica.store.view(environment).list('user')].map(({ key }) => key).slice(-2)).toEqual([
      'keyless',
      'keyed',
    ])
  })

  it('let writes with the keys of one organization share what they hold', async () => {
    const url = await server.database()
    const replica = await openReplica(url, { statementMs: STATEMENT_MS })
    const { asking } = await newKey(replica)
    const other = await holdKeys(url, replica, 'shared')
    const environment = development(replica)
    await replica.store.commit(environment, 'createUser', { key: 'keyed' }, BY, asking)
    expect(replica.store.view(environment).get('user', 'keyed')).toBeDefined()
    await other.end()
  })
})

async function newKey({ store, organization }: ManagementData) {
  const { result } = await store.commit(organization, 'createApiKey', { level: 'org', access: 'admin' }, BY)
  return { asking: { key: { organization, hash: hashSecret(result.secret) } }, id: result.key.id }
}

/** A transaction that holds the keys of the organization, as the write of another replica does. */
async function holdKeys(url: string, { organization }: ManagementData, how: 'shared' | 'alone'): Promise<pg.Client> {
  const client = await connectTo(url)
  await client.query('BEGIN')
  const lock = how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await client.query(`SELECT ${lock}(${KEYS_LOCK}, number) FROM zerohop.logs WHERE id = $1`, [organization])
  return client
}
