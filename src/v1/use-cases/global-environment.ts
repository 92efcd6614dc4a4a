// The environment in which the first API version keeps its global objects, in a project of its own: created with the
// first write that needs it and visible like any other. Teams move its contents and then delete it (docs/migration.md).

import type { Environment } from '../../kinds/environment.ts'
import type { Change, LogId } from '../../log/change.ts'
import { createEnvironment, createProject } from '../../management/objects/projects.ts'
import { ZerohopError } from '../../model/errors.ts'
import { environmentKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import { EmptyView } from '../../store/empty.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { type V1Name, v1Writes } from './v1-writes.ts'

export const V1_PROJECT = 'v1compat_global_project'
export const V1_ENVIRONMENT = 'v1compat_global_env'

const PROJECT = {
  key: V1_PROJECT,
  name: 'Objects of API version 1',
  description: 'Made by a call of the first API version with an organization key. Delete it after the migration.',
}
const ENVIRONMENT = {
  key: V1_ENVIRONMENT,
  name: 'Objects outside of environments',
  description: 'What the first API version defined outside of environments. Move it, then delete this environment.',
}

/** The environment, in the control log of an organization; undefined while it does not exist. */
export function findGlobal(control: View): Environment | undefined {
  return control.get('environment', environmentKey(V1_PROJECT, V1_ENVIRONMENT))
}

interface FirstWrite {
  readonly name: V1Name
  readonly input: unknown
}

/** Null when the environment exists already: the write then goes to its own log. */
export interface FirstWritten {
  readonly environment: LogId
  readonly result: unknown
}

/**
 * The first write: creates the environment, its project when that is missing, and runs the use case `name` with
 * `input`, all in one commit. A refused write leaves nothing behind. Runs on the control log; of several concurrent
 * ones the first creates the environment.
 */
export function v1FirstWrite(view: View, { name, input }: FirstWrite, mint: Mint): Decided<FirstWritten | null> {
  if (findGlobal(view) !== undefined) return { changes: [], result: null }
  const made =
    view.get('project', V1_PROJECT) === undefined
      ? createProject(view, { ...PROJECT, initial_environments: [ENVIRONMENT] }, mint)
      : createEnvironment(view, { project: V1_PROJECT, environment: ENVIRONMENT }, mint)
  const [first] = made.also ?? []
  if (first === undefined) throw new ZerohopError('INTERNAL')
  const draft = new Draft(new EmptyView(first.log)).stage(first.changes)
  const decided: Decided<unknown> = v1Writes[name](draft, input as never, mint)
  const changes: Change[] = draft.stage(decided.changes).changes()
  return {
    ...made,
    also: [{ log: first.log, changes }],
    status: decided.status ?? 200,
    result: { environment: first.log, result: decided.result },
  }
}
