// The OpenAPI document and its page. test/golden/surface.txt shows every change of the API in review: after an intended
// one, say it in CHANGELOG.md, run `npm run surface` and read the difference.

import { gunzipSync } from 'node:zlib'
import Schema from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { managementApp } from '../../../src/http/apps/management-app.ts'
import { feedRoutes } from '../../../src/http/management/routes/feed.ts'
import { makeOpenApi, type OpenApiDocument } from '../../../src/http/openapi.ts'
import { PastRevisions } from '../../../src/management/past/past-revisions.ts'
import { Snapshots } from '../../../src/management/snapshot/snapshot.ts'
import { type KnownObjects, makeKnownObjects } from '../../support/known-objects.ts'
import { formatSurface } from '../../support/surface.ts'
import { type Harness, openHarness } from './harness.ts'

let api: Harness
let known: KnownObjects
beforeAll(async () => {
  api = await openHarness({})
  known = await makeKnownObjects(api)
})
afterAll(() => api.close())

/** The app as the process serves it. */
function wholeApp() {
  const { store, audit } = api
  return managementApp({
    store,
    audit,
    past: new PastRevisions(store, { data: 'nowhere' }),
    routes: (app) => feedRoutes(app, { store, snapshots: new Snapshots(store, 'nowhere') }),
  })
}

/** As the build makes it: once, which takes a quarter of a second. */
function ensureDocument(): Promise<OpenApiDocument> {
  made ??= makeDocument()
  return made
}

let made: Promise<OpenApiDocument> | undefined

async function makeDocument(): Promise<OpenApiDocument> {
  const app = wholeApp()
  await app.ready()
  const document = await makeOpenApi(app.noted)
  await app.close()
  return document
}

describe('/v2/openapi.json', () => {
  it('is open, and what the build made of these routes', async () => {
    const app = wholeApp()
    const answer = await app.inject({ url: '/v2/openapi.json' })
    await app.close()
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.json(), 'the build is older than the sources: run `npm run build`').toEqual(await ensureDocument())
  })

  it('has the surface of test/golden/surface.txt', async () => {
    const document = await ensureDocument()
    expect(document.openapi).toBe('3.1.0')
    const mend = 'the API changed: when that is intended, say it in CHANGELOG.md, then run `npm run surface`'
    await expect(formatSurface(document), mend).toMatchFileSnapshot('../../golden/surface.txt')
  })

  it('has every route, each with an id of its own, and describes every parameter of its path', async () => {
    const document = await ensureDocument()
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    for (const { method, url } of [...api.routes, ...api.v1Routes, ...api.scimRoutes])
      expect(document.paths[url.replace(/:(\w+)/g, '{$1}')], `${method} ${url}`).toHaveProperty(method.toLowerCase())
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
    for (const { path, operation } of operations) {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    }
  })

  it('holds the schemas that validate, in the words of OpenAPI 3.1', async () => {
    const text = JSON.stringify(await ensureDocument())
    expect(text).not.toMatch(/"nullable"|"later"/)
    const { components } = await ensureDocument()
    expect((components.schemas as Record<string, object>).ApiKeyCreate).toMatchObject({
      type: 'object',
      required: ['organization_id'],
      additionalProperties: false,
      properties: {
        project_id: { type: ['string', 'null'] },
        object_type: { enum: ['org', 'project', 'env', 'tenant', 'directory', null] },
      },
    })
  })

  it('has examples that its schemas allow', async () => {
    const { paths, components } = await ensureDocument()
    const wrong: string[] = []
    let seen = 0
    const walk = (part: unknown, place: string): void => {
      if (typeof part !== 'object' || part === null) return
      const { examples = [], ...schema } = part as { readonly examples?: readonly unknown[] }
      for (const example of examples) {
        seen++
        if (!Schema.Check({ ...schema, components } as never, example))
          wrong.push(`${place}: ${JSON.stringify(example)}`)
      }
      for (const [name, inner] of Object.entries(schema)) walk(inner, `${place}/${name}`)
    }
    walk(paths, '')
    walk(components, '')
    expect(wrong).toEqual([])
    expect(seen).toBeGreaterThan(3)
  })

  it('names the query parameters that the handlers read, and no other', async () => {
    const app = wholeApp()
    let read = new Set<string>()
    app.addHook('preHandler', (request, _reply, done) => {
      request.query = new Proxy(request.query as object, {
        get: (target, name) => {
          if (typeof name === 'string') read.add(name)
          return Reflect.get(target, name)
        },
        ownKeys: (target) => {
          read.add('attr_<name>')
          return Reflect.ownKeys(target)
        },
      })
      done()
    })
    await app.ready()
    const headers = { authorization: `Bearer ${api.made.organization.secret}` }
    const found: Record<string, readonly string[]> = {}
    for (const { method, url } of [...api.routes, ...api.v1Routes]) {
      if (method !== 'GET' || /^\/v[12]\/feed\//.test(url)) continue
      read = new Set()
      await app.inject({ url: known.path(url), headers })
      if (read.size > 0) found[`GET ${url}`] = [...read].sort()
    }
    await api.addKey('directory', 'write', 'a-key-for-query-parameters')
    const scim = { authorization: 'Bearer a-key-for-query-parameters' }
    for (const { method, url } of api.scimRoutes) {
      if (method !== 'GET') continue
      const of = /^\/scim\/v2\/(Users|Groups)$/.exec(url.replace('/:id', ''))
      const payload = { userName: `read-by-${url.length}`, displayName: 'Read' }
      const made = of && (await app.inject({ method: 'POST', url: of[0], headers: scim, payload })).json()
      read = new Set()
      await app.inject({ url: url.replace(':id', made?.id ?? 'User'), headers: scim })
      if (read.size > 0) found[`GET ${url}`] = [...read].sort()
    }
    await app.close()
    const { paths } = await ensureDocument()
    const documented: Record<string, readonly string[]> = {}
    for (const [path, { get }] of Object.entries(paths)) {
      const names = (get?.parameters ?? [])
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }) => String(name))
      if (names.length > 0 && !path.includes('/feed/'))
        documented[`GET ${path.replace(/\{(\w+)\}/g, ':$1')}`] = names.sort()
    }
    expect(Object.keys(documented).length).toBeGreaterThan(40)
    expect(found).toEqual(documented)
  })
})

describe('bodies and answers', () => {
  it('have names, so that generated clients have them too', async () => {
    const { paths } = await ensureDocument()
    const schemas = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody = {}, responses }]) =>
        [requestBody, ...Object.values(responses)].map((part) => ({
          route: `${method} ${path}`,
          schema: (part as { content?: Record<string, { schema?: object }> }).content?.['application/json']?.schema,
        })),
      ),
    )
    const known = schemas.filter(({ schema }) => Object.keys(schema ?? {}).length > 0)
    expect(known.length).toBeGreaterThan(200)
    expect(known.filter(({ schema }) => !('$ref' in schema!)).map(({ route }) => route)).toEqual([])
  })
})

describe('the answers', () => {
  /** answers that are not JSON, such as a stream, or have no object of their own */
  const OTHERS =
    /^\/docs|openapi\.json$|^\/metrics$|\/feed\/|^\/v2\/history\/\{event\}\/|\/audit_logs\/stream$|^\/v2\/facts\/.*\/(export|stream)$|login/

  it('are named with status and object for every route', async () => {
    const { paths } = await ensureDocument()
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({ route: `${method} ${path}`, path, responses })),
    )
    const unnamed = operations.filter(({ responses }) => '2XX' in responses)
    expect(unnamed.filter(({ path }) => !OTHERS.test(path)).map(({ route }) => route)).toEqual([])
  })

  it('are as the document says, whatever is read', async () => {
    const reads = [...api.routes, ...api.v1Routes].filter(
      ({ method, url }) => method === 'GET' && !/\/feed\//.test(url),
    )
    for (const { url } of reads) {
      const key = url.startsWith('/v1/') ? { key: api.made.environments[0]!.secret } : {}
      await api.ask('GET', known.path(url), undefined, key)
    }
    const { lies, routes } = await api.answers.compare()
    expect(lies).toEqual([])
    const named = reads.map(({ url }) => url.replace(/:(\w+)/g, '{$1}')).filter((path) => !OTHERS.test(path))
    const records = '/v2/pdps/{p}/{e}/audit_logs/{log}' // none is recorded here: audit.test.ts
    expect(named.filter((path) => !routes.has(`GET ${path}`))).toEqual([records])
  })
})

describe('/docs', () => {
  const get = async (url: string) => {
    const app = wholeApp()
    const answer = await app.inject({ url })
    await app.close()
    return answer
  }

  it('is a page that may load its own script and the document, and nothing from elsewhere', async () => {
    const { statusCode, headers, body } = await get('/docs')
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /)
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src [^;]*unsafe-inline/)
    expect([...body.matchAll(/<script[^>]* src="([^"]*)"/g)].map(([, src]) => src)).toEqual(['/docs/scalar.js'])
    expect(body).not.toMatch(/https?:\/\/|<link rel="stylesheet"|@import|url\(/)
    const [, options = ''] = /data-configuration="([^"]*)"/.exec(body) ?? []
    expect(JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))).toMatchObject({
      url: '/v2/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      proxyUrl: '',
      persistAuth: false,
      agent: { disabled: true },
      mcp: { disabled: true },
    })
  })

  it('has its script from the build, packed', async () => {
    const { statusCode, headers, rawPayload } = await get('/docs/scalar.js')
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8', 'content-encoding': 'gzip' })
    expect(gunzipSync(rawPayload).toString()).toContain('api-reference')
  })
})
