// The follower: what it answers from, when it asks again, and what it does when the feed ends. docs/feed.md.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { type ErrorCode, ZerohopError } from '../../src/model/errors.ts'
import { DELTA_IN_TURN_MAX } from '../../src/model/limits.ts'
import { Follower, type FollowerEvent, type FollowerOptions } from '../../src/pdp/follower.ts'
import { LastImage } from '../../src/pdp/last-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { give, HELLO, putUser, take } from './policies.ts'
import { ScriptedFeed } from './scripted-feed.ts'

const unreachable = new ZerohopError('FEED_UNREACHABLE', { reason: 'the cable is cut' })
const code = (code: ErrorCode) => expect.objectContaining({ code })
const open: Pdp[] = []
afterEach(async () => {
  for (const pdp of open.splice(0)) await pdp.close()
})

function follow(feed: ScriptedFeed, options: Partial<FollowerOptions> = {}) {
  const events: FollowerEvent[] = []
  const follower = new Follower({ feed, report: (event) => events.push(event), ...options })
  const pdp = new Pdp(follower)
  open.push(pdp)
  return { pdp, follower, events, mayZoeWave: () => pdp.check('zoe', 'wave', 'hello') }
}

describe('a follower', () => {
  it('throws NOT_READY until its image is there, then answers', async () => {
    const { pdp } = follow(new ScriptedFeed(HELLO))
    expect(() => pdp.check('ana', 'say', 'hello')).toThrow(code('NOT_READY'))
    await pdp.ready()
    expect([pdp.check('ana', 'say', 'hello'), pdp.check('ben', 'say', 'hello')]).toEqual([true, false])
    expect(pdp.state).toMatchObject({ revision: 1, source: 'feed', stale: false })
  })

  it('answers by a write that it waited for', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, mayZoeWave } = follow(feed)
    await pdp.ready()
    expect(mayZoeWave()).toBe(false)
    await pdp.atLeast(feed.commit([give('zoe', 'viewer')]))
    expect(mayZoeWave()).toBe(true)
    await pdp.atLeast(feed.commit([take('zoe', 'viewer')]))
    expect(mayZoeWave()).toBe(false)
    expect(feed.images).toBe(1)
  })

  it('answers by a write that nobody waits for', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, mayZoeWave } = follow(feed)
    await pdp.ready()
    feed.commit([give('zoe', 'viewer')])
    await eventually(mayZoeWave, true)
  })

  it('keeps a subject true over deltas and swaps', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed)
    await pdp.ready()
    const [yan, zoe] = [pdp.subject('yan'), pdp.subject('zoe')]
    expect([yan.can('wave', 'hello'), zoe.can('wave', 'hello')]).toEqual([false, false])
    await pdp.atLeast(feed.commit([putUser('yan'), give('yan', 'viewer'), give('zoe', 'viewer')]))
    expect([yan.can('wave', 'hello'), zoe.can('wave', 'hello')]).toEqual([true, true])
    feed.fork()
    feed.commit([take('zoe', 'viewer')])
    feed.break(unreachable)
    await eventually(() => zoe.can('wave', 'hello'), false)
    expect(yan.can('wave', 'hello')).toBe(true)
  })

  it('takes a fresh image when a check finds that the one it has is broken', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, follower } = follow(feed)
    await pdp.ready()
    const broken = follower.current!
    const trap = () => {
      throw new TypeError('what no sound image does')
    }
    expect(() => broken.guard(trap)).toThrow(code('POISONED'))
    expect(() => pdp.check('ana', 'say', 'hello')).toThrow(code('POISONED'))
    feed.beat()
    const answer = () => {
      try {
        return pdp.check('ana', 'say', 'hello')
      } catch {
        return undefined
      }
    }
    await eventually(answer, true)
    expect(follower.current).not.toBe(broken)
  })

  it('starts from an image behind the head only when it has caught up', async () => {
    const feed = new ScriptedFeed(HELLO)
    feed.commit([give('zoe', 'viewer')])
    feed.imageRevision = 1
    feed.heartbeats = false
    const { pdp, mayZoeWave } = follow(feed)
    await eventually(() => feed.streams, 1)
    expect(mayZoeWave).toThrow(code('NOT_READY'))
    feed.heartbeats = true
    feed.beat()
    await pdp.ready()
    expect(mayZoeWave()).toBe(true)
  })

  it('says that a revision did not come in time, and which one it has', async () => {
    const { pdp } = follow(new ScriptedFeed(HELLO))
    await pdp.ready()
    const late = pdp.atLeast(9, { timeoutMs: 10 })
    await expect(late).rejects.toMatchObject({ code: 'REVISION_TIMEOUT', details: { wanted: 9, have: 1 } })
  })

  it('applies a delta that is too large for one turn in a thread, and what came meanwhile after it', async () => {
    const feed = new ScriptedFeed(HELLO)
    feed.packs = true
    const { pdp } = follow(feed)
    await pdp.ready()
    const many: PolicyChange[] = Array.from({ length: DELTA_IN_TURN_MAX + 1 }, (_, i) => putUser(`user${i}`))
    feed.commit(many)
    await pdp.atLeast(feed.commit([give('user7', 'viewer')]), { timeoutMs: 20_000 })
    expect([pdp.check('user7', 'wave', 'hello'), pdp.check('user8', 'wave', 'hello')]).toEqual([true, false])
    expect(feed.images).toBe(1)
  })

  it('compacts an image that is mostly garbage, with everything that came meanwhile', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, follower, mayZoeWave } = follow(feed)
    await pdp.ready()
    const users = Array.from({ length: 15_000 }, (_, i) => `somebody-with-a-long-key-${i}`)
    feed.commit(users.map(putUser))
    feed.commit(users.map((key) => ({ op: 'delete', kind: 'user', key })))
    await pdp.atLeast(feed.commit([give('zoe', 'viewer')]), { timeoutMs: 20_000 })
    expect(mayZoeWave()).toBe(true)
    await eventually(() => (follower.current?.stats().garbageBytes ?? Number.NaN) < 100_000, true)
    expect([mayZoeWave(), pdp.revision]).toEqual([true, 4])
    await pdp.atLeast(feed.commit([take('zoe', 'viewer')]))
    expect([mayZoeWave(), feed.images]).toEqual([false, 1])
  })
})

describe('when the feed breaks, a follower', () => {
  it('goes on answering, asks again, and catches up by deltas alone', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, events, mayZoeWave } = follow(feed)
    await pdp.ready()
    feed.streamTrouble = unreachable
    feed.break(unreachable)
    await eventually(() => events.some(({ event }) => event === 'trouble'), true)
    const revision = feed.commit([give('zoe', 'viewer')])
    expect([pdp.check('ana', 'say', 'hello'), mayZoeWave()]).toEqual([true, false])
    feed.streamTrouble = undefined
    await pdp.atLeast(revision)
    expect([mayZoeWave(), feed.images]).toEqual([true, 1])
  })

  it.each(['FEED_GAP', 'FEED_FORK', 'FRAME_INVALID'] as const)('takes a fresh image after %s', async (trouble) => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed)
    await pdp.ready()
    feed.break(new ZerohopError(trouble))
    await eventually(() => feed.images, 2)
    expect(pdp.check('ana', 'say', 'hello')).toBe(true)
  })

  it('takes a fresh image of another history, and answers from the old one until that has caught up', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, mayZoeWave } = follow(feed)
    await pdp.ready()
    feed.heartbeats = false
    feed.fork()
    feed.commit([give('zoe', 'viewer')])
    feed.break(unreachable)
    await eventually(() => feed.images, 2)
    expect([pdp.check('ana', 'say', 'hello'), mayZoeWave()]).toEqual([true, false])
    feed.heartbeats = true
    feed.beat()
    await eventually(mayZoeWave, true)
  })

  it('does not go back to an older revision of the same history', async () => {
    const feed = new ScriptedFeed([...HELLO, give('zoe', 'viewer')])
    const { pdp, events, mayZoeWave } = follow(feed)
    await pdp.ready()
    const revision = feed.commit([take('zoe', 'viewer')])
    await pdp.atLeast(revision)
    feed.rollBack(1)
    const told = () => events.filter((each) => 'error' in each && each.error.code === 'FEED_BEHIND').length
    await eventually(told, 1)
    expect([pdp.revision, mayZoeWave()]).toEqual([revision, false])
    expect(feed.commit([putUser('yan')])).toBe(revision)
    expect(feed.commit([give('yan', 'viewer')])).toBe(revision + 1)
    await eventually(() => pdp.check('yan', 'wave', 'hello'), true)
  })

  it('keeps answering after a delta that cannot be applied, and takes a fresh image', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, events } = follow(feed)
    await pdp.ready()
    feed.imageRevision = 1
    feed.commit([give('nobody', 'viewer')])
    await eventually(() => events.some((event) => 'error' in event && event.error.code === 'DELTA_INVALID'), true)
    expect(pdp.check('ana', 'say', 'hello')).toBe(true)
    await eventually(() => feed.images >= 2, true)
  })

  it.each(['KEY_UNKNOWN', 'ENVIRONMENT_DELETED'] as const)('stops answering for good after %s', async (reason) => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, events } = follow(feed)
    await pdp.ready()
    const waiting = expect(pdp.atLeast(99, { timeoutMs: 20_000 })).rejects.toEqual(code(reason))
    feed.break(new ZerohopError(reason))
    await waiting
    expect(() => pdp.check('ana', 'say', 'hello')).toThrow(code(reason))
    expect(pdp.ended).toEqual(code(reason))
    expect(events.at(-1)).toMatchObject({ event: 'ended' })
  })

  it('throws STALE when the last heartbeat is older than allowed, and answers again after the next', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { maxStalenessMs: 60 })
    await pdp.ready()
    await eventually(() => refusal(pdp), 'STALE')
    feed.beat()
    await eventually(() => refusal(pdp), 'none')
  })
})

describe('a listener that throws', () => {
  it('stops nothing: images are taken, trouble is gone through, the end is the end', async () => {
    const feed = new ScriptedFeed(HELLO)
    let told = 0
    const report = () => {
      told++
      throw new Error('a defect of the listener')
    }
    feed.imageTrouble = unreachable
    const { pdp, mayZoeWave } = follow(feed, { report, times: { retryFirstMs: 1 } })
    await eventually(() => told > 1, true)
    feed.imageTrouble = undefined
    await pdp.ready()
    feed.break(unreachable)
    await pdp.atLeast(feed.commit([give('zoe', 'viewer')]))
    expect(mayZoeWave()).toBe(true)
    feed.break(new ZerohopError('KEY_UNKNOWN'))
    await eventually(() => pdp.ended?.code, 'KEY_UNKNOWN')
  })
})

describe('an image that takes no more deltas', () => {
  it.each(['IMAGE_DAMAGED', 'IMAGE_FOREIGN', 'LIMIT_EXCEEDED'] as const)(
    'is replaced by a fresh one also when the reason is %s',
    async (reason) => {
      const feed = new ScriptedFeed(HELLO)
      const { pdp, mayZoeWave } = follow(feed)
      await pdp.ready()
      const apply = vi.spyOn(Image.prototype, 'apply').mockImplementationOnce(() => {
        throw new ZerohopError(reason)
      })
      feed.commit([give('zoe', 'viewer')])
      await eventually(mayZoeWave, true)
      apply.mockRestore()
      expect(feed.images).toBe(2)
    },
  )
})

describe('the last image on disk', () => {
  const path = () => join(temporaryFolder('last-image'), 'pdp', 'last.image')

  it('lets a follower start while the management side cannot be reached', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await pdp.close()
    feed.streamTrouble = feed.imageTrouble = unreachable
    const again = follow(feed, { lastImage: new LastImage(file, 'key') })
    await again.pdp.ready()
    expect(again.pdp.check('ana', 'say', 'hello')).toBe(true)
    expect(again.pdp.state).toMatchObject({ source: 'file', revision: 1 })
    feed.streamTrouble = feed.imageTrouble = undefined
    await eventually(() => again.pdp.state.source, 'feed')
    expect(feed.images).toBe(1)
  })

  it('answers when the management side does not: not at once, but soon', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await pdp.close()
    feed.heartbeats = false // it takes the connection and then says nothing
    const patient = follow(feed, { lastImage: new LastImage(file, 'key'), times: { offlineStartMs: 600_000 } })
    const again = follow(feed, { lastImage: new LastImage(file, 'key'), times: { offlineStartMs: 50 } })
    await again.pdp.ready()
    expect([again.pdp.check('ana', 'say', 'hello'), again.pdp.state.source]).toEqual([true, 'file'])
    expect(() => patient.pdp.check('ana', 'say', 'hello')).toThrow(code('NOT_READY'))
  })

  it('is for its owner only, and opens with no other key', async () => {
    const file = path()
    const { pdp } = follow(new ScriptedFeed(HELLO), { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await pdp.close()
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file).includes('hello')).toBe(false)
    await expect(new LastImage(file, 'another key').read()).rejects.toEqual(code('IMAGE_DAMAGED'))
    expect((await new LastImage(file, 'key').read())?.bytes.length).toBeGreaterThan(0)
  })

  it('is written while the follower runs, not only when it is closed', async () => {
    const file = path()
    const { pdp } = follow(new ScriptedFeed(HELLO), { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await eventually(() => existsSync(file), true)
  })

  it('is as old as what it says: ending and starting again makes nothing current that was not', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key'), times: { saveMs: 1 } })
    await pdp.ready()
    await eventually(() => existsSync(file), true)
    feed.streamTrouble = feed.imageTrouble = unreachable
    feed.break(unreachable)
    await eventually(() => (pdp.state.ageMs ?? 0) > 250, true)
    await pdp.close()
    const again = follow(feed, { lastImage: new LastImage(file, 'key'), maxStalenessMs: 200 })
    await eventually(() => refusal(again.pdp), 'STALE')
    expect(again.pdp.state.ageMs).toBeGreaterThan(250)
  })

  it('that is refused is tried again in a while, not with every write', async () => {
    const file = join(temporaryFolder('last-image'), 'no-folder')
    writeFileSync(file, '')
    const feed = new ScriptedFeed(HELLO)
    const { pdp, events } = follow(feed, { lastImage: new LastImage(join(file, 'last'), 'key') })
    const refused = () => events.filter(({ event }) => event === 'last image not written').length
    await pdp.ready()
    await eventually(refused, 1)
    for (let writes = 0; writes < 5; writes++) await pdp.atLeast(feed.commit([putUser(`u${writes}`)]))
    await pdp.close() // which tries once more, after all that was tried before
    expect(refused()).toBe(2)
  })

  it('costs only a fresh image when it is damaged', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await pdp.close()
    const bytes = readFileSync(file)
    bytes[bytes.length - 1] = bytes[bytes.length - 1]! ^ 1
    writeFileSync(file, bytes)
    const again = follow(feed, { lastImage: new LastImage(file, 'key') })
    await again.pdp.ready()
    expect([again.pdp.check('ana', 'say', 'hello'), feed.images]).toEqual([true, 2])
  })

  it('of another history is replaced', async () => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await pdp.close()
    feed.fork()
    const again = follow(feed, { lastImage: new LastImage(file, 'key') })
    await again.pdp.ready()
    expect([again.pdp.state.source, feed.images]).toEqual(['feed', 2])
  })

  it.each(['KEY_UNKNOWN', 'ENVIRONMENT_DELETED'] as const)('is erased after %s', async (reason) => {
    const file = path()
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { lastImage: new LastImage(file, 'key') })
    await pdp.ready()
    await eventually(() => existsSync(file), true)
    feed.break(new ZerohopError(reason))
    await eventually(() => existsSync(file), false)
    await pdp.close()
    expect(existsSync(file)).toBe(false)
  })
})

function refusal(pdp: Pdp): string {
  return pdp.refusal?.code ?? 'none'
}
