// Decisions of a PDP in an application, in the decision log of a management API on loopback: what a record says, and
// that no check waits or fails when the API hangs, refuses or is away. docs/decision-log.md.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { withoutRequest } from '../../src/log/change.ts'
import type { ErrorCode } from '../../src/model/errors.ts'
import { DECISION_DRAIN_MS, DECISION_MEMORY_BYTES_MAX } from '../../src/model/limits.ts'
import { DecisionSender } from '../../src/pdp/decision-sender.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import type { DecisionSenderEvent } from '../../src/pdp/pdp-source.ts'
import {
  type ConnectEvent,
  type ConnectOptions,
  connect,
  type Management,
  managementServer,
  openManagement,
} from '../../src/server.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { freePort, url } from '../support/server.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { HELLO } from './policies.ts'

const code = (code: ErrorCode) => expect.objectContaining({ code })
const NOTHING = { sent: 0, waiting: 0, dropped: 0, refused: 0 }

describe('the decisions of a PDP that `connect` returned', () => {
  let management: Management
  let app: ReturnType<typeof managementServer>
  let proxy: TcpProxy
  let environment: string
  const open: Pdp[] = []
  beforeAll(async () => {
    management = await openManagement({ data: temporaryFolder('decisions') })
    environment = management.store.view(management.organization).require('environment', 'default/development').id
    app = managementServer(management)
    const port = await freePort()
    await app.listen({ host: '127.0.0.1', port })
    proxy = await startProxy(port)
  })
  afterEach(async () => {
    proxy.resume()
    await proxy.accept()
    for (const pdp of open.splice(0)) await pdp.close()
  })
  afterAll(async () => {
    proxy.close()
    await app.close()
    await management.store.close()
  })

  /** A PDP with a key of its own, and what the log has of it, the oldest first. */
  async function start(options: Partial<ConnectOptions> = {}, access: 'read' | 'write' = 'write') {
    const input = { level: 'env', access, environment } as const
    const { key, secret } = (
      await management.store.commit(management.organization, 'createApiKey', input, withoutRequest('test'))
    ).result
    const events: ConnectEvent[] = []
    const pdp = await connect({
      url: url(proxy.port),
      apiKey: secret,
      decisionLog: 'api',
      onEvent: (event) => events.push(event),
      ...options,
    })
    open.push(pdp)
    const kept = async () => {
      const records = await management.audit.list(environment, { limit: 10_000 })
      return records.filter(({ sent_by }) => sent_by === key.id).sort((a, b) => a.seq - b.seq)
    }
    const failures = () => events.flatMap((each) => (each.event === 'decisions not sent' ? [each.error.code] : []))
    return { pdp, key, kept, events, failures }
  }

  it('[D15] have the instant apart from a time that the caller sent', async () => {
    const { pdp, kept } = await start()
    const [before, sent] = [Date.now(), Date.UTC(2031, 0, 1)]
    pdp.check('ana', 'say', 'hello', { now: sent })
    pdp.check('ana', 'say', 'hello')
    pdp.at(sent).check('ana', 'say', 'hello', { now: sent })
    await eventually(() => pdp.decisionLog, { ...NOTHING, sent: 3 })
    const [own, none, at] = await kept()
    expect([own!.now, at!.now, at!.instant, none!.instant]).toEqual([sent, sent, undefined, undefined])
    expect(own!.instant).toBeGreaterThanOrEqual(before)
    expect(own!.instant).toBeLessThanOrEqual(Date.now())
  })

  it('arrive with keys alone: of check, bulkCheck, subjects and permissions, allowed or denied; listings do not', async () => {
    const decided: boolean[] = []
    const { pdp, key, kept } = await start({ onDecision: ({ allow }) => decided.push(allow) })
    const before = Date.now()
    pdp.check({ key: 'ana', attributes: { age: 9 } }, 'say', 'hello', { mfa: true })
    pdp.bulkCheck([{ user: 'ben', action: 'say', resource: { type: 'hello', key: 'world', tenant: 'acme' } }])
    pdp.subject('ana', { tenant: 'default' }).can('say', 'hello:world')
    pdp.permission('say', 'hello').allows('ana', { key: 'world', tenant: 'acme' })
    expect(() => pdp.check('ana', 'say', 5 as never)).toThrow(code('INPUT_INVALID'))
    pdp.actions('ana', 'hello')
    pdp.explain('ana', 'say', 'hello')
    await eventually(() => pdp.decisionLog, { ...NOTHING, sent: 4 })
    const records = await kept()
    expect(records.map((each) => [each.seq, each.user, each.tenant, each.resource_key, each.decision])).toEqual([
      [1, 'ana', 'default', null, true],
      [2, 'ben', 'acme', 'world', false],
      [3, 'ana', 'default', 'world', true],
      [4, 'ana', 'acme', 'world', false],
    ])
    const [first] = records
    expect(first).toMatchObject({ action: 'say', resource_type: 'hello', reason: 'allow', latency_us: 0, sent: null })
    expect(first).toMatchObject({ api_key: key.id, request_id: null, revision: pdp.revision })
    expect(first!.at).toBeGreaterThanOrEqual(before)
    expect(first!.at).toBeLessThanOrEqual(Date.now())
    expect(new Set(records.map(({ instance }) => instance)).size).toBe(1)
    expect(decided).toEqual([true, false, true, false])
  })

  it('[D8] have the time that rules saw: of the clock, or as it was sent', async () => {
    const write = async (name: 'createResource' | 'createConditionSet' | 'createSetRule', input: object) =>
      management.store.commit(environment, name, input as never, withoutRequest('test'))
    await write('createResource', { key: 'door', actions: { open: {} } })
    await write('createConditionSet', { key: 'late', conditions: { 'context.now': { 'greater-than': '2001-01-01' } } })
    const { revision } = await write('createSetRule', {
      user_set: 'late',
      permission: 'door:open',
      resource_set: 'door',
    })
    const { pdp, kept } = await start()
    await pdp.atLeast(revision)
    const before = Date.now()
    expect(pdp.check('ana', 'open', 'door')).toBe(true)
    expect(pdp.subject('ana').can('open', 'door')).toBe(true)
    expect(pdp.check('ana', 'open', 'door', { now: 7 })).toBe(false)
    expect(pdp.check('ana', 'open', 'door', { now: '2002-01-01' })).toBe(true)
    const after = Date.now()
    await eventually(() => pdp.decisionLog?.sent, 4)
    const times = (await kept()).map(({ now }) => now)
    for (const now of times.slice(0, 2)) expect([before <= now!, now! <= after]).toEqual([true, true])
    expect(times.slice(2)).toEqual([7, null])
  })

  it('have attributes, relations and context when asked for, whatever those are', async () => {
    const { pdp, kept } = await start({ decisionLogAttributes: true })
    const resource = { type: 'hello', key: 'new', attributes: { owner: 'ana' }, relations: { parent: ['folder:f1'] } }
    pdp.check('ana', 'say', resource, { mfa: true })
    const circle: Record<string, unknown> = {}
    circle.circle = circle
    expect(pdp.check('ana', 'say', 'hello', circle as never)).toBe(true)
    expect(pdp.check('ana', 'say', 'hello', { big: 12n } as never)).toBe(true)
    const thrower = Object.defineProperty({}, 'mine', {
      enumerable: true,
      get: () => {
        throw new Error('mine')
      },
    })
    expect(pdp.check('ana', 'say', 'hello', thrower)).toBe(true)
    expect(pdp.check('ana', 'say', 'hello', { text: 'x'.repeat(20_000) })).toBe(true)
    pdp.check('ana', 'say', 'hello')
    pdp.subject('ana').can('say', 'hello')
    await eventually(() => pdp.decisionLog?.sent, 7)
    const { attributes, relations } = resource
    expect((await kept()).map(({ sent }) => sent)).toEqual([
      { resource: attributes, context: { mfa: true }, relations },
      ...['unreadable', 'unreadable', 'unreadable', 'too long'],
      {},
      {},
    ])
  })

  it('wait while the API hangs: checks answer at once, and all records arrive when it goes on', async () => {
    const { pdp, kept } = await start()
    proxy.pause()
    const begun = performance.now()
    for (let i = 0; i < 300; i++) pdp.check(`user-${i}`, 'say', 'hello')
    const ms = performance.now() - begun
    expect(pdp.decisionLog).toEqual({ ...NOTHING, waiting: 300 })
    // the first batch is on its way and gets no answer
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(pdp.check('ana', 'say', 'hello')).toBe(true)
    expect(pdp.decisionLog).toEqual({ ...NOTHING, waiting: 301 })
    expect(ms).toBeLessThan(1_000)
    proxy.resume()
    await eventually(() => pdp.decisionLog, { ...NOTHING, sent: 301 })
    expect((await kept()).map(({ seq }) => seq)).toEqual(Array.from({ length: 301 }, (_, i) => i + 1))
  })

  it('are flushed by close, and once closed there is nothing more to send', async () => {
    const { pdp, kept } = await start()
    pdp.check('ana', 'say', 'hello')
    await pdp.close()
    expect(pdp.decisionLog).toEqual({ ...NOTHING, sent: 1 })
    expect(await kept()).toHaveLength(1)
    await pdp.close()
    expect(() => pdp.check('ana', 'say', 'hello')).toThrow(code('CLOSED'))
    expect(pdp.decisionLog).toEqual({ ...NOTHING, sent: 1 })
  })

  it('that cannot be sent before the end are counted: close takes no longer than it may', async () => {
    const { pdp, kept } = await start()
    proxy.pause()
    pdp.check('ana', 'say', 'hello')
    const begun = performance.now()
    await pdp.close()
    expect(performance.now() - begun).toBeGreaterThan(DECISION_DRAIN_MS * 0.9)
    expect(performance.now() - begun).toBeLessThan(DECISION_DRAIN_MS * 5)
    expect(pdp.decisionLog).toEqual({ ...NOTHING, dropped: 1 })
    expect(await kept()).toHaveLength(0)
  })

  it('are sent again when the API is back, and events tell of both', async () => {
    const { pdp, kept, events, failures } = await start()
    proxy.refuse()
    proxy.cut()
    expect(pdp.check('ana', 'say', 'hello')).toBe(true)
    await eventually(failures, ['FEED_UNREACHABLE'])
    expect(pdp.check('ben', 'say', 'hello')).toBe(false)
    await proxy.accept()
    await eventually(() => pdp.decisionLog, { ...NOTHING, sent: 2 })
    expect((await kept()).map(({ user }) => user)).toEqual(['ana', 'ben'])
    expect(failures()).toEqual(['FEED_UNREACHABLE'])
    expect(events.filter(({ event }) => event === 'decisions sent again')).toHaveLength(1)
  })

  it('of a key that may not send are answered, and an event says why they are not recorded', async () => {
    const { pdp, failures } = await start({}, 'read')
    expect(pdp.check('ana', 'say', 'hello')).toBe(true)
    await eventually(failures, ['KEY_TOO_NARROW'])
    expect(pdp.check('ben', 'say', 'hello')).toBe(false)
    await pdp.close()
    expect(pdp.decisionLog).toEqual({ ...NOTHING, dropped: 2 })
  })

  it('are not recorded unless that is asked for, and nowhere but in the API', async () => {
    const { pdp } = await start({ decisionLog: undefined })
    pdp.check('ana', 'say', 'hello')
    expect(pdp.decisionLog).toBeUndefined()
    await expect(start({ decisionLog: 'file' as never })).rejects.toThrow(code('CONFIG_INVALID'))
  })
})

describe('a sender of decisions', () => {
  it('drops what does not fit into its memory, says before which record it is missing, and counts what the API refuses', async () => {
    const lines: string[] = []
    const server = createServer(async (request, response) => {
      if (request.url === '/v2/api-key/scope') {
        response.end(JSON.stringify({ organization_id: 'o', project_id: 'p', environment_id: 'e' }))
        return
      }
      const batch = (await text(request.pipe(createGunzip()))).trimEnd().split('\n')
      lines.push(...batch)
      response.end(JSON.stringify({ stored: batch.length - 1, known: 0, refused: 1, refusals: { other_key: 1 } }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const events: DecisionSenderEvent[] = []
    const { port } = server.address() as AddressInfo
    const sender = new DecisionSender({
      ...{ url: url(port), apiKey: 'key', attributes: 'all' },
      onEvent: (event) => events.push(event),
    })
    const image = Image.build(ENVIRONMENT, makePosition(7), HELLO)
    const pdp = new Pdp(new FixedImage(image), {}, sender)
    const context = { text: 'x'.repeat(15_000) }
    while (sender.counts.dropped < 3) pdp.check('ana', 'say', 'hello', context)
    const { waiting } = sender.counts
    expect(DECISION_MEMORY_BYTES_MAX / waiting).toBeGreaterThan(15_000)
    expect(DECISION_MEMORY_BYTES_MAX / waiting).toBeLessThan(15_600)
    await eventually(() => sender.counts.waiting, 0)
    pdp.check('ana', 'say', 'hello')
    await pdp.close()
    const numbers = lines.map((line) => JSON.parse(line) as { seq: number; dropped_before?: number })
    expect(numbers.filter((each) => each.dropped_before !== undefined)).toEqual([numbers.at(-1)])
    expect(numbers.at(-1)).toMatchObject({ seq: waiting + 4, dropped_before: 3, environment: ENVIRONMENT })
    const refused = events.length
    expect(refused).toBeGreaterThan(1)
    expect(sender.counts).toEqual({ sent: waiting + 1 - refused, waiting: 0, dropped: 3, refused })
    expect(events[0]).toEqual({ event: 'decisions refused', count: 1, refusals: { other_key: 1 } })
  })
})
