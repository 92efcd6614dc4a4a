// `zerohop group-rules`: rules that give roles to the members of groups of a directory (docs/scim.md), over the
// management API. A write shows its plan first, asks, and does it.
import { listAll } from '../../client/list-all.ts'
import { dataOf } from '../../client/management-client.ts'
import type { GroupRuleRead } from '../../management/schemas/group-rules.ts'
import type { Plan } from '../../management/schemas/plan.ts'
import { counted } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { plain } from '../../model/plain-text.ts'
import type { Env } from '../configuration/env.ts'
import { askToConfirm } from '../terminal/confirm.ts'
import { type Column, printList } from '../terminal/print-list.ts'
import { printOptions } from '../terminal/print-problems.ts'
import { withProgress } from '../terminal/progress.ts'
import { type AgreementOptions, DONE, planCode, REFUSED, refusalToAsk } from './agreement.ts'
import { type RemoteEnvironment, remoteEnvironment } from './ask-api.ts'
import { formatTime, readTimes, type TimeOptions } from './grant-times.ts'
import type { ReasonOptions } from './management-api.ts'
import type { TargetOptions } from './plan-target.ts'
import { planText } from './plan-text.ts'

export interface ListOptions extends TargetOptions {
  readonly all?: boolean
  readonly json?: boolean
}

export interface WriteOptions extends TargetOptions, ReasonOptions, AgreementOptions, TimeOptions {
  readonly group?: string
  readonly externalId?: string
  readonly prefix?: boolean
  readonly exact?: boolean
  readonly role?: string
  readonly tenant?: string
  readonly on?: string
}

const RULES = '/v2/facts/{p}/{e}/group_rules'
/** The generated types know no fields that may be left out by a caller who does not know which they are. */
type Body = object & Record<never, never>

/** Prints the rules. @throws as `remoteEnvironment`; API_REFUSED */
export async function listGroupRules(env: Env, { all = false, json = false, ...where }: ListOptions): Promise<void> {
  const { client, path } = await remoteEnvironment(env, where)
  const rows = listAll(client, RULES, { params: { path } }) as AsyncGenerator<GroupRuleRead>
  await printList(rows, COLUMNS, { all, json })
}

const COLUMNS: readonly Column<GroupRuleRead>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'groups', cell: (row) => formatGroups(row) },
  { head: 'role', cell: ({ role }) => role },
  { head: 'where', cell: ({ resource_instance: instance, tenant }) => instance ?? `tenant ${tenant}` },
  { head: 'from', cell: ({ valid_from: from }) => formatTime(from) },
  { head: 'until', cell: ({ valid_until: until }) => formatTime(until) },
  // an older server does not say it
  {
    head: 'selects',
    cell: ({ groups }: Partial<GroupRuleRead>) => (groups === undefined ? '' : counted(groups, 'group')),
  },
]

/**
 * Plans a rule, asks and makes it; returns the exit code.
 * @throws INPUT_INVALID for a group that is not named and a time that cannot be read; as `remoteEnvironment`; API_REFUSED
 */
export async function createRule(env: Env, role: string, options: WriteOptions, now: number): Promise<number> {
  const group = readGroup(options)
  if (group.value === undefined) throw new ZerohopError('INPUT_INVALID', { reason: 'name --group or --external-id' })
  const create = { role, group, ...readGift(options), ...readTimes(options, now) } as Body
  return write(env, options, {
    planned: { create },
    question: `Give ${role} to the members of these groups?`,
    does: 'makes the rule',
    run: async ({ client, path }) => {
      const rule = dataOf(await client.POST(RULES, { params: { path }, body: create as never })) as GroupRuleRead
      return { json: rule, text: `created: ${formatRule(rule)}` }
    },
  })
}

/** The same for what is named of a rule that is there. @throws as `createRule` */
export async function updateRule(env: Env, id: string, options: WriteOptions, now: number): Promise<number> {
  const group = readGroup(options)
  const { role } = options
  const fields = {
    ...(Object.keys(group).length === 0 ? {} : { group }),
    ...(role === undefined ? {} : { role }),
    ...readGift(options),
    ...readTimes(options, now),
  } as Body
  if (Object.keys(fields).length === 0) throw new ZerohopError('INPUT_INVALID', { reason: 'name what is to change' })
  return write(env, options, {
    planned: { update: { rule: id, fields } },
    question: `Change rule ${id}?`,
    does: 'changes the rule',
    run: async ({ client, path }) => {
      const params = { path: { ...path, ref: id } }
      const rule = dataOf(await client.PATCH(`${RULES}/{ref}`, { params, body: fields as never })) as GroupRuleRead
      return { json: rule, text: `changed: ${formatRule(rule)}` }
    },
  })
}

/** The same for its end. @throws as `remoteEnvironment`; API_REFUSED */
export async function deleteRule(env: Env, id: string, options: WriteOptions): Promise<number> {
  return write(env, options, {
    planned: { delete: id },
    question: `Delete rule ${id}?`,
    does: 'deletes the rule',
    run: async ({ client, path }) => {
      dataOf(await client.DELETE(`${RULES}/{ref}`, { params: { path: { ...path, ref: id } } }))
      return { json: { deleted: id }, text: `deleted: rule ${id}` }
    },
  })
}

interface Write {
  readonly planned: object
  readonly question: string
  /** completes "--yes …" */
  readonly does: string
  readonly run: (of: RemoteEnvironment) => Promise<{ readonly json: object; readonly text: string }>
}

async function write(env: Env, options: WriteOptions, { planned, question, does, run }: Write): Promise<number> {
  const { dryRun = false, yes = false, details = false, json = false } = options
  const of = await remoteEnvironment(env, options)
  const plan = await withProgress('planning', async () => {
    const answer = await of.client.POST(`${RULES}/plan`, { params: { path: of.path }, body: planned as never })
    return dataOf(answer) as Plan
  })
  const isNothing = plan.changes.length === 0
  const { colour } = printOptions(process.stdout)
  if (!json) process.stdout.write(isNothing ? `${NOTHING_NOW}\n` : planText(plan, { colour, details }))
  if (json && dryRun) process.stdout.write(`${JSON.stringify(plan, null, 2)}\n`)
  if (dryRun) return planCode(plan, isNothing)
  const refusal = refusalToAsk(plan, yes, { does, again: 'do it' })
  if (refusal !== undefined) {
    process.stderr.write(`zerohop: ${refusal.reason}\n`)
    return refusal.code
  }
  if (!yes && !(await askToConfirm(question))) return REFUSED
  const done = await withProgress('writing', () => run(of))
  process.stdout.write(json ? `${JSON.stringify(done.json, null, 2)}\n` : `${done.text}\n`)
  return DONE
}

const NOTHING_NOW = 'No user gains or loses a role by it now.'

/** What is named of the groups. @throws INPUT_INVALID for an empty name, and for both ways to compare it */
function readGroup({ group, externalId, prefix = false, exact = false }: WriteOptions) {
  for (const [option, text] of Object.entries({ '--group': group, '--external-id': externalId }))
    if (text === '') throw new ZerohopError('INPUT_INVALID', { reason: `${option}: it is empty` })
  if (prefix && exact) throw new ZerohopError('INPUT_INVALID', { reason: 'either --prefix or --exact' })
  return {
    ...(group === undefined ? {} : { by: 'display_name', value: group }),
    ...(externalId === undefined ? {} : { by: 'external_id', value: externalId }),
    ...(prefix ? { match: 'prefix' } : exact ? { match: 'exact' } : {}),
  }
}

/** What is named of where the role is given. */
const readGift = ({ tenant, on }: WriteOptions): object => ({
  ...(tenant === undefined ? {} : { tenant }),
  ...(on === undefined ? {} : { resource_instance: on }),
})

const FIELDS = { display_name: 'name', external_id: 'external id' } as const

/** `name begins with "eu-"` */
const formatGroups = ({ group: { by, match, value } }: GroupRuleRead): string =>
  plain(`${FIELDS[by]} ${match === 'prefix' ? 'begins with' : 'is'} ${JSON.stringify(value)}`)

/** `editor in tenant acme to groups whose name is "Engineering", until … (id)` */
function formatRule(rule: GroupRuleRead): string {
  const { id, role, tenant, resource_instance: instance, valid_from: from, valid_until: until } = rule
  const times = [
    from === undefined ? '' : `, from ${formatTime(from)}`,
    until === undefined ? '' : `, until ${formatTime(until)}`,
  ]
  const place = instance === null ? `in tenant ${tenant}` : `on ${instance}`
  return plain(`${role} ${place} to groups whose ${formatGroups(rule)}${times.join('')} (${id})`)
}
