// Snapshots in time (D15): whatever the clock of a device shows, however long an answer takes, and whenever the page loads
// again, also where nothing has changed by then, a page answers as the server does at that moment or not at all.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadSnapshot } from '../../src/browser/load.ts'
import { permissions } from '../../src/browser/permissions.ts'
import { SnapshotKeeper } from '../../src/browser/react/snapshot-keeper.ts'
import { Image } from '../../src/image/image.ts'
import type { TimesPolicy } from '../../src/kinds/times.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import type { Snapshot } from '../../src/model/snapshot.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { HELLO } from '../pdp/policies.ts'
import { parameters } from '../property/seed.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'

const START = Date.UTC(2001, 10, 20, 9)
const LIFETIME = 300_000

/** The application's server, with a clock of its own: it answers with 304 to the tag of what it would send. */
function openServer(role: TimesPolicy, suspension?: TimesPolicy) {
  const value = { user: 'zoe', role: 'viewer', tenant: 'acme', ...role }
  const put: PolicyChange = { op: 'put', kind: 'role_assignment', key: 'zoe/viewer/acme', value }
  const user: PolicyChange = { op: 'put', kind: 'user', key: 'zoe', value: suspension ? { suspension } : {} }
  const image = Image.build(ENVIRONMENT, makePosition(7), [...HELLO, user, put])
  const clock = { now: START }
  const source = new FixedImage(image)
  image.useClock(() => clock.now)
  vi.spyOn(source, 'now', 'get').mockImplementation(() => clock.now)
  const pdp = new Pdp(source)
  const sent = { whole: 0, unchanged: 0 }
  vi.stubGlobal('fetch', async (_: string, { headers }: { readonly headers: Headers }) => {
    const snapshot = pdp.snapshot('zoe', { tenants: ['acme'], lifetimeMs: LIFETIME })
    const etag = `"${snapshot.etag}"`
    const isSame = headers.get('if-none-match') === etag
    sent[isSame ? 'unchanged' : 'whole']++
    return isSame ? new Response(null, { status: 304 }) : new Response(JSON.stringify(snapshot))
  })
  const check = () => pdp.check('zoe', 'wave', { type: 'hello', tenant: 'acme' })
  return { pdp, clock, sent, check }
}

beforeEach(() => void vi.useFakeTimers({ now: START }))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('[D15] a snapshot of what starts or ends', () => {
  it('expires then, and has another tag at each moment before', () => {
    const { pdp, clock } = openServer({ valid_until: START + LIFETIME + 1_000 })
    const at = (ms: number): Snapshot => {
      clock.now = START + ms
      return pdp.snapshot('zoe', { tenants: ['acme'], lifetimeMs: LIFETIME })
    }
    const first = at(0)
    const validUntil = START + LIFETIME + 1_000
    expect(first).toMatchObject({ validUntil, lifetimeMs: LIFETIME, expiresAt: START + LIFETIME })
    expect(at(1_000)).toMatchObject({ validUntil, lifetimeMs: LIFETIME, expiresAt: validUntil, etag: first.etag })
    expect(at(1_001)).toMatchObject({ validUntil, lifetimeMs: LIFETIME - 1, expiresAt: validUntil })
    expect(at(1_001).etag).not.toBe(first.etag)
    expect(at(LIFETIME + 999)).toMatchObject({ validUntil, lifetimeMs: 1, expiresAt: validUntil })
    const after = at(LIFETIME + 1_000)
    expect(after).toMatchObject({ lifetimeMs: LIFETIME, expiresAt: validUntil + LIFETIME })
    expect(after).not.toHaveProperty('validUntil')
    expect(after.etag).not.toBe(first.etag)
  })

  it('[D16] expires when the suspension of its user starts', () => {
    const starts = START + LIFETIME / 2
    const { pdp, clock, check } = openServer({}, { valid_from: starts, valid_until: starts + 1_000 })
    const at = (ms: number): Snapshot => {
      clock.now = ms
      return pdp.snapshot('zoe', { tenants: ['acme'], lifetimeMs: LIFETIME })
    }
    expect([at(START).validUntil, at(START).expiresAt, check()]).toEqual([starts, starts, true])
    expect([at(starts).validUntil, at(starts).lifetimeMs, check()]).toEqual([starts + 1_000, 1_000, false])
    expect(at(starts)).toMatchObject({ tenants: {} })
    expect(at(starts + 1_000)).not.toHaveProperty('validUntil')
    expect(new Set([START, starts, starts + 1_000].map((ms) => at(ms).etag)).size).toBe(3)
  })

  it('has a tag of that instant, and ends also for tenants that it does not name yet', () => {
    const tag = (valid_until: number) => openServer({ valid_until }).pdp.snapshot('zoe', { tenants: ['acme'] }).etag
    expect(tag(START + 10 * LIFETIME)).not.toBe(tag(START + 11 * LIFETIME))
    const soon = openServer({ valid_from: START + 1_000 }).pdp.snapshot('zoe')
    expect(soon).toMatchObject({ tenants: {}, validUntil: START + 1_000, lifetimeMs: 1_000 })
  })

  it('is right on every device, at every moment at which a page answers by it', async () => {
    const seen = { answers: 0, allowed: 0, silent: 0, unchanged: 0 }
    const step = fc.record({
      waits: fc.constantFrom(0, 1, 999, 60_000, 239_999, 299_999, LIFETIME),
      takes: fc.constantFrom(0, 1, 50, 7_000),
      loads: fc.boolean(),
    })
    const drawn = fc.record({
      from: fc.constantFrom(undefined, 1, 60_000, 700_000),
      until: fc.constantFrom(undefined, 700_001, 900_000, 1_100_000),
      ahead: fc.constantFrom(-7_200_000, -60_000, -1, 0, 1, 60_000),
      steps: fc.array(step, { minLength: 3, maxLength: 14 }),
    })
    await fc.assert(
      fc.asyncProperty(drawn, async ({ from, until, ahead, steps }) => {
        const { clock, check, sent } = openServer({
          ...(from === undefined ? {} : { valid_from: START + from }),
          ...(until === undefined ? {} : { valid_until: START + until }),
        })
        const pass = (ms: number) => {
          clock.now += ms
          vi.setSystemTime(clock.now + ahead)
        }
        pass(0)
        const server = fetch
        let current: Snapshot | undefined
        for (const { waits, takes, loads } of steps) {
          if (loads || current === undefined) {
            vi.stubGlobal('fetch', async (...of: Parameters<typeof fetch>) => {
              pass(takes)
              const answer = await server(...of)
              pass(takes)
              return answer
            })
            current = await loadSnapshot('/permissions', { current })
          }
          for (const ms of [0, waits]) {
            pass(ms)
            const says = permissions(current).may('wave', { type: 'hello', tenant: 'acme', key: null })
            if (says === undefined) seen.silent++
            else {
              seen.answers++
              if (says) seen.allowed++
              expect(says).toBe(check())
            }
          }
        }
        seen.unchanged += sent.unchanged
      }),
      parameters(400),
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(seen.answers / 50)
  })
})

describe('a page in React', () => {
  it('[D15] loads again at that instant, and not over and over before it', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
    vi.stubGlobal('window', new EventTarget())
    const end = START + 90_000
    const { clock } = openServer({ valid_until: end })
    const loaded: number[] = []
    const keeper = new SnapshotKeeper(({ current, signal }) => {
      clock.now = Date.now()
      loaded.push(clock.now - end)
      return loadSnapshot('/permissions', { current, signal })
    })
    const stop = keeper.start()
    const may = () => {
      const { snapshot } = keeper.kept()
      return snapshot && permissions(snapshot).may('wave', { type: 'hello', tenant: 'acme', key: null })
    }
    await vi.advanceTimersByTimeAsync(89_999)
    expect(may()).toBe(true)
    await vi.advanceTimersByTimeAsync(1)
    expect(may()).toBeUndefined()
    await vi.advanceTimersByTimeAsync(600)
    expect(may()).toBe(false)
    expect(loaded).toEqual([-90_000, 500])
    stop()
  })
})
