// Metrics of both servers, and limits on the rate of requests.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { METRICS } from '../../src/http/metric-table.ts'
import { IMAGE_ROOM } from '../../src/kernel/image-bytes.ts'
import {
  connect,
  type Management,
  managementServer,
  openManagement,
  pdpServer,
  pooledPdpServer,
  readKeys,
} from '../../src/server.ts'
import { BY } from '../management/harness.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { metricNames } from '../support/metric-docs.ts'
import { type Family, parseMetrics } from '../support/prometheus.ts'
import { REPLICA_METRICS } from '../support/replica-metrics.ts'

const data = temporaryFolder('metrics')
let management: Management
beforeAll(async () => {
  management = await openManagement({ data })
})
afterAll(() => management.store.close())

const key = (name = 'development') => readKeys(data)?.environments[name] ?? ''
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

/** The samples by name and labels, of a text that every scraper can read. */
function parseSamples(text: string): Map<string, number> {
  parseMetrics(text)
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

const metricsToken = 'the-token-of-the-operator'

/** Names and environments of all samples. */
function shownIn(text: string): { names: string[]; environments: string[] } {
  const samples = [...parseMetrics(text).values()].flatMap((family) => family.samples)
  const all = samples.map(({ labels }) => labels.environment ?? 'none')
  return { names: [...parseMetrics(text).keys()], environments: [...new Set(all)].sort() }
}

describe('/metrics of the management API', () => {
  it('counts what is scheduled and what has ended, and says when the next grant ends', async () => {
    const { store, organization } = management
    const log = store.view(organization).require('environment', 'default/development').id
    const now = Date.now()
    await store.commit(log, 'putRoles', { operations: [{ key: 'timed' }] }, BY)
    const times = [
      { valid_until: 5 },
      { valid_until: now - 1 },
      { valid_from: now + 3_600_000 },
      { valid_until: now + 9_000_000 },
      { valid_from: 5, valid_until: now + 7_200_000 },
      {},
    ]
    const read = async () => {
      const { body } = await managementServer(management, {}).inject({ url: '/metrics', headers: bearer(key()) })
      const samples = parseSamples(body)
      const find = (name: string) => samples.get(`zerohop_environment_${name}{environment="${log}"}`)
      return ['grants_scheduled', 'grants_ended', 'next_end_timestamp_seconds'].map(find)
    }
    expect(await read()).toEqual([0, 0, undefined])
    for (const [at, each] of times.entries()) {
      const user = `timed-${at}`
      await store.commit(log, 'syncUser', { key: user }, BY)
      await store.commit(log, 'assign', { user, role: 'timed', ...each }, BY)
    }
    expect(await read()).toEqual([1, 2, (now + 7_200_000) / 1000])
    await store.commit(log, 'deleteRole', { ref: 'timed' }, BY)
  })

  it('shows a key the series of the environments that it reaches, and no total', async () => {
    const { store, organization } = management
    const foreign = (await store.commit('f'.repeat(32), 'bootstrap', { noExample: true }, BY)).result
    const app = managementServer(management, { metricsToken })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const pdp = await connect({ url, apiKey: key() })
    const view = store.view(organization)
    const [development, production] = ['development', 'production'].map(
      (name) => view.require('environment', `default/${name}`).id,
    )
    const make = async (input: object) => (await store.commit(organization, 'createApiKey', input as never, BY)).result
    const project = (await make({ level: 'project', access: 'read', project: 'default' })).secret
    const none = (await make({ level: 'env', access: 'no_access', environment: development })).secret
    const read = async (secret: string) => {
      const { statusCode, body } = await app.inject({ url: '/metrics', headers: bearer(secret) })
      expect(statusCode).toBe(200)
      return body
    }
    const own = await read(key())
    expect(shownIn(own)).toEqual({
      names: [
        'zerohop_environment_revision',
        'zerohop_environment_log_entries',
        'zerohop_environment_image_room_bytes',
        'zerohop_environment_grants_scheduled',
        'zerohop_environment_grants_ended',
        'zerohop_environment_next_end_timestamp_seconds',
        'zerohop_environment_audit_records',
        'zerohop_environment_feed_followers',
        'zerohop_environment_pdps_behind',
        'zerohop_environment_pdp_lag_revisions',
      ].sort((left, right) => own.indexOf(`# HELP ${left} `) - own.indexOf(`# HELP ${right} `)),
      environments: [development],
    })
    const samples = parseSamples(own)
    const findNumber = (name: string) => samples.get(`zerohop_environment_${name}{environment="${development}"}`)
    expect(findNumber('revision')).toBe(store.head(development!).revision)
    expect(findNumber('log_entries')).toBe(store.historyCount(development!))
    expect(findNumber('image_room_bytes')).toBe(IMAGE_ROOM - store.imageBytes(development!)!)
    expect([findNumber('audit_records'), findNumber('feed_followers')]).toEqual([0, 1])
    expect(shownIn(await read(project)).environments).toEqual([development, production].sort())
    expect(shownIn(await read(readKeys(data)!.organization!)).environments).toEqual([development, production].sort())
    expect(shownIn(await read(foreign.environments[0]!.secret)).environments).toEqual([foreign.environments[0]!.id])
    expect((await app.inject({ url: '/metrics', headers: bearer(none) })).statusCode).toBe(403)
    await pdp.close()
    await app.close()
  })

  it('takes the token of the operator there alone, from no address without it', async () => {
    const app = managementServer(management, { metricsToken, rateLimits: { requests: 1 } })
    const status = async (url: string, secret: string) =>
      (await app.inject({ url, headers: { ...bearer(secret), 'x-forwarded-for': '127.0.0.1' } })).statusCode
    for (let at = 0; at < 3; at++) expect(await status('/metrics', metricsToken)).toBe(200)
    for (const wrong of [`${metricsToken}s`, metricsToken.slice(1), metricsToken.toUpperCase()])
      expect(await status('/metrics', wrong)).toBe(401)
    expect(await status('/v2/projects', metricsToken)).toBe(401)
    expect((await app.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).statusCode).toBe(401)
    await app.close()
    const without = managementServer(management)
    expect((await without.inject({ url: '/metrics', headers: bearer(metricsToken) })).statusCode).toBe(401)
    await without.close()
  })

  it('shows the operator requests, writes, logs and followers of all', async () => {
    const app = managementServer(management, { metricsToken })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    expect((await app.inject({ url: '/metrics' })).statusCode).toBe(401)
    const headers = bearer(key())
    await app.inject({ method: 'POST', url: '/v2/facts/default/development/users', headers, payload: { key: 'cleo' } })
    await app.inject({ method: 'POST', url: '/v2/facts/default/development/users', headers, payload: { key: 'cleo' } })
    await app.inject({ url: '/no/such/path' })
    const pdp = await connect({ url, apiKey: key() })
    const answer = await app.inject({ url: '/metrics', headers: bearer(metricsToken) })
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const samples = parseSamples(answer.body)
    const users = (status: number) =>
      samples.get(`zerohop_http_requests_total{method="POST",route="/v2/facts/:p/:e/users",status="${status}"}`)
    expect([users(200), users(409)]).toEqual([1, 1])
    expect(samples.get('zerohop_http_requests_total{method="GET",route="none",status="404"}')).toBe(1)
    expect(samples.get('zerohop_http_request_seconds_count{route="/v2/facts/:p/:e/users"}')).toBe(2)
    expect(samples.get('zerohop_writes_total')).toBeGreaterThan(0)
    expect(samples.get('zerohop_writes_acknowledged_early_total')).toBe(0)
    expect(samples.get('zerohop_write_batch_seconds_count')).toBeGreaterThan(0)
    expect(samples.get('zerohop_write_batch_seconds_bucket{le="+Inf"}')).toBe(
      samples.get('zerohop_write_batch_seconds_count'),
    )
    expect(samples.get('zerohop_logs')).toBe(6)
    expect(samples.get('zerohop_checkpoint_bytes')).toBe(management.checkpoints?.bytes)
    expect(samples.get('zerohop_checkpoint_failures_total')).toBe(0)
    const entries = management.store.logs().map((log) => management.store.historyCount(log))
    expect(samples.get('zerohop_log_entries')).toBe(entries.reduce((sum, count) => sum + count))
    const fullest = Math.max(...management.store.logs().map((log) => management.store.imageBytes(log)!))
    expect(samples.get('zerohop_image_room_bytes')).toBe(IMAGE_ROOM - fullest)
    expect(samples.get('zerohop_feed_followers')).toBe(1)
    expect(samples.get('zerohop_snapshot_bytes')).toBeGreaterThan(0)
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
    expect(answer.body).not.toContain('cleo')
    await pdp.close()
    await app.close()
  })

  it('has as many series whatever is asked, and tells how late the event loop is, not how often it looked', async () => {
    const app = managementServer(management, { openMetrics: true })
    const read = async () => parseMetrics((await app.inject({ url: '/metrics' })).body)
    const ask = async (round: number) => {
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'] as const)
        await app.inject({ method, url: `/no/${round}`, headers: bearer(`nobody-${round}`) })
      await app.inject({ url: `/v2/facts/default/p${round}/users/u"${round}%0a`, headers: bearer(key()) })
      await app.inject({ url: `/v2/projects?search=${round}`, headers: bearer(key()) })
    }
    const countSamples = (families: Map<string, Family>) =>
      [...families.values()].flatMap(({ samples }) => samples).length
    await ask(0)
    await read()
    const before = countSamples(await read())
    for (let round = 1; round < 20; round++) await ask(round)
    expect(countSamples(await read())).toBe(before)
    const late = async () => (await read()).get('zerohop_event_loop_delay_p99_seconds')?.samples[0]?.value ?? 1
    await eventually(async () => (await late()) < 0.01, true)
    await app.close()
  })
})

describe('/metrics of a PDP', () => {
  const payload = { user: { key: 'ana' } }
  const ask = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } }

  it('counts checks on both ways, and the bytes of images', async () => {
    const app = pooledPdpServer(management, { metricsToken })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const post = (body: object, more = {}) =>
      fetch(`${url}/allowed`, {
        method: 'POST',
        headers: { ...bearer(key()), 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
      })
    for (let at = 0; at < 3; at++) expect((await post(ask)).status).toBe(200)
    expect((await post(ask, { 'x-explain': 'true' })).status).toBe(200)
    expect((await post(payload)).status).toBe(422)
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    const samples = parseSamples(await (await fetch(`${url}/metrics`, { headers: bearer(metricsToken) })).text())
    const checks = (status: number) =>
      samples.get(`zerohop_http_requests_total{method="POST",route="/allowed",status="${status}"}`)
    expect([checks(200), checks(422)]).toEqual([4, 1])
    const outcome = (name: string) => samples.get(`zerohop_checks_total{outcome="${name}"}`)
    expect(['allow', 'deny', 'undecided', 'refused'].map(outcome)).toEqual([4, 0, 0, 1])
    expect(samples.get('zerohop_images')).toBe(1)
    expect(samples.get('zerohop_image_bytes')).toBeGreaterThan(0)
    await app.close()
  })

  it('shows a key the checks and the image of its environment, and opens none for it', async () => {
    const app = pooledPdpServer(management, { metricsToken })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const read = async (secret: string) => {
      const answer = await fetch(`${url}/metrics`, { headers: bearer(secret) })
      return { status: answer.status, text: await answer.text() }
    }
    const post = (secret: string, body: object, more = {}) =>
      fetch(`${url}/allowed`, {
        method: 'POST',
        headers: { ...bearer(secret), 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
      })
    const environmentId = (name: string) =>
      management.store.view(management.organization).require('environment', `default/${name}`).id
    await post(key(), ask)
    await post(key(), ask, { 'x-explain': 'true' })
    await post(key(), { ...ask, user: { key: 'nobody' } })
    await post(key(), payload)
    await post(key(), payload, { 'x-explain': 'true' })
    const before = await read(key('production'))
    expect(shownIn(before.text).environments).toEqual([environmentId('production')])
    expect(before.text).not.toContain('zerohop_environment_image_bytes{')
    await post(key('production'), ask)
    const outcomes = async (name: string) => {
      const samples = parseSamples((await read(key(name))).text)
      return ['allow', 'deny', 'undecided', 'refused'].map((outcome) =>
        samples.get(`zerohop_environment_checks_total{environment="${environmentId(name)}",outcome="${outcome}"}`),
      )
    }
    expect([await outcomes('development'), await outcomes('production')]).toEqual([
      [2, 1, 0, 2],
      [0, 1, 0, 0],
    ])
    const own = parseSamples((await read(key())).text)
    const image = (name: string) =>
      own.get(`zerohop_environment_${name}{environment="${environmentId('development')}"}`)
    expect(image('image_revision')).toBe(management.store.head(environmentId('development')).revision)
    expect(image('image_bytes')).toBeGreaterThan(0)
    expect(image('ill_typed_attributes_total')).toBe(0)
    expect((await read(readKeys(data)!.organization!)).status).toBe(403)
    expect((await read('nobody')).status).toBe(403)
    expect((await post(metricsToken, ask)).status).toBe(403)
    await app.close()
  })

  it('counts a deny that a gateway gets as 403 as a deny, and nothing else', async () => {
    const app = pooledPdpServer(management, { openMetrics: true })
    const ask = async (user: string, secret = key()) => {
      const headers = { ...bearer(secret), 'permit-user-key': user, 'permit-action': 'say' }
      const more = { 'permit-resource-type': 'hello' }
      return (await app.inject({ method: 'POST', url: '/nginx_allowed', headers: { ...headers, ...more } })).statusCode
    }
    expect([await ask('ana'), await ask('nobody'), await ask('ana', 'wrong'), await ask('')]).toEqual([
      200, 403, 403, 422,
    ])
    const samples = parseSamples((await app.inject({ url: '/metrics' })).body)
    const outcome = (name: string) => samples.get(`zerohop_checks_total{outcome="${name}"}`)
    expect(['allow', 'deny', 'undecided', 'refused'].map(outcome)).toEqual([1, 1, 0, 2])
    await app.close()
  })

  it('of one environment shows how current it is, without a key when that is set', async () => {
    const api = managementServer(management)
    const url = await api.listen({ host: '127.0.0.1', port: 0 })
    const app = pdpServer(await connect({ url, apiKey: key() }), key(), { openMetrics: true })
    const samples = parseSamples((await app.inject({ url: '/metrics' })).body)
    expect(samples.get('zerohop_image_revision')).toBeGreaterThan(0)
    expect(samples.get('zerohop_image_age_seconds')).toBeGreaterThanOrEqual(0)
    expect(samples.get('zerohop_clock_difference_seconds')).toBe(0)
    await app.close()
    await api.close()
  })

  it('of one environment shows everything to its key and to the operator, who may do nothing else', async () => {
    const api = managementServer(management)
    const url = await api.listen({ host: '127.0.0.1', port: 0 })
    const app = pdpServer(await connect({ url, apiKey: key() }), key(), { metricsToken })
    for (const secret of [key(), metricsToken]) {
      const samples = parseSamples((await app.inject({ url: '/metrics', headers: bearer(secret) })).body)
      expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
      expect(samples.get('zerohop_image_revision')).toBeGreaterThan(0)
    }
    expect((await app.inject({ url: '/metrics' })).statusCode).toBe(401)
    expect((await app.inject({ url: '/metrics', headers: bearer(key('production')) })).statusCode).toBe(403)
    const check = { method: 'POST', url: '/allowed', headers: bearer(metricsToken), payload: ask } as const
    expect((await app.inject(check)).statusCode).toBe(403)
    await app.close()
    await api.close()
  })
})

describe('rate limits', () => {
  it('are off unless set', async () => {
    const app = managementServer(management)
    for (let at = 0; at < 50; at++)
      expect((await app.inject({ url: '/v2/projects', headers: bearer(key()) })).statusCode).toBe(200)
    await app.close()
  })

  it('refuse a key that asks too often with 429 and the time to wait, and no other key', async () => {
    const app = managementServer(management, { rateLimits: { requests: 5, writes: 2 } })
    const write = (at: number) =>
      app.inject({
        method: 'POST',
        url: '/v2/facts/default/development/tenants',
        headers: bearer(key()),
        payload: { key: `rate-${at}` },
      })
    expect([(await write(1)).statusCode, (await write(2)).statusCode]).toEqual([200, 200])
    const refused = await write(3)
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ error_code: 'CONCURRENT_OPERATION_DISALLOWED', title: 'Too Many Requests' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    const read = (secret: string) => app.inject({ url: '/v2/projects', headers: bearer(secret) })
    expect([(await read(key())).statusCode, (await read(key())).statusCode]).toEqual([200, 200])
    expect((await read(key())).statusCode).toBe(429)
    expect((await read(key('production'))).statusCode).toBe(200)
    const { store, organization } = management
    const id = store.view(organization).require('environment', 'default/development').id
    expect(store.view(id).get('tenant', 'rate-3')).toBeUndefined()
    await app.close()
  })
})

describe('src/http/metric-table.ts', () => {
  it('has every metric of all servers as they show it, and no other', async () => {
    const api = managementServer(management, { openMetrics: true, unhandledRejections: () => 0 })
    const url = await api.listen({ host: '127.0.0.1', port: 0 })
    const pdp = await connect({ url, apiKey: key() })
    const stats = () => ({ written: 0, refused: 0, lost: 0, waitingBytes: 0, bytes: 0 })
    const recorder = { add: () => ({ settled: () => undefined }), flush: () => undefined }
    const apps = [
      api,
      pdpServer(pdp, key(), { openMetrics: true, decisionLog: { recorder, stats } }),
      pooledPdpServer(management, { openMetrics: true, decisionLog: { recorder, stats } }),
      managementServer(management),
      pooledPdpServer(management),
    ]
    const shown = new Map<string, string>()
    for (const app of apps) {
      const { body } = await app.inject({ url: '/metrics', headers: bearer(key()) })
      for (const [name, { type, help }] of parseMetrics(body)) shown.set(name, `${type}: ${help}`)
    }
    for (const app of apps.reverse()) await app.close()
    // of replicas only: test/replicas/away.test.ts
    const table = metricNames.filter((name) => !REPLICA_METRICS.includes(name))
    expect(new Set(table.map((name) => [name, `${METRICS[name].type}: ${METRICS[name].help}`].join(' ')))).toEqual(
      new Set([...shown].map((each) => each.join(' '))),
    )
  })
})
