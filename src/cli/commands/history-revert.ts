// `zerohop history revert`: takes a revision back, three-way: shows what that would do and what is in its way, asks,
// and does just that.

import { dataOf } from '../../client/management-client.ts'
import type { RevertPlan } from '../../management/schemas/revert.ts'
import { conflictText, formatChangeCounts, lostTexts, MADE_AGAIN } from '../../model/change-words.ts'
import { counted } from '../../model/counted.ts'
import type { Env } from '../configuration/env.ts'
import { askToConfirm } from '../terminal/confirm.ts'
import { printOptions } from '../terminal/print-problems.ts'
import { withProgress } from '../terminal/progress.ts'
import { readCount } from '../terminal/when.ts'
import { type AgreementOptions, DONE, planCode, REFUSED, refusalToAsk } from './agreement.ts'
import { remoteEnvironment } from './ask-api.ts'
import type { ReasonOptions } from './management-api.ts'
import type { TargetOptions } from './plan-target.ts'
import { joinBlocks, type PlanTextOptions, planText, stylist } from './plan-text.ts'

export interface RevertOptions extends TargetOptions, AgreementOptions, ReasonOptions {
  readonly cascade?: boolean
  readonly only?: readonly string[]
}

/** Shows the plan, reverts unless it is only shown, and returns the exit code. @throws INPUT_INVALID, API_REFUSED */
export async function revertRevision(env: Env, revision: string, options: RevertOptions): Promise<number> {
  const { cascade, only, dryRun = false, yes = false, force, details = false, json = false, ...where } = options
  const number = readCount(revision, 'the revision', Number.MAX_SAFE_INTEGER)
  const asked = { ...(cascade ? { cascade } : {}), ...(only ? { only: [...only] } : {}) }
  const of = await remoteEnvironment(env, where)
  const params = { path: { ...of.path, revision: String(number) } }
  const planned = await withProgress('planning', async () => {
    const path = '/v2/projects/{p}/envs/{e}/revisions/{revision}/revert/plan'
    return dataOf(await of.client.POST(path, { params, body: asked })) as RevertPlan
  })
  const { colour } = printOptions(process.stdout)
  if (json && dryRun) process.stdout.write(`${JSON.stringify(planned, null, 2)}\n`)
  if (!json) process.stdout.write(revertText(planned, { colour, details }))
  if (planned.conflicts.length > 0) {
    process.stderr.write(
      `zerohop: revision ${number} cannot be reverted: ${counted(planned.conflicts.length, 'conflict')}\n`,
    )
    return REFUSED
  }
  if (dryRun) return planCode(planned, planned.changes.length === 0)
  const refusal =
    planned.changes.length === 0 ? undefined : refusalToAsk(planned, yes, { does: 'reverts', again: 'revert' })
  if (refusal !== undefined) {
    process.stderr.write(`zerohop: ${refusal.reason}\n`)
    return refusal.code
  }
  if (planned.changes.length > 0 && !yes && !(await askToConfirm(`Revert revision ${number}?`))) return REFUSED
  const { fingerprints, policy, access } = planned
  const body = { ...asked, fingerprints, expected: { policy, access }, ...(force ? { force } : {}) }
  const done = await withProgress('reverting', async () => {
    const path = '/v2/projects/{p}/envs/{e}/revisions/{revision}/revert'
    return dataOf(await of.client.POST(path, { params, body: body as Body })) as RevertPlan
  })
  if (json) process.stdout.write(`${JSON.stringify(done, null, 2)}\n`)
  else process.stdout.write(`Reverted revision ${number} (${formatChangeCounts(done)}): revision ${done.revision}\n`)
  return DONE
}

type Body = object & Record<never, never> // the generated types know no lists that are only read

function revertText(planned: RevertPlan, options: PlanTextOptions): string {
  const styled = stylist(options)
  const conflicts = planned.conflicts.map((conflict) => styled('red', `! ${conflictText(conflict)}`))
  const isMade = planned.changes.some(({ op }) => op === 'create')
  const gone = lostTexts(planned.lost).map((text) => styled('yellow', text))
  const head = `Revert of revision ${planned.reverts}, at revision ${planned.revision}`
  const text = conflicts.length > 0 ? [] : [planText(planned, options).trimEnd()]
  return joinBlocks([[head], conflicts, text, [...(isMade ? [MADE_AGAIN] : []), ...gone]])
}
