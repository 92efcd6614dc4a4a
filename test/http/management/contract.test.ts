// No operation of the contract is missing: test/golden/operations.json lists what the specification names (`seed`),
// what the public SDKs call (`sdk`), what else this version promises (`further`), and the calls of the first API
// version (`v1`). `S` and `F` stand for /v2/schema/{p}/{e} and /v2/facts/{p}/{e}.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shortPath } from '../../support/routes.ts'
import { type Harness, joinHarness } from './harness.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const GOLDEN: Readonly<Record<string, readonly string[]>> = JSON.parse(read('golden/operations.json'))
/** What a parameter is called is ours to choose. */
const nameless = (operation: string) => operation.replace(/\{\w+\}/g, '{}')

describe('the operations of the contract', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
  })
  afterAll(() => api.close())

  it.each(Object.keys(GOLDEN))('%s: none is missing from the routes', (list) => {
    const routes = new Set(
      [...api.routes, ...api.v1Routes].map(({ method, url }) => nameless(`${method} ${shortPath(url)}`)),
    )
    expect(GOLDEN[list]?.filter((operation) => !routes.has(nameless(operation)))).toEqual([])
  })

  it.each(Object.keys(GOLDEN))('%s: none is missing from docs/http-api.md', (list) => {
    const documented = [...read('../docs/http-api.md').matchAll(/^\| `([A-Z]+)` \| `(\S+)` \|/gm)]
    const routes = new Set(documented.map(([, method, path]) => nameless(`${method} ${path}`)))
    expect(GOLDEN[list]?.filter((operation) => !routes.has(nameless(operation)))).toEqual([])
  })

  it('are as many as the contract has', () => {
    expect(Object.fromEntries(Object.entries(GOLDEN).map(([list, of]) => [list, new Set(of).size]))).toEqual({
      seed: 61,
      sdk: 55,
      further: 60,
      v1: 19,
    })
  })
})
