// `zerohop history`: the revisions of an environment, from the history of a management API.
import { dataOf } from '../../client/management-client.ts'
import type { EventRead } from '../../management/schemas/history.ts'
import { objectOfPath, whoText } from '../../model/change-words.ts'
import { parseId } from '../../model/keys.ts'
import { HISTORY_SCAN_MAX, PAGE_ROWS_MAX } from '../../model/limits.ts'
import type { Env } from '../configuration/env.ts'
import { printTable } from '../terminal/print-table.ts'
import { readCount, readWhen } from '../terminal/when.ts'
import { type RemoteEnvironment, remoteEnvironment } from './ask-api.ts'
import type { TargetOptions } from './plan-target.ts'

export interface HistoryOptions extends TargetOptions {
  readonly since?: string
  readonly until?: string
  readonly actor?: string
  readonly reason?: string
  readonly ticket?: string
  readonly limit: string
  readonly json?: boolean
}

interface Range {
  /** ms since 1970, included */
  readonly since: number | undefined
  readonly until: number | undefined
  readonly actor: string | undefined
  readonly reason: string | undefined
  readonly ticket: string | undefined
  readonly limit: number
}

/** Prints them, the newest first. @throws INPUT_INVALID for an option that cannot be read; as `remoteEnvironment` */
export async function listHistory(env: Env, options: HistoryOptions, now: number): Promise<void> {
  const range: Range = {
    since: readWhen(options.since, '--since', now),
    until: readWhen(options.until, '--until', now),
    actor: options.actor,
    reason: options.reason,
    ticket: options.ticket,
    limit: readCount(options.limit, '--limit', HISTORY_SCAN_MAX),
  }
  const events = await readEvents(await remoteEnvironment(env, withoutReasons(options)), range)
  if (options.json) {
    for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`)
    return
  }
  const shown = (['ticket', 'reason'] as const).filter((name) => events.some((event) => event[name] !== null))
  printTable(
    ['revision', 'when', 'who', 'operation', 'what', ...shown],
    events.map((event) => [
      String(event.revision),
      event.timestamp.replace('+00:00', 'Z'),
      whoText(event.actor_type === 'system' ? null : event.actor_id, event.actor_display_name),
      event.operation,
      event.summary ?? objectOfPath(event.path),
      ...shown.map((name) => event[name] ?? ''),
    ]),
  )
}

/** Here they choose what is listed. */
const withoutReasons = ({ reason: _reason, ticket: _ticket, ...options }: HistoryOptions): TargetOptions => options

async function readEvents({ client, path }: RemoteEnvironment, range: Range): Promise<EventRead[]> {
  const { since, until, actor, reason, ticket, limit } = range
  const { id } = dataOf(await client.GET('/v2/projects/{p}/envs/{e}', { params: { path } }))
  const actorId = parseId(actor ?? '')
  const query = {
    env_id: [id],
    per_page: PAGE_ROWS_MAX,
    // the API knows whole seconds
    ...(since === undefined ? {} : { timestamp_from: Math.floor(since / 1000) }),
    ...(until === undefined ? {} : { timestamp_until: Math.ceil(until / 1000) }),
    ...(actor === undefined ? {} : actorId === undefined ? { actor_display_name: actor } : { actor_id: [actorId] }),
    ...(reason === undefined ? {} : { reason }),
    ...(ticket === undefined ? {} : { ticket: [ticket] }),
  }
  const events: EventRead[] = []
  let before = Number.POSITIVE_INFINITY
  for (let page = 1; events.length < limit; page++) {
    const { data } = dataOf(await client.GET('/v2/history', { params: { query: { ...query, page } } }))
    for (const event of data as EventRead[]) {
      const at = Date.parse(event.timestamp)
      // what is written meanwhile moves the pages
      if (event.revision >= before || (since ?? 0) > at || (until ?? at) < at) continue
      before = event.revision
      if (events.length < limit) events.push(event)
    }
    if (data.length < PAGE_ROWS_MAX || page * PAGE_ROWS_MAX >= HISTORY_SCAN_MAX) break
  }
  return events
}
