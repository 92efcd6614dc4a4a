// `zerohop history`: the revisions of an environment, from the history of a management API.
import { listAll } from '../../client/list-all.ts'
import { dataOf } from '../../client/management-client.ts'
import type { EventRead } from '../../management/schemas/history.ts'
import { objectOfPath, whoText } from '../../model/change-words.ts'
import { parseId } from '../../model/keys.ts'
import { HISTORY_SCAN_MAX } from '../../model/limits.ts'
import type { Env } from '../configuration/env.ts'
import { type Column, printList } from '../terminal/print-list.ts'
import { counting } from '../terminal/progress.ts'
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
  readonly all?: boolean
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
    limit: options.all ? Number.POSITIVE_INFINITY : readCount(options.limit, '--limit', HISTORY_SCAN_MAX),
  }
  const events = readEvents(await remoteEnvironment(env, withoutReasons(options)), range)
  await printList(events, COLUMNS, { ...options, all: true }) // --limit says how many
}

const COLUMNS: readonly Column<EventRead>[] = [
  { head: 'revision', cell: ({ revision }) => String(revision) },
  { head: 'when', cell: ({ timestamp }) => timestamp.replace('+00:00', 'Z') },
  {
    head: 'who',
    cell: ({ actor_type: type, actor_id: id, actor_display_name: name }) =>
      whoText(type === 'system' ? null : id, name),
  },
  { head: 'operation', cell: ({ operation }) => operation },
  { head: 'what', cell: ({ summary, path }) => summary ?? objectOfPath(path) },
  { head: 'ticket', cell: ({ ticket }) => ticket ?? '', isSaid: ({ ticket }) => ticket !== null },
  { head: 'reason', cell: ({ reason }) => reason ?? '', isSaid: ({ reason }) => reason !== null },
]

/** Here they choose what is listed. */
const withoutReasons = ({ reason: _reason, ticket: _ticket, ...options }: HistoryOptions): TargetOptions => options

async function* readEvents({ client, path }: RemoteEnvironment, range: Range): AsyncGenerator<EventRead> {
  const { since, until, actor, reason, ticket, limit } = range
  const { id } = dataOf(await client.GET('/v2/projects/{p}/envs/{e}', { params: { path } }))
  const actorId = parseId(actor ?? '')
  const query = {
    env_id: [id],
    // the API knows whole seconds
    ...(since === undefined ? {} : { timestamp_from: Math.floor(since / 1000) }),
    ...(until === undefined ? {} : { timestamp_until: Math.ceil(until / 1000) }),
    ...(actor === undefined ? {} : actorId === undefined ? { actor_display_name: actor } : { actor_id: [actorId] }),
    ...(reason === undefined ? {} : { reason }),
    ...(ticket === undefined ? {} : { ticket: [ticket] }),
  }
  let taken = 0
  for await (const event of counting('revisions read', listAll(client, '/v2/history', { params: { query } }))) {
    const at = Date.parse(event.timestamp)
    if (at < (since ?? 0) || at > (until ?? at)) continue
    yield event as EventRead
    if (++taken >= limit) return
  }
}
