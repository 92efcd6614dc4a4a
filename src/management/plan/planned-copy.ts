// A copy of an environment as a plan: what it would change and for whom, and doing just that.

import type { Environment } from '../../kinds/environment.ts'
import type { AccessDiff } from '../../model/access-diff.ts'
import type { View } from '../../store/view.ts'
import type { EnvironmentCopy } from '../schemas/environments.ts'
import { applyInto } from './apply.ts'
import { type CopyInput, existingTarget, freshEnvironment } from './copy.ts'
import type { MadePlan, PlanTask } from './plan-task.ts'
import type { Planner } from './planner.ts'

/** The log of an environment that a copy would make. */
const NOT_YET = '0'.repeat(32)

/** What the use case needs of a request. @param source id of the environment that is copied */
export function copyInput(
  source: string,
  {
    target_env,
    conflict_strategy,
    scope,
    tenant_roles,
  }: Pick<EnvironmentCopy, 'target_env' | 'conflict_strategy' | 'scope' | 'tenant_roles'>,
): CopyInput {
  return {
    source,
    existing: target_env.existing ?? null,
    fresh: target_env.new ?? null,
    overwrite: conflict_strategy === 'overwrite',
    scope: scope ?? null,
    ...(tenant_roles ? { tenantRoles: true } : {}),
  }
}

interface PlanOptions {
  readonly planner: Planner
  /** view of the organization */
  readonly control: View
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** What the copy would do. @throws as the copy */
export function planCopy({ planner, control, now }: PlanOptions, input: CopyInput, page?: string | null) {
  return planner.plan({ ...makeTask(control, input), now: now(), page })
}

/** What the caller of a copy saw of its plan. */
export interface Agreed {
  readonly fingerprints?: Readonly<Record<string, string | null>> | null | undefined
  readonly expected?: AccessDiff | null | undefined
  readonly force?: boolean | null | undefined
}

export interface CopyOptions extends PlanOptions {
  /** id of the API key; null for the command line */
  readonly by: string | null
  readonly commit: (input: CopyInput) => Promise<Environment>
}

/**
 * Copies what was planned, and returns the target with the plan.
 * @throws PLAN_OUTDATED when an object of the plan changed, in the source or in the target; PLAN_GREW when more access
 *   changes than expected and it is not forced; PLAN_MOVING; as the copy
 */
export async function copyPlanned(
  { planner, control, now, by, commit }: CopyOptions,
  input: CopyInput,
  agreed: Agreed,
): Promise<{ readonly plan: MadePlan; readonly target: Environment }> {
  const { environment, copy } = makeTask(control, input)
  let target: Environment | undefined
  const copied = async ({ digest }: { readonly digest: string }) => {
    target = await commit({ ...input, digest })
    return { revision: 0 }
  }
  const plan = await applyInto({ planner, environment, by, now, commit: copied }, { copy, ...agreed })
  return { plan, target: target as unknown as Environment } // it was committed
}

function makeTask(control: View, input: CopyInput): Pick<PlanTask, 'environment' | 'copy'> {
  const { existing: _, fresh, digest: __, ...copy } = input
  const source = control.require('environment', copy.source)
  const target = existingTarget(control, source, input)
  if (target !== undefined) return { environment: target.id, copy }
  if (fresh) freshEnvironment(control, source, fresh) // throws where it cannot be made
  return { environment: NOT_YET, copy: { ...copy, isNew: true } }
}
