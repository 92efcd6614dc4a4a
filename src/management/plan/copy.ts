// Copying the schema of an environment into another one of its project, or into a new one: one revision there.
// copy-into.ts says what is copied.

import type { Environment } from '../../kinds/environment.ts'
import { ZerohopError } from '../../model/errors.ts'
import { environmentKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import { EmptyView } from '../../store/empty.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { countByOp, formatSummary } from '../differences/summary.ts'
import { makeEnvironment } from '../objects/new-environment.ts'
import { newEnvironment } from '../objects/projects.ts'
import { BODY, type Sent } from '../rules/fields.ts'
import type { EnvironmentCreate } from '../schemas/environments.ts'
import type { CopyOf } from './copy-into.ts'
import { decidePlan, makeDigest } from './decide-plan.ts'

/** The target of a copy: exactly one of the two. */
export interface CopyTarget {
  /** an id or a key in the project of the source */
  readonly existing?: Sent<string>
  readonly fresh?: Sent<EnvironmentCreate>
}

export interface CopyInput extends CopyOf, CopyTarget {
  /** of a plan whose access was compared; undefined when nobody planned it */
  readonly digest?: string
}

const PATH = [...BODY, 'target_env']

/**
 * Runs on the control log of the organization. Returns the target.
 * @throws OBJECT_EXISTS when an object is in the target already and may not be overwritten; PLAN_MOVING when the copy
 *   would do something else than its plan; OBJECT_NOT_FOUND, INPUT_INVALID
 */
export function copyEnvironment(view: View, input: CopyInput, mint: Mint): Decided<Environment> {
  const { existing, fresh, digest, ...copy } = input
  const source = view.require('environment', copy.source)
  const target = existingTarget(view, source, input)
  const made = target === undefined ? makeFresh(view, source, fresh, mint) : undefined
  const draft = made?.draft ?? new Draft(view.other((target as Environment).id))
  const plan = decidePlan(draft, { copy }, mint)
  if (digest !== undefined && makeDigest(plan) !== digest) throw new ZerohopError('PLAN_MOVING', { times: 1 })
  const changes = draft.stage(plan.changes).changes()
  const summary = formatSummary(`copy of ${source.environment}`, countByOp([...plan.entries, ...plan.tenantRoles]))
  const rest = { also: [{ log: draft.log, changes }], status: 201, summary }
  if (made === undefined) return { changes: [], ...rest, result: target as Environment }
  return { changes: made.changes, secrets: made.secrets, ...rest, result: made.environment }
}

/**
 * The environment that is copied into; undefined for a new one.
 * @throws INPUT_INVALID unless exactly one of them is named, and for the source itself; OBJECT_NOT_FOUND
 */
export function existingTarget(view: View, source: Environment, { existing, fresh }: CopyTarget) {
  if ((existing == null) === (fresh == null))
    throw new ZerohopError('INPUT_INVALID', { reason: 'exactly one of existing and new is required' }, { path: PATH })
  if (existing == null) return undefined
  const path = [...PATH, 'existing']
  const target = view.get('environment', environmentKey(source.project, existing)) ?? view.find('environment', existing)
  if (target?.project !== source.project)
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: existing }, { path })
  if (target.id === source.id)
    throw new ZerohopError('INPUT_INVALID', { reason: 'an environment is not copied into itself' }, { path })
  return target
}

/** @throws OBJECT_EXISTS, INPUT_INVALID for a new environment that cannot be made */
export const freshEnvironment = (view: View, source: Environment, fresh: EnvironmentCreate) =>
  newEnvironment(view, view.require('project', source.project), fresh, [...PATH, 'new'])

/** The parts of the new environment, with its first revision as a draft. */
function makeFresh(view: View, source: Environment, fresh: Sent<EnvironmentCreate>, mint: Mint) {
  const { result, also, ...made } = makeEnvironment(freshEnvironment(view, source, fresh as EnvironmentCreate), mint)
  const { environment } = result
  const draft = new Draft(new EmptyView(environment.id, view)).stage(also.flatMap(({ changes }) => changes))
  return { ...made, environment, draft }
}
