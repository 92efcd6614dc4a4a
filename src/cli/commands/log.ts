// `zerohop log`: recorded decisions of an environment, the newest last, and with `--follow` those that come.
import { setTimeout as sleep } from 'node:timers/promises'
import { listAll } from '../../client/list-all.ts'
import { dataOf } from '../../client/management-client.ts'
import type { AuditLogRead } from '../../decision-log/schema.ts'
import { toErrorLine } from '../../model/error-line.ts'
import { isZerohopError } from '../../model/errors.ts'
import {
  AUDIT_SCAN_MAX,
  LOG_FOLLOW_LATE_MS,
  LOG_FOLLOW_MS,
  LOG_FOLLOW_RECORDS_MAX,
  PAGE_ROWS_MAX,
} from '../../model/limits.ts'
import { plain } from '../../model/plain-text.ts'
import type { Env } from '../configuration/env.ts'
import { printOptions } from '../terminal/print-problems.ts'
import { counting } from '../terminal/progress.ts'
import { readCount, readWhen } from '../terminal/when.ts'
import { type RemoteEnvironment, remoteEnvironment } from './ask-api.ts'
import type { TargetOptions } from './plan-target.ts'
import { stylist } from './plan-text.ts'

export interface LogOptions extends TargetOptions {
  readonly user?: readonly string[]
  readonly action?: readonly string[]
  readonly resource?: readonly string[]
  readonly tenant?: readonly string[]
  readonly allow?: boolean
  readonly deny?: boolean
  readonly since?: string
  readonly limit: string
  readonly all?: boolean
  readonly follow?: boolean
  readonly json?: boolean
}

type Print = (record: AuditLogRead) => void

/**
 * Prints them. With `follow` it goes on until the signal.
 * @throws INPUT_INVALID for an option that cannot be read; as `remoteEnvironment`
 */
export async function printLog(env: Env, options: LogOptions, now: number, end: AbortSignal): Promise<void> {
  const since = readWhen(options.since, '--since', now)
  const limit = options.all ? Number.POSITIVE_INFINITY : readCount(options.limit, '--limit', AUDIT_SCAN_MAX)
  const where = await remoteEnvironment(env, options)
  const filters = toFilters(options)
  const print = printer(options)
  const known = options.follow ? await listKnown(where, filters) : undefined
  const first = await listRecords(where, filters, { since, limit })
  for (const record of first.toReversed()) print(record)
  if (known !== undefined) return follow(where, filters, { print, known, first, end })
  if (first.length === 0) tell(await whyEmpty(where))
}

function toFilters({ user, action, resource, tenant, allow, deny }: LogOptions) {
  return {
    ...(user && { users: [...user] }),
    // the API takes several, its description names one
    ...(action && { action: action as unknown as string }),
    ...(resource && { resources: [...resource] }),
    ...(tenant && { tenant: [...tenant] }),
    ...(allow || deny ? { decision: allow === true } : {}),
  }
}

type Filters = ReturnType<typeof toFilters>

interface Range {
  /** ms since 1970 */
  readonly since: number | undefined
  readonly limit: number
}

/** The newest ones first. */
async function listRecords(
  { client, path }: RemoteEnvironment,
  filters: Filters,
  { since, limit }: Range,
): Promise<AuditLogRead[]> {
  const records: AuditLogRead[] = []
  const from = since === undefined ? {} : { timestamp_from: Math.floor(since / 1000) } // the API knows whole seconds
  const query = { ...filters, ...from, per_page: Math.min(limit, PAGE_ROWS_MAX) }
  const listed = listAll(client, '/v2/pdps/{p}/{e}/audit_logs', { params: { path, query } })
  for await (const record of counting('decisions read', listed)) {
    if (Date.parse(record.timestamp) >= (since ?? 0)) records.push(record as AuditLogRead)
    if (records.length >= limit) break
  }
  return records
}

interface Following {
  readonly print: Print
  /** the records from before anything was printed: those of them that were left out stay out */
  readonly known: readonly AuditLogRead[]
  readonly first: readonly AuditLogRead[]
  readonly end: AbortSignal
}

const recordTime = ({ timestamp }: AuditLogRead): number => Date.parse(timestamp)

/** The newest records, as far back as later ones may come. */
async function listKnown(where: RemoteEnvironment, filters: Filters): Promise<AuditLogRead[]> {
  const [newest] = await listRecords(where, filters, { since: undefined, limit: 1 })
  if (newest === undefined) return []
  return listRecords(where, filters, { since: recordTime(newest) - LOG_FOLLOW_LATE_MS, limit: LOG_FOLLOW_RECORDS_MAX })
}

/**
 * Asks again and again. PDPs send their records in batches, so one may come after others that were decided later: what
 * is asked for reaches back, and what was printed is known by its id.
 */
async function follow(where: RemoteEnvironment, filters: Filters, following: Following): Promise<void> {
  const { print, known, first, end } = following
  const seen = new Map([...known, ...first].map((record) => [record.id, recordTime(record)]))
  let isAway = false
  while (!end.aborted) {
    await sleep(LOG_FOLLOW_MS, undefined, { signal: end }).catch(() => undefined) // ended
    if (end.aborted) return
    const since = seen.size === 0 ? undefined : latest(seen) - LOG_FOLLOW_LATE_MS
    for (const [id, at] of seen) if (at < (since ?? 0)) seen.delete(id)
    try {
      const records = await listRecords(where, filters, { since, limit: LOG_FOLLOW_RECORDS_MAX })
      const fresh = records.filter(({ id }) => !seen.has(id)).toReversed()
      if (fresh.length === LOG_FOLLOW_RECORDS_MAX)
        tell(`more than ${fresh.length} decisions arrived at once: older ones are left out`)
      for (const record of fresh) {
        print(record)
        seen.set(record.id, recordTime(record))
      }
      if (isAway) tell('the server answers again')
      isAway = false
    } catch (error) {
      if (!mayPass(error)) throw error
      if (!isAway) tell(`${toErrorLine(error)}; asking again`)
      isAway = true
    }
  }
}

function latest(seen: ReadonlyMap<string, number>): number {
  let last = 0
  for (const at of seen.values()) last = Math.max(last, at)
  return last
}

/** Not on standard output, which is for decisions. */
const tell = (text: string): void => void process.stderr.write(`zerohop: ${text}\n`)

/** Whether asking again may help: the server is away or busy. */
function mayPass(error: unknown): boolean {
  if (!isZerohopError(error, 'API_REFUSED')) return isZerohopError(error)
  const { status } = error.details as { status?: unknown }
  return typeof status === 'number' && (status >= 500 || status === 429)
}

async function whyEmpty({ client, path }: RemoteEnvironment): Promise<string> {
  const query = { per_page: 1 }
  const { total_count } = dataOf(await client.GET('/v2/pdps/{p}/{e}/audit_logs', { params: { path, query } }))
  return total_count > 0
    ? 'no recorded decisions match'
    : 'no decisions are recorded: start `zerohop serve` or the PDP with PDP_DECISION_LOG=api, and a key of access write (docs/decision-log.md)'
}

function printer({ json }: LogOptions): Print {
  if (json) return (record) => void process.stdout.write(`${JSON.stringify(record)}\n`)
  const styled = stylist(printOptions(process.stdout))
  return ({ id, timestamp, decision, user_key: user, action, resource_type: type, tenant, reason, context }) => {
    const { resource_key: key, revision } = context as { resource_key?: string | null; revision?: number }
    const answer = styled(decision ? 'green' : 'red', decision ? 'allow' : 'deny ')
    const question = `${user} ${action} ${type}${key ? `:${key}` : ''} in ${tenant}`
    const because = reason === null || reason === 'allow' || reason === 'deny' ? '' : `${reason}, `
    const more = styled('dim', plain(`(${because}revision ${revision}) ${id}`))
    process.stdout.write(`${timestamp.replace('+00:00', 'Z')}  ${answer}  ${plain(question)}  ${more}\n`)
  }
}
