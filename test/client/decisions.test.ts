// Sending records of decisions to a management API that refuses them or breaks off, or to some other server: records
// count as sent only when the API confirms what happened to them.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { DecisionClient, type RefusedEvent } from '../../src/client/decision-client.ts'

const SCOPE = { organization_id: 'o'.repeat(32), project_id: 'p'.repeat(32), environment_id: 'e'.repeat(32) }
const LINES = Buffer.from('{"seq":1}\n{"seq":2}\n')

let server: Server
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** A client of a server that answers the scope of the key, and records as `answer` does. */
async function makeClient(
  answer: RequestListener,
  scope: unknown = SCOPE,
  refused?: (count: number) => void,
): Promise<DecisionClient> {
  server = createServer((request, response) => {
    if (request.url === '/v2/api-key/scope')
      response.setHeader('x-api-key-id', 'k'.repeat(32)).end(typeof scope === 'string' ? scope : JSON.stringify(scope))
    else answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return new DecisionClient({
    url,
    apiKey: 'key',
    ...(refused && { onEvent: ({ count }: RefusedEvent) => refused(count) }),
  })
}
const send = (client: DecisionClient) => client.send(LINES, new AbortController().signal)

describe('records of decisions are sent', () => {
  it('compressed, with the key, to the log of its environment, and the id of the key is known then', async () => {
    let seen: unknown
    const client = await makeClient(async (request, response) => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece as Buffer)
      seen = [request.method, request.url, request.headers.authorization, gunzipSync(Buffer.concat(pieces)).toString()]
      response.end('{"stored":1,"known":1,"refused":0}')
    })
    expect(client.keyId).toMatch(/^sha256:[0-9a-f]{16}$/)
    await send(client)
    expect(seen).toEqual([
      'POST',
      `/v2/pdps/${SCOPE.project_id}/${SCOPE.environment_id}/audit_logs`,
      'Bearer key',
      String(LINES),
    ])
    expect(client.keyId).toBe('k'.repeat(32))
  })

  it.each([
    ['401', 'KEY_UNKNOWN', 401, '{}'],
    ['403', 'KEY_TOO_NARROW', 403, '{}'],
    ['404', 'FEED_UNREACHABLE', 404, '{}'],
    ['429', 'FEED_UNREACHABLE', 429, 'slower'],
    ['500', 'FEED_UNREACHABLE', 500, ''],
    ['204', 'FEED_UNREACHABLE', 204, ''],
    ['a page to log in', 'FEED_UNREACHABLE', 200, '<html>log in</html>'],
    ['JSON of somebody else', 'FEED_UNREACHABLE', 200, '{"ok":true}'],
    ['null', 'FEED_UNREACHABLE', 200, 'null'],
    ['a redirect', 'FEED_UNREACHABLE', 307, ''],
  ])('not when the answer is %s', async (_, code, status, text) => {
    const client = await makeClient(
      (_, response) => void response.writeHead(status, { location: '/elsewhere' }).end(text),
    )
    await expect(send(client)).rejects.toMatchObject({ code })
  })

  it('although some are refused for ever, which is reported', async () => {
    const refused: number[] = []
    const answers = ['{"stored":1,"known":0,"refused":1}', '{"stored":0,"known":2,"refused":0}']
    const client = await makeClient(
      (_, response) => void response.end(answers.shift()),
      SCOPE,
      (count) => {
        refused.push(count)
      },
    )
    await send(client)
    await send(client)
    expect(refused).toEqual([1])
  })

  it('not when the answer is cut off', async () => {
    const client = await makeClient((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"stored":2,')
      setImmediate(() => response.destroy())
    })
    await expect(send(client)).rejects.toMatchObject({ code: 'FEED_UNREACHABLE' })
  })

  it('with a reason that says whether the key or the address is wrong', async () => {
    const wide = await makeClient((_, response) => void response.end(), { ...SCOPE, environment_id: null })
    await expect(send(wide)).rejects.toMatchObject({ code: 'KEY_TOO_NARROW' })
    server.closeAllConnections()
    server.close()
    const page = await makeClient((_, response) => void response.end(), '<html>log in</html>')
    await expect(send(page)).rejects.toMatchObject({ code: 'FEED_UNREACHABLE' })
  })
})
