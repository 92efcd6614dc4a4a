// Recorded decisions at the management API: batches that PDPs send, stored once whatever is sent twice, read back with
// the contract's filters, and forgotten in time. No write of policy knows of them.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatLine } from '../../../src/client/decision-record.ts'
import { applyRetention } from '../../../src/management/host/retention.ts'
import { hashSecret } from '../../../src/management/objects/api-key.ts'
import { type Harness, openHarness } from './harness.ts'

const LOGS = '/v2/pdps/default/development/audit_logs'
const INSTANCE = 'ab'.repeat(16)
const START = Date.UTC(2026, 10, 20, 12)

interface Sent {
  seq: number
  at?: number
  user?: string
  tenant?: string
  action?: string
  key?: string | null
  allow?: boolean
  instance?: string
  dropped?: number
  apiKey?: string
}

let developmentId = ''
/** id of the key that sends, unless a test says another */
let keyId = ''

/** A line as a PDP writes it. */
const line = ({ seq, instance = INSTANCE, dropped = 0, ...of }: Sent) =>
  `{"instance":"${instance}","seq":${seq}${formatLine(
    {
      at: of.at ?? START + seq * 1000,
      request: `r-${seq}`,
      environment: developmentId,
      revision: 3,
      apiKey: of.apiKey ?? keyId,
      user: of.user ?? 'ana',
      tenant: of.tenant ?? 'default',
      action: of.action ?? 'say',
      resourceType: 'hello',
      resourceKey: of.key ?? null,
      allow: of.allow ?? true,
      reason: undefined,
      micros: 15,
      sent: undefined,
      now: undefined,
      isTenantSent: true,
      omitted: [],
    },
    dropped,
  )}`

const NONE = { not_a_record: 0, other_environment: 0, other_key: 0, other_sender: 0 }

describe('records of decisions', () => {
  let api: Harness
  let key: string
  const send = async (lines: string | Buffer, headers: Record<string, string> = {}, secret = key) =>
    api.ask('POST', LOGS, Buffer.from(lines), {
      key: secret,
      headers: { 'content-type': 'application/x-ndjson', ...headers },
    })
  const list = async (query = '') => (await api.ask('GET', `${LOGS}?${query}`)).body
  const hasLogs = async (environment = 'development') =>
    (await api.ask('GET', `/v2/projects/default/envs/${environment}/stats`)).body.stats.has_decision_logs
  const seqs = async (query = '') =>
    (await list(query)).data.map((each: { context: { seq: number } }) => each.context.seq)
  beforeAll(async () => {
    api = await openHarness({})
    key = api.made.environments[0]!.secret
    developmentId = api.environment
    keyId = api.store.findApiKey(hashSecret(key))!.key.id
    const named = { key: 'ana', email: 'ana@example.com', first_name: 'Ana', last_name: 'Lee' }
    await api.ask('PUT', '$F/users/ana', named)
  })
  afterAll(() => api.close())

  it('are an empty page before the first', async () => {
    expect(await list()).toEqual({ data: [], total_count: 0, page_count: 0, pagination_count: 0 })
    expect((await api.ask('GET', `${LOGS}/${'0'.repeat(32)}`)).status).toBe(404)
    expect(await hasLogs()).toBe(false)
  })

  it('come as lines, plain or compressed, once each, and move no revision', async () => {
    const revision = api.store.head(api.environment).revision
    const lines = [1, 2, 3].map((seq) => line({ seq })).join('')
    expect((await send(lines)).body).toEqual({ stored: 3, known: 0, refused: 0, refusals: NONE })
    const more = lines + line({ seq: 4, user: 'ben', allow: false, action: 'wave', key: 'one', tenant: 'acme' })
    expect((await send(gzipSync(more), { 'content-encoding': 'gzip' })).body).toEqual({
      stored: 1,
      known: 3,
      refused: 0,
      refusals: NONE,
    })
    expect(api.store.head(api.environment).revision).toBe(revision)
    expect((await list()).total_count).toBe(4)
    expect([await hasLogs(), await hasLogs('production')]).toEqual([true, false])
  })

  it('read as the contract has them, with the name of the user and the key that sent them', async () => {
    const page = await list('per_page=1&page=4')
    const [record] = page.data
    expect(page).toMatchObject({ total_count: 4, page_count: 4, pagination_count: 4 })
    const { body: scope } = await api.ask('GET', '/v2/api-key/scope', undefined, { key })
    const input = {
      user: { key: 'ana', attributes: {} },
      action: 'say',
      resource: { type: 'hello', key: null, tenant: 'default', attributes: {} },
      context: {},
    }
    expect(record).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      timestamp: '2026-11-20T12:00:01.000+00:00',
      query: 'user ana is permitted to say hello',
      user_key: 'ana',
      user_email: 'ana@example.com',
      user_name: 'Ana Lee',
      resource_type: 'hello',
      tenant: 'default',
      action: 'say',
      decision: true,
      reason: 'allow',
      org_id: scope.organization_id,
      project_id: scope.project_id,
      env_id: scope.environment_id,
      pdp_config_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      input,
      result: { allow: true },
      context: { request_id: 'r-1', revision: 3, sent_by: expect.any(String), instance: INSTANCE, seq: 1 },
      raw_data: { engine: 'OPA', decision_id: record.id, labels: { id: INSTANCE }, input, result: { allow: true } },
    })
    expect((await api.ask('GET', `${LOGS}/${record.id}`)).body).toEqual(record)
    expect((await api.ask('GET', `/v2/pdps/default/production/audit_logs/${record.id}`)).status).toBe(404)
  })

  it.each([
    ['', [4, 3, 2, 1]],
    ['users=ben', [4]],
    ['users=ben&users=ana', [4, 3, 2, 1]],
    ['decision=false', [4]],
    ['decision=true&per_page=2', [3, 2]],
    ['decision=true&per_page=2&page=2', [1]],
    ['resources=hello:one', [4]],
    ['resources=hello', [4, 3, 2, 1]],
    ['resources=other', []],
    ['tenant=acme', [4]],
    ['action=wave', [4]],
    [`pdp_id=${INSTANCE}`, [4, 3, 2, 1]],
    [`pdp_id=${'0'.repeat(32)}`, []],
    [`timestamp_from=${START / 1000 + 3}`, [4, 3]],
    [`timestamp_to=${START / 1000 + 2}&sort_by=timestamp`, [2, 1]],
    [`timestamp_from=${START / 1000 + 2}&timestamp_to=${START / 1000 + 3}`, [3, 2]],
  ])('are listed with ?%s', async (query, wanted) => {
    expect(await seqs(query)).toEqual(wanted)
  })

  it('cannot be paged to beyond a bound, in the words of the contract', async () => {
    const { status, body } = await api.ask('GET', `${LOGS}?page=101&per_page=100`)
    expect([status, body.error_code]).toEqual([400, 'PAGINATION_SIZE_OVERREACHED'])
  })

  it('that are invalid are left out and counted; what cannot be read at all is refused', async () => {
    const odd = [
      'no json',
      '{}',
      '[1]',
      'null',
      line({ seq: 9 }).replace('"seq":9', '"seq":-1'),
      line({ seq: 5 }),
    ].join('\n')
    expect((await send(odd)).body).toEqual({ stored: 1, known: 0, refused: 5, refusals: { ...NONE, not_a_record: 5 } })
    expect((await send('not gzip', { 'content-encoding': 'gzip' })).status).toBe(422)
    expect((await send(gzipSync(Buffer.alloc(20 * 1024 * 1024, ' ')), { 'content-encoding': 'gzip' })).status).toBe(422)
    expect((await send('{}', { 'content-type': 'application/json' })).status).toBe(422)
    expect((await send('')).body).toMatchObject({ stored: 0, known: 0, refused: 0 })
  })

  it('are of the environment of the key that sends them, or refused, and need a key of it that may write', async () => {
    const production = api.made.environments[1]!.secret
    expect((await send(line({ seq: 6 }), {}, production)).status).toBe(404)
    const elsewhere = await api.ask('POST', LOGS.replace('development', 'production'), Buffer.from(line({ seq: 6 })), {
      key: production,
      headers: { 'content-type': 'application/x-ndjson' },
    })
    expect(elsewhere.body).toEqual({ stored: 0, known: 0, refused: 1, refusals: { ...NONE, other_environment: 1 } })
    for (const access of ['no_access', 'read'] as const) {
      await api.addKey('env', access, `a-key-of-access-${access}`)
      const refused = await send(line({ seq: 6 }), {}, `a-key-of-access-${access}`)
      expect([refused.status, refused.body.message]).toEqual([403, 'this API key is not allowed to send decisions'])
    }
    const wide = await send(line({ seq: 6 }), {}, api.made.organization.secret)
    const message = 'this API key is not allowed to send decisions: it needs the key of an environment'
    expect([wide.status, wide.body.message]).toEqual([403, message])
    expect((await send(line({ seq: 6 }))).body).toMatchObject({ stored: 1, refused: 0 })
  })

  it('name the key that sends them, or are refused: by its id, or by its hash while a PDP does not know the id', async () => {
    const instance = 'a1'.repeat(16)
    const other = api.store.findApiKey(hashSecret(api.made.organization.secret))!.key.id
    const before = (await list()).total_count
    for (const apiKey of [other, `sha256:${hashSecret(api.made.organization.secret).slice(0, 16)}`, 'f'.repeat(32), ''])
      expect((await send(line({ seq: 1, instance, apiKey }))).body).toEqual({
        stored: 0,
        known: 0,
        refused: 1,
        refusals: { ...NONE, other_key: 1 },
      })
    expect((await list()).total_count).toBe(before)
    const apiKey = `sha256:${hashSecret(key).slice(0, 16)}`
    expect((await send(line({ seq: 1, instance, apiKey }))).body).toMatchObject({ stored: 1, refused: 0 })
    const [record] = (await list(`pdp_id=${instance}`)).data
    expect(record.context).toMatchObject({ api_key_id: keyId, sent_by: keyId, asked_by: expect.any(String) })
  })

  it('go on only in a series that the same key began, also after it was rotated', async () => {
    const secret = 'another-key-of-the-environment'
    await api.addKey('env', 'write', secret)
    const { id } = api.store.findApiKey(hashSecret(secret))!.key
    const instance = 'a2'.repeat(16)
    expect((await send(line({ seq: 1, instance }))).body).toMatchObject({ stored: 1 })
    const foreign = { ...NONE, other_sender: 1 }
    for (const seq of [1, 2, 9]) {
      const { body } = await send(line({ seq, instance, apiKey: id }), {}, secret)
      expect(body).toEqual({ stored: 0, known: 0, refused: 1, refusals: foreign })
    }
    const own = 'a3'.repeat(16)
    expect((await send(line({ seq: 1, instance: own, apiKey: id }), {}, secret)).body).toMatchObject({ stored: 1 })
    const rotated = (await api.ask('POST', `/v2/api-key/${id}/rotate-secret`)).body.secret
    expect((await send(line({ seq: 2, instance: own, apiKey: id }), {}, rotated)).body).toMatchObject({ stored: 1 })
    // the series of `serve` are its own: no key goes on with one
    const ownSeries = 'a4'.repeat(16)
    const lines = Buffer.from(line({ seq: 1, instance: ownSeries, apiKey: id }))
    await api.audit.append({ lines, isCompressed: false })
    expect((await send(line({ seq: 2, instance: ownSeries }))).body.refusals).toEqual(foreign)
    expect(await api.audit.instance(ownSeries)).toMatchObject({ stored: 1, last: 1, sender: null })
  })

  it('say what their senders lost', async () => {
    const instance = 'cd'.repeat(16)
    await send(line({ seq: 1, instance }) + line({ seq: 12, instance, dropped: 10 }))
    expect(await api.audit.instance(instance)).toMatchObject({ stored: 2, dropped: 10, last: 12 })
  })

  it('are forgotten by age and by number, the oldest first', async () => {
    const before = (await list()).total_count
    expect(before).toBe(13)
    await applyRetention(api.store, { audit: api.audit, auditRecords: 5, auditDays: 1 }, START + 3_600_000)
    expect((await list()).total_count).toBe(5)
    await applyRetention(api.store, { audit: api.audit, auditDays: 1 }, START + 86_400_000 + 6_000)
    expect(await seqs()).toEqual([12, 6])
    await applyRetention(api.store, { audit: api.audit, auditDays: 1 }, START + 10 * 86_400_000)
    expect(await list()).toMatchObject({ data: [], total_count: 0 })
  })
  it('may each be of another PDP; a PDP that sends nothing for long is forgotten, and its number never reused', async () => {
    const instanceId = (at: number) => at.toString(16).padStart(32, '0')
    const findNumber = async (at: number) => (await api.audit.instance(instanceId(at)))?.number
    const many = Array.from({ length: 6_000 }, (_, at) => line({ seq: 1, instance: instanceId(at) })).join('')
    expect((await send(gzipSync(many), { 'content-encoding': 'gzip' })).body).toMatchObject({ stored: 6_000 })
    const last = (await findNumber(5_999)) ?? 0
    expect(last - ((await findNumber(0)) ?? 0)).toBe(5_999)
    await applyRetention(api.store, { audit: api.audit, auditDays: 1 }, Date.now() + 2 * 86_400_000)
    expect([await findNumber(0), await findNumber(5_999), (await list()).total_count]).toEqual([
      undefined,
      undefined,
      0,
    ])
    await send(line({ seq: 2, instance: instanceId(7) }))
    expect(await findNumber(7)).toBe(last + 1)
  })

  it('are kept without attributes that are too long or too deep', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    for (const [at, sent] of [deep, JSON.stringify('x'.repeat(20_000)), '{"user":{"level":3}}'].entries()) {
      const text = line({ seq: 20 + at }).replace('}\n', `,"sent":${sent}}\n`)
      expect((await send(text)).body).toMatchObject({ stored: 1, known: 0, refused: 0 })
    }
    const inputs = (await list('per_page=3')).data.map((each: { input: { user: unknown } }) => each.input.user)
    expect(inputs).toEqual([{ level: 3 }, {}, {}].map((attributes) => ({ key: 'ana', attributes })))
  })

  it('have a time that can be listed', async () => {
    const late = line({ seq: 3 }).replace(/"time":"[^"]+"/, '"time":"+275760-09-13T00:00:00.000Z"')
    expect((await send(late)).body).toMatchObject({ stored: 0, known: 0, refused: 1 })
  })

  it('are counted over time, allowed and denied', async () => {
    const counts = async (query: string) => (await api.ask('GET', `${LOGS}/counts?${query}`)).body
    const instance = 'c0'.repeat(16)
    const at = START + 90 * 86_400_000
    const lines = [0, 59_000, 60_000, 3_600_000].map((ms, seq) =>
      line({ seq: seq + 1, at: at + ms, instance, allow: seq !== 1 }),
    )
    await send(lines.join(''))
    await send(lines.join('')) // what comes again is not counted again
    const [from, to] = [at / 1000, at / 1000 + 3_600]
    const time = (ms: number) => new Date(at + ms).toISOString().replace('Z', '+00:00')
    expect(await counts(`by=minute&timestamp_from=${from}&timestamp_to=${to}`)).toEqual({
      by: 'minute',
      from: time(0),
      to: time(3_660_000),
      data: [
        { time: time(0), allowed: 1, denied: 1 },
        { time: time(60_000), allowed: 1, denied: 0 },
        { time: time(3_600_000), allowed: 1, denied: 0 },
      ],
    })
    expect((await counts(`timestamp_from=${from}&timestamp_to=${to}`)).data).toEqual([
      { time: time(0), allowed: 2, denied: 1 },
      { time: time(3_600_000), allowed: 1, denied: 0 },
    ])
    expect((await counts(`by=day&timestamp_to=${to}`)).data).toMatchObject([{ allowed: 3, denied: 1 }])
    expect((await counts('timestamp_from=0&timestamp_to=60')).data).toEqual([])
    for (const wrong of ['by=year', `by=minute&timestamp_from=${from}&timestamp_to=${from + 90_060}`])
      expect((await api.ask('GET', `${LOGS}/counts?${wrong}`)).status).toBe(422)
    const most = `by=minute&timestamp_from=${from}&timestamp_to=${from + 1_499 * 60}`
    expect((await api.ask('GET', `${LOGS}/counts?${most}`)).status).toBe(200)
    await applyRetention(api.store, { audit: api.audit, auditRecords: 0, auditDays: 1_000 }, at)
    expect((await counts(`by=day&timestamp_to=${to}`)).data).toMatchObject([{ allowed: 3, denied: 1 }])
  })
})
