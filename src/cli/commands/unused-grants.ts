// `zerohop grants --unused 90d`: role assignments that were not used for a time, by the decision log of the server, and
// what it cannot know.
import { dataOf } from '../../client/management-client.ts'
import type { LastUsedRoles } from '../../management/schemas/last-used.ts'
import { holderText } from '../../model/change-words.ts'
import { DURATION, parseSeconds } from '../../model/durations.ts'
import { ZerohopError } from '../../model/errors.ts'
import { GRANTS_SHOWN_MAX, LAST_USED_ROWS_PER_PAGE_MAX } from '../../model/limits.ts'
import type { Env } from '../configuration/env.ts'
import { printTable } from '../terminal/print-table.ts'
import { remoteEnvironment } from './ask-api.ts'
import { formatTime } from './grant-times.ts'
import type { TargetOptions } from './plan-target.ts'

export interface UnusedOptions {
  /** for how long, such as `90d` */
  readonly unused: string
  readonly user?: string | undefined
  readonly role?: string | undefined
  readonly tenant?: string | undefined
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
  { unused, user, role, tenant, json }: UnusedOptions,
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
  const shown: Row[] = []
  for (let after: string | undefined; ; ) {
    const page: LastUsedRoles = dataOf(
      await client.GET('/v2/facts/{p}/{e}/last_used/role_assignments', {
        params: { path, query: { ...query, ...(after === undefined ? {} : { after }) } },
      }),
    )
    if (json) for (const row of page.data) process.stdout.write(`${JSON.stringify(row)}\n`)
    else shown.push(...page.data)
    after = page.next ?? undefined
    if (after !== undefined && shown.length <= GRANTS_SHOWN_MAX) continue
    if (!json) print(shown, page)
    return
  }
}

function print(shown: readonly Row[], { known_since: since, dropped, dropped_at: at }: LastUsedRoles): void {
  printTable(
    ['user', 'role', 'where', 'given', 'last used', 'unused'],
    shown
      .slice(0, GRANTS_SHOWN_MAX)
      .map((row) => [
        holderText(row.user),
        row.role,
        row.resource_instance ?? `tenant ${row.tenant}`,
        formatTime(row.given_at),
        row.last_used === null ? '' : formatTime(row.last_used),
        row.unknown === null ? 'yes' : UNKNOWN[row.unknown],
      ]),
  )
  const note = (text: string): void => void process.stderr.write(`zerohop: ${text}\n`)
  if (shown.length > GRANTS_SHOWN_MAX) note(`only the first ${GRANTS_SHOWN_MAX} are shown: choose fewer, or --json`)
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
