// npm run soak: checks and writes against `zerohop api` and `zerohop pdp` for a long time, and what their memory does meanwhile. The state at the end
// is the state at the beginning: users come and go, attributes change, so memory that grows is memory that leaks. Prints the resident memory of
// both, draws it, and says whether it still grows in the second half by more than it swings; exit 1 when it does.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { LoadGenerator } from '../bench/figures/load.mjs'
import { withServers } from '../bench/figures/servers.mjs'

const HELP = `Usage: npm run soak [-- options]

  --checks N   checks to ask, default 10000000: nine of ten in bulks of 100
  --deltas N   writes, each a delta to the PDP, default 100000
  --draw FILE  draws the memory over time as SVG (by the chart tool of the bench)
  --json FILE  also writes the samples as JSON`

const BULK = 100
const check = (user, action) =>
  `{"user":{"key":"${user}","attributes":{"level":3}},"action":"${action}","resource":{"type":"hello","tenant":"default"}}`
const SINGLE = check('ana', 'wave')
const MANY = `[${Array.from({ length: BULK }, (_, at) => check(at % 3 === 0 ? 'ben' : at % 7 === 0 ? `soak-${at}` : 'ana', at % 2 ? 'say' : 'wave')).join(',')}]`
const ROUND_MS = 1_000
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1).padStart(6)} MiB`
const COMING_AND_GOING = 25

const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '10000000' },
    deltas: { type: 'string', default: '100000' },
    draw: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) console.log(HELP)
else process.exitCode = await soak(Number(values.checks), Number(values.deltas))

async function soak(wantedChecks, wantedDeltas) {
  const loads = new LoadGenerator()
  try {
    return await withServers(async (servers) => {
      const api = await servers.api()
      const { pdp } = await servers.pdp(api)
      const samples = await run(loads, { ...api, pdp }, wantedChecks, wantedDeltas)
      return report(samples)
    })
  } finally {
    loads.close()
  }
}

/** Rounds of load, and a sample of the memory after each. */
async function run(loads, at, wantedChecks, wantedDeltas) {
  const done = { checks: 0, deltas: 0 }
  const started = performance.now()
  const samples = []
  for (let round = 0; done.checks < wantedChecks || done.deltas < wantedDeltas; round++) {
    const asking = done.checks < wantedChecks ? ask(loads, at, wantedChecks - done.checks) : 0
    const writing = done.deltas < wantedDeltas ? write(loads, at, done.deltas, round) : 0
    done.checks += await asking
    done.deltas += await writing
    const seconds = (performance.now() - started) / 1000
    const [pdp, api] = [await residentOf(at.pdp, at.key), await residentOf(at.api, at.key)]
    samples.push({ seconds, checks: done.checks, deltas: done.deltas, pdp, api })
    print(samples)
  }
  return samples
}

/** A tenth of the time single checks, the rest in bulks. */
async function ask(loads, { pdp, key }, left) {
  const load = (path, body, connections, ms) =>
    loads.run({ port: pdp, method: 'POST', path, key, body, connections, ms: Math.max(20, ms) })
  const share = Math.min(1, left / 50_000) * ROUND_MS
  const single = await load('/allowed', SINGLE, 8, share / 10)
  const bulk = await load('/allowed/bulk', MANY, 4, (share * 9) / 10)
  return single.requests + bulk.requests * BULK
}

/** Attributes that change, and users that come and go. */
async function write(loads, { api, key, facts }, first, round) {
  const call = (method, path, body) =>
    fetch(`http://127.0.0.1:${api}${facts}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).then((response) => response.arrayBuffer())
  const names = Array.from({ length: COMING_AND_GOING }, (_, at) => `soak-${round}-${at}`)
  for (const name of names) await call('POST', '/users', { key: name, attributes: { round } })
  for (const name of names) await call('POST', '/role_assignments', { user: name, role: 'viewer', tenant: 'default' })
  const changing = await loads.run({
    port: api,
    method: 'PATCH',
    path: `${facts}/users/ben`,
    key,
    body: '{"attributes":{"turn":"%d"}}',
    first,
    connections: 16,
    ms: ROUND_MS,
  })
  for (const name of names) await call('DELETE', `/users/${name}`)
  return changing.requests + 3 * COMING_AND_GOING
}

async function residentOf(port, key) {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${key}` } })
  const text = await answer.text()
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1])
}

function print(samples) {
  const { seconds, checks, deltas, pdp, api } = samples.at(-1)
  const count = (number) => number.toLocaleString('en-US').padStart(11)
  if (samples.length % 5 === 1)
    console.log(
      `${seconds.toFixed(0).padStart(5)} s ${count(checks)} checks ${count(deltas)} deltas   pdp ${mib(pdp)}   api ${mib(api)}`,
    )
}

async function report(samples) {
  const last = samples.at(-1)
  console.log(
    `\n${last.checks.toLocaleString('en-US')} checks, ${last.deltas.toLocaleString('en-US')} deltas in ${last.seconds.toFixed(0)} s`,
  )
  const verdicts = ['pdp', 'api'].map((side) => verdictOn(side, samples))
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ samples, verdicts }, null, 2)}\n`)
  if (values.draw) {
    const { drawMemory } = await import('../bench/chart.mjs')
    await drawMemory(samples, values.draw)
  }
  return verdicts.every(({ grows }) => !grows) ? 0 : 1
}

/** The line through the second half: what it rises by, beside how far single samples lie from it. */
function verdictOn(side, samples) {
  const half = samples.slice(Math.floor(samples.length / 2))
  const { slope, noise } = lineThrough(half.map((each) => [each.seconds, each[side]]))
  const rise = slope * (half.at(-1).seconds - half[0].seconds)
  const grows = half.length > 4 && rise > 2 * noise
  const perMillion = rise / Math.max(1e-9, (half.at(-1).checks - half[0].checks) / 1e6)
  console.log(
    `${side}: ${mib(samples[0][side])} at first, ${mib(samples.at(-1)[side])} at last; in the second half ${mib(rise)} more ` +
      `(${mib(perMillion)} per million checks), swings of ${mib(noise)}: ${half.length < 5 ? 'too short to judge' : grows ? 'it GROWS' : 'steady'}`,
  )
  return { side, rise, noise, grows }
}

/** Least squares; `noise` is the standard deviation of what is left. */
function lineThrough(points) {
  const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))]
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  const slope = spread === 0 ? 0 : points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread
  const noise = Math.sqrt(mean(points.map(([at, value]) => (value - y - slope * (at - x)) ** 2)))
  return { slope, noise }
}
