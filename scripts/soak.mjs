// npm run soak: checks and writes against `zerohop api` and `zerohop pdp` for a long time, while their memory is
// measured. The state at the end equals that at the beginning (users come and go, attributes change), so memory that
// keeps growing is a leak. Prints the memory of both, draws it, and says whether it still grows in the second half by
// more than it swings (soak/verdict.mjs); exit 1 when it does.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoadGenerator } from '../bench/figures/load.mjs'
import { withServers } from '../bench/figures/servers.mjs'
import { OLD_SPACE_MIB, readMemory, watched, YOUNG_SPACE_MIB } from './soak/memory.mjs'
import { CREEP_BYTES, JUDGED, SAMPLES_MIN, verdictOn } from './soak/verdict.mjs'

const HELP = `Usage: npm run soak [-- options]

  --checks N   checks to ask, default 10000000: nine of ten in bulks of 100
  --deltas N   writes, each a delta to the PDP, default 100000
  --draw FILE  draws the memory over time as SVG (by the chart tool of the bench)
  --json FILE  also writes the samples as JSON

Exit 0: steady, or too short to judge. 1: it grows. 2: a wrong argument.`

const BULK = 100
const check = (user, action) =>
  `{"user":{"key":"${user}","attributes":{"level":3}},"action":"${action}","resource":{"type":"hello","tenant":"default"}}`
const SINGLE = check('ana', 'wave')
const MANY = `[${Array.from({ length: BULK }, (_, at) => check(at % 3 === 0 ? 'ben' : at % 7 === 0 ? `soak-${at}` : 'ana', at % 2 ? 'say' : 'wave')).join(',')}]`
const ROUND_MS = 1_000
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1).padStart(6)} MiB`
const COMING_AND_GOING = 25
/** Share of the whole by which checks may be ahead of deltas, or behind them. */
const LEAD_MAX = 0.02
const SAYS = { steady: 'steady', grows: 'it GROWS', 'too short': 'too short to judge' }

const options = readOptions()
if (options.help) console.log(HELP)
else process.exitCode = await soak(options.checks, options.deltas)

/** Exit 2 on a wrong argument: nothing is started. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        checks: { type: 'string', default: '10000000' },
        deltas: { type: 'string', default: '100000' },
        draw: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    const [checks, deltas] = [values.checks, values.deltas].map(Number)
    if (!Number.isSafeInteger(checks) || !Number.isSafeInteger(deltas) || checks < 0 || deltas < 0)
      throw new Error('--checks and --deltas take whole numbers')
    return { ...values, checks, deltas }
  } catch (error) {
    process.stderr.write(`soak: ${error.message.split('. ')[0]} (see --help)\n`)
    process.exit(2)
  }
}

async function soak(wantedChecks, wantedDeltas) {
  const loads = new LoadGenerator()
  try {
    return await withServers(async (servers) => {
      const sockets = servers.folder()
      const [pdpSocket, apiSocket] = [join(sockets, 'pdp'), join(sockets, 'api')]
      const api = await servers.api(undefined, watched(apiSocket))
      const { pdp, pid } = await servers.pdp(api, watched(pdpSocket))
      const processes = { pdp: { pid, socket: pdpSocket }, api: { pid: api.pid, socket: apiSocket } }
      console.log(
        `both servers with an old space of ${OLD_SPACE_MIB} MiB and a young one of ${YOUNG_SPACE_MIB} MiB, each sample after a full collection;\n` +
          'resident: all pages of the process · own: those of no file (the data of the API is a mapped file) · heap: what JavaScript holds\n',
      )
      return report(await run(loads, { ...api, pdp }, processes, wantedChecks, wantedDeltas))
    })
  } finally {
    loads.close()
  }
}

/**
 * Rounds of load, and a sample of the memory after each. Checks and deltas go on side by side: each half of the run has
 * half of both.
 */
async function run(loads, at, processes, wantedChecks, wantedDeltas) {
  const done = { checks: 0, deltas: 0 }
  const started = performance.now()
  const samples = []
  for (let round = 0; done.checks < wantedChecks || done.deltas < wantedDeltas; round++) {
    const ahead = done.checks / wantedChecks - done.deltas / wantedDeltas
    const asking =
      ahead <= LEAD_MAX ? ask(loads, at, Math.min(wantedChecks - done.checks, wantedChecks / SAMPLES_MIN / 2)) : 0
    const writing = ahead >= -LEAD_MAX ? write(loads, at, done.deltas, wantedDeltas, round) : 0
    done.checks += await asking
    done.deltas += await writing
    const seconds = (performance.now() - started) / 1000
    const [pdp, api] = await Promise.all([readMemory(processes.pdp), readMemory(processes.api)])
    samples.push({ seconds, checks: done.checks, deltas: done.deltas, pdp, api })
    print(samples)
  }
  return samples
}

/** Single checks for a tenth of the time, bulk checks for the rest. */
async function ask(loads, { pdp, key }, left) {
  const load = (path, body, connections, ms) =>
    loads.run({ port: pdp, method: 'POST', path, key, body, connections, ms: Math.max(20, ms) })
  const share = Math.min(1, left / 50_000) * ROUND_MS
  const single = await load('/allowed', SINGLE, 8, share / 10)
  const bulk = await load('/allowed/bulk', MANY, 4, (share * 9) / 10)
  return single.requests + bulk.requests * BULK
}

/** Attributes that change, and users that come and go. */
async function write(loads, { api, key, facts }, first, wanted, round) {
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
    ms: Math.max(20, Math.min(1, (wanted - first) / 1_000) * ROUND_MS),
  })
  for (const name of names) await call('DELETE', `/users/${name}`)
  return changing.requests + 3 * COMING_AND_GOING
}

function print(samples) {
  const { seconds, checks, deltas, pdp, api } = samples.at(-1)
  const count = (number) => number.toLocaleString('en-US').padStart(11)
  if (samples.length % 5 !== 1) return
  console.log(
    `${seconds.toFixed(0).padStart(5)} s ${count(checks)} checks ${count(deltas)} deltas   pdp resident ${mib(pdp.resident)} heap ${mib(pdp.heap)}` +
      `   api resident ${mib(api.resident)} own ${mib(api.own)} heap ${mib(api.heap)}`,
  )
}

async function report(samples) {
  const last = samples.at(-1)
  console.log(
    `\n${last.checks.toLocaleString('en-US')} checks, ${last.deltas.toLocaleString('en-US')} deltas in ${last.seconds.toFixed(0)} s; in the second half (growth is more than twice the swings and ${mib(CREEP_BYTES).trim()}):`,
  )
  const verdicts = JUDGED.map((what) => verdictOn(what, samples))
  for (const { side, part, rise, noise, perMillionChecks, perDeltas, verdict } of verdicts)
    console.log(
      `${side} ${part.padEnd(8)} ${mib(samples[0][side][part])} at first, ${mib(last[side][part])} at last: ${mib(rise)} more ` +
        `(${mib(perMillionChecks)} per million checks, ${mib(perDeltas)} per 100,000 deltas), swings of ${mib(noise)}: ${SAYS[verdict]}`,
    )
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ samples, verdicts }, null, 2)}\n`)
  if (options.draw) {
    const { drawMemory } = await import('../bench/chart.mjs')
    await drawMemory(samples, options.draw)
  }
  return verdicts.some(({ verdict }) => verdict === 'grows') ? 1 : 0
}
