// The stream of recorded decisions: what comes from now on and fits, once each; it ends with its key, its session and
// with the server, and tells a slow reader what it misses.
import { beforeAll, expect, it, vi } from 'vitest'
import type { AuditRange, AuditRecord } from '../../src/decision-log/audit-log.ts'
import { DecisionTails } from '../../src/decision-log/decision-tail.ts'
import { hashSecret } from '../../src/management/objects/api-key.ts'
import { DECISION_STREAM_RECORDS_MAX, DECISION_STREAMS_MAX } from '../../src/model/limits.ts'
import { type Harness, openHarness } from '../http/management/harness.ts'

const LOGS = '/v2/pdps/default/development/audit_logs'
const START = Date.UTC(2026, 10, 20, 12)
const ACCEPT = { accept: 'text/event-stream' }

let api: Harness
let url = ''
let key = ''
let seq = 0

beforeAll(async () => {
  api = await openHarness({})
  key = api.made.environments[0]!.secret
  url = await api.app.listen({ host: '127.0.0.1', port: 0 })
})

async function record(...decisions: readonly { readonly user: string; readonly decision?: boolean }[]): Promise<void> {
  const lines = decisions.map(({ user, decision = true }) => {
    seq++
    return JSON.stringify({
      ...{ instance: 'ab'.repeat(16), seq, time: new Date(START + seq).toISOString(), environment: api.environment },
      ...{ request_id: null, revision: 3, api_key: api.store.findApiKey(hashSecret(key))!.key.id, user },
      ...{ tenant: 'default', action: 'say', resource_type: 'hello', resource_key: null, decision, reason: 'allow' },
      ...{ latency_us: 15 },
    })
  })
  const headers = { 'content-type': 'application/x-ndjson' }
  const { body } = await api.ask('POST', LOGS, Buffer.from(lines.join('\n')), { key, headers })
  expect(body).toMatchObject({ stored: decisions.length })
}

interface Sent {
  readonly event: string
  readonly data: { readonly user_key?: string; readonly decision?: boolean; readonly code?: string }
}

/** The events of a stream as they come. */
async function* events(query = '', secret = key): AsyncGenerator<Sent> {
  const abort = new AbortController()
  const response = await fetch(`${url}${LOGS}/stream?${query}`, {
    headers: { ...ACCEPT, authorization: `Bearer ${secret}` },
    signal: abort.signal,
  })
  try {
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    yield { event: 'open', data: {} }
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const whole = text.split('\n\n')
      text = whole.pop() ?? ''
      for (const each of whole) {
        const found = /^event: (.*)\ndata: (.*)$/.exec(each)
        if (found !== null) yield { event: found[1]!, data: JSON.parse(found[2]!) }
      }
    }
  } finally {
    abort.abort()
  }
}

const readNext = async (stream: ReturnType<typeof events>) => (await stream.next()).value as Sent
/** A look at the log after the stream was opened: from then on records are new. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 600))

it('the stream sends each new record that fits the filters once', async () => {
  await record({ user: 'before' })
  const [all, denied] = [events(), events('users=ana&decision=false')]
  await Promise.all([all.next(), denied.next()])
  await settled()
  await record({ user: 'ana' }, { user: 'ben', decision: false }, { user: 'ana', decision: false })
  const seen = [await readNext(all), await readNext(all), await readNext(all)]
  expect(seen.map(({ event, data }) => [event, data.user_key, data.decision])).toEqual([
    ['decision', 'ana', true],
    ['decision', 'ben', false],
    ['decision', 'ana', false],
  ])
  expect((await readNext(denied)).data).toMatchObject({ user_key: 'ana', decision: false, context: { revision: 3 } })
  await record({ user: 'cleo' })
  expect((await readNext(all)).data).toMatchObject({ user_key: 'cleo' })
  await Promise.all([all.return(undefined), denied.return(undefined)])
})

it('the stream is refused without `text/event-stream`, and to a key of another environment', async () => {
  const plain = await api.ask('GET', `${LOGS}/stream`, undefined, { key })
  expect([plain.status, plain.body.detail[0].loc]).toEqual([422, ['header', 'accept']])
  const other = await api.ask('GET', `${LOGS}/stream`, undefined, {
    key: api.made.environments[1]!.secret,
    headers: ACCEPT,
  })
  expect(other.status).toBe(404)
})

it('the stream ends with an event when its key expires', async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const { organization, project } = api.made
  const of = { organization_id: organization.id, project_id: project.id, environment_id: api.environment, expires_at }
  const { secret } = (await api.ask('POST', '/v2/api-key', of)).body
  const stream = events('', secret)
  await stream.next()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(expires_at) })
  try {
    expect(await readNext(stream)).toEqual({ event: 'end', data: { code: 'KEY_EXPIRED' } })
    expect((await stream.next()).done).toBe(true)
  } finally {
    vi.useRealTimers()
  }
}, 20_000)

it('the stream ends when its key is deleted', async () => {
  await api.addKey('env', 'read', 'a-key-that-goes-away')
  const stream = events('', 'a-key-that-goes-away')
  await stream.next()
  await api.removeKey('a-key-that-goes-away')
  expect(await readNext(stream)).toEqual({ event: 'end', data: { code: 'KEY_UNKNOWN' } })
  expect((await stream.next()).done).toBe(true)
}, 20_000)

it('the number of open streams is bounded', async () => {
  const open = Array.from({ length: DECISION_STREAMS_MAX }, () => events())
  await Promise.all(open.map((stream) => stream.next()))
  const refused = await fetch(`${url}${LOGS}/stream`, { headers: { ...ACCEPT, authorization: `Bearer ${key}` } })
  expect(refused.status).toBe(503)
  await Promise.all(open.map((stream) => stream.return(undefined)))
  // the server hears of it a moment later
  const isTaken = async () => {
    const stream = events()
    const first = await stream.next().catch(() => undefined)
    await stream.return(undefined)
    return first !== undefined
  }
  await expect.poll(isTaken).toBe(true)
}, 30_000)

it('the tail reports records that it left out of one look, and finds late ones', async () => {
  const at = (time: number, id: string) => ({ id, at: time }) as AuditRecord
  let kept = [at(100_000, 'first')]
  const log = {
    list: async (_: string, { since = 0, limit }: AuditRange) =>
      kept
        .filter((one) => one.at >= since)
        .toSorted((left, right) => right.at - left.at)
        .slice(0, limit),
  }
  const received: { ids: string[]; isCut: boolean }[] = []
  const stop = new DecisionTails(log).watch('environment', (records, isCut) =>
    received.push({ ids: records.map(({ id }) => id), isCut }),
  )
  await settled()
  kept = [...kept, at(50_000, 'late'), at(100_001, 'new'), at(30_000, 'too late')]
  await expect.poll(() => received).toEqual([{ ids: ['late', 'new'], isCut: false }])
  kept = [...kept, ...Array.from({ length: DECISION_STREAM_RECORDS_MAX + 1 }, (_, id) => at(200_000 + id, `${id}`))]
  await expect.poll(() => received.length).toBe(2)
  expect([received[1]?.isCut, received[1]?.ids.length, received[1]?.ids[0]]).toEqual([
    true,
    DECISION_STREAM_RECORDS_MAX,
    '1',
  ])
  stop()
  kept = [...kept, at(300_000, 'after the end')]
  await settled()
  expect(received).toHaveLength(2)
})

it('the stream ends with the server', async () => {
  const stream = events()
  await stream.next()
  const last = readNext(stream)
  await api.close()
  expect(await last).toEqual({ event: 'end', data: { code: 'CLOSED' } })
})
