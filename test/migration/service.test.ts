// Services that are busy, slow to begin, or something else than they were taken for: each is waited for, or refused
// with its own words.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { MIGRATE_PAGE_ROWS } from '../../src/model/limits.ts'
import { Api, forEach, type Hear } from '../../src/v1/migrate/api-client.ts'
import { AskedPdp } from '../../src/v1/migrate/checks.ts'
import { readOrganization } from '../../src/v1/migrate/world.ts'

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

const api = async (listener: RequestListener, hear?: Hear): Promise<Api> => new Api(await serve(listener), 'key', hear)
const rows = (count: number) => JSON.stringify(Array.from({ length: count }, (_, at) => ({ key: `key-${at}` })))

describe('a service that is busy', () => {
  it.each([429, 503])('is asked again when it says so with %i', async (status) => {
    let asked = 0
    const heard: string[] = []
    const service = await api(
      (_, response) => {
        asked++
        if (asked > 3) response.end('{"done":true}')
        else response.writeHead(status, { 'retry-after': '0' }).end()
      },
      ({ reason }) => heard.push(reason),
    )
    expect(await service.ask('POST', '/v2/anything', {})).toEqual({ done: true })
    expect([asked, heard]).toEqual([4, Array(3).fill(`${service.url} answered ${status}`)])
  })

  it('is believed when it says to come back another day', async () => {
    let asked = 0
    const service = await api((_, response) => {
      asked++
      response.writeHead(429, { 'retry-after': '86400' }).end('{"message":"enough for today"}')
    })
    await expect(readOrganization(service)).rejects.toThrow(
      'the management API answered 429 to GET /v2/api-key/scope: enough for today',
    )
    expect(asked).toBe(1)
  })
})

describe('a service that is something else', () => {
  const scope = '{"organization_id":"o","project_id":null,"environment_id":null}'
  it.each<[string, RequestListener, string]>([
    [
      'a page',
      (_, response) => response.end('<html>sign in</html>'),
      'is not a management API: GET /v2/api-key/scope answered 200',
    ],
    ['null', (_, response) => response.end('null'), 'is not a management API'],
    ['broken', (_, response) => response.writeHead(500).end('oops'), 'answered 500 to GET /v2/api-key/scope'],
    [
      'a list of something else',
      ({ url }, response) => response.end(url?.includes('scope') ? scope : '[null,3]'),
      'answered 200 to GET /v2/projects without a list',
    ],
    [
      'a page where a list was',
      ({ url }, response) => response.end(url?.includes('scope') ? scope : '<html>'),
      'answered 200 to GET /v2/projects without a list',
    ],
  ])('is refused: %s', async (_, listener, words) => {
    await expect(api(listener).then(readOrganization)).rejects.toThrow(words)
  })

  it('does not count as a missing object when it answers with a page', async () => {
    const service = await api((_, response) => response.end('<html>'))
    await expect(service.find('/v1/users/ana')).rejects.toThrow('answered 200 to GET /v1/users/ana')
  })

  it('is named as the PDP that it was taken for', async () => {
    const question = { user: 'ana', action: 'read', resource: 'report', tenant: 'default' }
    const gone = new AskedPdp('http://127.0.0.1:1/', 'key', 1)
    await expect(gone.check(question)).rejects.toThrow('the PDP at http://127.0.0.1:1: ')
    const page = new AskedPdp(await serve((_, response) => response.end('<html>')), 'key', 2)
    await expect(page.check(question)).rejects.toThrow('did not decide: POST /allowed answered 200')
  })
})

describe('a list', () => {
  it('is read to its end, page by page', async () => {
    const paths: string[] = []
    const service = await api(({ url = '' }, response) => {
      paths.push(url)
      response.end(`{"data":${rows(paths.length < 3 ? MIGRATE_PAGE_ROWS : 7)}}`)
    })
    expect(await service.list('/v2/users?a=b')).toHaveLength(2 * MIGRATE_PAGE_ROWS + 7)
    expect(paths[2]).toBe(`/v2/users?a=b&page=3&per_page=${MIGRATE_PAGE_ROWS}`)
  })

  it('is read once when the service knows no pages', async () => {
    const service = await api((_, response) => response.end(rows(MIGRATE_PAGE_ROWS + 50)))
    expect(await service.list('/v2/users')).toHaveLength(MIGRATE_PAGE_ROWS + 50)
  })
})

it('no further call is made after one that failed', async () => {
  const made: number[] = []
  const work = async (item: number): Promise<void> => {
    made.push(item)
    await new Promise((resolve) => setImmediate(resolve))
    if (item === 1) throw new Error('stop')
  }
  await expect(forEach([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 2, work)).rejects.toThrow('stop')
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(made.length).toBeLessThan(6)
})
