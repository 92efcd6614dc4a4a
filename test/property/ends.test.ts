// What goes on over an instant must know it: a request that reads the clock twice, a filter, a page, and an assignment that
// ended. Each is asked once as it is, and once with the fault planted: it must answer otherwise then.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as load from '../../src/browser/load.ts'
import * as rows from '../../src/filters/rows.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { openManagementData } from '../../src/management/host/open.ts'
import * as assignments from '../../src/management/objects/role-assignments.ts'
import { FILTER_FORMAT } from '../../src/model/filter.ts'
import type { Snapshot } from '../../src/model/snapshot.ts'
import * as answering from '../../src/pdp/answering.ts'
import * as fixed from '../../src/pdp/fixed-image.ts'
import * as pdps from '../../src/pdp/pdp.ts'
import { BY } from '../management/harness.ts'
import { HELLO } from '../pdp/policies.ts'
import type { Canary } from '../support/canary.ts'
import { importWith } from '../support/canary-module.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { temporaryFolder } from '../support/folders.ts'
import { OF_FILTERS, OF_PAGES, OF_REQUESTS, OF_TAGS, OF_WRITES } from './times-canaries.ts'

const END = Date.UTC(2001, 10, 20, 18)
const LIMIT = 1_000

const PDP = { ...pdps, ...fixed, ...answering }
type Modules = typeof PDP & typeof rows & typeof load & typeof assignments

/** A clock that goes on by one with each look at it. */
let now = 0
beforeEach(() => void vi.spyOn(Date, 'now').mockImplementation(() => now++))
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

function build(valid_until: number): Image {
  const value = { user: 'zoe', role: 'viewer', tenant: 'acme', valid_until }
  const put: PolicyChange = { op: 'put', kind: 'role_assignment', key: 'zoe/viewer/acme', value }
  return Image.build(ENVIRONMENT, makePosition(7), [...HELLO, put])
}
const hello = { user: 'zoe', action: 'wave', resource: { type: 'hello', tenant: 'acme' } }

function askInBulk({ Pdp, FixedImage }: Modules): boolean[] {
  const pdp = new Pdp(new FixedImage(build(END)))
  now = END - 1
  return pdp.bulkCheck([hello, hello, hello])
}

/** The age of the image at the instant of an answer. */
function answerAtLimit({ Answering }: Modules): number {
  const held = new Answering(LIMIT)
  held.answer(build(END), 'feed')
  now = END
  held.heard({ monotonic: performance.now(), wall: END })
  now = END + LIMIT
  return held.asOne(() => {
    held.take()
    return held.now - END
  })
}

/** Whether two questions of a request have one instant, where the management side is ahead of this machine. */
function askAhead({ Answering }: Modules): boolean {
  const held = new Answering(undefined)
  let passed = 0
  const monotonic = vi.spyOn(performance, 'now').mockImplementation(() => passed++)
  now = END
  held.heardTime(END + LIMIT)
  const seen = held.asOne(() => new Set([held.now, held.now]))
  monotonic.mockRestore()
  return seen.size === 1
}

function matchAtEnd({ matches }: Modules): unknown {
  const about = { format: FILTER_FORMAT, revision: 7, type: 'hello', tenant: 'acme', validUntil: END } as const
  const ask = (at: number) => matches({ ...about, kind: 'always' }, { key: '1', tenant: 'acme' }, { now: at })
  return [ask(END - 1), findOutcome(() => ask(END))]
}

async function loadAgain({ loadSnapshot }: Modules): Promise<number> {
  vi.stubGlobal('fetch', async () => new Response(null, { status: 304 }))
  now = END - 5
  const current = { etag: 'a', lifetimeMs: LIMIT, expiresAt: END - 10, validUntil: END } as Snapshot
  return (await loadSnapshot('/permissions', { current })).expiresAt
}

function compareTags({ Pdp, FixedImage }: Modules): boolean {
  const [one, other] = [1, 2].map((hours) => {
    now = END
    const pdp = new Pdp(new FixedImage(build(END + hours * 3_600_000)))
    return pdp.snapshot('zoe', { tenants: ['acme'], lifetimeMs: LIMIT }).etag
  })
  return one === other
}

async function assignAgain({ assign }: Modules): Promise<unknown> {
  vi.restoreAllMocks()
  const newId = () => randomBytes(16).toString('hex')
  const { store, organization } = await openManagementData({ data: temporaryFolder('ends'), newId, noExample: true })
  try {
    const log = store.view(organization).require('environment', 'default/development').id
    await store.commit(log, 'createRole', { key: 'editor' }, BY)
    await store.commit(log, 'createUser', { key: 'ana' }, BY)
    await store.commit(log, 'assign', { user: 'ana', role: 'editor', valid_until: 5 }, BY)
    const mint = { id: newId, secret: newId, now: END }
    return findOutcome(
      () => assign(store.view(log), { user: 'ana', role: 'editor' }, mint).result.assignment.valid_until,
    )
  } finally {
    await store.close()
  }
}

function findOutcome(ask: () => unknown): unknown {
  try {
    return ask()
  } catch (error) {
    return (error as { readonly code: string }).code
  }
}

const only = <T extends Canary>(canary: T, tag: keyof T & string): Canary => ({ [tag]: canary[tag]! })
const OF_PDP = ['src/pdp/pdp.ts', 'src/pdp/fixed-image.ts', 'src/pdp/answering.ts']
const CASES: readonly (readonly [
  name: string,
  ask: (modules: Modules) => unknown,
  right: unknown,
  canary: Canary,
  entries: readonly string[],
])[] = [
  ['one instant in a bulk', askInBulk, [true, true, true], OF_REQUESTS, OF_PDP],
  ['one instant by a clock that is ahead', askAhead, true, only(OF_REQUESTS, 'one-instant'), OF_PDP],
  ['one look at the clock in an answer', answerAtLimit, LIMIT, only(OF_REQUESTS, 'one-look'), OF_PDP],
  ['no filter at its end', matchAtEnd, [true, 'FILTER_EXPIRED'], OF_FILTERS, ['src/filters/rows.ts']],
  ['no page after an end that a 304 says again', loadAgain, END, OF_PAGES, ['src/browser/load.ts']],
  ['a tag for each end', compareTags, false, OF_TAGS, OF_PDP],
  [
    'an assignment over one that ended',
    assignAgain,
    undefined,
    OF_WRITES,
    ['src/management/objects/role-assignments.ts', 'src/management/rules/payload.ts'],
  ],
]

describe('[D15] over an instant there is', () => {
  const folder = temporaryFolder('ends-canaries')
  const modules = { ...PDP, ...rows, ...load, ...assignments }

  it.each(CASES)('%s', async (_, ask, right, canary, entries) => {
    expect(await ask(modules)).toEqual(right)
    expect(await ask({ ...modules, ...(await importWith<Partial<Modules>>(canary, entries, folder)) })).not.toEqual(
      right,
    )
  })
})
