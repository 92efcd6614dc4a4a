// The take: one request has one image, one revision and one instant, also for what is asked while it is answered; a
// limit of staleness is compared at the take, so that neither a busy loop nor a clock that is set prolongs an image.
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { TAKES_BY_ONE_CLOCK_MAX } from '../../src/model/limits.ts'
import { Follower } from '../../src/pdp/follower.ts'
import { type Decision, loadImage, Pdp } from '../../src/pdp/pdp.ts'
import { pdpServer } from '../../src/server.ts'
import { eventually } from '../support/eventually.ts'
import { code, follow, refusal } from './following.ts'
import { HELLO } from './policies.ts'
import { ScriptedFeed } from './scripted-feed.ts'

const DAY = 86_400_000
const clocks = { wall: Date.now, monotonic: performance.now }

/** Sets a clock of this process; both go on from there. */
function set(clock: 'wall' | 'monotonic', byMs: number): void {
  if (clock === 'wall') Date.now = () => clocks.wall.call(Date) + byMs
  else performance.now = () => clocks.monotonic.call(performance) + byMs
}

/** Holds the event loop. */
function hold(ms: number): void {
  const until = clocks.monotonic.call(performance) + ms
  while (clocks.monotonic.call(performance) < until);
}

afterEach(() => {
  Date.now = clocks.wall
  performance.now = clocks.monotonic
})

describe('a limit of staleness', () => {
  async function limited(maxStalenessMs: number) {
    const feed = new ScriptedFeed(HELLO)
    const followed = follow(feed, { maxStalenessMs })
    await followed.pdp.ready()
    feed.heartbeats = false
    return { feed, ...followed }
  }

  it('is kept by a loop of checks that never yields', async () => {
    const { pdp } = await limited(200)
    const ana = pdp.subject('ana')
    const say = pdp.permission('say', 'hello')
    for (const ask of [
      () => pdp.check('ana', 'say', 'hello'),
      () => ana.can('say', 'hello'),
      () => say.allows('ana'),
    ]) {
      const answers = (): boolean => {
        try {
          return ask() !== undefined
        } catch (error) {
          expect(error).toEqual(code('STALE'))
          return false
        }
      }
      const end = clocks.monotonic.call(performance) + 20_000
      while (answers()) if (clocks.monotonic.call(performance) > end) throw new Error('it answers for ever')
    }
    expect([pdp.revision, pdp.environment, pdp.state.revision]).toEqual([undefined, undefined, 1])
  })

  it('is kept when only one of the two clocks shows that time has passed', async () => {
    for (const clock of ['wall', 'monotonic'] as const) {
      const { pdp, mayZoeWave } = await limited(60_000)
      expect(mayZoeWave()).toBe(false)
      set(clock, 61_000)
      hold(2) // within one millisecond of the wall clock the other one is not looked at
      expect(mayZoeWave).toThrow(code('STALE'))
      expect(pdp.state.ageMs).toBeGreaterThanOrEqual(61_000)
      Date.now = clocks.wall
      performance.now = clocks.monotonic
    }
  })

  it('is kept when the wall clock stands, by the other one', async () => {
    const { mayZoeWave } = await limited(200)
    const wall = clocks.wall.call(Date)
    Date.now = () => wall
    const end = clocks.monotonic.call(performance) + 20_000
    const asks = () => {
      while (clocks.monotonic.call(performance) < end) mayZoeWave()
    }
    expect(asks).toThrow(code('STALE'))
    for (let again = 0; again < 3 * TAKES_BY_ONE_CLOCK_MAX; again++) expect(mayZoeWave).toThrow(code('STALE'))
  })

  it('stays exceeded within the millisecond in which only the monotonic clock shows it', async () => {
    const { pdp, mayZoeWave } = await limited(60_000)
    const wall = clocks.wall.call(Date)
    Date.now = () => wall + 1
    set('monotonic', 61_000)
    for (let again = 0; again < 10; again++) {
      expect(mayZoeWave).toThrow(code('STALE'))
      expect(pdp.revision).toBe(undefined)
    }
  })

  it('stays exceeded when the clock that showed it goes back, until the management side is heard again', async () => {
    for (const clock of ['wall', 'monotonic'] as const) {
      const { feed, pdp, mayZoeWave } = await limited(60_000)
      set(clock, 61_000)
      hold(2)
      expect(mayZoeWave).toThrow(code('STALE'))
      set(clock, 1_000)
      hold(2)
      expect(mayZoeWave).toThrow(code('STALE'))
      feed.heartbeats = true
      feed.beat()
      await eventually(() => refusal(pdp), 'none')
      Date.now = clocks.wall
      performance.now = clocks.monotonic
    }
  })

  it('is of unknown age when the wall clock was set back, until the management side is heard again', async () => {
    const { feed, pdp, mayZoeWave } = await limited(60_000)
    set('wall', -DAY)
    expect(mayZoeWave).toThrow('the policy is of unknown age, the limit is 60000 ms')
    expect(pdp.state).toMatchObject({ revision: 1, ageMs: undefined, stale: true })
    feed.heartbeats = true
    feed.beat()
    await eventually(() => refusal(pdp), 'none')
    set('wall', DAY)
    expect(mayZoeWave).toThrow(code('STALE'))
    feed.beat()
    await eventually(() => refusal(pdp), 'none')
    set('wall', 0)
    expect(mayZoeWave).toThrow(code('STALE'))
  })

  it('is compared once in a request: all of a bulk is answered, and all that is asked meanwhile', async () => {
    const { pdp, follower } = await limited(60_000)
    const decisions: Decision[] = []
    const late: boolean[] = []
    const asked = new Pdp(follower, {
      onDecision: (decision) => {
        decisions.push(decision)
        set('wall', 61_000)
        if (late.length < 2) late.push(pdp.check('ana', 'say', 'hello'), pdp.subject('ana').can('say', 'hello'))
      },
    })
    const check = { user: 'ana', action: 'say', resource: 'hello' }
    expect(asked.bulkCheck([check, check])).toEqual([true, true])
    expect([decisions.map(({ revision }) => revision), late]).toEqual([
      [1, 1],
      [true, true],
    ])
    expect(() => pdp.check('ana', 'say', 'hello')).toThrow(code('STALE'))
  })

  it('does not take back an answer over HTTP once it is decided, not half of a bulk either', async () => {
    const feed = new ScriptedFeed(HELLO)
    const pdp = new Pdp(new Follower({ feed, maxStalenessMs: 60_000 }))
    let passed = 0
    const recorder = {
      flush: () => undefined,
      add: () => {
        passed += 61_000
        set('wall', passed)
        return { settled: (then: (error: undefined) => void) => then(undefined) }
      },
    }
    const app = pdpServer(pdp, 'key', { decisionLog: { recorder, reasons: true } })
    onTestFinished(async () => void (await app.close()))
    await pdp.ready()
    const check = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } }
    const evaluation = {
      subject: { type: 'user', id: 'ana' },
      action: { name: 'say' },
      resource: { type: 'hello', id: '1' },
    }
    for (const [url, payload] of [
      ['/allowed', check],
      ['/allowed/bulk', [check, check]],
      ['/access/v1/evaluations', { evaluations: [evaluation, evaluation] }],
    ] as const) {
      feed.beat()
      await eventually(() => refusal(pdp), 'none')
      const headers = { authorization: 'Bearer key' }
      const { statusCode, headers: got } = await app.inject({ method: 'POST', url, headers, payload })
      expect([url, statusCode, got['x-revision']]).toEqual([url, 200, '1'])
    }
  })
})

describe('the instant of a request', () => {
  const pdp = () => loadImage(new ScriptedFeed(HELLO).imageAt(1))
  let read = 0
  const count = () => {
    read = 0
    Date.now = () => clocks.wall.call(Date) + ++read
  }

  it('is read once, when it is asked for, and is the same for what is asked inside', () => {
    const asked = pdp()
    count()
    const instants = asked.asOneRequest(() => [asked.now, asked.check('ana', 'say', 'hello'), asked.now])
    expect([instants[0] === instants[2], read]).toEqual([true, 1])
    expect(asked.asOneRequest(() => asked.asOneRequest(() => asked.now) === asked.now)).toBe(true)
    expect(asked.asOneRequest(() => asked.now)).toBeGreaterThan(instants[0] as number)
  })

  it('is not read by questions that need none', async () => {
    const followed = follow(new ScriptedFeed(HELLO))
    await followed.pdp.ready()
    for (const asked of [pdp(), followed.pdp]) {
      const ana = asked.subject('ana')
      count()
      asked.check('ana', 'say', 'hello')
      ana.can('say', 'hello')
      asked.bulkCheck([{ user: 'ana', action: 'say', resource: 'hello' }])
      asked.userPermissions('ana')
      expect([asked.revision, asked.take().revision, read]).toEqual([1, 1, 0])
    }
  })

  it('ends with the request, also when that throws', () => {
    const asked = pdp()
    expect(() =>
      asked.asOneRequest(() => {
        asked.take()
        throw new Error('a fault of the caller')
      }),
    ).toThrow('a fault of the caller')
    void asked.close()
    expect(() => asked.check('ana', 'say', 'hello')).toThrow(code('CLOSED'))
  })
})
