// A server whose images take seconds to load: checks wait for them, and where they take longer than that it says 503
// until they are there, and goes on. Needs the build.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Snapshots } from '../../src/management/snapshot/snapshot.ts'
import { AT_LEAST_DEFAULT_MS, FIRST_IMAGE_WAIT_MS } from '../../src/model/limits.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type ServerHere, serveHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

describe('zerohop serve while an image is loading', () => {
  const ports = { api: 0, pdp: 0 }
  let data: string
  let server: ServerHere
  let takesMs = AT_LEAST_DEFAULT_MS + 700
  beforeAll(async () => {
    data = temporaryFolder()
    Object.assign(ports, { api: await freePort(), pdp: await freePort() })
    const { image } = Snapshots.prototype
    vi.spyOn(Snapshots.prototype, 'image').mockImplementation(async function (this: Snapshots, ...args) {
      await pause(takesMs)
      return image.apply(this, args)
    })
    server = await serveHere(data, ports, true)
  })
  afterAll(async () => {
    await endServers()
    vi.restoreAllMocks()
  })

  async function ask(environment: 'development' | 'production' = 'development') {
    const response = await fetch(`${url(ports.pdp)}/allowed`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${readKeys(data).environments[environment]}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } }),
    })
    const retryAfter = response.headers.get('retry-after')
    return { status: response.status, retryAfter, body: (await response.json()) as object }
  }

  it('answers the first checks once it is there, when it takes some seconds', async () => {
    const first = await Promise.all([ask(), ask(), ask(), ask()])
    const body = expect.objectContaining({ allow: true })
    expect(first).toEqual(first.map(() => ({ status: 200, retryAfter: null, body })))
  })

  it('answers 503 to checks that come too early before it, and 200 once it is there', async () => {
    takesMs = FIRST_IMAGE_WAIT_MS + 1_500
    const early = await Promise.all([ask('production'), ask('production')])
    const body = expect.objectContaining({ detail: expect.stringContaining('no policy is loaded yet') })
    expect(early).toEqual(early.map(() => ({ status: 503, retryAfter: '1', body })))
    await eventually(async () => (await ask('production')).status, 200)
    expect(server.output).not.toContain('unhandled')
  })
})
