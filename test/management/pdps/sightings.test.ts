// One list of what several replicas see of PDPs, and which PDPs are stale.
import { expect, it } from 'vitest'
import { isStale, mergeSightings } from '../../../src/management/objects/pdp-sightings.ts'
import { PDP_KEPT_MS, PDP_STALE_MS } from '../../../src/model/limits.ts'
import type { PdpSighting } from '../../../src/store/settings.ts'

const SEEN: PdpSighting = {
  instance: 'aaaaaaaa',
  name: 'shop',
  version: '1.0.0',
  apiVersion: 4,
  state: 'connected',
  applied: 7,
  appliedAgoMs: 1_000,
  sent: 8,
  firstSeenAgoMs: 9_000,
  lastSeenAgoMs: 1_000,
}
const seen = (more: Partial<PdpSighting> = {}): PdpSighting => ({ ...SEEN, ...more })
/** What a replica sees of a PDP whose stream is at another one. */
const HEARD = seen({
  state: 'heard',
  name: null,
  version: null,
  apiVersion: null,
  sent: null,
  applied: 9,
  appliedAgoMs: 10,
})

it.each([
  ['current', { isConnected: true, revisions: 0 }, false],
  ['one that lacks a revision that is new', { isConnected: true, revisions: 500, sinceMs: PDP_STALE_MS }, false],
  ['one that lacks a revision for long', { isConnected: true, revisions: 1, sinceMs: PDP_STALE_MS + 1 }, true],
  ['one that lacks a revision whose time is not kept any more', { isConnected: true, revisions: 1 }, true],
  ['one of which no revision is known', { isConnected: true, revisions: null, sinceMs: undefined }, false],
  ['one that is not connected', { isConnected: false, revisions: 0, sinceMs: undefined }, true],
])('tells whether a PDP is stale: %s', (_, lag, expected) => {
  expect(isStale({ sinceMs: undefined, ...lag })).toBe(expected)
})

it('sightings of one PDP are merged: its details, the newest revision that it applied, its whole time', () => {
  for (const both of [
    [seen(), HEARD],
    [HEARD, seen()],
  ])
    expect(mergeSightings(both)).toEqual([
      {
        id: 'aaaaaaaa',
        instance: 'aaaaaaaa',
        name: 'shop',
        version: '1.0.0',
        apiVersion: 4,
        isConnected: true,
        revision: 9,
        isApplied: true,
        firstSeenAgoMs: 9_000,
        lastSeenAgoMs: 1_000,
      },
    ])
  const moved = [seen({ state: 'away', firstSeenAgoMs: 50_000 }), seen({ lastSeenAgoMs: 5 })]
  expect(mergeSightings(moved)).toMatchObject([{ isConnected: true, firstSeenAgoMs: 50_000, lastSeenAgoMs: 5 }])
})

it('sightings fall back to the sent revision, and leave out PDPs that left, are long gone or were only heard of', () => {
  expect(mergeSightings([seen({ applied: null, appliedAgoMs: null })])).toMatchObject([
    { revision: 8, isApplied: false },
  ])
  expect(mergeSightings([seen({ state: 'away' })])).toMatchObject([{ isConnected: false }])
  for (const gone of [
    [HEARD],
    [seen({ state: 'left' })],
    [seen({ state: 'away' }), seen({ state: 'left' })],
    [seen({ state: 'away', lastSeenAgoMs: PDP_KEPT_MS + 1 })],
  ])
    expect(mergeSightings(gone)).toEqual([])
  // it said that it closes, and its stream is not over yet
  expect(mergeSightings([seen(), seen({ state: 'left' })])).toMatchObject([{ isConnected: true }])
})

it('sightings have no instance of a PDP that sends no details', () => {
  const other = seen({ instance: '#2', name: null, version: null, applied: null, appliedAgoMs: null })
  expect(mergeSightings([seen(), other]).map(({ instance }) => instance)).toEqual(['aaaaaaaa', undefined])
})
