// Common checks are answered without the framework: what comes over a socket must be what the route gives, byte for
// byte, for every body.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../../src/image/image.ts'
import { containedErrors } from '../../../src/model/contained.ts'
import { loadImage, type Pdp } from '../../../src/pdp/pdp.ts'
import { pdpServer } from '../../../src/server.ts'
import { HELLO } from '../../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../../support/deltas.ts'
import { eventually } from '../../support/eventually.ts'

const KEY = 'the-key-of-the-environment'
const bearer = { authorization: `Bearer ${KEY}` }
const check = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } }
const evaluation = {
  subject: { type: 'user', id: 'ana' },
  action: { name: 'say' },
  resource: { type: 'hello', id: 'one' },
}
const related = (relations: unknown) => ({ ...check, resource: { type: 'hello', key: 'new', relations } })

describe('a check over a socket', () => {
  let pdp: Pdp
  let app: ReturnType<typeof pdpServer>
  let url: string
  beforeAll(async () => {
    pdp = loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save())
    app = pdpServer(pdp, KEY)
    url = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => app.close())

  /** The answer over the socket and by the route, with the headers that a client may read. */
  async function both(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) {
    const all = { 'content-type': 'application/json', 'x-request-id': 'the-same', ...headers }
    const socket = await fetch(url + path, { method: 'POST', headers: all, body })
    const text = await socket.text()
    const route = await app.inject({ method: 'POST', url: path, headers: all, payload: Buffer.from(body) })
    const names = ['content-type', 'content-length', 'x-revision', 'x-request-id', 'retry-after', 'www-authenticate']
    return [
      { status: socket.status, text, headers: names.map((name) => socket.headers.get(name)) },
      {
        status: route.statusCode,
        text: route.body,
        headers: names.map((name) => route.headers[name]?.toString() ?? null),
      },
    ] as const
  }

  it.each<[string, number, string | Uint8Array<ArrayBuffer>, Record<string, string>]>([
    ['an allowed check', 200, JSON.stringify(check), bearer],
    ['a denied check', 200, JSON.stringify({ ...check, user: { key: 'ben' } }), bearer],
    ['a check in UTF-8', 200, JSON.stringify({ ...check, user: { key: 'élan' } }), bearer],
    ['a check that is asked to explain itself', 200, JSON.stringify(check), { ...bearer, 'x-explain': 'true' }],
    ['a check at least at a revision', 200, JSON.stringify(check), { ...bearer, 'x-min-revision': '7' }],
    [
      'a body with a charset',
      200,
      JSON.stringify(check),
      { ...bearer, 'content-type': 'application/json; charset=utf-8' },
    ],
    ['a long body', 200, JSON.stringify({ ...check, context: { text: 'x'.repeat(200_000) } }), bearer],
    ['relations that nobody knows', 200, JSON.stringify(related({ parent: ['folder:f1'] })), bearer],
    ['relations that are no lists', 422, JSON.stringify(related({ parent: 'folder:f1' })), bearer],
    ['relations without a type', 422, JSON.stringify(related({ parent: ['f1'] })), bearer],
    ['too many relations', 422, JSON.stringify(related({ parent: Array(65).fill('folder:f1') })), bearer],
    ['a wrong field', 422, JSON.stringify({ ...check, action: 5 }), bearer],
    ['a body of the first API version', 421, JSON.stringify({ ...check, user: 'ana' }), bearer],
    ['no JSON', 422, '{"user":', bearer],
    ['no UTF-8', 422, Uint8Array.of(0x22, 0xff, 0x22), bearer],
    ['no body', 422, '', bearer],
    ['a body that is too long', 413, ' '.repeat(1024 * 1024 + 1), bearer],
    ['another type', 415, 'user=ana', { ...bearer, 'content-type': 'text/plain' }],
    ['no key', 401, JSON.stringify(check), {}],
    ['a wrong key', 403, JSON.stringify(check), { authorization: 'Bearer wrong' }],
  ])('POST /allowed answers %s as the route does: %i', async (_, status, body, headers) => {
    const [socket, route] = await both('/allowed', body, headers)
    expect(socket).toEqual(route)
    expect(socket.status).toBe(status)
  })

  it.each<[string, number, string | Uint8Array<ArrayBuffer>, Record<string, string>]>([
    ['an allowed evaluation', 200, JSON.stringify(evaluation), bearer],
    ['a denied evaluation', 200, JSON.stringify({ ...evaluation, subject: { type: 'user', id: 'ben' } }), bearer],
    ['another type of subject', 200, JSON.stringify({ ...evaluation, subject: { type: 'car', id: 'ana' } }), bearer],
    ['an evaluation with context', 200, JSON.stringify({ ...evaluation, context: { city: 'Zürich' } }), bearer],
    ['an evaluation that asks for an explanation', 200, JSON.stringify(evaluation), { ...bearer, 'x-explain': 'true' }],
    ['an evaluation at least at a revision', 200, JSON.stringify(evaluation), { ...bearer, 'x-min-revision': '7' }],
    ['a request id that is no UUID', 200, JSON.stringify(evaluation), { ...bearer, 'x-request-id': 'any {text}' }],
    ['a request id above ASCII', 200, JSON.stringify(evaluation), { ...bearer, 'x-request-id': 'caf\u00e9' }],
    ['a subject without an id', 400, JSON.stringify({ ...evaluation, subject: { type: 'user' } }), bearer],
    ['a number as an action', 400, JSON.stringify({ ...evaluation, action: 5 }), bearer],
    ['a member that occurs twice', 400, '{"subject":{},"subject":{}}', bearer],
    ['half of a surrogate pair', 400, JSON.stringify({ ...evaluation, context: { text: '\ud800' } }), bearer],
    ['a list', 400, '[]', bearer],
    ['no JSON', 400, '{"subject":', bearer],
    ['no UTF-8', 400, Uint8Array.of(0x22, 0xff, 0x22), bearer],
    ['no body', 400, '', bearer],
    ['a body that is too long', 413, ' '.repeat(1024 * 1024 + 1), bearer],
    ['another type', 400, 'user=ana', { ...bearer, 'content-type': 'text/plain' }],
    ['no key', 401, JSON.stringify(evaluation), {}],
    ['a wrong key', 401, JSON.stringify(evaluation), { authorization: 'Bearer wrong' }],
  ])('POST /access/v1/evaluation answers %s as the route does: %i', async (_, status, body, headers) => {
    const [socket, route] = await both('/access/v1/evaluation', body, headers)
    expect(socket).toEqual(route)
    expect(socket.status).toBe(status)
  })

  it('makes a request id for an evaluation that comes without one, as the route does, and none for POST /allowed', async () => {
    const headers = { ...bearer, 'content-type': 'application/json' }
    const idAt = async (path: string, body: unknown) =>
      (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).headers.get('x-request-id')
    expect(await idAt('/access/v1/evaluation', evaluation)).toMatch(/^[0-9a-f]{32}$/)
    expect(await idAt('/allowed', check)).toBeNull()
  })

  it('keeps a connection over many checks, allowed, denied and wrong', async () => {
    const headers = { ...bearer, 'content-type': 'application/json' }
    const ask = async (user: unknown) => {
      const body = JSON.stringify({ ...check, user })
      const answer = await fetch(`${url}/allowed`, { method: 'POST', headers, body })
      return [answer.status, ((await answer.json()) as { allow?: boolean }).allow]
    }
    for (let i = 0; i < 10; i++) {
      expect(await ask({ key: 'ana' })).toEqual([200, true])
      expect(await ask({ key: 'ben' })).toEqual([200, false])
      expect(await ask({})).toEqual([422, undefined])
    }
  })

  /** A connection, and what it has received up to the end of so many answers. */
  async function openSocket() {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true)
    await once(socket, 'connect')
    let received = ''
    socket.on('data', (bytes) => {
      received += String(bytes)
    })
    const answers = () => [...received.matchAll(/\{"allow":(true|false)/g)].map(([, allow]) => allow === 'true')
    return { socket, answers }
  }
  const formatQuestion = (user: string) => {
    const body = JSON.stringify({ ...check, user: { key: user } })
    const head = `POST /allowed HTTP/1.1\r\nhost: pdp\r\ncontent-type: application/json\r\nauthorization: Bearer ${KEY}\r\n`
    return { head: `${head}content-length: ${body.length}\r\n\r\n`, body }
  }

  it('answers a body that comes in one piece with its head, after it, and in pieces', async () => {
    const { socket, answers } = await openSocket()
    const { head, body } = formatQuestion('ana')
    for (const [at, parts] of [[head + body], [head, body], [head + body[0], ...body.slice(1)]].entries()) {
      for (const part of parts) {
        socket.write(part)
        await pause(2)
      }
      await eventually(() => answers().length, at + 1)
    }
    expect(answers()).toEqual([true, true, true])
    socket.destroy()
  })

  it('answers questions that come together on one connection in their order', async () => {
    const { socket, answers } = await openSocket()
    const users = ['ana', 'ben', 'ana', 'ana', 'ben']
    const questions = users.map(formatQuestion).map(({ head, body }) => head + body)
    socket.write(questions.join(''))
    await eventually(() => answers().length, users.length)
    expect(answers()).toEqual(users.map((user) => user === 'ana'))
    socket.destroy()
  })

  it('answers what it took in the turn in which it begins to close', async () => {
    const other = loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save())
    const ending = pdpServer(other, KEY)
    const address = await ending.listen({ host: '127.0.0.1', port: 0 })
    let closed: Promise<unknown> | undefined
    // behind the listener that takes the question, before the end of the turn that answers it
    ending.server.once('request', () => {
      closed = Promise.resolve(ending.close())
    })
    const answer = await fetch(`${address}/allowed`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer },
      body: JSON.stringify(check),
    })
    expect(await answer.json()).toMatchObject({ allow: true })
    await closed
  })

  it('goes on when clients are gone before they are answered', async () => {
    const before = containedErrors()
    const { head, body } = formatQuestion('ana')
    const { sockets } = app.intake
    const others = new Set(sockets)
    const gone = await Promise.all(Array.from({ length: 20 }, openSocket))
    const { socket, answers } = await openSocket()
    for (const [at, each] of gone.entries()) {
      each.socket.write(head + (at % 2 === 0 ? body : ''))
      each.socket.resetAndDestroy()
    }
    socket.write(head + body)
    await eventually(answers, [true])
    await eventually(() => [...sockets].filter((each) => !others.has(each)).length, 1)
    expect(containedErrors()).toBe(before)
    socket.destroy()
  })

  it('says 503 when it cannot decide, as the route does', async () => {
    await pdp.close()
    for (const [path, body] of [
      ['/allowed', check],
      ['/access/v1/evaluation', evaluation],
    ] as const) {
      const [socket, route] = await both(path, JSON.stringify(body), bearer)
      expect(socket, path).toEqual(route)
      expect(socket.status, path).toBe(503)
    }
  })
})
