// `zerohop proposals` and its subcommands: changes of the policy that one proposes and another applies, over the
// management API.
import { listAll } from '../../client/list-all.ts'
import { dataOf } from '../../client/management-client.ts'
import type { Plan, PlanRequest } from '../../management/schemas/plan.ts'
import type { ProposalRead, ProposalRow } from '../../management/schemas/proposals.ts'
import { formatChangeCounts, whoText } from '../../model/change-words.ts'
import { plain } from '../../model/plain-text.ts'
import type { Env } from '../configuration/env.ts'
import { askToConfirm } from '../terminal/confirm.ts'
import { type Column, printList } from '../terminal/print-list.ts'
import { printOptions } from '../terminal/print-problems.ts'
import { withProgress } from '../terminal/progress.ts'
import { DONE, REFUSED, refusalToAsk } from './agreement.ts'
import { type RemoteEnvironment, remoteEnvironment } from './ask-api.ts'
import type { ReasonOptions } from './management-api.ts'
import type { TargetOptions } from './plan-target.ts'
import { planText } from './plan-text.ts'

const ONE = '/v2/projects/{p}/envs/{e}/proposals/{proposal}'

interface Common extends TargetOptions {
  readonly json?: boolean
}
export interface ListOptions extends Common {
  readonly all?: boolean
  readonly state?: readonly string[]
}
export interface ShowOptions extends Common {
  readonly details?: boolean
}
export interface DecideOptions extends ShowOptions, ReasonOptions {
  readonly yes?: boolean
  readonly force?: boolean
}

/** The generated types know no lists that are only read. */
type Body = object & Record<never, never>

/** Proposes what was planned. @throws as `remoteEnvironment`; API_REFUSED */
export async function propose(
  env: Env,
  request: PlanRequest,
  options: TargetOptions & ReasonOptions,
): Promise<ProposalRead> {
  const { client, path } = await remoteEnvironment(env, options)
  const answer = await client.POST('/v2/projects/{p}/envs/{e}/proposals', { params: { path }, body: request as Body })
  return dataOf(answer) as ProposalRead
}

/** Prints them, the newest last. @throws as `remoteEnvironment`; API_REFUSED */
export async function listProposals(
  env: Env,
  { state, all = false, json = false, ...where }: ListOptions,
): Promise<void> {
  const { client, path } = await remoteEnvironment(env, where)
  const query = state === undefined ? {} : { state: [...state] }
  const rows = listAll(client, '/v2/projects/{p}/envs/{e}/proposals', { params: { path, query } })
  await printList(rows as AsyncGenerator<ProposalRow>, PROPOSAL_COLUMNS, { all, json })
}

const PROPOSAL_COLUMNS: readonly Column<ProposalRow>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'state', cell: ({ outdated, state }) => (outdated ? 'outdated' : state) },
  { head: 'when', cell: ({ created_at: at }) => at.replace('+00:00', 'Z') },
  { head: 'who', cell: (row) => whoText(row.actor_id, row.actor_display_name) },
  { head: 'what', cell: ({ summary }) => summary },
  { head: 'ticket', cell: ({ ticket }) => ticket ?? '' },
  { head: 'reason', cell: ({ reason }) => reason ?? '' },
]

/** Prints what a proposal does now. @throws as `remoteEnvironment`; API_REFUSED */
export async function showProposal(env: Env, id: string, { json = false, details = false, ...where }: ShowOptions) {
  const of = await remoteEnvironment(env, where)
  const shown = await readProposal(of, id)
  if (json) process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
  else process.stdout.write(formatProposal(shown, details))
}

interface Shown {
  readonly proposal: ProposalRead
  /** absent for one that is closed or outdated */
  readonly plan?: Plan
}

async function readProposal({ client, path }: RemoteEnvironment, id: string): Promise<Shown> {
  const params = { path: { ...path, proposal: id } }
  const proposal = dataOf(await client.GET(ONE, { params })) as ProposalRead
  if (proposal.state !== 'proposed' || proposal.outdated) return { proposal }
  const plan = await withProgress('planning', async () =>
    dataOf(await client.POST(`${ONE}/plan`, { params, body: {} })),
  )
  return { proposal, plan: plan as Plan }
}

function formatProposal({ proposal, plan }: Shown, details: boolean): string {
  const { id, state, outdated, actor_id, actor_display_name, reason, ticket, summary, end } = proposal
  const lines = [
    `Proposal ${id} by ${whoText(actor_id, actor_display_name)}: ${outdated ? 'outdated, what it changes is not as it was' : state}`,
    ...(reason === null ? [] : [`Reason: ${reason}`]),
    ...(ticket === null ? [] : [`Ticket: ${ticket}`]),
    ...(end === null
      ? []
      : [
          `${state} by ${whoText(end.actor_id, end.actor_display_name)}${end.reason === null ? '' : `: ${end.reason}`}`,
        ]),
  ]
  const { colour } = printOptions(process.stdout)
  return `${lines.map(plain).join('\n')}\n\n${plan === undefined ? `${plain(summary)}\n` : planText(plan, { colour, details })}`
}

/** Shows what a proposal does, applies it, and returns the exit code. @throws as `remoteEnvironment`; API_REFUSED */
export async function applyProposal(env: Env, id: string, options: DecideOptions): Promise<number> {
  const { yes = false, force, json = false, details = false, ...where } = options
  const of = await remoteEnvironment(env, where)
  const shown = await readProposal(of, id)
  const { plan } = shown
  if (!json) process.stdout.write(formatProposal(shown, details))
  const refusal = plan && refusalToAsk(plan, yes, { does: 'applies', again: 'apply it' })
  if (refusal !== undefined) {
    process.stderr.write(`zerohop: ${refusal.reason}\n`)
    return refusal.code
  }
  if (!yes && !(await askToConfirm(`Apply proposal ${id}?`))) return REFUSED
  const expected = plan && { policy: plan.policy, access: plan.access }
  const body = { ...(expected && { expected }), ...(force ? { force } : {}) } as Body
  const params = { path: { ...of.path, proposal: id } }
  const applied = dataOf(await of.client.POST(`${ONE}/apply`, { params, body })) as Plan
  if (json) process.stdout.write(`${JSON.stringify(applied, null, 2)}\n`)
  else process.stdout.write(`Applied (${formatChangeCounts(applied)}): revision ${applied.revision}\n`)
  return DONE
}

/** Rejects or withdraws a proposal. @throws as `remoteEnvironment`; API_REFUSED */
export async function endProposal(
  env: Env,
  id: string,
  how: 'reject' | 'withdraw',
  { json = false, ...where }: Common & ReasonOptions,
): Promise<void> {
  const { client, path } = await remoteEnvironment(env, where)
  const params = { path: { ...path, proposal: id } }
  const answer =
    how === 'reject' ? client.POST(`${ONE}/reject`, { params }) : client.POST(`${ONE}/withdraw`, { params })
  const ended = dataOf(await answer) as ProposalRead
  process.stdout.write(json ? `${JSON.stringify(ended, null, 2)}\n` : `${plain(ended.state)}: ${id}\n`)
}
