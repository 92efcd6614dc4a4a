// Questions of the console to the PDP of the same process: answered and recorded as all others, with the cookie in the
// place of a key.
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { DecisionRecord } from '../../../src/client/decision-record.ts'
import { withoutRequest } from '../../../src/log/change.ts'
import { SESSION_RENEW_MS } from '../../../src/model/limits.ts'
import { pooledPdpServer, readKeys } from '../../../src/server.ts'
import { type Installation, openInstallation, Visitor } from './harness.ts'

const IN_DEVELOPMENT = '?project=default&environment=development'
const say = (user: string, action = 'say') => ({
  user: { key: user },
  action,
  resource: { type: 'hello', tenant: 'default' },
})

let own: Installation
let pdp: FastifyInstance
const records: DecisionRecord[] = []
beforeAll(async () => {
  own = await openInstallation(false)
  const add = (record: DecisionRecord) => {
    records.push(record)
    return { settled: (done: (error?: Error) => void) => done() }
  }
  pdp = pooledPdpServer(own.management, { decisionLog: { recorder: { add } } as never })
  await pdp.ready()
  own.app.console?.answerWith(pdp)
})
afterAll(async () => {
  await pdp.close()
  await own.close()
})
afterEach(() => void vi.useRealTimers())

async function makeVisitor(secret: string): Promise<Visitor> {
  const visitor = new Visitor(own.app)
  await visitor.signIn(secret)
  return visitor
}
const readSecret = (environment: string) => readKeys(own.management.store.folder)!.environments[environment]!

describe('a question of the console', () => {
  it('is answered for the environment of the key, and recorded with its id', async () => {
    const visitor = await makeVisitor(readSecret('development'))
    const answer = await visitor.ask('POST', '/console/api/allowed', { body: say('ana') })
    expect([answer.status, answer.json().allow]).toEqual([200, true])
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-revision': expect.anything() })
    expect(records.at(-1)).toMatchObject({ user: 'ana', action: 'say', allow: true })
    const keys = (await visitor.ask('GET', '/console/api/v2/api-key')).json().data as { id: string }[]
    expect(keys.map(({ id }) => id)).toContain(records.at(-1)?.apiKey)
  })

  it('of a wider key names the environment', async () => {
    const visitor = await makeVisitor((await own.addKey('read')).secret)
    const asked = (query: string, body: object = say('ben')) =>
      visitor.ask('POST', `/console/api/allowed${query}`, { body })
    expect((await asked('')).json().detail[0].loc).toEqual(['query', 'environment'])
    expect((await asked(IN_DEVELOPMENT)).json().allow).toBe(false)
    expect((await asked(IN_DEVELOPMENT, say('ben', 'wave'))).json().allow).toBe(true)
    // production has no policy
    expect((await asked('?project=default&environment=production', say('ben', 'wave'))).json().allow).toBe(false)
    expect((await asked('?project=default&environment=staging')).status).toBe(404)
  })

  it('of the key of one environment is never about another', async () => {
    const visitor = await makeVisitor(readSecret('production'))
    expect((await visitor.ask('POST', `/console/api/allowed${IN_DEVELOPMENT}`, { body: say('ana') })).status).toBe(404)
    expect((await visitor.ask('POST', '/console/api/allowed', { body: say('ana') })).json().allow).toBe(false)
  })

  it('is explained for people, and may be for a listing', async () => {
    const visitor = await makeVisitor(readSecret('development'))
    const why = await visitor.ask('POST', '/console/api/allowed', { body: say('ben'), headers: { 'x-explain': 'why' } })
    expect(why.json()).toMatchObject({ allow: false, why: { allow: false } })
    const permissions = await visitor.ask('POST', '/console/api/user-permissions', { body: { user: { key: 'ana' } } })
    expect(Object.keys(permissions.json())).toEqual(['__tenant:default'])
    const who = { action: 'say', resource: { type: 'hello', tenant: 'default' } }
    expect((await visitor.ask('POST', '/console/api/authorized_users', { body: who })).json().users).toHaveProperty(
      'ana',
    )
  })

  it('keeps the session going', async () => {
    const visitor = await makeVisitor(readSecret('development'))
    const before = visitor.cookie
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + SESSION_RENEW_MS })
    expect((await visitor.ask('POST', '/console/api/allowed', { body: say('ana') })).status).toBe(200)
    expect(visitor.cookie).not.toBe(before)
  })

  it('needs the cookie, the token of the session and a page of our own', async () => {
    const visitor = await makeVisitor(readSecret('development'))
    const asked = (headers: Record<string, string | undefined>, url = '/console/api/allowed') =>
      visitor.ask('POST', url, { body: say('ana'), headers })
    const bearer = { authorization: `Bearer ${readSecret('development')}` }
    const count = records.length
    expect((await asked({ cookie: undefined, ...bearer })).status).toBe(401)
    expect((await asked({ 'x-csrf-token': undefined })).status).toBe(403)
    expect((await asked({ origin: 'http://localhost:3000' })).status).toBe(403)
    expect((await asked(bearer, '/console/%61pi/allowed')).status).toBe(405)
    expect((await asked(bearer, '/allowed')).status).toBe(404)
    expect(records.length).toBe(count)
  })

  it('does not reach what writes, or what is about the process', async () => {
    const visitor = await makeVisitor(readSecret('development'))
    for (const path of ['/_exit', '/facts/users', '/policy-updater/trigger', '/snapshot', '/nginx_allowed', '/version'])
      expect([path, (await visitor.ask('POST', `/console/api${path}`, { body: {} })).status]).toEqual([path, 405])
  })

  it('finds nothing where no PDP runs beside the management API', async () => {
    const alone = new Visitor(own.again())
    await alone.signIn(readSecret('development'))
    expect((await alone.ask('POST', '/console/api/allowed', { body: say('ana') })).status).toBe(404)
    const path = '/console/api/v2/projects/default/envs/development/explain'
    const question = { user: 'ana', action: 'say', resource: { type: 'hello', tenant: 'default' } }
    expect((await alone.ask('POST', path, { body: question })).json()).toMatchObject({
      allow: true,
      why: { allow: true },
    })
  })

  it('ends with its key', async () => {
    const { key, secret } = await own.addKey('read', 'about to go')
    const visitor = await makeVisitor(secret)
    await own.management.store.commit(
      own.management.organization,
      'deleteApiKey',
      { ref: key.id },
      withoutRequest('test'),
    )
    expect((await visitor.ask('POST', `/console/api/allowed${IN_DEVELOPMENT}`, { body: say('ana') })).status).toBe(401)
  })
})
