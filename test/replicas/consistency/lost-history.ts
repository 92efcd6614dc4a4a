// A failover to a standby that lags: what was acknowledged last is gone. The replicas must say so and agree again, and
// followers that were ahead of what is left must not go on with it, even when nobody writes any more.
import { setTimeout as pause } from 'node:timers/promises'
import type { Pdp } from '../../../src/pdp/pdp.ts'
import { Clients } from './clients.ts'
import { Cluster } from './cluster.ts'
import { follow } from './followers.ts'
import { describe, History, type Operation } from './history.ts'
import { Random } from './random.ts'
import { type Log, readRecord } from './record.ts'
import { LIMITS, prepare, type RunResult } from './run.ts'
import { verifyStates } from './states.ts'
import { type Violation, verify } from './verify.ts'

const WORKERS = 4
/** How long the standby has what is written, and how long it is cut off before the primary dies. */
const KEPT_MS = 1_500
const LOST_MS = 1_500
/** Until something was written meanwhile, on a slow machine. */
const SLOW_MS = 20_000
const AFTER_MS = 2_500
const TOLD_MS = 30_000

export interface LossOptions {
  readonly seed: number
  /** the command of another build than `dist` */
  readonly program?: string
}

export async function loseHistory({ seed, program }: LossOptions): Promise<RunResult> {
  const begun = performance.now()
  const random = new Random(seed)
  const cluster = await Cluster.start(program)
  const followers: Pdp[] = []
  /** by follower, what it reported */
  const troubles = new Map<number, string[]>()
  try {
    const { organization, scopes } = await prepare(cluster)
    const work = async (history: History, ms: number, name: string, during?: () => Promise<void>) => {
      const clients = new Clients(cluster, history, organization, scopes)
      const working = Array.from({ length: WORKERS }, (_, at) => clients.work(random.fork(`${name} ${at}`)))
      await pause(ms)
      await during?.()
      clients.stop()
      await Promise.all(working)
    }
    const replication = await cluster.addStandby({ synchronous: false })
    await cluster.healthy()
    followers.push(
      ...(await follow(cluster, scopes, (at, event) => {
        if (event.event === 'trouble') troubles.set(at, [...(troubles.get(at) ?? []), event.error.code])
      })),
    )
    const before = new History()
    await work(before, KEPT_MS, 'before', async () => {
      replication.pause()
      const isOfFollowers = ({ kind, outcome, log }: Operation): boolean =>
        kind === 'write' && outcome === 'ok' && log === scopes[0]?.id
      const had = before.operations.length
      const deadline = performance.now() + SLOW_MS
      do await pause(LOST_MS)
      while (!before.operations.slice(had + WORKERS).some(isOfFollowers) && performance.now() < deadline)
    })
    const whole = await readRecord(cluster.postgres, cluster.database)
    const found: Violation[] = verify(before, whole, LIMITS)
    found.push(...(await verifyStates(cluster, whole, scopes, followers)))

    const old = cluster.postgres
    await old.kill()
    await cluster.promote()
    const kept = await readRecord(cluster.postgres, cluster.database)
    found.push(...verifyPrefix(whole, kept))
    const lost = before.operations.filter(
      ({ kind, outcome, log, effect }) =>
        kind === 'write' && outcome === 'ok' && !kept.get(log)?.written.has(`${effect?.object} = ${effect?.state}`),
    )
    if (lost.length === 0) found.push({ rule: 'the test', text: 'nothing was lost' })
    const lead = followers[0]?.revision ?? 0
    const left = kept.get(scopes[0]?.id ?? '')?.entries.length ?? 0
    if (lead <= left) found.push({ rule: 'the test', text: `followers are at ${lead}, and ${left} are left` })

    cluster.redirect()
    found.push(...(await verifyTold(cluster)))
    const seconds = (): number => (performance.now() - begun) / 1_000
    if (found.length > 0) return { violations: found, summary: shown(found), seconds: seconds() }
    await cluster.healthy()
    // nobody writes: replicas and followers agree all the same
    const settled = await readRecord(cluster.postgres, cluster.database)
    found.push(...(await verifyStates(cluster, settled, scopes, followers)))
    for (const at of followers.keys())
      if (!troubles.get(at)?.includes('FEED_FORK'))
        found.push({ rule: 'told', text: `follower ${at} reported ${troubles.get(at)}, and no FEED_FORK` })

    const after = new History(before.newId())
    await work(after, AFTER_MS, 'after')
    const record = await readRecord(cluster.postgres, cluster.database)
    const known = verify(after, record, LIMITS).filter(({ text }) => !text.startsWith('nobody asked'))
    found.push(...known, ...(await verifyStates(cluster, record, scopes, followers)))
    await old.stop()
    const summary = [
      `${countWrites(before)} writes acknowledged before, ${lost.length} of them lost; ${countWrites(after)} acknowledged after`,
      `followers were at revision ${lead}, ${left} were left, ${record.get(scopes[0]?.id ?? '')?.entries.length} now`,
      `replicas that ended: ${cluster.replicas.map(({ ended }) => ended).join(', ')}`,
      `followers reported: ${[...troubles].map(([at, codes]) => `${at}: ${[...new Set(codes)].join(' ')}`).join('; ')}`,
      `first that was lost: ${lost[0] === undefined ? 'none' : describe(lost[0])}`,
      shown(found),
    ].join('\n')
    return { violations: found, summary, seconds: seconds() }
  } finally {
    await Promise.all(followers.map((pdp) => pdp.close()))
    await cluster.stop()
  }
}

const shown = (found: readonly Violation[]): string =>
  [`violations: ${found.length}`, ...found.map(({ rule, text }) => `  ${rule}: ${text}`)].join('\n')

const countWrites = ({ operations }: History): number =>
  operations.filter(({ kind, outcome }) => kind === 'write' && outcome === 'ok').length

/** What is left of each log is its beginning. */
function verifyPrefix(whole: ReadonlyMap<string, Log>, kept: ReadonlyMap<string, Log>): Violation[] {
  return [...kept.values()].flatMap(({ id, entries, trouble }) => {
    const all = whole.get(id)?.entries.slice(0, entries.length)
    const isPrefix = JSON.stringify(all) === JSON.stringify(entries)
    const texts = [...trouble, ...(isPrefix ? [] : [`log ${id} is no beginning of what was there`])]
    return texts.map((text) => ({ rule: 'the test', text }))
  })
}

/** Every replica has ended with HISTORY_LOST, is back, and says what happened. */
async function verifyTold(cluster: Cluster): Promise<Violation[]> {
  const found: Violation[] = []
  const deadline = performance.now() + TOLD_MS
  for (const [at, replica] of cluster.replicas.entries()) {
    while (replica.ended === 0 && performance.now() < deadline) await pause(50)
    await cluster.healthy()
    const read = async (path: string) => replica.text(path)
    if (!replica.output.some((output) => output.includes('"code":"HISTORY_LOST"')))
      found.push({ rule: 'told', text: `replica ${at} ended ${replica.ended} times, and not with HISTORY_LOST` })
    if (!replica.log.includes('the replica rebuilt its state'))
      found.push({ rule: 'told', text: `replica ${at} does not say after its start that history was lost` })
    const metrics = await read('/metrics')
    if (!/^zerohop_history_lost_total 1$/m.test(metrics))
      found.push({ rule: 'told', text: `replica ${at}: zerohop_history_lost_total is not 1` })
    const ready = await read('/ready')
    if (!ready.includes('"history_lost":"log `'))
      found.push({ rule: 'told', text: `replica ${at}: /ready says ${ready}` })
  }
  return found
}
