// What the decision log costs: POST /allowed with the file sink on beside the same server without it, in turns. By
// processor time per request, as the server itself counts it: what limits a server of one thread, and what neighbours
// on the machine do not change.
import { median } from '../sampling.mjs'
import { LoadGenerator } from './load.mjs'
import { withServers } from './servers.mjs'

const CHECK =
  '{"user":{"key":"ana","email":"ana@example.com","attributes":{}},"action":"wave","resource":{"type":"hello","tenant":"default","attributes":{}},"context":{}}'
const CONNECTIONS = 64

export async function measureDecisionLog(results, { effort, progress }) {
  const { rounds, ms } = {
    full: { rounds: 9, ms: 2_000 },
    quick: { rounds: 5, ms: 500 },
    tiny: { rounds: 2, ms: 50 },
  }[effort]
  progress('decision log: POST /allowed with the file sink')
  const loads = new LoadGenerator()
  try {
    await withServers(async (servers) => {
      const sides = [await side(servers, 'without', {}), await side(servers, 'with', { PDP_DECISION_LOG: 'file' })]
      for (const each of sides) await measure(loads, each, ms)
      for (const each of sides) each.micros.length = 0
      for (let round = 0; round < rounds; round++)
        for (let turn = 0; turn < sides.length; turn++) await measure(loads, sides[(turn + round) % sides.length], ms)
      const [without, recorded] = sides
      results.addFigure({
        name: 'decision log: throughput with the file sink',
        value: median(recorded.micros),
        unit: 'µs of processor time a request',
        peer: `without a log, ${median(without.micros).toFixed(1)} µs`,
        ratio: median(without.micros.map((micros, round) => micros / recorded.micros[round])),
        least: 0.9,
      })
    })
  } finally {
    loads.close()
  }
}

async function side(servers, name, variables) {
  const server = await servers.serve({ PDP_ALLOW_METRICS_UNAUTHENTICATED: 'true', ...variables })
  return { name, server, micros: [] }
}

async function measure(loads, { server, micros }, ms) {
  const before = await cpuSeconds(server.pdp)
  const { requests, sample } = await loads.run({
    port: server.pdp,
    method: 'POST',
    path: '/allowed',
    key: server.key,
    body: CHECK,
    connections: CONNECTIONS,
    ms,
  })
  if (!sample.includes('"allow":true')) throw new Error(`/allowed denies: ${sample}`)
  micros.push((((await cpuSeconds(server.pdp)) - before) / requests) * 1e6)
}

async function cpuSeconds(port) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^process_cpu_seconds_total ([\d.e+-]+)$/m.exec(text)?.[1])
}
