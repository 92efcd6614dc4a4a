// HTTP rows: POST /allowed beside a bare node:http server (allowed.mjs), bulk beside single calls, evaluations beside
// both, and the tail of checks while others write.
import { median, quantile } from '../sampling.mjs'
import { measureAllowed } from './allowed.mjs'
import { LoadGenerator } from './load.mjs'
import { withServers } from './servers.mjs'

const CHECK =
  '{"user":{"key":"ana","email":"ana@example.com","attributes":{}},"action":"wave","resource":{"type":"hello","tenant":"default","attributes":{}},"context":{}}'
/** The same question about an instance, as a check and as an AuthZEN evaluation. */
const CHECK_OF_INSTANCE = CHECK.replace('"type":"hello"', '"type":"hello","key":"one"')
const EVALUATION =
  '{"subject":{"type":"user","id":"ana"},"action":{"name":"wave"},"resource":{"type":"hello","id":"one"},"context":{}}'
const CONNECTIONS = 64

export async function measureHttp(results, { effort, progress }) {
  const plan = {
    full: { rounds: 9, ms: 2_000, tailMs: 5_000, tailRounds: 5 },
    quick: { rounds: 5, ms: 250, tailMs: 500, tailRounds: 2 },
    tiny: { rounds: 2, ms: 50, tailMs: 50, tailRounds: 1 },
  }[effort]
  const loads = { checks: new LoadGenerator(), writes: new LoadGenerator() }
  try {
    await withServers(async (servers) => {
      progress('http: many checks and evaluations beside single ones')
      const server = await servers.serve()
      await measureThroughput(results, plan, loads.checks, server)
      progress('http: the tail of checks while others write')
      await measureTail(results, plan, loads, { name: 'serve', api: server, pdp: server.pdp })
    })
    await withServers(async (servers) => {
      const api = await servers.api()
      const { pdp } = await servers.pdp(api)
      await measureTail(results, plan, loads, { name: 'api and pdp in two processes', api, pdp })
    })
  } finally {
    loads.checks.close()
    loads.writes.close()
  }
  await measureAllowed(results, { effort, progress })
}

async function measureThroughput(results, plan, loads, server) {
  const ask = (port, path, body) =>
    loads.run({ port, method: 'POST', path, key: server.key, body, connections: CONNECTIONS, ms: plan.ms })
  const hundred = (one) => `[${Array.from({ length: 100 }, () => one).join(',')}]`
  const evaluations = `{"evaluations":${hundred(EVALUATION)}}`
  const targets = [
    { name: 'single', run: () => ask(server.pdp, '/allowed', CHECK) },
    { name: 'bulk', run: () => ask(server.pdp, '/allowed/bulk', hundred(CHECK)) },
    { name: 'singleOfInstance', run: () => ask(server.pdp, '/allowed', CHECK_OF_INSTANCE) },
    { name: 'bulkOfInstance', run: () => ask(server.pdp, '/allowed/bulk', hundred(CHECK_OF_INSTANCE)) },
    { name: 'evaluation', run: () => ask(server.pdp, '/access/v1/evaluation', EVALUATION) },
    { name: 'evaluations', run: () => ask(server.pdp, '/access/v1/evaluations', evaluations) },
  ]
  const rates = Object.fromEntries(targets.map(({ name }) => [name, []]))
  for (const { run } of targets) await run()
  for (let round = 0; round < plan.rounds; round++) {
    for (let turn = 0; turn < targets.length; turn++) {
      const { name, run } = targets[(turn + round) % targets.length]
      const { perSecond, sample } = await run()
      if (!/"(allow|decision)":true/.test(sample)) throw new Error(`${name} denies: ${sample}`)
      rates[name].push(perSecond)
    }
  }
  results.addFigure({
    name: 'POST /allowed/bulk of 100',
    value: median(rates.bulk) * 100,
    unit: 'checks/s',
    peer: 'single calls',
    ratio: median(rates.bulk.map((rate, round) => (rate * 100) / rates.single[round])),
    least: 15,
  })
  results.addFigure({
    name: `POST /access/v1/evaluation, ${CONNECTIONS} connections`,
    value: median(rates.evaluation),
    unit: 'requests/s',
    peer: 'POST /allowed about an instance',
    ratio: median(rates.evaluation.map((rate, round) => rate / rates.singleOfInstance[round])),
    least: 0.83,
  })
  results.addFigure({
    name: 'POST /access/v1/evaluations of 100',
    value: median(rates.evaluations) * 100,
    unit: 'checks/s',
    peer: 'POST /allowed/bulk of 100 about an instance',
    ratio: median(rates.evaluations.map((rate, round) => rate / rates.bulkOfInstance[round])),
    least: 0.77,
  })
}

const CHECKS_PER_SECOND = 500
const WRITES_PER_SECOND = 1_000

/**
 * Checks at a fixed rate: alone, beside writes at a fixed rate, and beside writers that write again as soon as they are
 * answered.
 */
async function measureTail(results, plan, { checks, writes }, { name, api, pdp }) {
  const { key } = api
  const ask = { port: pdp, method: 'POST', path: '/allowed', key, body: CHECK, connections: 64 }
  const users = { port: api.api, method: 'POST', path: `${api.facts}/users`, key, body: '{"key":"tail-%d"}' }
  const write = { ...users, connections: CONNECTIONS, expect: [200, 201], ms: plan.tailMs + 100 }
  let first = 0
  const tail = async (beside) => {
    const writing = beside === undefined ? undefined : writes.run({ ...write, ...beside, first })
    const { latencies } = await checks.run({ ...ask, perSecond: CHECKS_PER_SECOND, ms: plan.tailMs })
    first = (await writing)?.last ?? first
    return quantile(latencies, 0.99)
  }
  const [idle, open, closed] = [[], [], []]
  for (let round = 0; round < plan.tailRounds; round++) {
    idle.push(await tail())
    open.push(await tail({ perSecond: WRITES_PER_SECOND }))
  }
  for (let round = 0; round < plan.tailRounds; round++) closed.push(await tail({}))
  const peer = `nobody writes, ${median(idle).toFixed(2)} ms`
  results.addFigure({
    name: `p99 of ${CHECKS_PER_SECOND} POST /allowed a second beside ${WRITES_PER_SECOND.toLocaleString('en-US')} writes a second (${name})`,
    value: median(open),
    unit: 'ms',
    peer,
    ratio: median(open) / median(idle),
    most: 2,
  })
  results.addFigure({
    name: `p99 of ${CHECKS_PER_SECOND} POST /allowed a second while ${CONNECTIONS} clients write again at once (${name})`,
    value: median(closed),
    unit: 'ms',
    peer,
    ratio: median(closed) / median(idle),
  })
}
