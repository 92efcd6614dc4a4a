// A folder that is restored from a backup, and a replica, have of API keys and resource roles what was written: keys end
// where they were to end, old secrets too, and permissions are answered in the form in which they were sent.
import { randomBytes, randomUUID } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { withoutRequest } from '../../src/log/change.ts'
import { ADMIN, describeBackup } from '../../src/management/host/admin.ts'
import { DAY_MS, startOfDay } from '../../src/model/key-end.ts'
import {
  connect,
  type Management,
  managementServer,
  openManagement,
  type Pdp,
  pooledPdpServer,
} from '../../src/server.ts'
import { restoreBackup } from '../../src/store/backup.ts'
import { memoryFolder, temporaryFolder } from '../support/folders.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'

const KEY = 'permit_key_of_the_organization_here'
const BY = withoutRequest('test')
const ROLE = '/v2/schema/default/development/resources/doc/roles/owner'
const newId = () => randomBytes(16).toString('hex')

afterEach(() => vi.useRealTimers())

type Made = Awaited<ReturnType<typeof write>>

/** The answers of a management API, with the key of the organization unless another one is given. */
function asking(management: Management) {
  const app = managementServer(management)
  onTestFinished(() => app.close())
  return async (method: 'GET' | 'POST', url: string, payload?: object, key = KEY) => {
    const answer = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${key}` },
      ...(payload && { payload }),
    })
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() }
  }
}

/** A key that ends, one that was rotated and keeps its old secret, both used, and a role with bare permissions. */
async function write(management: Management) {
  const ask = asking(management)
  const ok = async (url: string, payload: object) => {
    const { status, body } = await ask('POST', url, payload)
    expect([status, body]).toEqual([200, expect.anything()])
    return body
  }
  const { organization, store } = management
  const { id: environment } = store.view(organization).require('environment', 'default/development')
  const place = { organization_id: organization, project_id: 'default', environment_id: environment }
  const ending = await ok('/v2/api-key', { ...place, expires_at: new Date(Date.now() + 2 * DAY_MS).toISOString() })
  const before = await ok('/v2/api-key', place)
  const after = await ok(`/v2/api-key/${before.id}/rotate-secret`, { keep_old_seconds: 3_600 })
  await store.commit(organization, 'noteKeyUse', { ids: [ending.id, before.id] }, BY)
  await ok('/v2/schema/default/development/resources', { key: 'doc', actions: { read: {}, edit: {} } })
  await ok('/v2/schema/default/development/resources/doc/roles', { key: 'owner', permissions: ['read', 'edit'] })
  return { ending, before, after, environment }
}

/** What was written holds at a copy, through its management API and its PDP. */
async function holds(copy: Management, { ending, before, after }: Made): Promise<void> {
  const ask = asking(copy)
  const pdp = pooledPdpServer(copy)
  onTestFinished(() => pdp.close())
  const shown = async (id: string) => (await ask('GET', `/v2/api-key/${id}`)).body
  expect(await shown(ending.id)).toMatchObject({ expires_at: ending.expires_at, old_secret_expires_at: null })
  expect(await shown(after.id)).toMatchObject({ expires_at: null, old_secret_expires_at: after.old_secret_expires_at })
  const day = new Date(startOfDay(Date.now())).toISOString().replace('Z', '+00:00')
  for (const { id } of [ending, after]) expect((await shown(id)).last_used_at).toBe(day)
  expect((await ask('GET', ROLE)).body.permissions).toEqual(['read', 'edit'])

  const payload = { user: { key: 'ana' }, action: 'read', resource: { type: 'doc', tenant: 'default' } }
  const answers = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    const checked = await pdp.inject({ method: 'POST', url: '/allowed', headers, payload })
    const listed = await ask('GET', '/v2/facts/default/development/users', undefined, key)
    return [listed.status, checked.statusCode, listed.body.message]
  }
  const all = async () => [await answers(ending.secret), await answers(before.secret), await answers(after.secret)]
  const good = [200, 200, undefined]
  const revoked = [401, 401, 'this API key was rotated or deleted']
  const at = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now })
  expect(await all()).toEqual([good, good, good])
  at(Date.parse(after.old_secret_expires_at) - 1)
  expect(await all()).toEqual([good, good, good])
  at(Date.parse(after.old_secret_expires_at))
  expect(await all()).toEqual([good, revoked, good])
  at(Date.parse(ending.expires_at))
  expect(await all()).toEqual([[401, 401, 'this API key has expired'], revoked, good])
}

describe('a restored folder', () => {
  const folders = temporaryFolder('copied-keys')

  it('has ends of keys, old secrets, days of use and the form of permissions as they were written', async () => {
    const data = join(folders, 'first')
    const management = await openManagement({ data, bootstrapKey: KEY })
    const made = await write(management)
    await ADMIN.backup({ store: management.store, data, newId }, { folder: join(folders, 'backup') })
    await describeBackup(join(folders, 'backup'), 1)
    await management.store.close()
    const restored = join(folders, 'restored')
    await restoreBackup(join(folders, 'backup'), restored, () => randomBytes(32).toString('hex'))
    copyFileSync(join(data, 'secrets.key'), join(restored, 'secrets.key'))
    const copy = await openManagement({ data: restored })
    onTestFinished(() => copy.store.close())
    await holds(copy, made)
  })
})

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('another replica', () => {
  afterAll(endPostgres)

  const open = async (url: string, secretsKey: Buffer) => {
    const replica = { settings: { url, replica: randomUUID(), version: 'test' }, secretsKey }
    const management = await openManagement({ data: memoryFolder('copied-keys'), bootstrapKey: KEY, replica })
    onTestFinished(() => management.store.close())
    return management
  }

  it('has them too, and so has one that begins with an empty folder', async () => {
    const [url, secretsKey] = [await (await startPostgres()).database(), randomBytes(32)]
    const [one, other] = [await open(url, secretsKey), await open(url, secretsKey)]
    const made = await write(one)
    for (const copy of [other, await open(url, secretsKey)]) {
      await copy.store.confirm()
      await holds(copy, made)
      vi.useRealTimers()
    }
  })

  it('ends the streams of the feed whose key, or old secret, ends at the first one or by its time', async () => {
    const [url, secretsKey] = [await (await startPostgres()).database(), randomBytes(32)]
    const [one, other] = [await open(url, secretsKey), await open(url, secretsKey)]
    const { ending, before, after, environment } = await write(one)
    await other.store.confirm()
    const app = managementServer(other)
    onTestFinished(() => app.close())
    const at = await app.listen({ host: '127.0.0.1', port: 0 })
    const pdps = await Promise.all([ending, before, after].map(({ secret }) => connect({ url: at, apiKey: secret })))
    onTestFinished(() => Promise.all(pdps.map((pdp) => pdp.close())).then(() => undefined))
    const [byEnding, byOld, byNew] = pdps as [Pdp, Pdp, Pdp]
    const user = async (key: string) => (await one.store.commit(environment, 'createUser', { key }, BY)).revision
    const within = { timeoutMs: 20_000 }
    const first = await user('first')
    await Promise.all(pdps.map((pdp) => pdp.atLeast(first, within)))

    await one.store.commit(one.organization, 'endOldSecret', { ref: after.id }, BY)
    await expect(byOld.atLeast(first + 1, within)).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(ending.expires_at) })
    const last = await user('last')
    await expect(byEnding.atLeast(last, within)).rejects.toMatchObject({ code: 'KEY_EXPIRED' })
    await byNew.atLeast(last, within)
    const asked = { user: { key: 'ana' }, action: 'read', resource: 'doc' }
    expect(() => byEnding.check(asked.user, asked.action, asked.resource)).toThrow()
    expect(byNew.check(asked.user, asked.action, asked.resource)).toBe(false)
  })
})
