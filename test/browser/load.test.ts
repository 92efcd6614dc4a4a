// Loading a snapshot from the application's server: what is sent, what a 304 means, what is refused.
import { afterEach, expect, it, vi } from 'vitest'
import { loadSnapshot, notLonger } from '../../src/browser/load.ts'
import type { Snapshot } from '../../src/model/snapshot.ts'

const snapshot = { format: 1, etag: 'tag', expiresAt: 5, lifetimeMs: 1_000 } as Snapshot
const answers = (status: number, body?: unknown) => {
  const fetched = vi.fn(async (_url: string | URL, _init: RequestInit) => {
    vi.setSystemTime(20_000) // an answer takes its time
    return new Response(body === undefined ? null : JSON.stringify(body), { status })
  })
  vi.useFakeTimers({ now: 10_000 })
  vi.stubGlobal('fetch', fetched)
  return fetched
}
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('loading passes on the options of `fetch`, and never asks a cache', async () => {
  const fetched = answers(200, snapshot)
  const { signal } = new AbortController()
  expect(await loadSnapshot('/permissions', { signal, headers: { 'x-tenant': 'acme' } })).toEqual(snapshot)
  const [url, init] = fetched.mock.calls[0]!
  expect([url, init.cache, init.signal]).toEqual(['/permissions', 'no-store', signal])
  expect([...(init.headers as Headers)]).toEqual([['x-tenant', 'acme']])
})

it('loading sends the etag of the snapshot; after a 304 the snapshot lives as long again, from the request', async () => {
  const fetched = answers(304)
  expect(await loadSnapshot('/permissions', { current: snapshot })).toEqual({ ...snapshot, expiresAt: 11_000 })
  expect((fetched.mock.calls[0]![1].headers as Headers).get('if-none-match')).toBe('"tag"')
})

it('loading refuses any other status, and names it', async () => {
  for (const status of [204, 304, 401, 503]) {
    answers(status)
    await expect(loadSnapshot('/permissions')).rejects.toMatchObject({ code: 'SNAPSHOT_FAILED', status })
  }
})

it('[D15] after a 304 it ends no later than what it depends on, by a server that keeps it for a while too', async () => {
  answers(304)
  const soon = { ...snapshot, validUntil: 10_400 }
  expect(await loadSnapshot('/permissions', { current: soon })).toEqual({ ...soon, expiresAt: 10_400 })
})

it('[D15] what it depends on ends by the clock of the device, however slow that is, and stays so after each 304', async () => {
  const made = { ...snapshot, expiresAt: 5_000_000, validUntil: 5_000_500 } // by the server at 4,999,000
  answers(200, made)
  const first = await loadSnapshot('/permissions')
  expect(first).toEqual({ ...made, expiresAt: 11_000, validUntil: 11_500 })
  answers(304)
  vi.setSystemTime(10_100)
  const second = await loadSnapshot('/permissions', { current: first })
  expect(second).toEqual({ ...made, expiresAt: 11_100, validUntil: 11_500 })
  answers(304)
  vi.setSystemTime(10_900)
  expect(await loadSnapshot('/permissions', { current: second })).toMatchObject({ expiresAt: 11_500 })
  expect(notLonger(first, 10_050)).toEqual(first)
})
