// A PDP that is still loading its image says at /ready how far it is.
import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import type { Health } from '../../../src/http/pdp/health.ts'
import { connect, managementServer, openManagement, pdpServer, readKeys } from '../../../src/server.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { HeldWay } from '../../support/held-way.ts'

interface Ready {
  readonly status: 'ok' | 'error'
  readonly loading?: { readonly bytes: number; readonly of_bytes: number }
}
type Options = Parameters<typeof pdpServer>[2]

/** A PDP that has received the first 1,000 bytes of its image. `sends` decides what happens to the rest. */
async function halfLoaded(options: Options = {}) {
  const data = temporaryFolder('loading')
  const management = await openManagement({ data })
  const api = managementServer(management)
  const url = await api.listen({ host: '127.0.0.1', port: 0 })
  const way = await HeldWay.to(url)
  const apiKey = readKeys(data)!.environments.development!
  const authorization = `Bearer ${apiKey}`
  const environment = management.store.view(management.organization).require('environment', 'default/development').id
  const { revision } = management.store.head(environment)
  const sends = { rest: () => {}, nothing: () => {} }
  way.answers.set('/image', async (to: ServerResponse, from) => {
    const answer = await fetch(url + from.url, { headers: { authorization, 'accept-encoding': 'identity' } })
    const bytes = Buffer.from(await answer.arrayBuffer())
    to.writeHead(200, { 'x-revision': String(revision), 'content-length': bytes.length })
    to.write(bytes.subarray(0, 1000))
    sends.rest = () => to.end(bytes.subarray(1000))
    sends.nothing = () => to.destroy()
  })
  const pdp = await connect({ url: way.url, apiKey, timeoutMs: 0 })
  const app = pdpServer(pdp, apiKey, options)
  onTestFinished(async () => {
    await app.close()
    way.close()
    await api.close()
    await management.store.close()
  })
  const ready = async (path = '/ready') => (await app.inject(path)).json<Ready>()
  await eventually(async () => (await ready('/health')).loading?.bytes, 1000)
  return { pdp, way, sends, ready, revision }
}

it('/ready shows the bytes of the image that were received and its revision, until the PDP answers', async () => {
  const { pdp, sends, ready, revision } = await halfLoaded()
  const { status, loading } = await ready()
  expect([status, loading]).toEqual(['error', { bytes: 1000, of_bytes: expect.any(Number), revision }])
  expect(loading!.of_bytes).toBeGreaterThan(1000)
  sends.rest()
  await pdp.ready()
  await eventually(async () => (await ready()).status, 'ok')
  expect(await ready()).not.toHaveProperty('loading')
})

it('/ready forgets an image that broke off, and begins anew with the next one', async () => {
  const { pdp, way, sends, ready } = await halfLoaded()
  way.answers.set('/image', (to) => to.writeHead(503).end())
  sends.nothing()
  await eventually(async () => (await ready()).loading, undefined)
  expect((await ready()).status).toBe('error')
  way.answers.delete('/image')
  await pdp.ready()
  await eventually(async () => (await ready()).status, 'ok')
})

it('/ready shows the worker that has received the least', async () => {
  const state = { ok: false, revision: null, ageMs: null, source: null, stale: true } as const
  const each: (Health | null)[] = [
    { ...state, loading: { bytes: 700, ofBytes: 900, revision: 3 } },
    null,
    { ...state, loading: { bytes: 20, ofBytes: 900, revision: undefined } },
    { ...state, ok: true, loading: { bytes: 1, ofBytes: 900, revision: 4 } },
  ]
  const health = async () => ({ begun: false, wanted: each.length, each })
  const { ready, sends } = await halfLoaded({ peers: { answer: () => {}, metrics: async () => [], health } })
  expect((await ready()).loading).toEqual({ bytes: 20, of_bytes: 900, revision: null })
  each.splice(0, each.length, { ...state, ok: true })
  expect(await ready()).not.toHaveProperty('loading')
  sends.rest()
})
