// Saves or deletes a rule for groups as its plan was reviewed: for the revision that was compared. Where the environment
// has moved on the plan is made again, and the rule is written if that says the same.
import { ApiError } from '../../api/api-error.ts'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import type { Plan } from '../../components/plan-dialog.tsx'
import type { PlannedRule } from './source-queries.ts'

/** Writes that are tried where others write all the time. */
const TURNS_MAX = 3
const RULES = '/v2/facts/{p}/{e}/group_rules'

const MOVED = 'CONCURRENT_OPERATION_DISALLOWED'
/** Whether the environment has changed since the review. */
export const isMoved = (error: unknown): boolean => error instanceof ApiError && error.code === MOVED

export async function sendAsReviewed(path: EnvironmentPath, asked: PlannedRule, reviewed: Plan) {
  let { revision } = reviewed
  for (let turn = 1; ; turn++) {
    const result = await send(path, asked, revision)
    const { error } = result as { readonly error?: { readonly error_code?: string } }
    if (error?.error_code !== MOVED || turn === TURNS_MAX) return result
    const now = await read(api.POST(`${RULES}/plan`, { params: { path }, body: asked }))
    if (!saysTheSame(now, reviewed)) return result
    revision = now.revision
  }
}

const saysTheSame = (...plans: readonly [Plan, Plan]): boolean => {
  const [now, before] = plans.map(({ changes, more, policy, access }) =>
    JSON.stringify([changes, more, policy, access]),
  )
  return now === before
}

function send(path: EnvironmentPath, { create, update, delete: id }: PlannedRule, revision: number) {
  const headers = { 'x-if-revision': String(revision) }
  if (create) return api.POST(RULES, { params: { path }, body: create, headers })
  if (!update) return api.DELETE(`${RULES}/{ref}`, { params: { path: { ...path, ref: id ?? '' } }, headers })
  const params = { path: { ...path, ref: update.rule } }
  return api.PATCH(`${RULES}/{ref}`, { params, body: update.fields, headers })
}
