// `listAll` beside stub servers of other ages: one with cursors, one that knows pages by their number alone, as arrays and
// in the paginated form, and servers that answer one page for ever. Every row once, or an error: never a part of them.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, listAll } from '../../src/client.ts'

const SIZE = 3
const params = { path: { p: 'default', e: 'production' }, query: { per_page: SIZE } }

interface Answer {
  readonly body: unknown
  readonly link?: string
}
type Answering = (query: URLSearchParams, rows: readonly { readonly key: string }[]) => Answer

const findPage = <R>(query: URLSearchParams, rows: readonly R[]) => {
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page'))]
  return { rows: rows.slice((page - 1) * size, page * size), page_count: Math.ceil(rows.length / size) }
}
/** The page after a cursor, which is the number of rows before it. */
const findPageAfter = <R>(query: URLSearchParams, rows: readonly R[]) => {
  const size = Number(query.get('per_page'))
  const from = Number(query.get('after') ?? (Number(query.get('page') ?? 1) - 1) * size)
  const next = from + size < rows.length ? String(from + size) : undefined
  return { data: rows.slice(from, from + size), page_count: Math.ceil(rows.length / size), next }
}

const SERVERS: Readonly<Record<string, Answering>> = {
  'arrays from before cursors': (query, rows) => ({ body: findPage(query, rows).rows }),
  'pages from before cursors': (query, all) => {
    const { rows, ...counts } = findPage(query, all)
    return { body: { data: rows, total_count: all.length, ...counts } }
  },
  'arrays with a link': (query, rows) => {
    const { data, next } = findPageAfter(query, rows)
    return { body: data, ...(next === undefined ? {} : { link: `<?per_page=${SIZE}&after=${next}>; rel="next"` }) }
  },
  'pages with a cursor': (query, rows) => ({ body: findPageAfter(query, rows) }),
  'pages whose last cursor is null': (query, rows) => {
    const { data, next = null } = findPageAfter(query, rows)
    return { body: { data, next } }
  },
}
const STUCK: Readonly<Record<string, Answering>> = {
  'arrays, whatever page is asked for': (_, rows) => ({ body: rows.slice(0, SIZE) }),
  'pages, whatever page is asked for': (_, rows) => ({ body: { data: rows.slice(0, SIZE), page_count: 3 } }),
  'the same cursor': (_, rows) => ({ body: { data: rows.slice(0, SIZE), next: '1' } }),
}

describe('every row of a list', () => {
  let answer: (query: URLSearchParams) => Answer
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    const { body, link } = answer(new URL(request.url ?? '', 'http://x').searchParams)
    response.writeHead(200, { 'content-type': 'application/json', ...(link === undefined ? {} : { link }) })
    response.end(JSON.stringify(body))
  })
  let url = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const makeRows = (count: number) => Array.from({ length: count }, (_, at) => ({ key: `row-${at}` }))
  const walk = async (answering: Answering, count: number): Promise<string[]> => {
    const rows = makeRows(count)
    answer = (query) => answering(query, rows)
    asked = 0
    const client = createClient({ url, apiKey: 'key' })
    const keys: string[] = []
    for await (const { key } of listAll(client, '/v2/facts/{p}/{e}/users', { params })) {
      keys.push(key)
      if (keys.length > 50) throw new Error('without an end')
    }
    return keys
  }

  it.each(Object.keys(SERVERS))('of a server that answers %s', async (name) => {
    for (const count of [0, 1, SIZE - 1, SIZE, SIZE + 1, 2 * SIZE, 3 * SIZE + 1]) {
      expect(await walk(SERVERS[name]!, count)).toEqual(makeRows(count).map(({ key }) => key))
      // at most one page more than there are: of arrays, a full last one looks like any other
      expect(asked).toBeLessThanOrEqual(Math.floor(count / SIZE) + 1)
    }
  })

  it.each(Object.keys(STUCK))('is an error of a server that answers %s', async (name) => {
    await expect(walk(STUCK[name]!, 9)).rejects.toMatchObject({
      code: 'SERVICE_ANSWER_INVALID',
      message: expect.stringContaining('GET /v2/facts/{p}/{e}/users is not the next page'),
    })
  })
})
