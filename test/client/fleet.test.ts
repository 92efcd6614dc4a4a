// A fleet that reconnects at once: few images are sent at a time, the others are told when to ask again, all of them
// get there, and the image is built once. docs/feed.md.
import { expect, it, onTestFinished, vi } from 'vitest'
import { managementApp } from '../../src/http/apps/management-app.ts'
import { feedRoutes } from '../../src/http/management/routes/feed.ts'
import { Metrics } from '../../src/http/metrics.ts'
import { Image } from '../../src/image/image.ts'
import { FEED_RETRY_SECONDS_MAX } from '../../src/model/limits.ts'
import { Backoff } from '../../src/pdp/backoff.ts'
import { connect, openManagement, readKeys } from '../../src/server.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'

const PDPS = 200
/** to one API key, which is half of all */
const AT_ONCE = 4

it('all PDPs of a fleet are current in the end, by one image', async () => {
  const data = temporaryFolder('fleet')
  const management = await openManagement({ data })
  const { store, audit, snapshots } = management
  const routes = (app: Parameters<typeof feedRoutes>[0]) =>
    feedRoutes(app, { store, snapshots, imagesMax: 2 * AT_ONCE })
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
  expect(Math.max(...seconds)).toBeLessThanOrEqual(FEED_RETRY_SECONDS_MAX)
  expect(seconds.size).toBeGreaterThan(1)
  await Promise.all(pdps.map((pdp) => pdp.close()))
  await app.close()
  await store.close()
})

/** A server whose images are sent only when the returned function was called. */
async function serveHeldImages(options: { readonly imagesMax?: number; readonly followersMax?: number }) {
  const data = temporaryFolder('shares')
  const management = await openManagement({ data })
  const { store, audit, snapshots } = management
  const metrics = new Metrics()
  const routes = (app: Parameters<typeof feedRoutes>[0]) => feedRoutes(app, { store, snapshots, metrics, ...options })
  const app = managementApp({ store, audit, routes })
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const download = snapshots.download.bind(snapshots)
  let waiting = 0
  vi.spyOn(snapshots, 'download').mockImplementation(async (...of) => {
    waiting++
    await held
    return download(...of)
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    release()
    await app.close()
    await store.close()
  })
  const { development = '', production = '' } = readKeys(data)?.environments ?? {}
  const ask = (path: string, key: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  const counted = async (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await metrics.text())?.[1])
  const { id } = store.view(management.organization).require('environment', 'default/development')
  const deltas = `/v2/feed/default/development/deltas?after=${store.head(id).revision}&chain=${store.head(id).chain}`
  return { ask, counted, deltas, release, waiting: () => waiting, keys: { development, production } }
}

it('one API key never has all images: another one gets its own meanwhile', async () => {
  const { ask, counted, release, waiting, keys } = await serveHeldImages({ imagesMax: 8 })
  const askAll = (environment: keyof typeof keys, count: number) =>
    Array.from({ length: count }, async () => {
      const answer = await ask(`/v2/feed/default/${environment}/image`, keys[environment])
      await answer.arrayBuffer()
      return answer.status
    })
  const count = (all: readonly number[], status: number) => all.filter((each) => each === status).length
  const first = askAll('development', 20)
  await eventually(() => counted('zerohop_feed_images_refused_total'), 16)
  const second = askAll('production', 20)
  await eventually(() => counted('zerohop_feed_images_refused_total'), 34)
  expect(waiting()).toBe(6)
  release()
  const [ofFirst, ofSecond] = [await Promise.all(first), await Promise.all(second)]
  expect([count(ofFirst, 200), count(ofFirst, 503)]).toEqual([4, 16])
  expect([count(ofSecond, 200), count(ofSecond, 503)]).toEqual([2, 18])
  // their places are free again, also those of readers that went away
  expect(await Promise.all(askAll('development', 3))).toEqual([200, 200, 200])
})

it('a stream over the limit is refused with a random time, and counted', async () => {
  const { ask, counted, deltas, keys } = await serveHeldImages({ followersMax: 1 })
  const first = await ask(deltas, keys.development)
  expect(first.status).toBe(200)
  const seconds = new Set<number>()
  for (let at = 0; at < 40; at++) {
    const answer = await ask(deltas, keys.development)
    await answer.arrayBuffer()
    expect(answer.status).toBe(503)
    seconds.add(Number(answer.headers.get('retry-after')))
  }
  expect([...seconds].every((each) => each >= 1 && each <= FEED_RETRY_SECONDS_MAX)).toBe(true)
  expect(seconds.size).toBeGreaterThan(1)
  expect(await counted('zerohop_feed_followers_refused_total')).toBe(40)
  await first.body?.cancel()
})

it('a follower waits as long as it was asked to, and at most half as long again', () => {
  const backoff = new Backoff(50, 5_000)
  for (let at = 0; at < 100; at++) {
    const planned = backoff.next(20_000)
    expect(planned).toBeGreaterThanOrEqual(20_000)
    expect(planned).toBeLessThanOrEqual(30_000)
  }
})
