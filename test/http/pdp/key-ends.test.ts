// A key that ends, at PDPs: those of `zerohop serve`, which look keys up, and those that follow the feed, whose stream
// ends with a reason.
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { RemoteFeed } from '../../../src/client/http-feed.ts'
import type { KeyWithSecret } from '../../../src/management/objects/api-keys.ts'
import { DAY_MS } from '../../../src/model/key-end.ts'
import {
  connect,
  type Management,
  managementServer,
  openManagement,
  pdpServer,
  pooledPdpServer,
} from '../../../src/server.ts'
import { TESTER } from '../../support/environments.ts'
import { temporaryFolder } from '../../support/folders.ts'

let management: Management
let app: ReturnType<typeof managementServer>
let url: string
beforeAll(async () => {
  management = await openManagement({ data: temporaryFolder('key-ends') })
  app = managementServer(management)
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => vi.useRealTimers())
afterAll(async () => {
  await app.close()
  await management.store.close()
})

/** The clock of the servers, and nothing else, goes on by a day. */
const nextDay = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
const make = async (): Promise<KeyWithSecret> => {
  const of = { level: 'env', access: 'read', project: 'default', environment: 'development' } as const
  const expires_at = new Date(Date.now() + DAY_MS / 2).toISOString()
  return (await management.store.commit(management.organization, 'createApiKey', { ...of, expires_at }, TESTER)).result
}
const question = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello', tenant: 'default' } }
const ask = (pdp: ReturnType<typeof pdpServer>, secret: string) =>
  pdp.inject({ method: 'POST', url: '/allowed', headers: { authorization: `Bearer ${secret}` }, payload: question })

it('the PDP of `serve` refuses a key from its end on, also one that asked just before', async () => {
  const pdp = pooledPdpServer(management)
  const { secret } = await make()
  expect((await ask(pdp, secret)).statusCode).toBe(200)
  nextDay()
  const refused = await ask(pdp, secret)
  expect([refused.statusCode, refused.json()]).toEqual([401, { detail: 'this API key has expired' }])
  await pdp.close()
})

it('a stream of the feed ends before the next change, and the PDP and its callers get the reason', async () => {
  const { secret } = await make()
  const pdp = await connect({ url, apiKey: secret })
  const server = pdpServer(pdp, secret)
  expect((await ask(server, secret)).statusCode).toBe(200)
  nextDay()
  const { id } = management.store.view(management.organization).require('environment', 'default/development')
  const { revision } = await management.store.commit(id, 'createUser', { key: 'late' }, TESTER)
  await expect(pdp.atLeast(revision, { timeoutMs: 20_000 })).rejects.toMatchObject({ code: 'KEY_EXPIRED' })
  const refused = await ask(server, secret)
  expect([refused.statusCode, refused.json()]).toEqual([401, { detail: 'this API key has expired' }])
  await expect(new RemoteFeed({ url, apiKey: secret }).image()).rejects.toMatchObject({ code: 'KEY_EXPIRED' })
  await expect(connect({ url, apiKey: secret })).rejects.toMatchObject({ code: 'KEY_EXPIRED' })
  await server.close()
  await pdp.close()
})

it('a stream goes on through a rotation that keeps the old secret, and ends when that is ended', async () => {
  const { key, secret } = await make()
  const pdp = await connect({ url, apiKey: secret })
  const control = (name: 'rotateApiKey' | 'endOldSecret', more = {}) =>
    management.store.commit(management.organization, name, { ref: key.id, ...more }, TESTER)
  await control('rotateApiKey', { keepOldSeconds: 3_600 })
  const { id } = management.store.view(management.organization).require('environment', 'default/development')
  const { revision } = await management.store.commit(id, 'createUser', { key: 'later' }, TESTER)
  await pdp.atLeast(revision, { timeoutMs: 20_000 })
  await control('endOldSecret')
  await expect(pdp.atLeast(1e9, { timeoutMs: 20_000 })).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
  await pdp.close()
})

it('the use of a key by a PDP is noted at the API', async () => {
  const { key, secret } = await make()
  const pdp = await connect({ url, apiKey: secret })
  await app.keyUse.flush()
  expect(management.store.view(management.organization).require('api_key', key.id).last_used_at).toBeGreaterThan(0)
  await pdp.close()
})
