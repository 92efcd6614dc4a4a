// One call over HTTP: it always ends, whatever the other side does, and says why without repeating what it sent.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, it } from 'vitest'
import { ask } from '../../src/client/ask.ts'
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

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

it('ends in time when the body never does, whatever is collected meanwhile', async () => {
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

it('ends when its caller gives up', async () => {
  const url = await serve(() => undefined)
  const caller = new AbortController()
  const asked = ask(url, { timeoutMs: 60_000, signal: caller.signal })
  caller.abort(new Error('enough'))
  await expect(asked).rejects.toMatchObject({ code: 'FEED_UNREACHABLE', details: { reason: 'enough' } })
  await expect(ask(url, { timeoutMs: 60_000, signal: caller.signal })).rejects.toThrow('enough')
})

it('does not read more than an answer has', async () => {
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

it('does not repeat a header that cannot be sent', async () => {
  const asked = ask('http://127.0.0.1:1', { timeoutMs: 5_000, headers: { authorization: 'Bearer se\ncret' } })
  await expect(asked).rejects.toMatchObject({ details: { reason: expect.not.stringContaining('cret') } })
})
