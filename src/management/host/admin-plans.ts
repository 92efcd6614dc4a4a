// The operator's commands that plan: what policy files, changes and copies would do, and doing it. As the routes of the
// API answer them.

import type { Environment } from '../../kinds/environment.ts'
import { type LogId, type Reasons, withoutRequest } from '../../log/change.ts'
import { requireReasons } from '../../model/reason-headers.ts'
import { applyInto } from '../plan/apply.ts'
import { readPlanRequest } from '../plan/plan-request.ts'
import { copyInput, copyPlanned, planCopy } from '../plan/planned-copy.ts'
import { Planner } from '../plan/planner.ts'
import { planRead } from '../plan/render-plan.ts'
import type { ApplyInput } from '../plan/use-cases.ts'
import { shownWarnings } from '../rules/shown-warnings.ts'
import type { EnvironmentCopy, EnvironmentCopyPlan } from '../schemas/environments.ts'
import type { ApplyRequest, CheckedPolicy, Plan, PlanRequest, PolicyTexts } from '../schemas/plan.ts'
import { type AdminDeps, findEnvironment, type InEnvironment, type ManagementStore } from './admin-places.ts'

/** What a write made, and what its caller should know of it. */
export interface Warned<T> {
  readonly made: T
  readonly warnings: readonly string[]
}

interface Planned<R> extends InEnvironment {
  readonly request: R
  /** milliseconds since 1970: the time of every question */
  readonly now: number
}

/** What is wrong with policy files, where what is stored counts as there: as the route of `validate` answers. */
export async function checkEnvironmentFiles(
  { store, data }: AdminDeps,
  { request, now, ...input }: Planned<PolicyTexts>,
): Promise<CheckedPolicy> {
  const { environment } = findEnvironment(store, input)
  return withPlanner(data, (planner) => planner.check({ environment, now, ...request }))
}

/** What a policy or changes would do: as the route of plans answers. */
export async function planEnvironment(
  { store, data }: AdminDeps,
  { request, now, ...input }: Planned<PlanRequest>,
): Promise<Plan> {
  const { organization, environment } = findEnvironment(store, input)
  return withPlanner(data, async (planner) => {
    const plan = await planner.plan({ environment, now, ...readPlanRequest(request, now) })
    return planRead(plan, nameOfKey(store, organization))
  })
}

/** Applies them: as the route answers. */
export async function applyEnvironment(
  { store, data }: AdminDeps,
  { request, now, ...input }: Planned<ApplyRequest> & Reasons,
): Promise<Warned<Plan>> {
  const { organization, environment } = findEnvironment(store, input)
  let warnings: readonly string[] = []
  const commit = async (of: ApplyInput) => {
    const committed = await store.commit(
      environment,
      'applyPlan',
      of,
      withoutRequest('applyPlan', requireReasons(input)),
    )
    warnings = shownWarnings(committed.warnings)
    return committed
  }
  return withPlanner(data, async (planner) => {
    const applied = await applyInto({ planner, environment, by: null, now: () => now, commit }, request)
    return { made: planRead(applied, nameOfKey(store, organization)), warnings }
  })
}

/** What copying the environment would do: as the route of such plans answers. */
export async function planEnvironmentCopy(
  { store, data }: AdminDeps,
  { request, now, ...input }: Planned<EnvironmentCopyPlan>,
): Promise<Plan> {
  const { organization, environment } = findEnvironment(store, input)
  return withPlanner(data, async (planner) => {
    const options = { planner, control: store.view(organization), now: () => now }
    const plan = await planCopy(options, copyInput(environment, request), request.page)
    return planRead(plan, nameOfKey(store, organization))
  })
}

/** Copies it. */
export async function copyEnvironment(
  { store, data }: AdminDeps,
  { request, now, ...input }: Planned<EnvironmentCopy> & Reasons,
): Promise<Warned<Environment>> {
  const { organization, environment } = findEnvironment(store, input)
  let warnings: readonly string[] = []
  const commit = async (of: ReturnType<typeof copyInput>) => {
    const committed = await store.commit(
      organization,
      'copyEnvironment',
      of,
      withoutRequest('copyEnvironment', requireReasons(input)),
    )
    warnings = shownWarnings(committed.warnings)
    return committed.result
  }
  return withPlanner(data, async (planner) => {
    const options = { planner, control: store.view(organization), now: () => now, by: null, commit }
    return { made: (await copyPlanned(options, copyInput(environment, request), request)).target, warnings }
  })
}

async function withPlanner<T>(data: string, run: (planner: Planner) => Promise<T>): Promise<T> {
  const planner = new Planner(data)
  try {
    return await run(planner)
  } finally {
    await planner.close()
  }
}

const nameOfKey =
  (store: ManagementStore, organization: LogId) =>
  (id: string): string | null =>
    store.view(organization).find('api_key', id)?.name ?? null
