// Rows about a shadow run: what it adds to a question of an old function, where both engines agree. The old function is the
// hand-written one of W1, so what it costs itself is small.
import { shadow } from '../../dist/src/shadow.js'
import { load } from '../candidates/hand-written.mjs'
import { openZerohop } from '../candidates/zerohop.mjs'
import { measure } from '../interleaved.mjs'
import { median } from '../sampling.mjs'
import { makeWorld } from '../workloads.mjs'

const SAMPLES = { 'a hundredth of the questions': 0.01, 'every question': 1 }
const US_MAX = 1

export async function measureShadow(results, { effort, progress }) {
  progress('shadow: an old function beside the engine')
  const { rounds, asked } = {
    full: { rounds: 200, asked: 5_000 },
    quick: { rounds: 60, asked: 5_000 },
    tiny: { rounds: 3, asked: 200 },
  }[effort]
  const world = makeWorld('W1')
  const pdp = await openZerohop(world)
  const { decide } = load(world)
  const old = (user, action, { type, tenant }) => decide(user, action, type, tenant)
  const questions = world.checks.slice(0, asked).map(({ user, action, resource, tenant }) => ({
    user,
    action,
    resource: { type: resource, tenant },
  }))
  const shadows = Object.fromEntries(
    Object.entries(SAMPLES).map(([name, sample]) => [name, shadow(old, pdp, { sample })]),
  )
  const works = [['old', old], ...Object.entries(shadows)].map(([name, can]) => [name, askAll(can, questions)])
  const samples = measure(works, rounds)
  for (const can of Object.values(shadows)) {
    const { agreed, sampled } = can.counts
    if (agreed !== sampled) throw new Error(`shadow: ${sampled - agreed} of ${sampled} answers differ`)
  }
  const microseconds = (name) => (median(samples[name]) * 1_000) / questions.length
  for (const name of Object.keys(SAMPLES))
    results.addFigure({
      name: `shadow run that agrees, ${name}: added to one`,
      value: Math.max(0, microseconds(name) - microseconds('old')),
      unit: 'µs',
      ...(effort === 'tiny' ? {} : { most: US_MAX }),
    })
}

/** Made from its text, so that each function is compiled for its own questions alone. */
const askAll = (can, questions) =>
  new Function(
    'can',
    'questions',
    'return () => { let allowed = 0; for (const { user, action, resource } of questions) if (can(user, action, resource)) allowed++; return allowed }',
  )(can, questions)
