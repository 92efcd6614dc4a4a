// One process of the check measurements: loads one world into some candidates, compares each decision with the plain
// definition, then measures in interleaved rounds, the order rotated, and sends back every round's figures.
import { serveJob } from './child.mjs'
import { candidate } from './registry.mjs'
import { makeRuleWorld, RULE_WORLDS } from './rule-worlds.mjs'
import { loadSampler, median, quantile } from './sampling.mjs'
import { makeWorld } from './workloads.mjs'

const BATCH = 16
/** Checks that even the slowest engine has to answer. */
const CHECKS_MIN = 4
/** A call slower than this is timed alone: p50 and p99 over batches are for calls shorter than the clock's step. */
const ALONE_ABOVE_MS = 0.005

/**
 * @typedef {object} Job
 * @property {string} workload
 * @property {string[]} candidates
 * @property {number} rounds
 * @property {number} roundMs what one candidate may take in one round, about
 * @property {number} verifyMs how long a peer may take to be compared; what it answers in that time is what is measured
 * @property {number} checks how many of the world's checks to use at most
 * @property {boolean} tiny
 */

serveJob(async (/** @type {Job} */ job, loaded) => {
  const withRules = job.workload in RULE_WORLDS
  const world = (withRules ? makeRuleWorld : makeWorld)(job.workload, { checks: job.checks })
  const sample = await loadSampler(job)
  const text = JSON.stringify(world.checks)
  const racers = []
  const engines = new Map()
  for (const name of job.candidates) {
    const { form, group, baseline, ...files } = candidate(name)
    const file = withRules ? files.rules : files.file
    const start = performance.now()
    if (!engines.has(file)) engines.set(file, await load(file, world))
    const loadMs = performance.now() - start
    racers.push({
      name,
      form,
      group,
      baseline,
      ...makeRunner(engines.get(file), world, withRules),
      loadMs,
      rounds: [],
      batches: [],
    })
  }
  loaded()
  for (const racer of racers) await verify(racer, world, job)
  for (let round = 0; round < job.rounds; round++) {
    for (let turn = 0; turn < racers.length; turn++) {
      const racer = racers[(turn + round) % racers.length]
      await measure(racer, sample, world, text, job)
    }
  }
  return racers.map(({ name, baseline, rounds, batches, used, loadMs }) => {
    return { name, baseline, rounds, p50Ns: quantile(batches, 0.5), p99Ns: quantile(batches, 0.99), used, loadMs }
  })
})

async function load(file, world) {
  const module = await import(`./candidates/${file}.mjs`)
  const engine = await module.load(world)
  engine.warm?.(world.checks)
  return engine
}

/** Gives `run(checks, from, to)`, which answers how many of these checks are allowed. */
function makeRunner(engine, world, withRules) {
  const isAsync = engine.async === true
  return { isAsync, run: engine.bind ? engine.bind(world.checks) : loopOver(engine.decide, isAsync, withRules) }
}

/**
 * A loop of its own for each candidate: through one shared loop the call would be megamorphic, which costs the fast
 * ones most and which no application that uses one engine pays.
 */
function loopOver(decide, isAsync, withRules) {
  const call = `decide(check.user, check.action, check.resource, check.tenant${withRules ? ', check.sent' : ''})`
  const body = `return ${isAsync ? 'async ' : ''}function run(checks, from, to) {
    let allowed = 0
    for (let i = from; i < to; i++) {
      const check = checks[i]
      if (${isAsync ? 'await ' : ''}${call}) allowed++
    }
    return allowed
  }`
  return new Function('decide', body)(decide)
}

/**
 * Every decision that will be measured is compared with the plain definition; a slow peer gets as many as fit in its
 * time.
 */
async function verify(racer, world, job) {
  const start = performance.now()
  const patience = racer.group === 'core' ? Number.POSITIVE_INFINITY : job.verifyMs
  const checks = racer.form === 'fresh' ? JSON.parse(JSON.stringify(world.checks)) : world.checks
  let used = 0
  let last = start
  const durations = []
  while (used < checks.length && (used < CHECKS_MIN || last - start < patience)) {
    const allowed = await racer.run(checks, used, used + 1)
    if ((allowed === 1) !== world.expected[used]) {
      const { user, action, resource, tenant } = checks[used]
      throw new Error(`${racer.name} says ${allowed === 1} for ${user} ${action} ${resource} in ${tenant}`)
    }
    used++
    durations.push(performance.now() - last)
    last += durations.at(-1)
  }
  racer.used = used
  racer.allowed = world.expected.slice(0, used).filter(Boolean).length
  racer.callMs = median(durations)
}

/** One round of one candidate: throughput from whole passes, latencies from batches; a slow call is both at once. */
async function measure(racer, sample, world, text, job) {
  const { used, run, isAsync } = racer
  let checks = world.checks
  if (racer.callMs > ALONE_ABOVE_MS) {
    const calls = await sampleFrom(racer, sample, checks, 1)
    racer.rounds.push((used / calls.reduce((sum, ms) => sum + ms, 0)) * 1000)
    for (const ms of calls) racer.batches.push(ms * 1e6)
    return
  }
  const refresh = () => {
    checks = JSON.parse(text)
  }
  const isFresh = racer.form === 'fresh'
  const pass = isAsync
    ? async () => confirm(racer, await run(checks, 0, used))
    : () => confirm(racer, run(checks, 0, used))
  const wanted = job.roundMs / (racer.passMs ?? racer.callMs * used) / (isFresh ? 4 : 1)
  const iterations = Math.max(1, Math.min(30, Math.round(wanted)))
  const passes = await sample(pass, { iterations, before: isFresh ? refresh : undefined, async: isAsync })
  racer.passMs = median(passes)
  racer.rounds.push((used / racer.passMs) * 1000)
  if (isFresh) refresh()
  for (const ms of await sampleFrom(racer, sample, checks, BATCH)) racer.batches.push((ms / BATCH) * 1e6)
}

/** Times the checks in batches of `size`, once each. */
async function sampleFrom({ used, run, isAsync }, sample, checks, size) {
  let from = -size
  const before = () => {
    from += size
  }
  const batch = isAsync ? async () => run(checks, from, from + size) : () => run(checks, from, from + size)
  return sample(batch, { iterations: Math.floor(used / size), before, async: isAsync })
}

/** The timed passes are held to the count of the plain definition too. */
function confirm(racer, allowed) {
  if (allowed !== racer.allowed)
    throw new Error(`${racer.name} allowed ${allowed} checks, the definition ${racer.allowed}`)
}
