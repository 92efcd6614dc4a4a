// A server whose images take longer to load than a check waits: it says 503 until they are there, and goes on. Needs
// the build.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Snapshots } from '../../src/management/snapshot/snapshot.ts'
import { AT_LEAST_DEFAULT_MS } from '../../src/model/limits.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type ServerHere, serveHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

describe('zerohop serve while an image is loading', () => {
  const ports = { api: 0, pdp: 0 }
  let data: string
  let server: ServerHere
  beforeAll(async () => {
    data = temporaryFolder()
    Object.assign(ports, { api: await freePort(), pdp: await freePort() })
    const { image } = Snapshots.prototype
    vi.spyOn(Snapshots.prototype, 'image').mockImplementation(async function (this: Snapshots, ...args) {
      await pause(AT_LEAST_DEFAULT_MS + 700)
      return image.apply(this, args)
    })
    server = await serveHere(data, ports, true)
  })
  afterAll(async () => {
    await endServers()
    vi.restoreAllMocks()
  })

  async function ask(): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${url(ports.pdp)}/allowed`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${readKeys(data).environments.development}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } }),
    })
    return { status: response.status, body: await response.json() }
  }

  it('answers 503 to checks that come before it, and 200 once it is there', async () => {
    const early = await Promise.all([ask(), ask(), ask(), ask()])
    const detail = expect.stringContaining('no policy is loaded yet')
    expect(early).toEqual(early.map(() => ({ status: 503, body: expect.objectContaining({ detail }) })))
    await eventually(async () => (await ask()).status, 200)
    expect((await ask()).body).toMatchObject({ allow: true })
    expect(server.output).not.toContain('unhandled')
  })
})
