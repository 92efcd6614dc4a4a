// docs/http-api.md has the table of the routes that exist, and docs/errors.md the error_code of each class.
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ERROR_CODE_OF, STATUS_OF_CLASS } from '../../../src/http/errors.ts'
import { withRouteTable, wrongFields } from '../../support/route-table.ts'
import { type Harness, joinHarness } from './harness.ts'

const pageUrl = (path: string) => new URL(`../../../docs/${path}`, import.meta.url)
const read = (path: string) => readFileSync(pageUrl(path), 'utf8')

describe('docs/http-api.md', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
  })
  afterAll(() => api.close())

  const PAGE = 'http-api.md'
  // the feed has a page of its own
  const documented = () =>
    [...api.routes, ...api.v1Routes, ...api.scimRoutes].filter(({ url }) => !/^\/v[12]\/feed\//.test(url))

  it('has the table that the routes make; ZEROHOP_WRITE_DOCS=1 writes it', () => {
    const table = withRouteTable(read(PAGE), documented())
    if (process.env.ZEROHOP_WRITE_DOCS === '1') writeFileSync(pageUrl(PAGE), table)
    expect(read(PAGE)).toBe(table)
  })

  it('names in bold what a body must have', () => {
    expect(wrongFields(read(PAGE), documented())).toEqual([])
  })
})

describe('docs/errors.md', () => {
  it('gives each class its status and error_code', () => {
    const rows = [...read('errors.md').matchAll(/^\| (\w+) \| (\d+) \| `(\w+)` \|/gm)]
    const rules = Object.entries(STATUS_OF_CLASS).map(([name, rule]) => `${name} ${rule.status} ${rule.errorCode}`)
    expect(rows.map(([, name, status, code]) => `${name} ${status} ${code}`)).toEqual(rules)
  })

  it('names every code that has an error_code of its own', () => {
    const lines = [...read('errors.md').matchAll(/^- `(\w+)` answers `(\w+)`/gm)]
    expect(Object.fromEntries(lines.map(([, code, errorCode]) => [code, errorCode]))).toEqual(ERROR_CODE_OF)
  })
})
