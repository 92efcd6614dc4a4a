// A server whose images take longer to load than a check waits: it says 503 until they are there, and goes on. Needs
// the build.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AT_LEAST_DEFAULT_MS } from '../../src/model/limits.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, readKeys, Server, UNBUNDLED, url } from '../support/server.ts'

const SLOW_IMAGE = new URL('./preload/slow-image.mjs', import.meta.url).href

describe('zerohop serve while an image is loading', () => {
  const ports = { api: 0, pdp: 0 }
  let data: string
  let server: Server
  beforeAll(async () => {
    data = temporaryFolder()
    Object.assign(ports, { api: await freePort(), pdp: await freePort() })
    const env = {
      ZEROHOP_DATA: data,
      ZEROHOP_API_PORT: String(ports.api),
      PDP_PORT: String(ports.pdp),
      NODE_OPTIONS: `--import=${SLOW_IMAGE}`,
      IMAGE_DELAY_MS: String(AT_LEAST_DEFAULT_MS + 700),
    }
    server = new Server('serve', env, [], UNBUNDLED)
    await server.until(async () => (await fetch(`${url(ports.pdp)}/ready`)).ok)
  })
  afterAll(endServers)

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
    expect(server.ended, server.output).toBe(false)
    const late = await server.until(async () => {
      const answer = await ask()
      return answer.status === 200 && answer
    })
    expect(late).toMatchObject({ status: 200, body: { allow: true } })
    expect(server.output).not.toContain('unhandled')
  })
})
