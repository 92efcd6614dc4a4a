// The judges of a run of replicas: calls that can have an order are told from those that cannot, as trying every order
// does; a feed with a gap, with something twice, of another history or that goes back is found.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parameters } from '../property/seed.ts'
import { type Call, judge, type Model } from '../support/linearizability.ts'
import { verifyFeeds } from './consistency/feeds.ts'
import { type FeedStep, History, type Operation } from './consistency/history.ts'
import type { Log } from './consistency/record.ts'
import { verifyRegisters } from './consistency/registers.ts'

interface Input {
  readonly write?: string
  readonly read?: string
}

const REGISTER: Model<Input> = {
  initial: '',
  next: (state, { write, read }) => write ?? (read === state ? state : undefined),
}
const call = (begun: number, ended: number, input: Input): Call<Input> => ({ begun, ended, input })
const UNKNOWN = Number.POSITIVE_INFINITY

/** By trying every order: for a handful of calls. */
function isPossible(calls: readonly Call<Input>[], state = REGISTER.initial): boolean {
  if (calls.every(({ ended }) => ended === UNKNOWN)) return true
  const firstEnd = Math.min(...calls.map(({ ended }) => ended))
  return calls.some((one, at) => {
    if (one.begun > firstEnd) return false
    const next = REGISTER.next(state, one.input)
    return next !== undefined && isPossible(calls.toSpliced(at, 1), next)
  })
}

describe('the order of calls', () => {
  it('is that of real time between calls that did not overlap', () => {
    const write = call(0, 1, { write: 'a' })
    expect(judge(REGISTER, [write, call(2, 3, { read: 'a' })]).verdict).toBe('linearizable')
    const old = judge(REGISTER, [write, call(2, 3, { read: '' })])
    expect(old).toMatchObject({ verdict: 'not linearizable', order: [write], stuck: { input: { read: '' } } })
  })

  it('is free between calls that overlapped, but the same for all', () => {
    const writes = [call(0, 9, { write: 'a' }), call(0, 9, { write: 'b' })]
    expect(judge(REGISTER, [...writes, call(1, 2, { read: 'b' }), call(3, 4, { read: 'a' })]).verdict).toBe(
      'linearizable',
    )
    const back = [call(1, 2, { read: 'b' }), call(3, 4, { read: 'a' }), call(5, 6, { read: 'b' })]
    expect(judge(REGISTER, [...writes, ...back]).verdict).toBe('not linearizable')
  })

  it('has a call of unknown outcome late, or never, but not twice', () => {
    const unknown = call(0, UNKNOWN, { write: 'a' })
    expect(judge(REGISTER, [unknown, call(5, 6, { read: '' }), call(7, 8, { read: 'a' })]).verdict).toBe('linearizable')
    expect(judge(REGISTER, [unknown, call(5, 6, { read: '' })]).verdict).toBe('linearizable')
    const twice = [call(1, 2, { read: 'a' }), call(3, 4, { write: 'b' }), call(5, 6, { read: 'a' })]
    expect(judge(REGISTER, [unknown, ...twice]).verdict).toBe('not linearizable')
  })

  it('is said to be undecided when the search is given up', () => {
    const calls = Array.from({ length: 12 }, (_, at) => call(0, 99, { write: String(at) }))
    const impossible = [...calls, call(0, 99, { read: 'z' })]
    expect(judge(REGISTER, impossible, 1_000).verdict).toBe('undecided')
  })

  it('exists exactly when trying every order finds one', () => {
    const value = fc.constantFrom('a', 'b')
    const input = fc.oneof(
      value.map((write): Input => ({ write })),
      fc.constantFrom('', 'a', 'b').map((read): Input => ({ read })),
    )
    const one = fc
      .tuple(fc.nat(12), fc.integer({ min: 1, max: 6 }), input, fc.nat(4))
      .map(([begun, length, what, fate]) =>
        call(begun, fate === 0 && what.write !== undefined ? UNKNOWN : begun + length, what),
      )
    const counts = { linearizable: 0, 'not linearizable': 0, undecided: 0 }
    fc.assert(
      fc.property(fc.array(one, { maxLength: 7 }), (calls) => {
        const { verdict } = judge(REGISTER, calls)
        counts[verdict]++
        expect(verdict).toBe(isPossible(calls) ? 'linearizable' : 'not linearizable')
      }),
      parameters(8_000),
    )
    expect(counts.linearizable).toBeGreaterThan(300)
    expect(counts['not linearizable']).toBeGreaterThan(300)
    expect(counts.undecided).toBe(0)
  })
})

describe('what clients saw of an object', () => {
  let ids = 0
  const operation = (begun: number, what: Partial<Operation>): Operation => ({
    id: ++ids,
    kind: what.seen === undefined ? 'write' : 'read',
    text: 'a call',
    log: 'x',
    begun,
    ended: begun + 1,
    endedAt: 0,
    outcome: 'ok',
    ...what,
  })
  const made = (begun: number) => operation(begun, { effect: { object: 'user/u', state: '1' }, isCreation: true })
  const gone = (begun: number) => operation(begun, { effect: { object: 'user/u', state: null } })
  const read = (begun: number, state: string | null) => operation(begun, { seen: new Map([['user/u', state]]) })
  const listBrokenRules = (...operations: Operation[]): string[] => {
    const history = new History()
    for (const one of operations) history.add(one)
    return verifyRegisters(history).map(({ rule }) => rule)
  }

  it('may be made, changed, read and deleted', () => {
    const changed = operation(2, { effect: { object: 'user/u', state: '2' } })
    expect(listBrokenRules(made(0), changed, read(4, '2'), gone(6), read(8, null))).toEqual([])
  })

  it.each([
    ['an acknowledged write that is lost', [made(0), read(2, null)]],
    ['a deleted object that is read', [made(0), gone(2), read(4, '1')]],
    ['one object made twice', [made(0), made(2)]],
    ['a deletion of what was not there', [made(0), gone(2), gone(4)]],
    ['a whole list without it', [made(0), operation(2, { seen: new Map(), all: 'user/' })]],
  ])('is not linearizable: %s', (_, operations) => {
    expect(listBrokenRules(...operations)).toEqual(['not linearizable'])
  })

  it('takes the assignments along with a deleted user', () => {
    const object = 'assignment/u/reader/default'
    const given = operation(2, { effect: { object, state: 'yes' }, isCreation: true })
    const seen = (begun: number, state: string | null) => operation(begun, { seen: new Map([[object, state]]) })
    expect(listBrokenRules(made(0), given, gone(4), seen(6, null))).toEqual([])
    expect(listBrokenRules(made(0), given, gone(4), seen(6, 'yes'))).toEqual(['not linearizable'])
  })

  it('says nothing of a write that was refused', () => {
    const refused = operation(2, { outcome: 'refused', effect: { object: 'user/u', state: null } })
    expect(listBrokenRules(made(0), refused, read(4, '1'))).toEqual([])
  })
})

describe('a feed', () => {
  const entries = [1, 2, 3, 4].map((revision) => ({ revision, chain: `c${revision}` }))
  const log = { entries } as unknown as Log
  const at = (revision: number) => ({ revision, chain: `c${revision}` })
  const step = (what: object): FeedStep => ({ reader: 0, at: 0, replica: 0, ...what }) as FeedStep
  const asks = (revision: number) => step({ kind: 'asks', after: at(revision) })
  const delta = (from: number, to = from + 1) => step({ kind: 'delta', from: at(from), to: at(to) })
  const heartbeat = (revision: number) => step({ kind: 'heartbeat', revision })
  const listBrokenRules = (...steps: FeedStep[]) => verifyFeeds(steps, log).map(({ rule }) => rule)

  it('goes on in the order of the record, also at another replica', () => {
    const ends = step({ kind: 'ends', code: 'FEED_UNREACHABLE' })
    expect(listBrokenRules(asks(1), heartbeat(1), delta(1), delta(2), heartbeat(3), ends, asks(3), delta(3))).toEqual(
      [],
    )
  })

  it.each([
    ['a gap', [asks(1), delta(2)], 'a feed has no gap and nothing twice'],
    ['something twice', [asks(1), delta(1), delta(1)], 'a feed has no gap and nothing twice'],
    ['a delta of nothing', [asks(1), delta(1, 1)], 'a feed goes forward'],
    ['a heartbeat before what was sent', [asks(1), delta(1), heartbeat(1)], 'a heartbeat never goes back'],
    [
      'a heartbeat before an earlier one',
      [asks(1), heartbeat(3), asks(1), heartbeat(2)],
      'a heartbeat never goes back',
    ],
    ['a heartbeat of what nobody wrote', [asks(1), heartbeat(5)], 'a heartbeat says what is on record'],
    ['a replica that does not go on', [asks(1), step({ kind: 'ends', code: 'FEED_GAP' })], 'a feed is resumed'],
    [
      'another history',
      [asks(1), step({ kind: 'delta', from: at(1), to: { revision: 2, chain: 'other' } })],
      'a feed is the record',
    ],
  ])('is found out: %s', (_, steps, rule) => {
    expect(listBrokenRules(...steps)).toEqual([rule])
  })
})
