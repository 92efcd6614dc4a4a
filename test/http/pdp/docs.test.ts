// docs/pdp-api.md against the server: every route stands there, no other does, and each needs the key that the table
// says.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Image } from '../../../src/image/image.ts'
import { loadImage } from '../../../src/pdp/pdp.ts'
import { pdpServer } from '../../../src/server.ts'
import { HELLO } from '../../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../../support/deltas.ts'
import { ROOT } from '../../tidy/source.ts'

const app = pdpServer(loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save()), 'the key of the environment')
const opa = app.opa()
afterAll(async () => {
  await opa.close()
  await app.close()
})

const ROW = /^\| (?:`([A-Z]+)`|any) \| `(\/\S+)` \| (\w+) \|/
const document = readFileSync(join(ROOT, 'docs/pdp-api.md'), 'utf8')
const rows = document.split('\n').flatMap((line) => {
  const [, method = 'any', path, key] = ROW.exec(line) ?? []
  return path === undefined ? [] : [{ method, path, key }]
})

it('lists every route, and no other', async () => {
  await Promise.all([app.ready(), opa.ready()])
  const methods = new Map<string, Set<string>>()
  for (const { method, url } of [...app.noted, ...opa.noted]) {
    const path = url.replace(/:(\w+)/g, '{$1}')
    methods.set(path, (methods.get(path) ?? new Set()).add(method))
  }
  const served = [...methods].flatMap(([path, known]) => {
    if (known.has('POST') && known.has('GET') && known.has('DELETE')) return [`any ${path}`]
    return [...known].filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`)
  })
  expect(rows.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(served.sort())
})

it.each(rows)('$method $path needs the key that the table says', async ({ method, path, key }) => {
  const server = path.startsWith('/v1/data/') ? opa : app
  const url = path.replace(/\{(\w+)\}|\*/g, 'x')
  const { statusCode } = await server.inject({ method: method === 'any' ? 'GET' : (method as 'GET'), url, payload: {} })
  const expected = { yes: [401], none: [200, 307], control: [403] }[key ?? '']
  expect(expected).toContain(statusCode)
})
