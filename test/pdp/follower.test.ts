// The follower: what it answers from, when it asks again, and what it does when the feed ends. docs/feed.md.
import { describe, expect, it, vi } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { ZerohopError } from '../../src/model/errors.ts'
import { DELTA_IN_TURN_MAX } from '../../src/model/limits.ts'
import { eventually } from '../support/eventually.ts'
import { code, follow, refusal, unreachable } from './following.ts'
import { give, HELLO, putUser, take } from './policies.ts'
import { ScriptedFeed } from './scripted-feed.ts'

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

  it('keeps a permission true over deltas and swaps, also when it is deleted or unknown', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed)
    await pdp.ready()
    const [wave, burn] = [pdp.permission('wave', 'hello'), pdp.permission('burn', 'hello')]
    const answers = () => [wave.allows('yan'), wave.allows('zoe'), burn.allows('yan')]
    const actions = (...list: string[]) => ({
      op: 'put' as const,
      kind: 'resource' as const,
      key: 'hello',
      value: { actions: list },
    })
    const burner = (role: string, ...permissions: string[]) => ({
      op: 'put' as const,
      kind: 'role' as const,
      key: role,
      value: { permissions, extends: [] },
    })
    expect(answers()).toEqual([false, false, false])
    await pdp.atLeast(feed.commit([putUser('yan'), give('yan', 'viewer'), give('zoe', 'viewer')]))
    expect(answers()).toEqual([true, true, false])
    await pdp.atLeast(feed.commit([actions('burn', 'say', 'wave'), burner('viewer', 'hello:burn', 'hello:wave')]))
    expect(answers()).toEqual([true, true, true])
    await pdp.atLeast(feed.commit([burner('viewer', 'hello:burn'), actions('burn', 'say')]))
    expect(answers()).toEqual([false, false, true])
    await pdp.atLeast(feed.commit([actions('burn', 'say', 'wave'), burner('viewer', 'hello:wave')]))
    expect(answers()).toEqual([true, true, false])
    feed.fork()
    feed.commit([take('zoe', 'viewer')])
    feed.break(unreachable)
    await eventually(() => wave.allows('zoe'), false)
    expect(answers()).toEqual([true, false, false])
  })

  it('takes a fresh image when a check finds that the one it has is broken', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, follower } = follow(feed)
    await pdp.ready()
    const broken = follower.peek()!
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
    expect(follower.peek()).not.toBe(broken)
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
    await eventually(() => (follower.peek()?.stats().garbageBytes ?? Number.NaN) < 100_000, true)
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
    const countBehind = () => events.filter((each) => 'error' in each && each.error.code === 'FEED_BEHIND').length
    await eventually(countBehind, 1)
    expect([pdp.revision, mayZoeWave()]).toEqual([revision, false])
    expect(feed.commit([putUser('yan')])).toBe(revision)
    expect(feed.commit([give('yan', 'viewer')])).toBe(revision + 1)
    await eventually(() => pdp.check('yan', 'wave', 'hello'), true)
  })

  it('goes back to an older revision of another history', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, events, mayZoeWave } = follow(feed)
    await pdp.ready()
    feed.commit([give('zoe', 'viewer')])
    const revision = feed.commit([putUser('yan')])
    await pdp.atLeast(revision)
    feed.rollBack(1)
    await eventually(() => events.some((each) => 'error' in each && each.error.code === 'FEED_BEHIND'), true)
    expect([pdp.revision, mayZoeWave()]).toEqual([revision, true])
    feed.fork()
    const other = feed.commit([putUser('eve')])
    expect(other).toBeLessThan(revision)
    await eventually(mayZoeWave, false)
    expect(pdp.revision).toBe(other)
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

  it('stays STALE while it catches up after a break, until a heartbeat says that it has everything', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { maxStalenessMs: 60, times: { retryFirstMs: 1 } })
    await pdp.ready()
    feed.heartbeats = false
    feed.break(unreachable)
    await eventually(() => refusal(pdp), 'STALE')
    const head = feed.commit([give('zoe', 'viewer')])
    await eventually(() => pdp.state.revision, head)
    expect(refusal(pdp)).toBe('STALE')
    feed.heartbeats = true
    feed.beat()
    await eventually(() => refusal(pdp), 'none')
  })

  it('is not made younger by deltas, which say nothing of what else is on record', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp } = follow(feed, { maxStalenessMs: 60 })
    await pdp.ready()
    feed.heartbeats = false
    let applied = 0
    const isStale = () => {
      applied = feed.commit([putUser(`u${feed.head}`)])
      return refusal(pdp)
    }
    await eventually(isStale, 'STALE')
    await eventually(() => pdp.state.revision, applied)
    expect(refusal(pdp)).toBe('STALE')
  })
})

describe('a change that cannot be applied', () => {
  const damaged = new ZerohopError('IMAGE_DAMAGED', { reason: 'it was cut' })

  it.each(['FEED_GAP', 'FRAME_INVALID', 'INTERNAL', 'DATA_DAMAGED', 'LIMIT_EXCEEDED'] as const)(
    'ends the answers when no image takes the place of the old one: %s',
    async (reason) => {
      const feed = new ScriptedFeed([...HELLO, give('zoe', 'viewer')])
      const { pdp, mayZoeWave } = follow(feed, { times: { unappliedMs: 1 } })
      await pdp.ready()
      expect(mayZoeWave()).toBe(true)
      feed.heartbeats = false
      feed.imageTrouble = damaged
      feed.streamTrouble = new ZerohopError(reason)
      feed.break(new ZerohopError(reason))
      await eventually(() => refusal(pdp), 'POISONED')
      expect(mayZoeWave).toThrow(code('POISONED'))
    },
  )

  it('is found by applying it: the answers end, and go on with the first image that has it', async () => {
    const feed = new ScriptedFeed([...HELLO, give('zoe', 'viewer')])
    const { pdp, events, mayZoeWave } = follow(feed, { times: { unappliedMs: 1, retryFirstMs: 1 } })
    await pdp.ready()
    feed.imageTrouble = damaged
    feed.commit([take('zoe', 'viewer'), give('nobody', 'viewer')])
    await eventually(() => refusal(pdp), 'POISONED')
    const trouble = events.find((event) => event.event === 'trouble')
    expect(trouble).toMatchObject({ error: { code: 'DELTA_INVALID' } })
    expect(pdp.refusal?.message).toContain('cannot take what changed')
    feed.repair([putUser('nobody'), take('zoe', 'viewer')])
    feed.imageTrouble = undefined
    await eventually(() => refusal(pdp), 'none')
    expect(mayZoeWave()).toBe(false)
  })

  it('is not what a management side says that cannot be reached, or that signs nothing', async () => {
    const feed = new ScriptedFeed(HELLO)
    const { pdp, events } = follow(feed, { times: { unappliedMs: 1, retryFirstMs: 1 } })
    await pdp.ready()
    for (const error of [unreachable, new ZerohopError('SIGNATURE_INVALID', { what: 'a delta', reason: 'has none' })]) {
      feed.streamTrouble = error
      feed.break(error)
      const before = feed.streams
      await eventually(() => feed.streams > before + 2, true)
      expect(pdp.check('ana', 'say', 'hello')).toBe(true)
    }
    expect(events.filter(({ event }) => event === 'trouble').length).toBeGreaterThan(2)
  })
})

describe('a listener that throws', () => {
  it('stops nothing: images are taken, trouble is gone through, the end is the end', async () => {
    const feed = new ScriptedFeed(HELLO)
    let calls = 0
    const onEvent = () => {
      calls++
      throw new Error('a defect of the listener')
    }
    feed.imageTrouble = unreachable
    const { pdp, mayZoeWave } = follow(feed, { onEvent, times: { retryFirstMs: 1 } })
    await eventually(() => calls > 1, true)
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
