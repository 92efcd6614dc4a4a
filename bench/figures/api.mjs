// Management rows: writes of 64 clients that are on disk when answered, beside the same route when it has nothing to write.
import { median, quantile } from '../sampling.mjs'
import { LoadGenerator } from './load.mjs'
import { withServers } from './servers.mjs'

const CONNECTIONS = 64

export async function measureApi(results, { effort, progress }) {
  const plan = { full: { rounds: 9, ms: 2_000 }, quick: { rounds: 5, ms: 300 }, tiny: { rounds: 2, ms: 50 } }[effort]
  const loads = new LoadGenerator()
  try {
    await withServers(async (servers) => {
      progress('api: durable writes beside the same route without a write')
      const { api, key, facts } = await servers.api()
      const post = { port: api, method: 'POST', path: `${facts}/users`, key, connections: CONNECTIONS, ms: plan.ms }
      await loads.run({ ...post, connections: 1, ms: 1, body: '{"key":"known"}', expect: [200, 201, 409] })
      const writes = []
      const refusals = []
      const tails = []
      let first = 0
      for (let round = 0; round < plan.rounds; round++) {
        const written = await loads.run({ ...post, first, body: '{"key":"bench-%d"}', expect: [200, 201] })
        first = written.last
        writes.push(written.perSecond)
        tails.push(quantile(written.latencies, 0.99))
        refusals.push((await loads.run({ ...post, body: '{"key":"known"}', expect: [409] })).perSecond)
      }
      const share = writes.map((rate, round) => rate / refusals[round])
      results.addFigure({
        name: `durable writes, ${CONNECTIONS} clients (POST users)`,
        value: median(writes),
        unit: 'writes/s',
        peer: `the same route, key taken (409), ${Math.round(median(refusals)).toLocaleString('en-US')}/s`,
        ratio: median(share),
        least: 0.4,
      })
      results.addFigure({ name: 'p99 of those writes', value: median(tails), unit: 'ms' })
    })
  } finally {
    loads.close()
  }
}
