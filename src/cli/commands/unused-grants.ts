// `zerohop grants --unused 90d`: role assignments that were not used for a time, by the decision log of the server, and
// what it cannot know.
import { dataOf } from '../../client/management-client.ts'
import type { LastUsedRoles } from '../../management/schemas/last-used.ts'
import { holderText } from '../../model/change-words.ts'
import { DURATION, parseSeconds } from '../../model/durations.ts'
import { ZerohopError } from '../../model/errors.ts'
import { LAST_USED_ROWS_PER_PAGE_MAX } from '../../model/limits.ts'
import type { Env } from '../configuration/env.ts'
import { type Column, printList } from '../terminal/print-list.ts'
import { counting } from '../terminal/progress.ts'
import { remoteEnvironment } from './ask-api.ts'
import { formatTime } from './grant-times.ts'
import type { TargetOptions } from './plan-target.ts'

export interface UnusedOptions {
  /** for how long, such as `90d` */
  readonly unused: string
  readonly user?: string | undefined
  readonly role?: string | undefined
  readonly tenant?: string | undefined
  readonly all: boolean
  readonly json: boolean
}

type Row = LastUsedRoles['data'][number]

const UNKNOWN: Readonly<Record<NonNullable<Row['unknown']>, string>> = {
  nothing_recorded: 'not known: no decisions were recorded in this time',
  not_recorded_so_long: 'not known: decisions were not recorded for so long',
  read_by_conditions: 'not known: conditions read the roles of users',
  role_not_in_policy: 'not known: the policy does not say what the role gives',
}

/** @throws INPUT_INVALID for a time that cannot be read; as `remoteEnvironment`; API_REFUSED */
export async function listUnused(
  env: Env,
  { unused, user, role, tenant, all, json }: UnusedOptions,
  where: TargetOptions,
): Promise<void> {
  if (parseSeconds(unused) === undefined) throw new ZerohopError('INPUT_INVALID', { reason: `--unused: ${DURATION}` })
  const { client, path } = await remoteEnvironment(env, where)
  const query = {
    unused_for: unused,
    limit: LAST_USED_ROWS_PER_PAGE_MAX,
    ...(user === undefined ? {} : { user }),
    ...(role === undefined ? {} : { role }),
    ...(tenant === undefined ? {} : { tenant }),
  }
  let last: LastUsedRoles | undefined
  async function* eachRow(): AsyncGenerator<Row> {
    for (let after: string | undefined; ; ) {
      last = dataOf(
        await client.GET('/v2/facts/{p}/{e}/last_used/role_assignments', {
          params: { path, query: { ...query, ...(after === undefined ? {} : { after }) } },
        }),
      )
      yield* last.data
      after = last.next ?? undefined
      if (after === undefined) return
    }
  }
  await printList(counting('assignments read', eachRow()), COLUMNS, { all, json })
  if (last !== undefined && !json) printNotes(last)
}

const COLUMNS: readonly Column<Row>[] = [
  { head: 'user', cell: ({ user }) => holderText(user) },
  { head: 'role', cell: ({ role }) => role },
  { head: 'where', cell: ({ resource_instance: instance, tenant }) => instance ?? `tenant ${tenant}` },
  { head: 'given', cell: ({ given_at: at }) => formatTime(at) },
  { head: 'last used', cell: ({ last_used: at }) => (at === null ? '' : formatTime(at)) },
  { head: 'unused', cell: ({ unknown }) => (unknown === null ? 'yes' : UNKNOWN[unknown]) },
]

/** What the answer cannot know. */
function printNotes({ known_since: since, dropped, dropped_at: at }: LastUsedRoles): void {
  const note = (text: string): void => void process.stderr.write(`zerohop: ${text}\n`)
  note(
    since === null
      ? 'no uses are known'
      : `uses are known since ${formatTime(since)}; decisions that no PDP sends here are not among them`,
  )
  if (dropped > 0)
    note(
      `${dropped} decisions could not be recorded, the last before ${formatTime(at ?? undefined)}: what only they used looks unused`,
    )
}
