// The head of the log, which a PDP asks for: its age counts from before the question, so that nothing that waited on its
// way makes an image young; and a signed head holds a PDP to one environment and one history. docs/feed.md.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { encodeFrame } from '../../src/log/codec.ts'
import type { FeedHead } from '../../src/log/feed.ts'
import { Trust } from '../../src/log/signature.ts'
import { ADMIN, describeBackup } from '../../src/management/host/admin.ts'
import { CLOCK_DIFFERENCE_MS } from '../../src/model/limits.ts'
import {
  type ConnectEvent,
  type ConnectOptions,
  connect,
  type Management,
  managementServer,
  openManagement,
  type Pdp,
  readKeys,
} from '../../src/server.ts'
import { restoreBackup } from '../../src/store/backup.ts'
import { TESTER } from '../support/environments.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type Answer, HeldWay } from '../support/held-way.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const KEYS = {
  publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
}

/** A management side that signs, or does not. */
class Side {
  readonly data: string
  readonly signingKey: string | undefined
  management!: Management
  url = ''
  #app!: ReturnType<typeof managementServer>

  constructor(signingKey: string | undefined, data = temporaryFolder('head')) {
    this.signingKey = signingKey
    this.data = data
  }

  async start(): Promise<this> {
    this.management = await openManagement({ data: this.data, signingKey: this.signingKey })
    this.#app = managementServer(this.management)
    this.url = await this.#app.listen({ host: '127.0.0.1', port: 0 })
    sides.push(this)
    return this
  }

  async stop(): Promise<void> {
    await this.#app.close()
    await this.management.store.close()
  }

  keyOf(environment: 'development' | 'production'): string {
    return readKeys(this.data)?.environments[environment] ?? ''
  }

  idOf(environment: string): string {
    const { store, organization } = this.management
    return store.view(organization).require('environment', `default/${environment}`).id
  }

  async commit(name: 'createUser' | 'assign' | 'unassign', input: unknown): Promise<number> {
    const { store } = this.management
    return (await store.commit(this.idOf('development'), name, input as never, TESTER)).revision
  }
}

const sides: Side[] = []
const ways: HeldWay[] = []
const open: Pdp[] = []
afterEach(async () => {
  for (const pdp of open.splice(0)) await pdp.close()
  for (const way of ways.splice(0)) way.close()
  for (const side of sides.splice(0)) await side.stop()
})
const stop = async (side: Side) => {
  sides.splice(sides.indexOf(side), 1)
  await side.stop()
}

async function setUp(signingKey?: string) {
  const side = await new Side(signingKey).start()
  const way = await HeldWay.to(side.url)
  ways.push(way)
  return { side, way }
}

async function follow(way: HeldWay, apiKey: string, options: Partial<ConnectOptions> = {}) {
  const events: ConnectEvent[] = []
  const pdp = await connect({ url: way.url, apiKey, onEvent: (event) => events.push(event), ...options })
  open.push(pdp)
  const hasError = (code: string) => events.some((event) => 'error' in event && event.error.code === code)
  const refusal = () => pdp.refusal?.code ?? 'none'
  const mayBen = () => pdp.check('ben', 'say', 'hello')
  return { pdp, events, hasError, refusal, mayBen }
}

const admin = { user: 'ben', role: 'admin', tenant: 'default' }

describe('the answer of the management API', () => {
  const ask = async (side: Side, body: object) => {
    const answer = await fetch(`${side.url}/v2/feed/default/development/head`, {
      method: 'POST',
      headers: { authorization: `Bearer ${side.keyOf('development')}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as FeedHead & { nonce: string; signature?: string } }
  }

  it('names environment, history, revision and chain, for the nonce of the question, and is signed with all of them', async () => {
    const side = await new Side(KEYS.signingKey).start()
    const nonce = randomBytes(24).toString('base64url')
    const revision = await side.commit('assign', admin)
    const { status, body } = await ask(side, { nonce })
    const { signature, nonce: answered, ...head } = body
    const { chain } = side.management.store.head(side.idOf('development'))
    expect([status, answered, head]).toEqual([
      200,
      nonce,
      {
        environment: side.idOf('development'),
        lineage: expect.stringMatching(/^[0-9a-f]{64}$/),
        revision,
        chain,
        time: expect.any(Number),
      },
    ])
    const trust = new Trust(KEYS.publicKey)
    const bytes = Buffer.from(signature ?? '', 'base64')
    trust.requireHead(head, nonce, bytes)
    for (const other of [
      { environment: side.idOf('production') },
      { lineage: 'f'.repeat(64) },
      { revision: revision + 1 },
      { chain: 'f'.repeat(64) },
      { time: head.time + 1 },
    ])
      expect(() => trust.requireHead({ ...head, ...other }, nonce, bytes)).toThrow('it is rejected')
    expect(() => trust.requireHead(head, randomBytes(24).toString('base64url'), bytes)).toThrow('it is rejected')
    expect(() => trust.requireHead(head, nonce, undefined)).toThrow('is not signed')
  })

  it('is not signed where images are not, and refuses a question without a nonce', async () => {
    const side = await new Side(undefined).start()
    expect((await ask(side, { nonce: 'a'.repeat(16) })).body).not.toHaveProperty('signature')
    for (const body of [{}, { nonce: 'a b' }, { nonce: 'a'.repeat(65) }, { nonce: 'a'.repeat(16), more: 1 }])
      expect((await ask(side, body)).status).toBe(422)
  })
})

describe('the age of a PDP', () => {
  it('counts from before the question: what waited on its way makes no image young', async () => {
    const { side, way } = await setUp()
    const { pdp, refusal, hasError } = await follow(way, side.keyOf('development'), { maxStalenessMs: 400 })
    expect(refusal()).toBe('none')
    way.hold() // as the socket of a frozen process does
    const before = way.heads.length
    await eventually(() => way.heads.length > before, true) // an answer waits
    await side.commit('createUser', { key: 'fay' }) // and a delta and a heartbeat
    await stop(side)
    const now = Date.now
    Date.now = () => now() + 10_000 // so long was it frozen
    onTestFinished(() => {
      Date.now = now
    })
    way.letGo()
    const answered: boolean[] = []
    await eventually(() => {
      answered.push(pdp.refusal === undefined)
      return hasError('FEED_UNREACHABLE')
    }, true)
    expect([answered.includes(true), refusal()]).toEqual([false, 'STALE'])
  })

  it('is not that of a heartbeat: while questions for the head are not answered it grows', async () => {
    const { side, way } = await setUp()
    const { refusal, pdp } = await follow(way, side.keyOf('development'), { maxStalenessMs: 400 })
    const last = way.heads.at(-1)!
    way.answers.set('/head', (to) => to.writeHead(200, { 'content-type': 'application/json' }).end(last)) // replayed
    const revision = await side.commit('createUser', { key: 'gus' })
    await eventually(() => pdp.state.revision, revision) // the line lives
    await eventually(refusal, 'STALE')
    const asked = way.asked
    await eventually(() => way.asked > asked + 3, true)
    expect(refusal()).toBe('STALE')
    way.answers.clear()
    await eventually(refusal, 'none')
  })

  it('comes with how far the clock of this machine is ahead; beyond a bound that is said, once until it is right', async () => {
    const { side, way } = await setUp()
    const { pdp, events } = await follow(way, side.keyOf('development'), { maxStalenessMs: 1_000 })
    const ahead = () => pdp.state.clockAheadMs
    await eventually(ahead, 0) // it is the same clock, whatever the way takes
    const findEvents = () => events.flatMap((each) => (each.event === 'clock differs' ? [Math.sign(each.aheadMs)] : []))
    const answerAt = (aheadMs: number) =>
      way.answers.set('/head', async (to, from) => {
        let sent = ''
        for await (const part of from) sent += String(part)
        const head = { ...JSON.parse(way.heads.at(-1)!), nonce: JSON.parse(sent).nonce, time: Date.now() - aheadMs }
        to.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(head))
      })
    const direction = () => (Math.abs(ahead() ?? 0) > CLOCK_DIFFERENCE_MS ? Math.sign(ahead()!) : 0)
    answerAt(600_000)
    await eventually(direction, 1)
    const asked = way.asked
    await eventually(() => way.asked > asked + 2, true)
    expect(findEvents()).toEqual([1])
    answerAt(0)
    await eventually(ahead, 0)
    answerAt(-600_000)
    await eventually(direction, -1)
    expect(findEvents()).toEqual([1, -1])
  })

  it('counts from the heartbeats of an older management API, which is said once; why it is too old as well', async () => {
    const { side, way } = await setUp()
    way.answers.set('/head', (to) => to.writeHead(404).end())
    const { events, refusal, pdp } = await follow(way, side.keyOf('development'), { maxStalenessMs: 1_000 })
    expect(refusal()).toBe('none')
    expect(events.filter(({ event }) => event === 'head not said')).toHaveLength(1)
    await stop(side)
    await eventually(refusal, 'STALE')
    expect(pdp.refusal?.message).toMatch(
      /the limit is 1000 ms: the management API is older and does not report its last revision/,
    )
  })

  it('grows while an older management API is pretended to a PDP that verifies signatures', async () => {
    const { side, way } = await setUp(KEYS.signingKey)
    const options = { publicKey: KEYS.publicKey, maxStalenessMs: 400 }
    const { pdp, refusal, events } = await follow(way, side.keyOf('development'), options)
    way.answers.set('/head', (to) => to.writeHead(405).end())
    const revision = await side.commit('createUser', { key: 'gus' })
    await eventually(() => pdp.state.revision, revision) // the line lives
    await eventually(refusal, 'STALE')
    expect(pdp.refusal?.message).toMatch(/does not report .* heartbeats are not signed/)
    const asked = way.asked
    await eventually(() => way.asked > asked + 2, true) // it asks again, and says so once
    expect([refusal(), events.filter(({ event }) => event === 'head not said').length]).toEqual(['STALE', 1])
    way.answers.clear()
    await eventually(refusal, 'none')
  })
})

describe('a PDP that verifies signatures', () => {
  const signed = { publicKey: KEYS.publicKey }

  /** A server that has only what was signed before: an image, and nothing after it. */
  async function pretend(way: HeldWay, apiKey: string) {
    const image = await fetch(`${way.url}/v2/feed/default/development/image`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const headers = Object.fromEntries(
      ['x-image-bytes', 'x-revision', 'x-chain'].map((name) => [name, image.headers.get(name)!]),
    )
    const bytes = Buffer.from(await image.arrayBuffer())
    const scope = await fetch(`${way.url}/v2/api-key/scope`, { headers: { authorization: `Bearer ${apiKey}` } })
    const scoped = await scope.text()
    const old = new OldStream(Number(headers['x-revision']))
    return () => {
      way.answers.set('/scope', (to) => to.writeHead(200, JSON_TYPE).end(scoped))
      way.answers.set('/image', (to) => to.writeHead(200, headers).end(bytes))
      way.answers.set('/deltas', (to, from) => old.answer(to, from.url ?? ''))
    }
  }

  /** Answers to the question for the head. */
  const HEADS: Record<string, (way: HeldWay) => Answer> = {
    'is older': () => (to) => to.writeHead(404).end(),
    'repeats what was signed': (way) => {
      const last = way.heads.at(-1)!
      return (to) => to.writeHead(200, JSON_TYPE).end(last)
    },
    'signs nothing': (way) => {
      const { signature: _, ...head } = JSON.parse(way.heads.at(-1)!) as Record<string, unknown>
      return async (to, from) => {
        const { nonce } = JSON.parse(await text(from)) as { nonce: string }
        to.writeHead(200, JSON_TYPE).end(JSON.stringify({ ...head, revision: 1, nonce }))
      }
    },
  }

  it.each(Object.keys(HEADS))(
    'is not set back by validly signed older files of a server that %s, not after a restart either',
    async (how) => {
      const { side, way } = await setUp(KEYS.signingKey)
      const apiKey = side.keyOf('development')
      const cacheFile = join(temporaryFolder('pinned'), 'last')
      await side.commit('assign', admin)
      const revert = await pretend(way, apiKey)
      const first = await follow(way, apiKey, { ...signed, cacheFile })
      expect(first.mayBen()).toBe(true)
      const revision = await side.commit('unassign', admin)
      await first.pdp.atLeast(revision)
      expect(first.mayBen()).toBe(false)
      way.answers.set('/head', HEADS[how]!(way))
      revert()
      const asked = way.asked
      await stop(side)
      await eventually(() => way.asked > asked, true) // the older image is followed
      await fetch(`${way.url}/head`, { method: 'POST', body: '{}' })
      expect([first.mayBen(), first.pdp.revision]).toEqual([false, revision])
      await first.pdp.close()
      const before = way.asked
      const again = await follow(way, apiKey, { ...signed, cacheFile, timeoutMs: 0 })
      await eventually(() => way.asked > before, true)
      await fetch(`${way.url}/head`, { method: 'POST', body: '{}' })
      expect([again.refusal(), again.pdp.state.revision]).toEqual(['NOT_READY', undefined])
    },
  )

  it.each([404, 405])('begins with no image while its head is not said (%s), and says why', async (status) => {
    const { side, way } = await setUp(KEYS.signingKey)
    way.answers.set('/head', (to) => to.writeHead(status).end())
    const heard = new Promise<void>((resolve) => {
      way.answers.set('/deltas', (to) => {
        const revision = side.management.store.head(side.idOf('development')).revision
        to.writeHead(200).write(encodeFrame({ type: 'heartbeat', revision }), () => resolve())
      })
    })
    const { pdp, refusal, hasError } = await follow(way, side.keyOf('development'), { ...signed, timeoutMs: 0 })
    await heard
    await eventually(() => hasError('HEAD_NOT_SAID'), true)
    await fetch(`${way.url}/head`, { method: 'POST', body: '{}' })
    expect([refusal(), pdp.refusal?.message]).toEqual([
      'NOT_READY',
      expect.stringContaining('heartbeats are not signed'),
    ])
  })

  it('takes no signed image of another history, further on, that no signed head is of', async () => {
    const { side, way } = await setUp(KEYS.signingKey)
    const apiKey = side.keyOf('development')
    const cacheFile = join(temporaryFolder('pinned'), 'last')
    const copy = await restored(side)
    await copy.commit('assign', admin)
    for (const key of ['gus', 'hal', 'ida']) await copy.commit('createUser', { key })
    const first = await follow(way, apiKey, { ...signed, cacheFile })
    const revision = await side.commit('createUser', { key: 'fay' })
    await first.pdp.atLeast(revision)
    way.target = copy.url
    way.answers.set('/head', (to) => to.writeHead(404).end())
    await stop(side)
    await eventually(() => first.hasError('HEAD_NOT_SAID'), true)
    await fetch(`${way.url}/head`, { method: 'POST', body: '{}' })
    expect([first.mayBen(), first.pdp.revision]).toEqual([false, revision])
    await first.pdp.close()
    const again = await follow(way, apiKey, { ...signed, cacheFile, timeoutMs: 0 })
    await eventually(() => again.hasError('HEAD_NOT_SAID'), true)
    await fetch(`${way.url}/head`, { method: 'POST', body: '{}' })
    expect(again.refusal()).toBe('NOT_READY')
  })

  it('does not begin with a last image that is older than what it remembers', async () => {
    const { side, way } = await setUp(KEYS.signingKey)
    const apiKey = side.keyOf('development')
    const folder = temporaryFolder('pinned')
    const cacheFile = join(folder, 'last')
    await side.commit('assign', admin)
    const first = await follow(way, apiKey, { ...signed, cacheFile })
    await first.pdp.close()
    const before = readFileSync(cacheFile)
    const second = await follow(way, apiKey, { ...signed, cacheFile })
    await second.pdp.atLeast(await side.commit('unassign', admin))
    await second.pdp.close()
    await stop(side)
    writeFileSync(cacheFile, before)
    rmSync(`${cacheFile}.deltas`, { force: true })
    const again = await follow(way, apiKey, { ...signed, cacheFile, timeoutMs: 0 })
    await eventually(() => again.hasError('ROLLED_BACK'), true)
    expect(again.refusal()).toBe('NOT_READY')
  })

  it('goes on with the environment of its last image, also where nothing else is remembered', async () => {
    const { side, way } = await setUp(KEYS.signingKey)
    const apiKey = side.keyOf('development')
    const cacheFile = join(temporaryFolder('pinned'), 'last')
    const first = await follow(way, apiKey, { ...signed, cacheFile })
    await first.pdp.close()
    rmSync(`${cacheFile}.pin`)
    way.apiKey = side.keyOf('production') // whoever is on the way has a key of his own
    const again = await follow(way, apiKey, { ...signed, cacheFile, timeoutMs: 0 })
    await eventually(() => again.hasError('FOREIGN_ENVIRONMENT'), true)
    expect(again.pdp.environment ?? side.idOf('development')).toBe(side.idOf('development'))
    way.apiKey = undefined
    await again.pdp.ready()
    expect(again.pdp.environment).toBe(side.idOf('development'))
  })

  it('takes no image of another environment, although it is signed', async () => {
    const { side, way } = await setUp(KEYS.signingKey)
    const headers = { authorization: `Bearer ${side.keyOf('production')}` }
    const image = await fetch(`${side.url}/v2/feed/default/production/image`, { headers })
    const names = ['x-image-bytes', 'x-revision', 'x-chain']
    const ownHeaders = Object.fromEntries(names.map((name) => [name, image.headers.get(name)!]))
    const bytes = Buffer.from(await image.arrayBuffer())
    way.answers.set('/image', (to) => to.writeHead(200, ownHeaders).end(bytes))
    const { pdp, hasError } = await follow(way, side.keyOf('development'), { ...signed, timeoutMs: 0 })
    await eventually(() => hasError('FOREIGN_ENVIRONMENT'), true)
    expect(pdp.refusal?.message).toContain('this PDP follows')
    way.answers.clear()
    await pdp.ready()
    expect(pdp.environment).toBe(side.idOf('development'))
  })

  it('follows a restore into another history, once, and says so', async () => {
    const { side, way } = await setUp(KEYS.signingKey)
    const apiKey = side.keyOf('development')
    const cacheFile = join(temporaryFolder('pinned'), 'last')
    const copy = await restored(side)
    const before = await follow(way, apiKey, { ...signed, cacheFile, maxStalenessMs: 60_000 })
    await before.pdp.atLeast(await side.commit('assign', admin))
    expect(before.mayBen()).toBe(true)
    await stop(side)
    way.target = copy.url
    await eventually(() => before.pdp.state.revision, copy.management.store.head(copy.idOf('development')).revision)
    await eventually(before.refusal, 'none')
    expect([before.mayBen(), before.events.filter(({ event }) => event === 'new history').length]).toEqual([false, 1])
    await before.pdp.close()
    // the old data folder, started again by mistake or by somebody else, signs too
    await stop(copy)
    const old = await new Side(KEYS.signingKey, side.data).start()
    way.target = old.url
    const after = await follow(way, apiKey, { ...signed, cacheFile, timeoutMs: 0 })
    await eventually(() => after.hasError('ROLLED_BACK'), true)
    expect(after.pdp.refusal?.message).toMatch(/of a history that was left before, .* it is rejected/)
  })
})

/** The side as it is now, restored into a folder of its own: with the same key, it begins another history. */
async function restored(side: Side): Promise<Side> {
  const { store } = side.management
  const folder = join(temporaryFolder('backups'), 'one')
  await ADMIN.backup({ store, data: side.data, newId: () => randomBytes(16).toString('hex') }, { folder })
  await describeBackup(folder, 1)
  const data = temporaryFolder('restored')
  await restoreBackup(folder, data, () => randomBytes(32).toString('hex'))
  return new Side(KEYS.signingKey, data).start()
}

/** A stream of heartbeats at one revision: it knows no other position. */
class OldStream {
  readonly #revision: number

  constructor(revision: number) {
    this.#revision = revision
  }

  answer(to: ServerResponse, url: string): void {
    const after = Number(new URL(url, 'http://old').searchParams.get('after'))
    if (after !== this.#revision) {
      const headers = { 'x-feed-error': 'FEED_FORK', 'x-revision': String(this.#revision) }
      to.writeHead(409, headers).end('{"error_code":"CONCURRENT_OPERATION_DISALLOWED"}')
      return
    }
    to.writeHead(200).write(encodeFrame({ type: 'heartbeat', revision: this.#revision }))
  }
}
