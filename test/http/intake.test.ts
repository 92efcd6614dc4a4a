// What a server lets in: bodies that stop half way, too many connections, requests that never end. Over sockets, as an
// attacker would.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { BodyBudget } from '../../src/http/intake/body-budget.ts'
import { readBody } from '../../src/http/intake/body-reader.ts'
import type { IntakeOptions } from '../../src/http/intake/intake.ts'
import { Image } from '../../src/image/image.ts'
import { BODY_AT_ONCE_BYTES } from '../../src/model/limits.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import { managementServer, openManagement, pdpServer, readKeys } from '../../src/server.ts'
import { HELLO } from '../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'

const KEY = 'the-key-of-the-environment'
const KIB = 1024
const CHECK = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

/** A PDP that listens; every key but one is wrong. */
async function pdpWith(intake: IntakeOptions): Promise<{ app: FastifyInstance; port: number; opaPort: number }> {
  const app = pdpServer(loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save()), KEY, {
    intake,
    openMetrics: true,
    control: { key: 'the-control-key', exit: () => undefined },
  })
  const opa = app.opa()
  open.push(app, opa)
  await app.listen({ host: '127.0.0.1', port: 0 })
  await opa.listen({ host: '127.0.0.1', port: 0 })
  return { app, port: serverPort(app), opaPort: serverPort(opa) }
}

const serverPort = ({ server }: FastifyInstance): number => (server.address() as { port: number }).port

/** A connection whose answers gather in `text`. */
class Connection {
  readonly socket: Socket
  text = ''

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('error', () => undefined)
    this.socket.on('data', (chunk) => {
      this.text += chunk
    })
    open.push({ close: () => this.socket.destroy() })
  }

  /** Sends a head, and `sent` of a body that is announced as `length` bytes, or in chunks. */
  post(path: string, { key = KEY, type = 'application/json', length, sent = '' }: Sent): this {
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: zerohop',
      `content-type: ${type}`,
      ...(key === null ? [] : [`authorization: Bearer ${key}`]),
      length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`,
    ]
    const body = length === undefined ? `${sent.length.toString(16)}\r\n${sent}\r\n` : sent
    this.socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    return this
  }

  /** Status of the first answer, 0 before it came. */
  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.text)?.[1] ?? 0)
  }
}

interface Sent {
  readonly key?: string | null
  readonly type?: string
  /** undefined: in chunks */
  readonly length: number | undefined
  readonly sent?: string
}

async function isAnswered(port: number): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const answer = await fetch(`http://127.0.0.1:${port}/allowed`, { method: 'POST', headers, body: CHECK })
  expect([answer.status, ((await answer.json()) as { allow: boolean }).allow]).toEqual([200, true])
}

async function metric(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

describe('half-sent bodies', () => {
  it.each([
    ['/allowed', 'pdp', 60 * KIB],
    ['/allowed', 'pdp', undefined],
    ['/allowed/bulk', 'pdp', 60 * KIB],
    ['/allowed/all-tenants', 'pdp', 60 * KIB],
    ['/access/v1/evaluation', 'pdp', 60 * KIB],
    ['/v1/data/permit/root', 'opa', 60 * KIB],
  ] as const)(
    'of one key to %s of the %s (%s bytes) hold a quarter of the budget, and nothing when they are gone',
    async (path, of, length) => {
      const bodies = new BodyBudget(400 * KIB)
      const { port, opaPort } = await pdpWith({ bodies })
      const target = of === 'opa' ? opaPort : port
      const send = () => new Connection(target).post(path, { length, sent: ' '.repeat(30 * KIB) })
      const held = [send(), send(), send()]
      await eventually(() => bodies.held, 90 * KIB)
      const refused = send()
      await eventually(() => refused.status, 503)
      expect(refused.text.toLowerCase()).toContain('retry-after: 1\r\n')
      expect(refused.text.toLowerCase()).toContain('connection: close\r\n')
      expect(bodies.held).toBe(90 * KIB)
      expect([await metric(port, 'zerohop_bodies_refused_total'), await metric(port, 'zerohop_body_bytes')]).toEqual([
        1,
        90 * KIB,
      ])
      await isAnswered(port)
      for (const { socket } of held) socket.destroy()
      await eventually(() => bodies.held, 0)
      const another = send()
      await eventually(() => bodies.held, 30 * KIB)
      expect(another.status).toBe(0)
    },
  )

  it('of a key do not keep those without a key, or another one, from being read', async () => {
    const bodies = new BodyBudget(400 * KIB)
    const { port } = await pdpWith({ bodies })
    const first = new Connection(port).post('/allowed', { length: 100 * KIB, sent: ' '.repeat(90 * KIB) })
    await eventually(() => bodies.held, 90 * KIB)
    const body = ' '.repeat(60 * KIB)
    const without = new Connection(port).post('/allowed/all-tenants', { key: null, length: body.length, sent: body })
    await eventually(() => without.status, 422)
    expect(first.status).toBe(0)
    expect(bodies.held).toBe(90 * KIB)
  })

  it('that a header announces and never come hold nothing', async () => {
    const bodies = new BodyBudget(4_000 * KIB)
    const { port } = await pdpWith({ bodies })
    const all = Array.from({ length: 20 }, () =>
      new Connection(port).post('/allowed', { length: 900 * KIB, sent: ' ' }),
    )
    await eventually(() => bodies.held, 20)
    expect(all.every(({ status }) => status === 0)).toBe(true)
    await isAnswered(port)
  })

  it('longer than the share of a key are 413 at once', async () => {
    const { port } = await pdpWith({ bodies: new BodyBudget(400 * KIB) })
    for (const path of ['/allowed', '/allowed/bulk']) {
      const connection = new Connection(port).post(path, { length: 101 * KIB })
      await eventually(() => connection.status, 413)
    }
  })
})

describe('a request without a good key', () => {
  it.each([
    ['/allowed', 'wrong', [403]],
    ['/allowed', null, [401]],
    ['/allowed/bulk', 'wrong', [403]],
    ['/access/v1/evaluations', 'wrong', [401, 403]],
    ['/facts/users', 'wrong', [403]],
    ['/_exit', 'wrong', [403]],
    ['/no/such/path', null, [404]],
  ] as const)('to %s with the key %s is answered before any byte of its body', async (path, key, statuses) => {
    const bodies = new BodyBudget(4_000 * KIB)
    const { port } = await pdpWith({ bodies })
    const short = new Connection(port).post(path, { key, length: 20 })
    const chunked = new Connection(port).post(path, { key, length: undefined, sent: 'x'.repeat(KIB) })
    await eventually(() => short.status !== 0 && chunked.status !== 0, true)
    expect(statuses).toContain(short.status)
    expect(chunked.status).toBe(short.status)
    expect(bodies.held).toBe(0)
    // a short rest is dropped, and the connection goes on; one of unknown length ends it
    short.text = ''
    short.socket.write('x'.repeat(20))
    short.post('/allowed', { length: CHECK.length, sent: CHECK })
    await eventually(() => short.status, 200)
    if (!chunked.socket.closed) await once(chunked.socket, 'close')
  })
})

describe('the management API', () => {
  it('holds a quarter of the budget for each key, until the answer', async () => {
    const data = temporaryFolder('intake')
    const management = await openManagement({ data })
    open.push(management.store)
    const bodies = new BodyBudget(400 * KIB)
    const app = managementServer(management, { intake: { bodies } })
    open.push(app)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const keys = readKeys(data)!
    const [first, second] = [keys.environments.development!, keys.organization]
    const facts = '/v2/facts/default/development'
    const half = { length: 40 * KIB, sent: ' '.repeat(30 * KIB) }
    const held = [
      new Connection(serverPort(app)).post(`${facts}/users`, { key: first, ...half }),
      new Connection(serverPort(app)).post(`${facts}/bulk/users`, { key: first, ...half }),
      new Connection(serverPort(app)).post('/v1/roles', { key: first, ...half }),
    ]
    await eventually(() => bodies.held, 90 * KIB)
    const lines = { key: first, type: 'application/x-ndjson', ...half }
    const refused = new Connection(serverPort(app)).post('/v2/pdps/default/development/audit_logs', lines)
    await eventually(() => refused.status, 503)
    expect(refused.text.toLowerCase()).toContain('retry-after: 1\r\n')
    const user = JSON.stringify({ key: 'cut-off' }).padEnd(40 * KIB)
    const other = new Connection(serverPort(app)).post(`${facts}/users`, {
      key: second,
      length: user.length,
      sent: user,
    })
    await eventually(() => other.status, 200)
    expect(bodies.held).toBe(90 * KIB)
    held[0]!.socket.write(user.slice(0, 10 * KIB))
    await eventually(() => held[0]!.status, 409)
    expect(bodies.held).toBe(60 * KIB)
    for (const { socket } of held) socket.destroy()
    await eventually(() => bodies.held, 0)
  })
})

describe('requests and connections', () => {
  it('that do not arrive in time are answered with 408, and closed', async () => {
    const bodies = new BodyBudget(400 * KIB)
    const { port } = await pdpWith({ bodies, requestTimeoutMs: 200 })
    const late = [
      new Connection(port),
      new Connection(port).post('/allowed', { length: 50, sent: '{' }),
      new Connection(port).post('/allowed/bulk', { length: undefined, sent: '[' }),
    ]
    for (const { socket } of late) if (!socket.closed) await once(socket, 'close')
    expect(late.map(({ status }) => status)).toEqual([408, 408, 408])
    expect(bodies.held).toBe(0)
    await isAnswered(port)
  })

  it('beyond the bound are closed without an answer, and counted', async () => {
    const { app, port } = await pdpWith({ maxConnections: 3 })
    const let_in = [new Connection(port), new Connection(port)]
    await eventually(() => app.intake.sockets.size, 2)
    await isAnswered(port) // keeps its connection
    const refused = new Connection(port).post('/allowed', { length: CHECK.length, sent: CHECK })
    await once(refused.socket, 'close')
    expect(refused.text).toBe('')
    const { payload } = await app.inject('/metrics')
    expect(payload).toContain('\nzerohop_connections 3\n')
    expect(payload).toContain('\nzerohop_connections_refused_total 1\n')
    for (const { socket } of let_in) socket.destroy()
    await eventually(() => app.intake.sockets.size, 1)
    await isAnswered(port)
  })
})

describe('readBody', () => {
  const source = (announced?: number) => {
    const stream = new PassThrough()
    const budget = new BodyBudget(4_000 * KIB)
    const limit = 100 * KIB
    return { stream, budget, limit, announced: announced?.toString(), keyOf: () => 'key' }
  }
  const read = (from: ReturnType<typeof source>) =>
    new Promise<{ error?: Error; bytes: Buffer }>((resolve) =>
      readBody(from, (error, bytes, hold) => {
        resolve(error === undefined ? { bytes } : { error, bytes })
        hold?.release()
      }),
    )

  it.each([1, 7, 1_000, 40_000])('gives back what came in pieces of %i bytes', async (size) => {
    const from = source()
    const whole = Buffer.from(Array.from({ length: 50_000 }, (_, at) => at % 251))
    const answer = read(from)
    for (let at = 0; at < whole.length; at += size) from.stream.write(whole.subarray(at, at + size))
    from.stream.end()
    expect((await answer).bytes.equals(whole)).toBe(true)
    expect(from.budget.held).toBe(0)
  })

  it.each([
    ['is longer than the limit', undefined, 'x'.repeat(101 * KIB), 413],
    ['is longer than announced', 3, 'four', 400],
    ['is shorter than announced', 5, 'four', 400],
  ])('refuses a body that %s, and holds nothing', async (_, announced, body, status) => {
    const from = source(announced)
    const answer = read(from)
    from.stream.end(body)
    expect((await answer).error).toMatchObject({ statusCode: status })
    expect(from.budget.held).toBe(0)
  })

  it('lets others have a turn between two long bodies, and none between short ones', async () => {
    const seen: string[] = []
    const send = (name: string, size: number) => {
      const from = source()
      readBody(from, () => void seen.push(name))
      from.stream.end(Buffer.alloc(size))
    }
    for (const name of ['a', 'b', 'c']) send(name, BODY_AT_ONCE_BYTES + 1)
    for (const name of ['d', 'e']) send(name, BODY_AT_ONCE_BYTES)
    for (let at = 0; at < 6; at++) {
      await turn()
      seen.push('|')
    }
    expect(seen.join('')).toMatch(/^de\|*a\|+b\|+c\|+$/)
  })
})
