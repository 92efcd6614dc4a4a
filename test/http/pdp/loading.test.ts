// A PDP that is still loading its image says at /ready how far it is.
import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { connect, managementServer, openManagement, pdpServer, readKeys } from '../../../src/server.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { HeldWay } from '../../support/held-way.ts'

it('says how many bytes of which revision have come, and no more of it once it answers', async () => {
  const data = temporaryFolder('loading')
  const management = await openManagement({ data })
  const api = managementServer(management)
  const url = await api.listen({ host: '127.0.0.1', port: 0 })
  const way = await HeldWay.to(url)
  const apiKey = readKeys(data)!.environments.development!
  const authorization = `Bearer ${apiKey}`
  const environment = management.store.view(management.organization).require('environment', 'default/development').id
  const { revision } = management.store.head(environment)
  let rest: (() => void) | undefined
  way.answers.set('/image', async (to: ServerResponse, from) => {
    const answer = await fetch(url + from.url, { headers: { authorization, 'accept-encoding': 'identity' } })
    const bytes = Buffer.from(await answer.arrayBuffer())
    to.writeHead(200, { 'x-revision': String(revision), 'content-length': bytes.length })
    to.write(bytes.subarray(0, 1000))
    rest = () => to.end(bytes.subarray(1000))
  })
  const pdp = await connect({ url: way.url, apiKey, timeoutMs: 0 })
  const app = pdpServer(pdp, apiKey)
  onTestFinished(async () => {
    await app.close()
    way.close()
    await api.close()
    await management.store.close()
  })
  interface Ready {
    readonly status: 'ok' | 'error'
    readonly loading?: { readonly bytes: number; readonly of_bytes: number }
  }
  const ready = async () => (await app.inject('/ready')).json<Ready>()
  await eventually(async () => (await ready()).loading?.bytes, 1000)
  const { status, loading } = await ready()
  expect([status, loading]).toEqual(['error', { bytes: 1000, of_bytes: expect.any(Number), revision }])
  expect(loading!.of_bytes).toBeGreaterThan(1000)
  rest!()
  await pdp.ready()
  await eventually(async () => (await ready()).status, 'ok')
  expect(await ready()).not.toHaveProperty('loading')
})
