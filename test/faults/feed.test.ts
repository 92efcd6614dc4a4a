// What a PDP does when the management side, the way to it, its own disk or its clock is in trouble: it goes on
// answering what it knows, says when it knows nothing, and is never wrong. docs/operations.md, "When something fails".
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { RemoteFeed } from '../../src/client/http-feed.ts'
import { type ErrorCode, isZerohopError } from '../../src/model/errors.ts'
import { Follower, type FollowerEvent, type FollowerOptions } from '../../src/pdp/follower.ts'
import { LastImage } from '../../src/pdp/last-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { type Management, managementServer, openManagement, readKeys } from '../../src/server.ts'
import { TESTER } from '../support/environments.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type Fault, Way } from './way.ts'

const data = temporaryFolder('faults')
const TIMES = { retryFirstMs: 5, retryLongestMs: 20, saveMs: 10, offlineStartMs: 20 }
let management: Management
let app: ReturnType<typeof managementServer>
let target: string
let way: Way
const open: Pdp[] = []

beforeAll(async () => {
  management = await openManagement({ data })
  app = managementServer(management)
  target = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await app.close()
  await management.store.close()
})
beforeEach(async () => {
  way = await Way.to(target)
})
afterEach(async () => {
  for (const pdp of open.splice(0)) await pdp.close()
  way.close()
})

function follow(options: Partial<FollowerOptions> = {}) {
  const events: FollowerEvent[] = []
  const apiKey = readKeys(data)?.environments.development ?? ''
  const follower = new Follower({
    feed: new RemoteFeed({ url: way.url, apiKey, silenceMs: 200, imageSilenceMs: 200 }),
    onEvent: (event) => events.push(event),
    times: TIMES,
    ...options,
  })
  const pdp = new Pdp(follower)
  open.push(pdp)
  const hasError = (code: ErrorCode) => events.some((event) => 'error' in event && event.error.code === code)
  return { pdp, hasError }
}

/** The answer, or the reason why the PDP refuses to answer: it must not deny instead. */
function mayAna(pdp: Pdp): boolean | ErrorCode {
  try {
    return pdp.check('ana', 'say', 'hello')
  } catch (error) {
    if (isZerohopError(error)) return error.code
    throw error
  }
}

const log = () => management.store.view(management.organization).require('environment', 'default/development').id
let names = 0
const write = async () =>
  (await management.store.commit(log(), 'createUser', { key: `user-${names++}` }, TESTER)).revision

describe('at its start a PDP', () => {
  it.each<[Fault, string, ErrorCode]>([
    ['cut', '', 'FEED_UNREACHABLE'],
    ['stall', '/image', 'FEED_UNREACHABLE'],
    ['garbage', '/image', 'IMAGE_DAMAGED'],
    ['garbage', '/deltas', 'FRAME_INVALID'],
    ['page', '', 'FEED_UNREACHABLE'],
    ['page', '/image', 'IMAGE_DAMAGED'],
    ['stall', '/deltas', 'FEED_UNREACHABLE'],
    [503, '', 'FEED_UNREACHABLE'],
  ])('that meets "%s" at "%s" is not ready, says %s, and is ready when that is over', async (fault, about, code) => {
    way.become(fault, about)
    const { pdp, hasError } = follow()
    await eventually(() => hasError(code), true)
    expect(mayAna(pdp)).toBe('NOT_READY')
    way.become('none')
    await pdp.ready()
    expect(mayAna(pdp)).toBe(true)
  })

  it('whose key is refused says so, and asks no more', async () => {
    way.become(401)
    const { pdp } = follow()
    await expect(pdp.ready()).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
    expect(mayAna(pdp)).toBe('KEY_UNKNOWN')
    expect(way.met).toBe(1)
  })
})

describe('a PDP that has answered', () => {
  it.each<Fault>(['cut', 'stall', 'garbage', 'page', 403, 503])(
    'goes on through "%s", and catches up',
    async (fault) => {
      const { pdp } = follow()
      await pdp.ready()
      way.become(fault)
      const revision = await write()
      await eventually(() => way.met > 2, true)
      expect(mayAna(pdp)).toBe(true)
      expect(pdp.revision).toBeLessThan(revision)
      way.become('none')
      await pdp.atLeast(revision, { timeoutMs: 10_000 })
      expect(mayAna(pdp)).toBe(true)
    },
  )

  it('and is too old says that, and no deny, until the management side is back', async () => {
    const { pdp } = follow({ maxStalenessMs: 300 })
    await pdp.ready()
    way.become('cut')
    await eventually(() => mayAna(pdp), 'STALE')
    expect(pdp.state.revision).toBeGreaterThan(0)
    way.become('none')
    await eventually(() => mayAna(pdp), true)
  })

  it('and whose key dies answers nobody any more', async () => {
    const file = join(temporaryFolder('faults'), 'last')
    const { pdp } = follow({ lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    way.become(401)
    await eventually(() => mayAna(pdp), 'KEY_UNKNOWN')
    await eventually(async () => (await new LastImage(file, 'key').read()) === undefined, true)
  })

  it('goes on when the disk takes no last image, and says so', async () => {
    const folder = temporaryFolder('faults')
    writeFileSync(join(folder, 'file'), '')
    const { pdp, hasError } = follow({ lastImage: new LastImage(join(folder, 'file', 'last'), 'key') })
    await eventually(() => hasError('DISK_FAILED'), true)
    await pdp.atLeast(await write())
    expect(mayAna(pdp)).toBe(true)
  })
})

describe('the clock of a PDP', () => {
  afterEach(() => void vi.useRealTimers())

  it('may jump: it is too old then, or of unknown age, until the management side says that it is not', async () => {
    const { pdp } = follow({ maxStalenessMs: 4_000 })
    await pdp.ready()
    for (const year of [2001, 2101]) {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${year}-01-01`) })
      expect(mayAna(pdp)).toBe('STALE')
      await eventually(() => mayAna(pdp), true)
    }
  })

  it.each([
    ['an hour ago', -3_600_000],
    ['in an hour', 3_600_000],
  ])('tells the age of the last image: one of %s does not answer', async (_, shift) => {
    const file = join(temporaryFolder('faults'), 'last')
    mkdirSync(join(file, '..'), { recursive: true })
    const first = follow({ lastImage: new LastImage(file, 'key') })
    await first.pdp.ready()
    await first.pdp.close()
    const moment = new Date(Date.now() + shift)
    utimesSync(file, moment, moment)
    way.become('cut')
    const { pdp } = follow({ lastImage: new LastImage(file, 'key'), maxStalenessMs: 60_000 })
    await eventually(() => mayAna(pdp), 'STALE')
    way.become('none')
    await eventually(() => mayAna(pdp), true)
  })
})
