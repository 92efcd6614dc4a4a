// A fleet that reconnects at once: few images are sent at a time, the others are told when to ask again, all of them
// get there, and the image is built once. docs/feed.md.
import { expect, it, vi } from 'vitest'
import { managementApp } from '../../src/http/apps/management-app.ts'
import { feedRoutes } from '../../src/http/management/routes/feed.ts'
import { Image } from '../../src/image/image.ts'
import { IMAGE_RETRY_SECONDS_MAX } from '../../src/model/limits.ts'
import { Backoff } from '../../src/pdp/backoff.ts'
import { connect, openManagement, readKeys } from '../../src/server.ts'
import { temporaryFolder } from '../support/folders.ts'

const PDPS = 200
const AT_ONCE = 4

it('all PDPs of a fleet are current in the end, by one image', async () => {
  const data = temporaryFolder('fleet')
  const management = await openManagement({ data })
  const { store, audit, snapshots } = management
  const routes = (app: Parameters<typeof feedRoutes>[0]) => feedRoutes(app, { store, snapshots, imagesMax: AT_ONCE })
  const app = managementApp({ store, audit, routes })
  const refused: string[] = []
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  app.addHook('onSend', async (request, reply) => {
    if (!request.url.includes('/image') || reply.statusCode !== 503) return
    refused.push(String(reply.getHeader('retry-after')))
    if (refused.length >= PDPS - AT_ONCE) open()
  })
  // those that are admitted wait as if for a build, until all others were refused
  const download = snapshots.download.bind(snapshots)
  let sent = 0
  vi.spyOn(snapshots, 'download').mockImplementation(async (...of) => {
    await opened
    sent++
    return download(...of)
  })
  const build = vi.spyOn(Image, 'build')
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const apiKey = readKeys(data)?.environments.development ?? ''
  const pdps = await Promise.all(Array.from({ length: PDPS }, () => connect({ url, apiKey, timeoutMs: 120_000 })))
  const { id } = store.view(management.organization).require('environment', 'default/development')
  expect(new Set(pdps.map((pdp) => pdp.revision))).toEqual(new Set([store.head(id).revision]))
  expect(sent).toBe(PDPS)
  expect(build).toHaveBeenCalledTimes(1)
  const seconds = new Set(refused.map(Number))
  expect(Math.min(...seconds)).toBeGreaterThanOrEqual(1)
  expect(Math.max(...seconds)).toBeLessThanOrEqual(IMAGE_RETRY_SECONDS_MAX)
  expect(seconds.size).toBeGreaterThan(1)
  await Promise.all(pdps.map((pdp) => pdp.close()))
  await app.close()
  await store.close()
})

it('a follower waits as long as it was asked to, and at most half as long again', () => {
  const backoff = new Backoff(50, 5_000)
  for (let at = 0; at < 100; at++) {
    const planned = backoff.next(20_000)
    expect(planned).toBeGreaterThanOrEqual(20_000)
    expect(planned).toBeLessThanOrEqual(30_000)
  }
})
