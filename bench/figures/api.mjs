// Management rows: writes of 64 clients that are on disk when answered, beside the same route when it has nothing to
// write.
import { median, quantile } from '../sampling.mjs'
import { measureLargeUser } from './api-large-user.mjs'
import { measureMillion } from './api-million.mjs'
import { measureInstanceSearch } from './api-search.mjs'
import { measureWait } from './api-wait.mjs'
import { LoadGenerator } from './load.mjs'
import { withServers } from './servers.mjs'

const CONNECTIONS = 64

export async function measureApi(results, context) {
  await measureWrites(results, context)
  await measureLargeUser(results, context)
  await measureWait(results, context)
  await measureInstanceSearch(results, context)
  await measureMillion(results, context)
}

async function measureWrites(results, { effort, progress }) {
  const plan = { full: { rounds: 9, ms: 2_000 }, quick: { rounds: 5, ms: 300 }, tiny: { rounds: 2, ms: 50 } }[effort]
  const loads = new LoadGenerator()
  try {
    await withServers(async (servers) => {
      progress('api: durable writes beside the same route without a write')
      const { api, key, facts } = await servers.apiWithUnwritten()
      const post = { port: api, method: 'POST', path: `${facts}/users`, key, connections: CONNECTIONS, ms: plan.ms }
      const writes = []
      const keyed = []
      const unwritten = []
      const tails = []
      let first = 0
      let firstKeyed = 0
      for (let round = 0; round < plan.rounds; round++) {
        const written = await loads.run({ ...post, first, body: '{"key":"bench-%d"}', expect: [200, 201] })
        first = written.last
        writes.push(written.perSecond)
        tails.push(quantile(written.latencies, 0.99))
        const once = { isKeyed: true, first: firstKeyed, body: '{"key":"keyed-%d"}', expect: [200, 201] }
        const repeatable = await loads.run({ ...post, ...once })
        firstKeyed = repeatable.last
        keyed.push(repeatable.perSecond)
        const path = `${facts}/users-unwritten`
        unwritten.push((await loads.run({ ...post, path, body: '{"key":"bench-%d"}', expect: [200] })).perSecond)
      }
      const share = writes.map((rate, round) => rate / unwritten[round])
      results.addFigure({
        name: `durable writes, ${CONNECTIONS} clients (POST users)`,
        value: median(writes),
        unit: 'writes/s',
        peer: `the same route without the write, ${Math.round(median(unwritten)).toLocaleString('en-US')}/s`,
        ratio: median(share),
        least: 0.4,
      })
      results.addFigure({ name: 'p99 of those writes', value: median(tails), unit: 'ms' })
      results.addFigure({
        name: 'the same writes, each with an idempotency key',
        value: median(keyed),
        unit: 'writes/s',
        peer: 'the writes without one',
        ratio: median(keyed.map((rate, round) => rate / writes[round])),
        least: 0.8,
      })
    })
  } finally {
    loads.close()
  }
}
