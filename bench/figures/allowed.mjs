// What POST /allowed costs beside a bare node:http server that parses the same body and answers a constant: without the
// decision log, with the file sink, and as a PDP of two workers, in turns. By processor time per request, as the servers
// themselves count it: what limits a server of one thread, and what neighbours on the machine change least.
import { median } from '../sampling.mjs'
import { LoadGenerator } from './load.mjs'
import { askSeconds, readSeconds, withServers } from './servers.mjs'

const CHECK =
  '{"user":{"key":"ana","email":"ana@example.com","attributes":{}},"action":"wave","resource":{"type":"hello","tenant":"default","attributes":{}},"context":{}}'
const CONNECTIONS = 64

export async function measureAllowed(results, { effort, progress }) {
  const { rounds, ms } = {
    full: { rounds: 9, ms: 2_000 },
    quick: { rounds: 5, ms: 500 },
    tiny: { rounds: 2, ms: 50 },
  }[effort]
  progress('POST /allowed beside a bare server, without and with the decision log')
  const loads = new LoadGenerator()
  try {
    await withServers(async (servers) => {
      const sides = await startSides(servers)
      for (const each of sides) await measure(loads, each, ms)
      for (const each of sides) each.micros.length = 0
      for (let round = 0; round < rounds; round++)
        for (let turn = 0; turn < sides.length; turn++) await measure(loads, sides[(turn + round) % sides.length], ms)
      const [bare, ...ours] = sides
      const peer = `bare node:http, ${median(bare.micros).toFixed(1)} µs`
      for (const { name, micros } of ours) {
        const ratio = median(bare.micros.map((least, round) => least / micros[round]))
        const unit = 'µs of processor time a request'
        results.addFigure({ name, value: median(micros), unit, peer, ratio, least: 0.9 })
      }
    })
  } finally {
    loads.close()
  }
}

async function startSides(servers) {
  const bare = await servers.module('./bare-server.mjs')
  const open = { PDP_ALLOW_METRICS_UNAUTHENTICATED: 'true' }
  const without = await servers.serve(open)
  const recorded = await servers.serve({ ...open, PDP_DECISION_LOG: 'file' })
  const { pdp } = await servers.pdp(without, { ...open, PDP_WORKERS: 2, PDP_DECISION_LOG: 'off' })
  const name = `POST /allowed, ${CONNECTIONS} connections`
  return [
    { name: 'bare', port: bare.port, key: without.key, readSeconds: () => askSeconds(bare.child) },
    side(name, without.pdp, without.key),
    side(`${name}, decision log with the file sink`, recorded.pdp, recorded.key),
    side(`${name}, PDP_WORKERS=2`, pdp, without.key),
  ].map((each) => ({ ...each, micros: [] }))
}

const side = (name, port, key) => ({ name, port, key, readSeconds: () => readSeconds(port) })

async function measure(loads, { name, port, key, readSeconds, micros }, ms) {
  const before = await readSeconds()
  const load = { port, method: 'POST', path: '/allowed', key, body: CHECK, connections: CONNECTIONS, ms }
  const { requests, sample } = await loads.run(load)
  if (!sample.includes('"allow":true')) throw new Error(`${name} denies: ${sample}`)
  micros.push((((await readSeconds()) - before) / requests) * 1e6)
}
