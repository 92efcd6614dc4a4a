// What a second worker of a PDP adds (PDP_WORKERS): checks per second over HTTP, in rounds that take turns. On fewer
// than four cores the load and the workers would share them, so that the ratio would tell of the machine: there it is
// not measured.
import { availableParallelism } from 'node:os'
import { median } from '../sampling.mjs'
import { LoadGenerator } from './load.mjs'
import { withServers } from './servers.mjs'

const CORES = 4
const CONNECTIONS = 64
const BODY = '{"user":{"key":"ana"},"action":"wave","resource":{"type":"hello","tenant":"default"}}'

export async function measureWorkers(results, { effort, progress }) {
  if (availableParallelism() < CORES) {
    results.note(`PDP_WORKERS=2 beside one: not measured here, it needs ${CORES} cores`)
    return
  }
  const { rounds, ms } = { full: { rounds: 9, ms: 2_000 }, quick: { rounds: 3, ms: 250 }, tiny: { rounds: 1, ms: 50 } }[
    effort
  ]
  progress('workers: two processes on one port beside one')
  const loads = [new LoadGenerator(), new LoadGenerator()]
  try {
    await withServers(async (servers) => {
      const api = await servers.serve()
      const pdps = [await servers.pdp(api, { PDP_WORKERS: 1 }), await servers.pdp(api, { PDP_WORKERS: 2 })]
      const rates = [[], []]
      for (let round = -1; round < rounds; round++) {
        for (const turn of [0, 1]) {
          const at = (turn + round + 2) % 2
          const load = { port: pdps[at].pdp, method: 'POST', path: '/allowed', key: api.key, body: BODY, ms }
          const done = await Promise.all(loads.map((each) => each.run({ ...load, connections: CONNECTIONS / 2 })))
          if (round >= 0) rates[at].push(done.reduce((sum, { perSecond }) => sum + perSecond, 0))
        }
      }
      results.addFigure({
        name: 'POST /allowed, PDP_WORKERS=2',
        value: median(rates[1]),
        unit: 'requests/s',
        peer: `PDP_WORKERS=1, ${Math.round(median(rates[0])).toLocaleString('en-US')} requests/s`,
        ratio: median(rates[1].map((rate, round) => rate / rates[0][round])),
        least: 1.7,
      })
    })
  } finally {
    for (const load of loads) load.close()
  }
}
