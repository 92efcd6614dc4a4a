// The process behind the rows about grants for a time: images that differ in nothing but times, asked in turn.
import { loadImage } from '../../dist/src/index.js'
import { serveJob } from '../child.mjs'
import { askAll, measure } from '../interleaved.mjs'
import { median } from '../sampling.mjs'
import { countGrants, manyChanges, tenantKey, timedChanges, timedQuestions } from '../times-world.mjs'
import { ENVIRONMENT, FIRST, Image } from '../zerohop-image.mjs'

serveJob(async ({ users, others, many, questions: count, rounds }, loaded) => {
  const build = (changes) => Image.build(ENVIRONMENT, FIRST, changes).save()
  const world = { users, others }
  const saved = {
    plain: build(timedChanges({ ...world, isAsked: false, areOthers: false })),
    unmet: build(timedChanges({ ...world, isAsked: false, areOthers: true })),
    met: build(timedChanges({ ...world, isAsked: true, areOthers: false })),
    all: build(timedChanges({ ...world, isAsked: true, areOthers: true })),
  }
  loaded()
  const questions = timedQuestions(users, count)
  const asked = Object.fromEntries(
    ['plain', 'unmet', 'met'].map((name) => [name, askAll(name, loadImage(saved[name]), questions)]),
  )
  const one = { user: 'many', resource: { type: 'invoice', tenant: tenantKey(0) }, isAllowed: true }
  const repeated = Array.from({ length: Math.ceil(count / 20) }, () => one)
  const ofMany = (isTimed) => loadImage(build(manyChanges({ count: many, isTimed })))
  Object.assign(asked, {
    manyPlain: askAll('many, without times', ofMany(false), repeated),
    manyTimed: askAll('many, with times', ofMany(true), repeated),
    clock: () => readClock(count),
  })
  const samples = measure(Object.entries(asked), rounds)
  const ns = (name, of = count) => (median(samples[name]) * 1e6) / of
  const ratio = (name, peer) => median(samples[name].map((took, round) => took / peer(round)))
  return {
    plainNs: ns('plain'),
    clockNs: ns('clock'),
    unmet: { ns: ns('unmet'), ratio: ratio('unmet', (round) => samples.plain[round]) },
    met: { ns: ns('met'), ratio: ratio('met', (round) => 2 * samples.plain[round] + samples.clock[round]) },
    many: { ns: ns('manyTimed', repeated.length), ratio: ratio('manyTimed', (round) => samples.manyPlain[round]) },
    bytes: (saved.all.length - saved.plain.length) / countGrants(world),
  }
})

function readClock(times) {
  let sum = 0
  for (let at = 0; at < times; at++) sum += Date.now() % 2
  if (sum < 0) throw new Error('the clock was not read')
}
