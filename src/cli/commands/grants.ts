// `zerohop grant`, `revoke` and `grants`: role assignments of an environment, over the management API.
import { listAll } from '../../client/list-all.ts'
import { dataOf } from '../../client/management-client.ts'
import { HAND } from '../../kinds/claims.ts'
import { stateAt } from '../../kinds/times.ts'
import type { RoleAssignmentRead } from '../../management/schemas/role-assignments.ts'
import { holderText } from '../../model/change-words.ts'
import { counted } from '../../model/counted.ts'
import { DURATION, instantIn, parseSeconds } from '../../model/durations.ts'
import { ZerohopError } from '../../model/errors.ts'
import { BULK_ASSIGNMENTS_MAX } from '../../model/limits.ts'
import { plain } from '../../model/plain-text.ts'
import type { Env } from '../configuration/env.ts'
import { WRONG_USAGE } from '../terminal/command-line.ts'
import { askToConfirm } from '../terminal/confirm.ts'
import { type Column, printList } from '../terminal/print-list.ts'
import { counting } from '../terminal/progress.ts'
import { DONE, REFUSED } from './agreement.ts'
import { type RemoteEnvironment, remoteEnvironment } from './ask-api.ts'
import { formatTime, readTimes, type TimeOptions } from './grant-times.ts'
import type { TargetOptions } from './plan-target.ts'
import { listUnused } from './unused-grants.ts'

interface Where {
  readonly tenant?: string
  /** a resource instance */
  readonly on?: string
}

export interface GrantOptions extends TargetOptions, Where, TimeOptions {
  readonly reason?: string
  readonly ticket?: string
  readonly json?: boolean
}

export interface RevokeOptions extends TargetOptions, Where {
  readonly all?: boolean
  readonly reason?: string
  readonly ticket?: string
  readonly yes?: boolean
  readonly json?: boolean
}

export interface GrantsOptions extends TargetOptions, Where {
  readonly ending?: string
  /** for how long it was not used, by the decision log */
  readonly unused?: string
  readonly user?: string
  readonly role?: string
  readonly ticket?: string
  /** a writer: `hand`, `directory` or the name of a sync */
  readonly claim?: string
  readonly state?: readonly ('scheduled' | 'in_force' | 'ended')[]
  readonly all?: boolean
  readonly json?: boolean
}

const ASSIGNMENTS = '/v2/facts/{p}/{e}/role_assignments'

interface Held {
  readonly user: string
  readonly role: string
}

/**
 * Gives the role, or changes what is named of a role that the user has (times, reason, ticket), and says which it was.
 * @throws INPUT_INVALID for a time that cannot be read; as `remoteEnvironment`; API_REFUSED
 */
export async function grant(env: Env, held: Held, options: GrantOptions, now: number): Promise<void> {
  const { tenant, on, for: time, until, from, end, reason, ticket, json = false, ...where } = options
  const times = readTimes({ for: time, until, from, end }, now)
  const of = await remoteEnvironment(env, { ...where, ...given({ reason, ticket }) })
  const body = { ...held, ...toNames({ tenant, on }), ...times, ...given({ reason, ticket }) }
  const params = { path: of.path }
  const made = await of.client.POST(ASSIGNMENTS, { params, body })
  // it is there and has not ended: what is named of it is changed
  const before = made.response.status === 409 ? await findHeld(of, held, { tenant, on }) : undefined
  const answer = made.response.status === 409 ? await of.client.PUT(ASSIGNMENTS, { params, body }) : made
  const after = dataOf(answer) as RoleAssignmentRead
  const change = before === undefined ? 'granted' : compare(before, after)
  if (json) process.stdout.write(`${JSON.stringify({ change, ...after }, null, 2)}\n`)
  else process.stdout.write(`${change}: ${formatGrant(after)}${before ? formatBefore(before, change) : ''}\n`)
}

/** What a grant became. */
type Change = 'granted' | 'longer' | 'shorter' | 'changed' | 'unchanged'

/** By the end; by the beginning where the end is the same; by its reason and ticket where its times are. */
function compare(before: RoleAssignmentRead, after: RoleAssignmentRead): Change {
  const [was, is] = [before, after].map(({ valid_until: until }) => read(until, Number.POSITIVE_INFINITY)) as [
    number,
    number,
  ]
  if (was !== is) return is > was ? 'longer' : 'shorter'
  const [began, begins] = [before, after].map(({ valid_from: from }) => read(from, 0)) as [number, number]
  if (began !== begins) return begins < began ? 'longer' : 'shorter'
  return before.reason === after.reason && before.ticket === after.ticket ? 'unchanged' : 'changed'
}

const read = (time: string | undefined, none: number): number => (time === undefined ? none : Date.parse(time))

/**
 * Takes one role from the user, or all roles of a user or a ticket; returns the exit code.
 * @throws INPUT_INVALID unless it is said which; as `remoteEnvironment`; API_REFUSED
 */
export async function revoke(
  env: Env,
  user: string | undefined,
  role: string | undefined,
  options: RevokeOptions,
): Promise<number> {
  const { tenant, on, all = false, reason, ticket, yes = false, json = false, ...where } = options
  requireNames({ user, role, '--tenant': tenant, '--on': on, '--ticket': ticket })
  const takesMany = all || ticket !== undefined
  const isClear = takesMany ? role === undefined && (user ?? ticket) !== undefined : role !== undefined
  if (!isClear)
    throw new ZerohopError('INPUT_INVALID', { reason: 'name a user with a role or with --all, or a --ticket' })
  const of = await remoteEnvironment(env, { ...where, ...given({ reason, ticket }) })
  if (user !== undefined && role !== undefined) {
    const params = { path: of.path, query: { return_deleted: true } }
    const body = { user, role, ...toNames({ tenant, on }) }
    const gone = dataOf(await of.client.DELETE(ASSIGNMENTS, { params, body })) as RoleAssignmentRead
    process.stdout.write(json ? `${JSON.stringify(gone, null, 2)}\n` : `revoked: ${formatGrant(gone)}\n`)
    return DONE
  }
  const held: RoleAssignmentRead[] = []
  const whose = ` of ${[user && holderText(user), ticket && `ticket ${ticket}`].flatMap((name) => name ?? []).join(' and ')}`
  for await (const row of eachGrant(of, { user, tenant, on, ticket })) held.push(row)
  if (!json) for (const one of held) process.stdout.write(`- ${formatGrant(one)}\n`)
  if (held.length > 0 && !yes) {
    if (process.stdin.isTTY !== true) {
      process.stderr.write('zerohop: cannot ask, because standard input is not a terminal: --yes revokes\n')
      return WRONG_USAGE
    }
    if (!(await askToConfirm(`Revoke ${counted(held.length, 'role')}${plain(whose)}?`))) return REFUSED
  }
  let revoked = 0
  for (let from = 0; from < held.length; from += BULK_ASSIGNMENTS_MAX) {
    const body = held
      .slice(from, from + BULK_ASSIGNMENTS_MAX)
      .map((one) => ({ user: one.user, role: one.role, ...namePlace(one) }))
    const answer = await of.client.DELETE(`${ASSIGNMENTS}/bulk`, { params: { path: of.path }, body })
    revoked += dataOf(answer).assignments_removed
  }
  process.stdout.write(
    json ? `${JSON.stringify({ revoked })}\n` : `revoked: ${counted(revoked, 'role')}${plain(whose)}\n`,
  )
  return DONE
}

/** Prints who has which role. @throws INPUT_INVALID for a time that cannot be read; as `remoteEnvironment`; API_REFUSED */
export async function listGrants(env: Env, options: GrantsOptions, now: number): Promise<void> {
  const { ending, unused, user, role, tenant, on, ticket, claim, state, all = false, json = false, ...where } = options
  requireNames({
    ...{ '--user': user, '--role': role, '--tenant': tenant, '--on': on, '--ticket': ticket, '--claim': claim },
  })
  if (unused !== undefined) return listUnused(env, { unused, user, role, tenant, all, json }, where)
  if (ending !== undefined && parseSeconds(ending) === undefined)
    throw new ZerohopError('INPUT_INVALID', { reason: `--ending: ${DURATION}` })
  const ending_before = ending === undefined ? undefined : instantIn(ending, now)
  const of = await remoteEnvironment(env, where)
  const rows = counting('assignments read', eachGrant(of, { user, role, tenant, on, ticket, state, ending_before }))
  await printList(claim === undefined ? rows : claimedBy(rows, claim), grantColumns(now), { all, json })
}

async function* claimedBy(rows: AsyncIterable<RoleAssignmentRead>, claim: string): AsyncGenerator<RoleAssignmentRead> {
  for await (const row of rows) if (listClaimants(row).includes(claim)) yield row
}

const grantColumns = (now: number): readonly Column<RoleAssignmentRead>[] => [
  { head: 'user', cell: ({ user }) => holderText(user) },
  { head: 'role', cell: ({ role }) => role },
  { head: 'where', cell: ({ resource_instance: instance, tenant }) => instance ?? `tenant ${tenant}` },
  { head: 'from', cell: ({ valid_from: from }) => formatTime(from) },
  { head: 'until', cell: ({ valid_until: until }) => formatTime(until) },
  { head: 'state', cell: (row) => formatState(row, now) },
  { head: 'ticket', cell: ({ ticket = '' }) => ticket, isSaid: ({ ticket }) => ticket !== undefined },
  { head: 'reason', cell: ({ reason = '' }) => reason, isSaid: ({ reason }) => reason !== undefined },
  { head: 'claimed by', cell: (row) => listClaimants(row).join(', '), isSaid: ({ claims }) => claims !== undefined },
]

const listClaimants = ({ claims }: RoleAssignmentRead): readonly string[] => claims?.map(({ by }) => by) ?? [HAND]

/**
 * An empty parameter counts as one that is not sent, so `--ticket "$UNSET"` would mean every assignment.
 * @throws INPUT_INVALID for a name that is empty
 */
function requireNames(names: { readonly [name: string]: string | undefined }): void {
  const empty = Object.keys(names).find((name) => names[name] === '')
  if (empty !== undefined) throw new ZerohopError('INPUT_INVALID', { reason: `${empty}: it is empty` })
}

interface Filters extends Where {
  readonly user?: string | undefined
  readonly role?: string | undefined
  readonly ticket?: string | undefined
  readonly state?: readonly ('scheduled' | 'in_force' | 'ended')[] | undefined
  readonly ending_before?: string | undefined
}

/** Role assignments, as long as they are taken. */
function eachGrant(
  { client, path }: RemoteEnvironment,
  { user, role, tenant, on, ticket, state, ending_before }: { readonly [N in keyof Filters]?: Filters[N] | undefined },
): AsyncGenerator<RoleAssignmentRead> {
  const query = {
    ...(user === undefined ? {} : { user: [user] }),
    ...(role === undefined ? {} : { role: [role] }),
    ...(tenant === undefined ? {} : { tenant: [tenant] }),
    ...(on === undefined ? {} : { resource_instance: on }),
    ...(ticket === undefined ? {} : { ticket: [ticket] }),
    ...(state === undefined ? {} : { state: [...state] }),
    ...(ending_before === undefined ? {} : { ending_before }),
  }
  return listAll(client, ASSIGNMENTS, { params: { path, query } }) as AsyncGenerator<RoleAssignmentRead>
}

/** The role that the user has there; undefined when it is gone by now. */
async function findHeld(
  of: RemoteEnvironment,
  { user, role }: Held,
  { tenant, on }: { readonly [N in keyof Where]?: string | undefined },
): Promise<RoleAssignmentRead | undefined> {
  const place = on === undefined ? { tenant: tenant ?? 'default' } : { on }
  for await (const row of eachGrant(of, { user, role, ...place }))
    if ((row.resource_instance === null) === (on === undefined)) return row
  return undefined
}

/** Why a role is given, as bodies have it. */
const given = ({ reason, ticket }: { readonly reason: string | undefined; readonly ticket: string | undefined }) => ({
  ...(reason === undefined ? {} : { reason }),
  ...(ticket === undefined ? {} : { ticket }),
})

/** As bodies name where a role is held. */
const toNames = ({ tenant, on }: { readonly [N in keyof Where]?: string | undefined }) => ({
  ...(tenant === undefined ? {} : { tenant }),
  ...(on === undefined ? {} : { resource_instance: on }),
})

const namePlace = ({ tenant, resource_instance: instance }: RoleAssignmentRead) =>
  instance === null ? { tenant } : { resource_instance: instance }

/** `ana editor in tenant acme, until …, ticket …` */
function formatGrant(row: RoleAssignmentRead): string {
  const { user, role, tenant, resource_instance: instance, valid_from: from, valid_until: until, ticket } = row
  const where = instance === null ? `in tenant ${tenant}` : `on ${instance}`
  const more = [
    from === undefined ? '' : `, from ${formatTime(from)}`,
    until === undefined ? '' : `, until ${formatTime(until)}`,
    ticket === undefined ? '' : `, ticket ${ticket}`,
  ]
  return plain(`${holderText(user)} ${role} ${where}${more.join('')}`)
}

function formatBefore({ valid_from: from, valid_until: until }: RoleAssignmentRead, change: Change): string {
  if (change === 'unchanged' || change === 'changed') return ''
  const start = from === undefined ? '' : `from ${formatTime(from)}, `
  return ` (before: ${start}${until === undefined ? 'without an end' : `until ${formatTime(until)}`})`
}

const formatState = ({ valid_from: from, valid_until: until }: RoleAssignmentRead, now: number): string => {
  const times = {
    valid_from: from === undefined ? null : Date.parse(from),
    valid_until: until === undefined ? null : Date.parse(until),
  }
  return stateAt(times, now).replace('_', ' ')
}
