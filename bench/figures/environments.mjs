// A server with as many environments as an organization may have, while few are awake: what the start costs, and how
// much memory each takes.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withoutRequest } from '../../dist/src/log/change.js'
import { openManagementData } from '../../dist/src/management/host/open.js'
import { findMemory, withServers } from './servers.mjs'

const AT_ONCE = 100

/** How many environments there are, and from how many of them an image is taken. */
export async function measureEnvironments(results, { effort, progress }) {
  const { environments, awake } = {
    full: { environments: 9_990, awake: 100 },
    quick: { environments: 2_000, awake: 100 },
    tiny: { environments: 10, awake: 2 },
  }[effort]
  progress('environments')
  await withServers(async (servers) => {
    const few = await measureServer(servers, awake, awake)
    const many = await measureServer(servers, environments, awake)
    const add = (name, value, unit, peer) => results.addFigure({ name, value, unit, peer })
    const [count, less] = [environments, awake].map((each) => each.toLocaleString('en-US'))
    const more = environments - awake
    const name = `a server with ${count} environments, ${less} of them awake`
    add(`${name}: until it answers`, many.startMs, 'ms', `${less}: ${few.startMs.toFixed(0)} ms`)
    if (few.own === undefined) return
    add(`${name}: memory of its own`, many.own, 'MB', `${less}: ${few.own.toFixed(0)} MB`)
    add(`${name}: memory for each that sleeps`, ((many.own - few.own) * 1000) / more, 'kB', null)
  })
}

async function measureServer(servers, environments, awake) {
  const data = servers.folder()
  await makeEnvironments(data, environments)
  const start = performance.now()
  const api = await servers.api(data)
  const startMs = performance.now() - start
  const { organization } = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8'))
  for (let at = 0; at < awake; at++) {
    const response = await fetch(`http://127.0.0.1:${api.api}/v2/feed/default/${formatKey(at)}/image`, {
      headers: { authorization: `Bearer ${organization}` },
    })
    if (response.status !== 200) throw new Error(`the image of ${formatKey(at)} was answered ${response.status}`)
    await response.arrayBuffer()
  }
  const memory = findMemory(api)
  await api.stop()
  return { startMs, own: memory?.own }
}

const formatKey = (at) => `environment-${at}`

async function makeEnvironments(data, count) {
  const { store, organization } = await openManagementData({ data, newId: () => randomBytes(16).toString('hex') })
  const make = (at) =>
    store.commit(
      organization,
      'createEnvironment',
      { project: 'default', environment: { key: formatKey(at), name: formatKey(at) } },
      withoutRequest('bench'),
    )
  for (let at = 0; at < count; at += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, more) => make(at + more)))
  await store.close()
}
