// `zerohop requests`: access requests of an environment, over the management API (docs/access-requests.md).
import { listAll } from '../../client/list-all.ts'
import { dataOf } from '../../client/management-client.ts'
import type { RequestState } from '../../kinds/access-request.ts'
import type { AccessRequestRead } from '../../management/schemas/access-requests.ts'
import { DURATION, formatSeconds, parseDuration } from '../../model/durations.ts'
import { ZerohopError } from '../../model/errors.ts'
import { plain } from '../../model/plain-text.ts'
import type { Env } from '../configuration/env.ts'
import { type Column, printList } from '../terminal/print-list.ts'
import { counting } from '../terminal/progress.ts'
import { remoteEnvironment } from './ask-api.ts'
import { formatTime } from './grant-times.ts'
import type { TargetOptions } from './plan-target.ts'

interface Acting extends TargetOptions {
  readonly as: string
  readonly reason?: string
  readonly json?: boolean
}
interface Time {
  readonly for?: string
  readonly until?: string
}
export type DecideOptions = Acting
export interface ApproveOptions extends Acting, Time {}
export interface AskOptions extends Acting, Time {
  readonly tenant?: string
  readonly on?: string
  readonly ticket?: string
}
export interface RequestsOptions extends TargetOptions {
  readonly state?: readonly RequestState[]
  readonly user?: string
  readonly role?: string
  readonly tenant?: string
  readonly all?: boolean
  readonly json?: boolean
}

const REQUESTS = '/v2/facts/{p}/{e}/access_requests'
const DECISIONS = {
  approve: `${REQUESTS}/{ref}/approve`,
  deny: `${REQUESTS}/{ref}/deny`,
  cancel: `${REQUESTS}/{ref}/cancel`,
  revoke: `${REQUESTS}/{ref}/revoke`,
} as const

/** Prints the requests. @throws INPUT_INVALID for an empty name; as `remoteEnvironment`; API_REFUSED */
export async function listRequests(env: Env, options: RequestsOptions): Promise<void> {
  const { state = ['pending'], user, role, tenant, all = false, json = false, ...where } = options
  for (const [name, value] of Object.entries({ user, role, tenant }))
    if (value === '') throw new ZerohopError('INPUT_INVALID', { reason: `--${name}: it is empty` })
  const { client, path } = await remoteEnvironment(env, where)
  const query = {
    state: [...state],
    ...(user === undefined ? {} : { user: [user] }),
    ...(role === undefined ? {} : { role: [role] }),
    ...(tenant === undefined ? {} : { tenant: [tenant] }),
  }
  const rows = listAll(client, REQUESTS, { params: { path, query } }) as AsyncGenerator<AccessRequestRead>
  await printList(counting('requests read', rows), REQUEST_COLUMNS, { all, json })
}

const REQUEST_COLUMNS: readonly Column<AccessRequestRead>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'user', cell: ({ user }) => user },
  { head: 'role', cell: ({ role }) => role },
  { head: 'where', cell: (row) => formatPlace(row) },
  { head: 'for', cell: (row) => formatWanted(row) },
  { head: 'state', cell: ({ state }) => state },
  { head: 'decided by', cell: ({ decided_by: by }) => by ?? '' },
  { head: 'until', cell: ({ valid_until: until }) => formatTime(until) },
  { head: 'reason', cell: ({ reason }) => reason ?? '' },
]

/** Asks for a role. @throws INPUT_INVALID for a time that cannot be read; as `remoteEnvironment`; API_REFUSED */
export async function ask(env: Env, role: string, options: AskOptions): Promise<void> {
  const { as, for: time, until, reason, ticket, tenant, on, json = false, ...where } = options
  const of = await remoteEnvironment(env, { ...where, ...withoutAbsent({ reason, ticket }) })
  const place = withoutAbsent({ tenant, resource_instance: on })
  const body = { as, role, ...readTime({ for: time, until }), ...place, ...withoutAbsent({ reason, ticket }) }
  print(dataOf(await of.client.POST(REQUESTS, { params: { path: of.path }, body })), json)
}

/** Decides on a request. @throws INPUT_INVALID for a time that cannot be read; as `remoteEnvironment`; API_REFUSED */
export async function decide(
  env: Env,
  verb: keyof typeof DECISIONS,
  id: string,
  options: ApproveOptions,
): Promise<void> {
  const { as, for: time, until, reason, json = false, ...where } = options
  const of = await remoteEnvironment(env, { ...where, ...withoutAbsent({ reason }) })
  const params = { path: { ...of.path, ref: id } }
  const body = { as, ...readTime({ for: time, until }), ...withoutAbsent({ reason }) }
  print(dataOf(await of.client.POST(DECISIONS[verb], { params, body })), json)
}

/** The time that is asked for. @throws INPUT_INVALID */
function readTime({ for: time, until }: { readonly [N in keyof Time]?: string | undefined }) {
  if (time === undefined) return withoutAbsent({ until })
  const duration = parseDuration(time)
  if (duration === undefined) throw new ZerohopError('INPUT_INVALID', { reason: `--for: ${DURATION}` })
  return { duration }
}

const withoutAbsent = <N extends string>(values: Readonly<Record<N, string | undefined>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [M in N]?: string }

function print(answer: unknown, json: boolean): void {
  const request = answer as AccessRequestRead
  process.stdout.write(json ? `${JSON.stringify(request, null, 2)}\n` : `${formatRequest(request)}\n`)
}

/** `approved: ana responder in tenant acme, until … (id)` */
function formatRequest(request: AccessRequestRead): string {
  const { id, state, user, role, valid_until } = request
  const place = request.resource_instance === null ? `in ${formatPlace(request)}` : `on ${formatPlace(request)}`
  const time = state === 'approved' ? `until ${formatTime(valid_until)}` : `for ${formatWanted(request)}`
  return plain(`${state}: ${user} ${role} ${place}, ${time} (${id})`)
}

const formatPlace = ({ tenant, resource_instance: instance }: AccessRequestRead): string =>
  instance ?? `tenant ${tenant}`

const formatWanted = ({ duration, until }: AccessRequestRead): string =>
  duration === undefined ? `until ${formatTime(until)}` : formatSeconds(duration)
