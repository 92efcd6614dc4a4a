// One call over HTTP: it always ends, whatever the other side does, and says why without repeating what it sent.
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, it } from 'vitest'
import { ask, formatReason } from '../../src/client/ask.ts'
import { ANSWER_BYTES_MAX } from '../../src/model/limits.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** With a certificate that nobody trusts. */
async function serveTls(): Promise<string> {
  const pem = (name: string) => readFileSync(join('test/support/tls', `${name}.pem`))
  const server = createTlsServer({ cert: pem('one.cert'), key: pem('one.key') })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

it('a call ends in time when the body never does, whatever is collected meanwhile', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"half":')
  })
  const collecting = setInterval(collectGarbage, 10)
  try {
    await expect(ask(url, { timeoutMs: 300 })).rejects.toThrow('no answer within 300 ms')
  } finally {
    clearInterval(collecting)
  }
})

it('a call ends when its caller gives up', async () => {
  const url = await serve(() => undefined)
  const caller = new AbortController()
  const asked = ask(url, { timeoutMs: 60_000, signal: caller.signal })
  caller.abort(new Error('enough'))
  await expect(asked).rejects.toMatchObject({ code: 'FEED_UNREACHABLE', details: { reason: 'enough' } })
  await expect(ask(url, { timeoutMs: 60_000, signal: caller.signal })).rejects.toThrow('enough')
})

it('a call does not read more than an answer may have', async () => {
  const chunk = Buffer.alloc(1024 * 1024)
  const url = await serve((_request, response) => {
    const more = (): void => {
      while (response.write(chunk));
    }
    response.on('drain', more)
    more()
  })
  await expect(ask(url, { timeoutMs: 60_000 })).rejects.toThrow(`more than ${ANSWER_BYTES_MAX} bytes`)
})

it.each<[string, RequestListener, unknown]>([
  ['JSON', (_, response) => response.end('{"a":1}'), { status: 200, body: { a: 1 } }],
  ['nothing', (_, response) => response.writeHead(204).end(), { status: 204, body: undefined }],
  ['a page', (_, response) => response.end('<html>'), { status: 200, body: undefined }],
])('answers %s', async (_, listener, expected) => {
  expect(await ask(await serve(listener), { timeoutMs: 5_000 })).toMatchObject(expected as object)
})

it.each<[string, RequestListener, string]>([
  [
    'an answer that is cut off',
    (_, response) => response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
    'other side closed',
  ],
  [
    'a redirect',
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1' }).end(),
    'unexpected redirect',
  ],
])('says why it has no answer: %s', async (_, listener, reason) => {
  await expect(ask(await serve(listener), { timeoutMs: 5_000 })).rejects.toThrow(reason)
})

it.each([
  ['nobody listens', 'http://127.0.0.1:47231', 'ECONNREFUSED'],
  ['there is no such name', 'http://nowhere.invalid', 'nowhere.invalid'],
  ['the port is never asked', 'http://127.0.0.1:6000', 'bad port'],
  ['the address is no URL', 'http://[', 'the address is no URL'],
  ['the address has a password', 'http://ana:secret@127.0.0.1:47231', 'the address contains a user name or a password'],
])('says why it has no answer: %s', async (_, url, reason) => {
  const failed = await ask(url, { timeoutMs: 5_000 }).catch((error) => error)
  expect(failed).toMatchObject({ code: 'FEED_UNREACHABLE', message: expect.stringContaining(reason) })
  expect(failed.message).not.toMatch(/secret|characters/)
})

// each fetch has its own way to say it
it.each([
  [new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED ::1:1') }), 'connect ECONNREFUSED ::1:1'],
  [new TypeError('ECONNREFUSED: Unable to connect.'), 'ECONNREFUSED: Unable to connect.'],
  [new TypeError('self signed certificate'), 'self signed certificate'],
  [new TypeError('error reading a body from connection'), 'error reading a body from connection'],
  [
    new TypeError('fetch failed', { cause: new AggregateError([new Error('a'), new Error('b'), new Error('a')]) }),
    'a; b',
  ],
  [new TypeError('Failed to fetch'), 'Failed to fetch: there is no connection, or the browser refused it'],
  [new TypeError('Load failed'), 'Load failed: there is no connection, or the browser refused it'],
  [new DOMException('This operation was aborted', 'AbortError'), 'This operation was aborted'],
])('passes on what fetch says: %s', (error, reason) => expect(formatReason(error)).toContain(reason))

it('a call names a certificate that it does not trust', async () => {
  const asked = ask(await serveTls(), { timeoutMs: 5_000 })
  await expect(asked).rejects.toThrow('self-signed certificate')
})

it('the error of a header that cannot be sent does not repeat it', async () => {
  const asked = ask('http://127.0.0.1:1', { timeoutMs: 5_000, headers: { authorization: 'Bearer se\ncret' } })
  await expect(asked).rejects.toMatchObject({
    details: { reason: 'the key, or another header, contains characters that cannot be sent' },
  })
})
