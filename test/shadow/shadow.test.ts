// Shadow runs: whatever the other engine does, the answer is that of the one that decides; each difference is reported
// once, with its cause; counts add up; a fault, a slow disk or a listener that throws costs nothing but a report.
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { hearContained } from '../../src/model/contained.ts'
import { SHADOW_PENDING_MAX, SHADOW_REPORTED_PER_SECOND } from '../../src/model/limits.ts'
import { loadImage, type Pdp } from '../../src/pdp/pdp.ts'
import type { ShadowCounts } from '../../src/shadow/difference.ts'
import type * as shadowRun from '../../src/shadow/shadow-run.ts'
import { ShadowRun } from '../../src/shadow/shadow-run.ts'
import {
  type CheckArguments,
  type Difference,
  type ShadowOptions,
  type ShadowQuestion,
  shadow,
  shadowAsync,
} from '../../src/shadow.ts'
import { give, HELLO, putRole, putUser } from '../pdp/policies.ts'
import { importWith } from '../support/canary-module.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { temporaryFolder } from '../support/folders.ts'
import { OF_RUNS } from './canaries.ts'
import { put } from './policy.ts'

const allowAll = (..._asked: CheckArguments): boolean => true

afterEach(() => void vi.restoreAllMocks())

/** What a scripted engine gives to the question of a number: a denial, an allow, or an error. */
type Scripted = 'deny' | 'allow' | 'error'
const scripted = fc.constantFrom<Scripted>('deny', 'allow', 'error')

class Refused extends Error {}
const giveAnswer = (script: Scripted, name: string): boolean => {
  if (script === 'error') throw new Refused(name)
  return script === 'allow'
}

const runs = fc.record({
  decide: fc.constantFrom('old' as const, 'new' as const),
  later: fc.boolean(),
  questions: fc.array(fc.record({ old: scripted, found: scripted, isSampled: fc.boolean(), ms: fc.nat(400) }), {
    maxLength: 300,
  }),
  isHearing: fc.constantFrom<'well' | 'throws' | 'rejects'>('well', 'throws', 'rejects'),
})

/** Runs what was drawn, and says what is wrong. */
async function findWrong(
  { decide, later, questions, isHearing }: typeof runs extends fc.Arbitrary<infer T> ? T : never,
  Run: typeof ShadowRun = ShadowRun,
): Promise<string[]> {
  const wrong: string[] = []
  const heard: number[] = []
  let at = 0
  let now = 0
  const pdp = {
    check: (_user: string, action: string) => giveAnswer(questions[Number(action)]!.found, 'new'),
    explain: (_user: string, action: string) => ({
      ...NO_REASON,
      allow: giveAnswer(questions[Number(action)]!.found, 'new'),
    }),
  } as unknown as Pdp
  const onDifference = (_: Difference, [, action]: readonly unknown[]): unknown => {
    heard.push(Number(action))
    if (isHearing === 'throws') throw new Error('the listener')
    return isHearing === 'rejects' ? Promise.reject(new Error('the listener')) : undefined
  }
  const options = { decide, sample: 0.5, onDifference: onDifference as never }
  const random = () => (questions[at]!.isSampled ? 0 : 0.99)
  const run = new Run<[string, string, string]>(pdp, options, { now: () => now, random, run: 'r' })
  const old = (_user: string, action: string) => giveAnswer(questions[Number(action)]!.old, 'old')
  const oldLater = async (user: string, action: string) => old(user, action)
  for (const question of questions) {
    now += question.ms
    const args: [string, string, string] = ['ana', String(at), 'hello']
    const wanted = decide === 'old' ? question.old : question.found
    const given = await (async () => {
      if (decide === 'old') return later ? run.byOldLater(oldLater, args) : run.byOld(old, args)
      return later ? run.byNewNow(oldLater, args) : run.byNew(old, args)
    })().then(
      (answer) => (answer ? 'allow' : 'deny'),
      (error: Error) => (error instanceof Refused && error.message === decide ? 'error' : `${error}`),
    )
    if (given !== wanted) wrong.push(`question ${at}: ${given}, not ${wanted}`)
    at++
  }
  await new Promise(setImmediate)
  const asked = questions.map((each, index) => ({ ...each, index }))
  const compared = asked.filter((each) => each.isSampled && (decide === 'old' ? each.old : each.found) !== 'error')
  const different = compared.filter((each) => each.old !== each.found)
  const counts = run.counts
  const say = (isRight: boolean, what: string) => isRight || wrong.push(`${what}: ${JSON.stringify(counts)}`)
  say(counts.asked === asked.length && counts.sampled === compared.length, 'asked and sampled')
  say(counts.agreed === compared.length - different.length, 'agreed')
  say(counts.failed === different.filter((each) => [each.old, each.found].includes('error')).length, 'failed')
  say(counts.sampled === counts.agreed + counts.differed + counts.failed && counts.pending === 0, 'sampled is the sum')
  say(counts.differed + counts.failed === counts.reported + counts.dropped, 'reported and dropped')
  say(new Set(heard).size === heard.length && heard.length === counts.reported, 'each is reported once')
  say(
    heard.every((one) => different.some(({ index }) => index === one)),
    'nothing else is reported',
  )
  say(counts.dropped === 0 || different.length > SHADOW_REPORTED_PER_SECOND, 'dropped beyond the bound alone')
  return wrong
}

const NO_REASON = {
  revision: 1,
  tenant: 'default',
  code: 'no_user_roles',
  rebac: 'no_graph_roles',
  because: [],
  misses: [],
  not_in_force: [],
}

describe('a shadow run', () => {
  it('answers as the one that decides, reports each difference once, and its counts add up', async () => {
    const stop = hearContained(() => undefined)
    await fc.assert(
      fc.asyncProperty(runs, async (drawn) => {
        expect(await findWrong(drawn)).toEqual([])
      }),
      { seed: 1, numRuns: 200 },
    )
    stop()
  })

  it.each(Object.entries(OF_RUNS))('the law finds a fault: %s', async (tag, wrong) => {
    const entry = 'src/shadow/shadow-run.ts'
    const { ShadowRun: Wrong } = await importWith<typeof shadowRun>({ [tag]: wrong }, entry, temporaryFolder('canary'))
    const stop = hearContained(() => undefined)
    const found = await Promise.all(
      fc.sample(runs, { seed: 1, numRuns: 20 }).map((drawn) => findWrong(drawn, Wrong as never)),
    )
    stop()
    expect(found.some((each) => each.length > 0)).toBe(true)
  })

  it('reports so many differences in a second, and counts the rest', () => {
    const heard: Difference[] = []
    const can = shadow(allowAll, pdp(), { sample: 1, onDifference: (difference) => heard.push(difference) })
    const all = SHADOW_REPORTED_PER_SECOND + 20
    vi.spyOn(Date, 'now').mockReturnValue(0)
    for (let at = 0; at < all; at++) can('zoe', 'say', 'hello')
    expect([heard.length, can.counts.reported, can.counts.dropped]).toEqual([100, 100, 20])
    vi.spyOn(Date, 'now').mockReturnValue(1_000)
    can('zoe', 'say', 'hello')
    expect(heard.length).toBe(101)
  })

  it('asks an old engine that answers later no more than so often at a time', async () => {
    let answer: (allow: boolean) => void = () => undefined
    const waiting = new Promise<boolean>((resolve) => {
      answer = resolve
    })
    const can = shadowAsync((..._asked: CheckArguments) => waiting, pdp(), { sample: 1, decide: 'new' })
    for (let at = 0; at < SHADOW_PENDING_MAX + 5; at++) expect(await can('ana', 'say', 'hello')).toBe(true)
    expect(can.counts).toMatchObject({ pending: SHADOW_PENDING_MAX, sampled: SHADOW_PENDING_MAX, skipped: 5 })
    answer(true)
    await new Promise(setImmediate)
    expect(can.counts).toMatchObject({ pending: 0, agreed: SHADOW_PENDING_MAX, differed: 0 })
  })

  it('samples about the part that it is given, and nothing with 0', () => {
    const count = (sample: number) => {
      const can = shadow(allowAll, pdp(), { sample })
      for (let at = 0; at < 2_000; at++) can('ana', 'say', 'hello')
      return can.counts.sampled
    }
    expect([count(0), count(1)]).toEqual([0, 2_000])
    expect(Math.abs(count(0.5) - 1_000)).toBeLessThan(250) // 11 standard deviations
  })

  it.each<[object, string]>([
    [{ sample: 2 }, '`sample` is a number from 0 to 1'],
    [{ sample: Number.NaN }, '`sample`'],
    [{ sample: '0.5' }, '`sample`'],
    [{ decide: 'both' }, '`decide` is `old` or `new`'],
  ])('refuses %j', (options, message) => {
    expect(() => shadow(allowAll, pdp(), options as ShadowOptions<never>)).toThrow(message)
  })

  it('says so where the old function gives a promise', async () => {
    const heard: Difference[] = []
    const late = (async () => true) as unknown as typeof allowAll
    const can = shadow(late, pdp(), { sample: 1, onDifference: (difference) => heard.push(difference) })
    expect(can('ana', 'say', 'hello')).toBeInstanceOf(Promise)
    expect(heard).toMatchObject([
      { old: null, new: true, cause: 'failed', old_reason: expect.stringContaining('shadowAsync') },
    ])
  })

  it('costs no answer and no process, whatever the other one throws, gives or says', async () => {
    const hostile = [
      () => {
        throw Object.create(null)
      },
      () => {
        throw Object.defineProperty(new Error(), 'message', { get: () => Object.create(null) })
      },
      () => Promise.reject(new Error('late')),
      () =>
        new Proxy(
          {},
          {
            has: () => {
              throw new Error('no')
            },
          },
        ),
      () => ({}),
      () => Symbol('yes'),
    ]
    const heard: string[] = []
    const stop = hearContained((place) => void heard.push(place))
    for (const old of hostile) {
      const explainOld = (() => Promise.reject(new Error('no reason'))) as never
      const options = { sample: 1, decide: 'new', explainOld, onDifference: old as never } as const
      for (const can of [
        shadow(old as never as typeof allowAll, pdp(), options),
        shadowAsync(old as never, pdp(), options),
      ])
        expect(await (can as typeof allowAll)('zoe', 'say', 'hello')).toBe(false)
      const failing = { check: old, explain: old } as never
      for (const can of [
        shadow(allowAll, failing, { sample: 1 }),
        shadowAsync(async (..._asked: CheckArguments) => true, failing, { sample: 1 }),
      ]) {
        expect(await can('zoe', 'say', 'hello')).toBe(true)
        expect(can.counts).toMatchObject({ sampled: 1, pending: 0 })
      }
    }
    await new Promise(setImmediate)
    stop()
    expect(new Set(heard)).toEqual(new Set(['`onDifference` of a shadow run']))
  })

  it('takes questions of any form', () => {
    const heard: Difference[] = []
    const can = shadow(
      (user: { id: string }, note: { id: number }, verb: string) =>
        user.id === 'ana' && note.id === 1 && verb === 'wave',
      pdp(),
      {
        sample: 1,
        question: ({ id }, note, action): ShadowQuestion => ({ user: id, action, resource: `hello:${note.id}` }),
        onDifference: (difference, [user, note]) => heard.push({ ...difference, detail: `${user.id} ${note.id}` }),
      },
    )
    expect([can({ id: 'ana' }, { id: 1 }, 'wave'), can({ id: 'ben' }, { id: 2 }, 'wave')]).toEqual([true, false])
    expect(heard).toMatchObject([
      { detail: 'ben 2', user: 'ben', action: 'wave', resource: { type: 'hello', key: '2' } },
    ])
  })
})

const pdp = (): Pdp =>
  loadImage(
    Image.build(ENVIRONMENT, makePosition(7), [
      ...HELLO,
      put('resource', 'note', { actions: ['read'] }),
      putUser('eve'),
      give('eve', 'viewer', 'acme'),
      putRole('late', ['hello:say']),
      put('role_assignment', 'eve/late/default', { user: 'eve', role: 'late', tenant: 'default', valid_until: 1 }),
      put('condition_set', 'old', {
        type: 'userset',
        resource: null,
        parent: null,
        conditions: { 'user.age': { 'greater-than': 17 } },
      }),
      put('set_rule', 'old/note:read/__autogen_note', {
        user_set: 'old',
        permission: 'note:read',
        resource_set: '__autogen_note',
      }),
      put('resource_instance', 'note:n1', { tenant: 'acme', attributes: {} }),
    ]).save(),
  )

describe('a difference', () => {
  const ask = (user: unknown, action: string, resource: unknown, wanted: Partial<Difference>, old = true) => {
    const heard: Difference[] = []
    const can = shadow((..._asked: CheckArguments) => old, pdp(), {
      sample: 1,
      onDifference: (difference) => heard.push(difference),
      explainOld: () => 'by the table',
    })
    expect(can(user as never, action, resource as never)).toBe(old)
    expect(heard).toMatchObject([{ old, decide: 'old', old_reason: 'by the table', ...wanted }])
    return heard[0]!
  }

  it.each<[string, unknown, string, unknown, Partial<Difference>]>([
    ['an unknown user', 'nobody', 'say', 'hello', { cause: 'unknown_user', user: 'nobody', revision: 7 }],
    ['an unknown action', 'ana', 'shout', 'hello', { cause: 'unknown_action', detail: 'hello:shout' }],
    ['an unknown resource type', 'ana', 'say', 'hullo', { cause: 'unknown_resource', detail: 'hullo' }],
    ['an unknown tenant', 'ana', 'say', { type: 'hello', tenant: 'acne' }, { cause: 'unknown_tenant', detail: 'acne' }],
    ['no role', 'zoe', 'say', 'hello', { cause: 'role_missing', detail: 'hello:say' }],
    ['no role in the tenant', 'ana', 'say', { type: 'hello', tenant: 'acme' }, { cause: 'role_missing' }],
    ['a role without the permission', 'ben', 'say', 'hello', { cause: 'permission_missing', detail: 'hello:say' }],
    ['a role that has ended', 'eve', 'say', 'hello', { cause: 'not_in_force', detail: 'late' }],
    [
      'a condition',
      { key: 'zoe', attributes: { age: 5 } },
      'read',
      'note',
      { cause: 'condition', detail: 'old on __autogen_note: note:read' },
    ],
    [
      'an instance of another tenant',
      'zoe',
      'read',
      { type: 'note', key: 'n1', tenant: 'default' },
      { cause: 'other_tenant', detail: 'note' },
    ],
    [
      'a question that is none',
      'ana',
      'say',
      { type: 5 },
      { cause: 'failed', detail: 'new: INPUT_INVALID', new: null, revision: null },
    ],
  ])('has its cause: %s', (_, user, action, resource, wanted) => {
    ask(user, action, resource, wanted)
  })

  it('has its cause: a role, and an access rule, that allow', () => {
    ask(
      'ana',
      'say',
      'hello:h1',
      { cause: 'role', detail: 'admin: hello:say', new: true, resource: { type: 'hello', key: 'h1' } },
      false,
    )
    const adult = { key: 'zoe', attributes: { age: 18 } }
    ask(adult, 'read', 'note', { cause: 'access_rule', detail: 'old on __autogen_note: note:read', user: 'zoe' }, false)
  })

  it('has no attributes, and no text that is long', () => {
    const secret = { key: 'zoe', attributes: { age: 5, pin: 'secret-pin' } }
    expect(JSON.stringify(ask(secret, 'read', 'note', {}))).not.toContain('secret-pin')
    expect(ask('x'.repeat(5_000), 'say', 'hello', {}).user!.length).toBeLessThan(300)
  })
})

describe('the file of differences', () => {
  const sum = ({ differed, failed }: ShadowCounts) => differed + failed

  it('has each difference once, and the counts; only its owner reads it', async () => {
    const file = join(temporaryFolder('shadow'), 'differences.ndjson')
    for (const user of ['zoe', 'ben']) {
      const can = shadow(allowAll, pdp(), { sample: 1, file })
      for (const action of ['say', 'wave']) can(user, action, 'hello')
      await can.close()
      expect(sum(can.counts) + can.counts.agreed).toBe(2)
    }
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.filter(({ counts }) => counts === undefined).map(({ user, action }) => `${user} ${action}`)).toEqual([
      'zoe say',
      'zoe wave',
      'ben say',
    ])
    expect(lines.filter(({ counts }) => counts !== undefined).map(({ counts }) => counts.sampled)).toEqual([2, 2])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('is bounded, and what it does not take is counted', async () => {
    const file = join(temporaryFolder('shadow'), 'differences.ndjson')
    const can = shadow(allowAll, pdp(), { sample: 1, file, fileBytesMax: 1_000 })
    for (let at = 0; at < 50; at++) can('zoe', 'say', 'hello')
    await can.close()
    const written = readFileSync(file, 'utf8').trim().split('\n').length - 1
    expect([written > 0, written + can.counts.unwritten, can.counts.reported]).toEqual([true, 50, 50])
  })

  it('that cannot be written costs no answer', async () => {
    const heard: string[] = []
    const stop = hearContained((place) => void heard.push(place))
    const file = join(temporaryFolder('shadow'), 'a-folder')
    mkdirSync(file)
    const can = shadow(allowAll, pdp(), { sample: 1, file })
    expect(can('zoe', 'say', 'hello')).toBe(true)
    await can.close()
    stop()
    expect([can.counts.unwritten, new Set(heard)]).toEqual([1, new Set(['the file of a shadow run'])])
  })
})
