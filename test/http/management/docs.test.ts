// docs/http-api.md lists the routes that exist, and docs/errors.md the error_code of each class.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ERROR_CODE_OF, STATUS_OF_CLASS } from '../../../src/http/errors.ts'
import { managementApp } from '../../../src/http/management/app.ts'
import type { AccessLevel } from '../../../src/model/objects.ts'
import { ACCESS } from '../../../src/pap/access.ts'
import { type Harness, openHarness } from './harness.ts'

const read = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')
const LEVEL: Readonly<Record<AccessLevel, string>> = { no_access: 'any', read: 'read', write: 'write', admin: 'admin' }

describe('docs/http-api.md', () => {
  let api: Harness
  beforeAll(async () => {
    api = await openHarness()
  })
  afterAll(() => api.close())

  it('lists every route with the access that it needs, and no other', async () => {
    const app = managementApp({ store: api.store })
    const exist: string[] = ['GET /health none', 'GET /v2/openapi.json none', 'GET /docs none']
    app.addHook('onRoute', ({ method, url, config }) => {
      if (method === 'HEAD' || config?.operation === undefined) return
      const path = url
        .replace('/v2/schema/:p/:e', 'S')
        .replace('/v2/facts/:p/:e', 'F')
        .replace(/:(\w+)/g, '{$1}')
      const { access, level } = ACCESS[config.operation]
      exist.push(`${method} ${path} ${LEVEL[access]}${level === 'env' ? '' : `, ${level}`}`)
    })
    await app.ready()
    await app.close()
    const told = [...read('http-api.md').matchAll(/^\| `([A-Z]+)` \| `(\S+)` \| (\w+(?:, \w+)?) \|/gm)]
    expect(told.map(([, method, path, level]) => `${method} ${path} ${level}`).sort()).toEqual(exist.sort())
  })
})

describe('docs/errors.md', () => {
  it('gives each class its status and error_code', () => {
    const told = [...read('errors.md').matchAll(/^\| (\w+) \| (\d+) \| `(\w+)` \|/gm)]
    const rules = Object.entries(STATUS_OF_CLASS).map(([name, rule]) => `${name} ${rule.status} ${rule.errorCode}`)
    expect(told.map(([, name, status, code]) => `${name} ${status} ${code}`)).toEqual(rules)
  })

  it('names every code that has an error_code of its own', () => {
    const told = [...read('errors.md').matchAll(/^- `(\w+)` answers `(\w+)`/gm)]
    expect(Object.fromEntries(told.map(([, code, errorCode]) => [code, errorCode]))).toEqual(ERROR_CODE_OF)
  })
})
