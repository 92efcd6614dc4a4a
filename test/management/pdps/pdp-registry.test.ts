// The PDPs of one process: how many are kept, and what a replica writes of them for the others.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Introduction, PdpRegistry } from '../../../src/management/objects/pdp-registry.ts'
import { PDP_ALIVE_MS, PDP_KEPT_MS, PDPS_AWAY_MAX, PDPS_WRITE_MS } from '../../../src/model/limits.ts'
import type { PlacedSighting } from '../../../src/store/settings.ts'

const who = (name: string, applied?: number): Introduction => ({
  instance: `in-${name}`,
  name,
  version: '1',
  apiVersion: 4,
  applied,
})
const sent = () => 1
const now = () => Date.now()

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Another replica, whose rows a registry is given. */
class Other {
  readonly writes: (readonly PlacedSighting[])[] = []
  isAway = false
  readonly read = async () => []
  readonly put = async (sightings: readonly PlacedSighting[]): Promise<void> => {
    if (this.isAway) throw new Error('away')
    this.writes.push(sightings)
  }
}

const written = ({ writes }: Other) =>
  writes.map((rows) => rows.map(({ instance, state, applied }) => [instance, state, applied]))

it('the registry keeps the last of the disconnected PDPs in each environment', async () => {
  const registry = new PdpRegistry({ now })
  registry.opened('other', who('first'), sent)()
  registry.opened('e', who('connected'), sent)
  for (let at = 0; at < PDPS_AWAY_MAX + 3; at++) {
    registry.opened('e', who(`gone-${at}`), sent)()
    vi.advanceTimersByTime(1)
  }
  const names = (await registry.list('e')).map(({ name }) => name)
  expect(names).toHaveLength(PDPS_AWAY_MAX + 1)
  expect(names.filter((name) => /^(connected|gone-[0-3])$/.test(name ?? ''))).toEqual(['connected', 'gone-3'])
  expect(await registry.list('other')).toMatchObject([{ name: 'first' }])
  vi.advanceTimersByTime(PDP_KEPT_MS + 1)
  expect((await registry.list('e')).map(({ name }) => name)).toEqual(['connected'])
})

it('a PDP is connected while one of its streams is open: the next one may begin before the last one has ended', async () => {
  const registry = new PdpRegistry({ now })
  const [first, second] = [registry.opened('e', who('a'), sent), registry.opened('e', who('a'), () => 2)]
  expect(await registry.list('e')).toMatchObject([{ isConnected: true, revision: 2 }])
  first()
  expect(await registry.list('e')).toMatchObject([{ isConnected: true, revision: 2 }])
  second()
  expect(await registry.list('e')).toMatchObject([{ isConnected: false, revision: 2 }])
})

it('a replica writes what changed, together and at most every few seconds, and now and then that nothing did', async () => {
  const shared = new Other()
  const registry = new PdpRegistry({ now, shared })
  registry.opened('e', who('a', 1), sent)
  for (let revision = 2; revision < 50; revision++) registry.reported('e', 'in-a', { revision })
  const end = registry.opened('e', who('b'), sent)
  registry.reported('e', 'in-elsewhere', { revision: 4 })
  expect(shared.writes).toEqual([])
  await vi.advanceTimersByTimeAsync(PDPS_WRITE_MS)
  const first = [
    ['in-a', 'connected', 49],
    ['in-b', 'connected', null],
    ['in-elsewhere', 'heard', 4],
  ]
  expect(written(shared)).toEqual([first])
  await vi.advanceTimersByTimeAsync(2 * PDPS_WRITE_MS)
  expect(shared.writes).toHaveLength(1)
  end()
  registry.reported('e', 'in-b', { leaving: true })
  await vi.advanceTimersByTimeAsync(PDPS_WRITE_MS)
  expect(written(shared).slice(1)).toEqual([[['in-b', 'left', null]]])
  await vi.advanceTimersByTimeAsync(PDP_ALIVE_MS)
  expect(written(shared).slice(2)).toEqual([[['in-a', 'connected', 49]]])
  await registry.close()
})

it('a replica writes later what the database did not take', async () => {
  const shared = new Other()
  const registry = new PdpRegistry({ now, shared })
  shared.isAway = true
  registry.opened('e', who('a', 1), sent)
  await vi.advanceTimersByTimeAsync(PDPS_WRITE_MS)
  shared.isAway = false
  await vi.advanceTimersByTimeAsync(PDPS_WRITE_MS)
  expect(written(shared)).toEqual([[['in-a', 'connected', 1]]])
  await registry.close()
})
