// `zerohop copy`: copies the policy of an environment into another one of its project, or into a new one: shows what
// that would change and who gains and loses access, asks, and does just that.

import { dataOf } from '../../client/management-client.ts'
import type { EnvironmentCopy, EnvironmentCopyPlan } from '../../management/schemas/environments.ts'
import type { Plan } from '../../management/schemas/plan.ts'
import { PLAN_TIMEOUT_MS } from '../../model/limits.ts'
import { plain } from '../../model/plain-text.ts'
import type { Env } from '../configuration/env.ts'
import { findProject } from '../configuration/project-file.ts'
import { askToConfirm } from '../terminal/confirm.ts'
import { readObject } from '../terminal/object-option.ts'
import { printOptions } from '../terminal/print-problems.ts'
import { madeBy } from '../terminal/print-warnings.ts'
import { withProgress } from '../terminal/progress.ts'
import { type AgreementOptions, DONE, planCode, REFUSED, refusalToAsk } from './agreement.ts'
import { makeClient, type ReasonOptions, resolveEnvironment, toReasons } from './management-api.ts'
import { admin } from './operator.ts'
import { findApi, resolveFolder, type TargetOptions } from './plan-target.ts'
import { planCountsText, planText } from './plan-text.ts'

export interface CopyOptions extends Omit<TargetOptions, 'environment'>, AgreementOptions, ReasonOptions {
  readonly new?: boolean
  readonly overwrite?: boolean
  readonly tenantRoles?: boolean
  /** JSON object */
  readonly scope?: string
}

/** Where environments are copied. */
interface Place {
  plan(request: EnvironmentCopyPlan): Promise<Plan>
  copy(request: EnvironmentCopy): Promise<unknown>
}

/** Shows the plan, copies unless it is only shown, and returns the exit code. @throws INPUT_INVALID, API_REFUSED */
export async function copyEnvironment(
  env: Env,
  [from, to]: readonly [string, string],
  options: CopyOptions,
): Promise<number> {
  const { dryRun = false, yes = false, force, details = false, json = false } = options
  const scope = readObject(options.scope, '--scope') as EnvironmentCopy['scope']
  const asked = {
    target_env: options.new ? { new: { key: to } } : { existing: to },
    ...(options.overwrite ? { conflict_strategy: 'overwrite' as const } : {}),
    ...(scope === undefined ? {} : { scope }),
    ...(options.tenantRoles ? { tenant_roles: true } : {}),
  }
  const place = await resolvePlace(env, from, options)
  const planned = await withProgress('planning', () => place.plan(asked))
  const isNothing = planned.changes.length === 0 && planned.tenant_roles === undefined && !options.new
  const text = planText(planned, { colour: printOptions(process.stdout).colour, details })
  if (json && dryRun) process.stdout.write(`${JSON.stringify(planned, null, 2)}\n`)
  if (!json)
    process.stdout.write(
      `Copy of ${plain(from)} into ${plain(to)}${options.new ? ', a new environment' : ''}\n\n${text}`,
    )
  if (dryRun) return planCode(planned, isNothing)
  if (!isNothing) {
    const refusal = refusalToAsk(planned, yes, { does: 'copies', again: 'copy it' })
    if (refusal !== undefined) {
      process.stderr.write(`zerohop: ${refusal.reason}\n`)
      return refusal.code
    }
    if (!yes && !(await askToConfirm(`Copy ${from} into ${to}?`))) return REFUSED
    const { fingerprints, policy, access } = planned
    const agreed = { fingerprints, expected: { policy, access }, ...(force ? { force } : {}) }
    await withProgress('copying', () => place.copy({ ...asked, ...agreed }))
  }
  const done = isNothing
    ? `Nothing to copy: ${to} already has the same policy`
    : `Copied ${from} into ${to} (${planCountsText(planned)})`
  process.stdout.write(json ? `${JSON.stringify(planned, null, 2)}\n` : `${done}\n`)
  return DONE
}

/** At an API, or in a folder: as for a plan. @param from a key or id, or `project/environment` */
async function resolvePlace(env: Env, from: string, options: CopyOptions): Promise<Place> {
  const project = findProject(process.cwd())
  const [environment = '', named] = from.split('/').reverse()
  const where = { ...options, environment, ...(named === undefined ? {} : { project: named }) }
  const url = findApi(env, where, project)
  if (url === undefined) {
    const { of, where: inFolder } = resolveFolder(env, where, project)
    const input = (): typeof inFolder & { now: number } => ({ ...inFolder, now: Date.now() })
    return {
      plan: (request) => admin(of, 'copy.plan', { ...input(), request }),
      copy: async (request) => madeBy(await admin(of, 'copy', { ...input(), ...toReasons(options), request })),
    }
  }
  const client = makeClient(url, env.pdpApiKey, { ...toReasons(options), timeoutMs: PLAN_TIMEOUT_MS })
  const params = { path: await resolveEnvironment(client, where, project) }
  return {
    plan: async (request) => {
      const body = request as Body<EnvironmentCopyPlan>
      return dataOf(await client.POST('/v2/projects/{p}/envs/{e}/copy/plan', { params, body })) as Plan
    },
    copy: async (request) => {
      const body = request as Body<EnvironmentCopy>
      return dataOf(await client.POST('/v2/projects/{p}/envs/{e}/copy', { params, body }))
    },
  }
}

/** The generated types know no lists that are only read. */
type Body<T extends Pick<EnvironmentCopy, 'target_env'>> = Pick<T, 'target_env'> & Record<never, never>
