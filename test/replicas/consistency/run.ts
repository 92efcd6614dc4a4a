// One run: clients, followers and faults for a while, then peace, and then the comparison with the record.
import { setTimeout as pause } from 'node:timers/promises'
import type { Pdp } from '../../../src/pdp/pdp.ts'
import { Clients } from './clients.ts'
import { Cluster, type Json, type Scope } from './cluster.ts'
import { Failovers } from './failovers.ts'
import { readFeed, verifyFeeds } from './feeds.ts'
import { follow, MAX_STALENESS_MS, watch } from './followers.ts'
import { describe, History } from './history.ts'
import { type Faults, FREEZE_MS, Nemesis } from './nemesis.ts'
import { Pace } from './pace.ts'
import { Random } from './random.ts'
import { type Log, readRecord } from './record.ts'
import { callsByObject, verifyRegisters } from './registers.ts'
import { verifyStates } from './states.ts'
import { type Violation, verify } from './verify.ts'

export interface RunOptions {
  readonly seed: number
  readonly ms: number
  /** how many times longer clients pause than under full load; 1 unless given */
  readonly calm?: number
  /** the command of another build than `dist` */
  readonly program?: string
  readonly print: (line: string) => void
  /** in place of the usual faults: standbys that are promoted */
  readonly failovers?: boolean
  /** stops at the first violation; the record is compared every few seconds then */
  readonly untilFound?: boolean
}

export interface RunResult {
  readonly violations: readonly Violation[]
  readonly summary: string
  readonly seconds: number
}

export interface FaultsResult extends RunResult {
  readonly history: History
  /** how often each fault happened */
  readonly faults: ReadonlyMap<string, number>
}

const WORKERS = 6
const PROGRESS_MS = 10_000
/** A heartbeat that was made just before its replica was frozen, and a slow machine. */
export const LIMITS = { maxStalenessMs: MAX_STALENESS_MS, onItsWayMs: FREEZE_MS + 1_000 }

export async function run({
  seed,
  ms,
  calm = 1,
  program,
  print,
  failovers = false,
  untilFound = false,
}: RunOptions): Promise<FaultsResult> {
  const random = new Random(seed)
  const cluster = await Cluster.start(program)
  const history = new History()
  const followers: Pdp[] = []
  try {
    const { organization, scopes } = await prepare(cluster)
    const pace = new Pace(calm)
    const clients = new Clients(cluster, history, organization, scopes, pace)
    const faulty = random.fork('faults')
    const nemesis: Faults = failovers ? new Failovers(cluster, faulty) : new Nemesis(cluster, faulty, pace)
    if (failovers) await cluster.addStandby({ synchronous: true })
    followers.push(...(await follow(cluster, scopes)))
    const watching = new AbortController()
    const reading = await feedReaders(cluster, scopes, history, random, watching.signal)
    const begun = performance.now()
    const work = [
      ...Array.from({ length: WORKERS }, (_, at) => clients.work(random.fork(`client ${at}`))),
      ...Array.from({ length: 2 }, (_, at) => clients.revoke(random.fork(`revoking ${at}`))),
      ...Array.from({ length: 4 }, (_, at) => clients.grant(random.fork(`granting ${at}`))),
      ...followers.map((pdp, at) => watch(pdp, at, clients, history, random.fork(`follower ${at}`), watching.signal)),
      ...reading.map((read) => read()),
    ]
    const faults = nemesis.work()
    let printed = begun
    let found: readonly Violation[] = []
    while (performance.now() - begun < ms && found.length === 0) {
      await pause(Math.min(untilFound ? 4_000 : 500, ms))
      if (untilFound) found = await look(cluster, history)
      if (performance.now() - printed < PROGRESS_MS) continue
      printed = performance.now()
      print(progress(history, nemesis, (printed - begun) / 1_000))
    }
    nemesis.stop()
    await faults
    clients.stop()
    watching.abort()
    await Promise.all(work)
    const seconds = (performance.now() - begun) / 1_000
    await cluster.heal()
    await clients.readAll()
    const record = await readRecord(cluster.postgres, cluster.database)
    const states = await verifyStates(cluster, record, scopes, followers)
    const violations =
      found.length > 0 ? found : [...verify(history, record, LIMITS), ...states, ...judged(history, record, scopes)]
    const summaryText = summary(history, nemesis, cluster, record, violations)
    return { violations, summary: summaryText, history, faults: nemesis.counts, seconds }
  } finally {
    await Promise.all(followers.map((pdp) => pdp.close()))
    await cluster.stop()
  }
}

/** The environments that the clients use, with what a check needs. */
export async function prepare(cluster: Cluster): Promise<{ organization: string; scopes: Scope[] }> {
  const replica = cluster.replica(0)
  const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await replica.call(method, path, { body })
    if (answer.kind !== 'answered' || answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer.body
  }
  await call('POST', '/v2/projects', { key: 'other', name: 'Other' })
  await call('POST', '/v2/projects/other/envs', { key: 'third', name: 'Third' })
  const scopes: Scope[] = []
  for (const path of ['default/development', 'other/third']) {
    const [project, environment] = path.split('/')
    const { id } = await call('GET', `/v2/projects/${project}/envs/${environment}`)
    await call('POST', `/v2/schema/${path}/resources`, { key: 'doc', name: 'Doc', actions: { read: {} } })
    await call('POST', `/v2/schema/${path}/roles`, { key: 'reader', name: 'reader', permissions: ['doc:read'] })
    scopes.push({ id, path })
  }
  const { organization_id } = await call('GET', '/v2/api-key/scope')
  return { organization: organization_id, scopes }
}

/** What says nothing of the record: the order of the calls of each object, and what readers of the feed got. */
function judged(history: History, record: ReadonlyMap<string, Log>, [scope]: readonly Scope[]): Violation[] {
  const log = record.get(scope?.id ?? '')
  return [...verifyRegisters(history), ...(log === undefined ? [] : verifyFeeds(history.feeds, log))]
}

const FEED_READERS = 2

/** Readers of the feed of the first environment, from where its log is now. */
async function feedReaders(
  cluster: Cluster,
  [scope]: readonly Scope[],
  history: History,
  random: Random,
  signal: AbortSignal,
): Promise<(() => Promise<void>)[]> {
  if (scope === undefined) return []
  const answer = await cluster.replica(0).call('GET', `/v2/api-key/${scope.path}`)
  const apiKey = answer.kind === 'answered' ? (answer.body.secret as string) : ''
  const { revision = 0, chain = '' } =
    (await readRecord(cluster.postgres, cluster.database)).get(scope.id)?.entries.at(-1) ?? {}
  return Array.from({ length: FEED_READERS }, (_, reader) => () => {
    const after = { revision, chain }
    return readFeed(cluster, scope, apiKey, after, reader, history, random.fork(`feed ${reader}`), signal)
  })
}

/** What can be said while the run goes on: only what is on record and stays there. */
async function look(cluster: Cluster, history: History): Promise<readonly Violation[]> {
  const known = history.operations.length
  try {
    const record = await readRecord(cluster.postgres, cluster.database)
    const earlier = new History()
    earlier.operations.push(...history.operations.slice(0, known))
    earlier.allowed.push(...history.allowed.slice(0, -100))
    // what is running now may be on record already
    return verify(earlier, record, LIMITS).filter(({ text }) => !text.startsWith('nobody asked'))
  } catch {
    return [] // the database is away
  }
}

const countOperations = (history: History, outcome: string, kind = 'write'): number =>
  history.operations.filter((one) => one.kind === kind && one.outcome === outcome).length

function progress(history: History, nemesis: Faults, seconds: number): string {
  const faults = [...nemesis.counts.values()].reduce((sum, count) => sum + count, 0)
  const writes = `${countOperations(history, 'ok')} writes acknowledged, ${countOperations(history, 'unknown')} unknown`
  return `${seconds.toFixed(0).padStart(5)} s  ${writes}, ${countOperations(history, 'ok', 'read')} reads, ${faults} faults`
}

function summary(
  history: History,
  nemesis: Faults,
  cluster: Cluster,
  record: ReadonlyMap<string, Log>,
  violations: readonly Violation[],
): string {
  const { counts, operations, allowed } = history
  const unknown = operations.filter(({ outcome }) => outcome === 'unknown')
  const isWritten = ({ log, effect }: (typeof unknown)[number]) =>
    effect !== undefined && (record.get(log)?.written.has(`${effect.object} = ${effect.state}`) ?? false)
  const faults = [...nemesis.counts].map(([name, count]) => `${name} ${count}`).join(', ')
  const restarts = cluster.replicas.reduce((sum, { ended }) => sum + ended, 0)
  const entries = [...record.values()].reduce((sum, log) => sum + log.entries.length, 0)
  return [
    `writes: ${countOperations(history, 'ok')} acknowledged, ${countOperations(history, 'refused')} refused, ` +
      `${unknown.length} unknown ` +
      `(${unknown.filter(isWritten).length} of these are on record), ${counts.retried} retries of keyed writes, ` +
      `${entries} entries on record`,
    `reads: ${countOperations(history, 'ok', 'read')} compared, ` +
      `${counts.unanswered} not answered, ${counts.unreached} not sent`,
    `registers: ${callsByObject(history).size} objects judged by their calls; feeds: ${history.feeds.length} steps of ${FEED_READERS} readers`,
    `followers: ${counts.checks} checks, ${allowed.length} allowed, ${counts.stale} refused as stale`,
    `faults: ${faults}; replicas that ended by themselves: ${restarts}`,
    ...unknown
      .slice(0, UNKNOWN_SHOWN)
      .map((one) => `unknown, ${isWritten(one) ? 'written' : 'not written'}: ${describe(one)}`),
    `violations: ${violations.length}`,
    ...violations.slice(0, VIOLATIONS_SHOWN).map(({ rule, text }) => `  ${rule}: ${text}`),
    ...aboutObjects(history, record, violations.slice(0, VIOLATIONS_SHOWN)),
  ].join('\n')
}

const UNKNOWN_SHOWN = 5
/** of the objects that violations name, and of the operations on each */
const OBJECTS_SHOWN = 3
const OPERATIONS_SHOWN = 40
const VIOLATIONS_SHOWN = 20

/** What the clients and the record say of the objects that violations name. */
function aboutObjects(
  { operations }: History,
  record: ReadonlyMap<string, Log>,
  violations: readonly Violation[],
): string[] {
  const named = violations.flatMap(({ text }) => text.match(/(?:user|role|assignment|key)\/[\w/]+/g) ?? [])
  return [...new Set(named)].slice(0, OBJECTS_SHOWN).flatMap((object) => {
    const about = operations.filter(({ effect, seen }) => effect?.object === object || seen?.has(object))
    const steps = [...record.values()].flatMap(({ objects, entries }) =>
      (objects.get(object) ?? []).map(({ revision, state }) => {
        const by = entries.find((entry) => entry.revision === revision)?.by
        return `    on record: revision ${revision}, ${by?.operation} ${by?.path} = ${state}`
      }),
    )
    const lines = about.slice(0, OPERATIONS_SHOWN).map((one) => `    ${describe(one)}`)
    return [`  about ${object}:`, ...lines, ...steps]
  })
}
