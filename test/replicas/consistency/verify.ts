// Compares what the clients saw with the record. Each log has one order, that of its revisions; a write happens at its
// revision, and a read at some revision at which everything was as it saw it. That revision must not be older than what
// was known when the operation began, at whatever replica, nor newer than what was written when it ended.
import { type Allowed, describe, type History, type Operation, type State } from './history.ts'
import type { Log, Step } from './record.ts'

export interface Violation {
  readonly rule: string
  readonly text: string
}

/** Every rule, over all logs. */
export function verify(history: History, record: ReadonlyMap<string, Log>, limits: FollowerLimits): Violation[] {
  const found: Violation[] = history.unexpected.map((text) => ({ rule: 'expected answers', text }))
  for (const log of record.values())
    found.push(...log.trouble.map((text) => ({ rule: 'chained', text: `log ${log.id}: ${text}` })))
  found.push(...verifyWrites(history.operations, record))
  for (const log of record.values()) {
    const operations = history.operations.filter((one) => one.log === log.id && one.outcome === 'ok')
    found.push(...verifyOrder(operations, log))
  }
  found.push(...verifyKeys(history.operations, record))
  found.push(...verifyFollowers(history, record, limits))
  return found
}

/** What is acknowledged is there once, what is refused is not, and what is unknown once or not. */
function verifyWrites(operations: readonly Operation[], record: ReadonlyMap<string, Log>): Violation[] {
  const found: Violation[] = []
  const asked = new Map<string, Operation[]>()
  for (const operation of operations) {
    if (operation.effect === undefined) continue
    const { object, state } = operation.effect
    const name = `${operation.log} ${object} = ${state}`
    asked.set(name, [...(asked.get(name) ?? []), operation])
  }
  for (const [name, writes] of asked) {
    const [log = '', effect = ''] = splitOnce(name)
    const times = record.get(log)?.written.get(effect)?.length ?? 0
    const acknowledged = writes.filter(({ outcome }) => outcome === 'ok').length
    const unknown = writes.filter(({ outcome }) => outcome === 'unknown').length
    const shown = writes.map(describe).join('; ')
    if (times < acknowledged)
      found.push({ rule: 'acknowledged is there', text: `${times} times on record, acknowledged: ${shown}` })
    if (times > acknowledged + unknown) {
      const rule = acknowledged + unknown > 0 ? 'once' : 'refused is not there'
      const revisions = record
        .get(log)
        ?.written.get(effect)
        ?.map(({ revision }) => revision)
      found.push({ rule, text: `on record at revisions ${revisions}: ${shown}` })
    }
  }
  for (const log of record.values())
    for (const [effect, entries] of log.written)
      if (!asked.has(`${log.id} ${effect}`) && !effect.startsWith('role/reader '))
        found.push({ rule: 'once', text: `nobody asked for ${effect}, revision ${entries[0]?.revision} of ${log.id}` })
  return found
}

const splitOnce = (text: string): [string, string] => {
  const at = text.indexOf(' ')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** The order of revisions respects real time, and no read is stale, torn or of something that was not written yet. */
function verifyOrder(operations: readonly Operation[], log: Log): Violation[] {
  const found: Violation[] = []
  const begunAt = new Map<number, Operation>() // who wrote a revision
  for (const operation of operations) {
    const revision = findRevision(operation, log)
    if (operation.kind === 'write' && revision !== undefined) begunAt.set(revision, operation)
  }
  const events = operations.flatMap((operation) => [
    { at: operation.begun, isEnd: false, operation },
    { at: operation.ended, isEnd: true, operation },
  ])
  // what ends in the same instant as another one begins is taken for later: never a false alarm
  events.sort((one, other) => one.at - other.at || Number(one.isEnd) - Number(other.isEnd))
  let known: { readonly revision: number; readonly by: Operation | undefined } = { revision: 0, by: undefined }
  const knownAtBegin = new Map<Operation, typeof known>()
  for (const { isEnd, operation } of events) {
    if (!isEnd) {
      knownAtBegin.set(operation, known)
      continue
    }
    const least = knownAtBegin.get(operation) ?? known
    const point = findPoint(operation, log, least.revision)
    const because =
      least.by === undefined ? '' : `; known at its begin: revision ${least.revision}, ${describe(least.by)}`
    if (point.violation !== undefined) {
      found.push({ rule: point.violation, text: `${describe(operation)}${because}` })
      continue
    }
    const writer = begunAt.get(point.revision)
    if (operation.kind === 'read' && writer !== undefined && writer.begun > operation.ended)
      found.push({ rule: 'not from the future', text: `${describe(operation)} saw ${describe(writer)}` })
    if (point.revision > known.revision) known = { revision: point.revision, by: operation }
  }
  return found
}

/** The revision of an acknowledged write: that of `x-revision`, or without this header that of its effect. */
function findRevision({ revision, effect }: Operation, log: Log): number | undefined {
  if (revision !== undefined || effect === undefined) return revision
  const entries = log.written.get(`${effect.object} = ${effect.state}`) ?? []
  return entries.length === 1 ? entries[0]?.revision : undefined
}

type Point = { readonly revision: number; readonly violation?: undefined } | { readonly violation: string }

/** The oldest revision, not older than `least`, at which the operation may have happened. */
function findPoint(operation: Operation, log: Log, least: number): Point {
  if (operation.kind === 'read') return findReadPoint(operation, log, least)
  const revision = findRevision(operation, log)
  if (revision === undefined) return { revision: least } // reported as not there, or more than once
  const { object, state } = operation.effect ?? { object: '', state: null }
  const isThere = log.written.get(`${object} = ${state}`)?.some((entry) => entry.revision === revision)
  if (isThere === false) return { violation: 'x-revision is that of the write' }
  return revision > least ? { revision } : { violation: 'writes in the order of real time' }
}

function findReadPoint({ seen = new Map<string, State>(), all }: Operation, log: Log, least: number): Point {
  const claims = [...seen].map(([object, state]) => ({ steps: log.objects.get(object) ?? [], state }))
  if (claims.some(({ steps, state }) => state !== null && !steps.some((step) => step.state === state)))
    return { violation: 'only what was written is read' }
  if (all !== undefined)
    for (const [object, steps] of log.objects)
      if (object.startsWith(all) && !seen.has(object)) claims.push({ steps, state: null })
  const revision = firstRevisionWith(claims, least)
  if (revision !== undefined) return { revision }
  return { violation: firstRevisionWith(claims, 0) === undefined ? 'reads are of one revision' : 'reads are not stale' }
}

interface Claim {
  readonly steps: readonly Step[]
  readonly state: State
}

/** The first revision from `least` on at which all objects have the states that were seen. */
function firstRevisionWith(claims: readonly Claim[], least: number): number | undefined {
  let revision = least
  for (;;) {
    let next: number | undefined = revision
    for (const claim of claims) {
      next = firstRevisionInState(claim, next)
      if (next === undefined) return undefined
    }
    if (next === revision) return revision
    revision = next
  }
}

/** The first revision from `least` on at which one object has the state. */
function firstRevisionInState({ steps, state }: Claim, least: number): number | undefined {
  const from = steps.findLastIndex(({ revision }) => revision <= least)
  if ((steps[from]?.state ?? null) === state) return least
  return steps.slice(from + 1).find((step) => step.state === state)?.revision
}

/** No write is on record that took its lock after the revocation of its key was acknowledged. */
function verifyKeys(operations: readonly Operation[], record: ReadonlyMap<string, Log>): Violation[] {
  const revoked = new Map<string, Operation>()
  for (const operation of operations) {
    const { outcome, effect } = operation
    if (outcome !== 'ok' || effect?.state !== null || !effect.object.startsWith('key/')) continue
    revoked.set(effect.object.slice('key/'.length), operation)
  }
  return operations.flatMap((operation) => {
    const { key, effect, log } = operation
    const revocation = key === undefined ? undefined : revoked.get(key)
    if (revocation === undefined || effect === undefined) return []
    const entries = record.get(log)?.written.get(`${effect.object} = ${effect.state}`) ?? []
    const late = entries.filter(({ at }) => at > revocation.endedAt + CLOCK_MS)
    return late.map(({ revision, at }) => ({
      rule: 'no write with a revoked key',
      text:
        `revision ${revision} took its lock ${at - revocation.endedAt} ms after the revocation: ` +
        `${describe(operation)}; ${describe(revocation)}`,
    }))
  })
}

/** The database and the clients have the same clock; its readings are whole milliseconds. */
const CLOCK_MS = 2

export interface FollowerLimits {
  /** after which a follower without heartbeat refuses to answer */
  readonly maxStalenessMs: number
  /** how long a heartbeat may be on its way: the longest time for which a replica is frozen */
  readonly onItsWayMs: number
}

/** No follower allows by an assignment whose end was acknowledged longer ago than it may be stale. */
function verifyFollowers(
  { allowed, operations }: History,
  record: ReadonlyMap<string, Log>,
  { maxStalenessMs, onItsWayMs }: FollowerLimits,
): Violation[] {
  const ends = new Map<string, Operation>()
  for (const operation of operations) {
    const { outcome, effect, log } = operation
    if (outcome !== 'ok' || effect?.state !== null) continue
    const [kind, user] = effect.object.split('/')
    if (kind !== 'user' && kind !== 'assignment') continue
    const name = `${log} assignment/${user}/reader/default`
    const other = ends.get(name)
    if (other === undefined || other.ended > operation.ended) ends.set(name, operation)
  }
  return allowed.flatMap(({ log, object, begun, follower }: Allowed) => {
    if (!record.get(log)?.objects.has(object))
      return [{ rule: 'followers', text: `follower ${follower} allowed by ${object}, which was never written` }]
    const end = ends.get(`${log} ${object}`)
    if (end === undefined || begun - end.ended <= maxStalenessMs + onItsWayMs) return []
    const late = (begun - end.ended).toFixed(0)
    const text = `follower ${follower} allowed by ${object}, ${late} ms after it ended: ${describe(end)}`
    return [{ rule: 'followers', text }]
  })
}
