// Reads policy files in the thread of plans, and says what is wrong with them and where: what `validate` says of them
// without a server, and what the environment would refuse.
import { isZerohopError } from '../../model/errors.ts'
import type { Reader } from '../../store/reader.ts'
import { exportSchema } from '../policy-file/export.ts'
import type { PlaceOf, Problem } from '../policy-file/problem.ts'
import { readPolicy } from '../policy-file/read-policy.ts'
import { BODY } from '../rules/fields.ts'
import { decidePlan } from './decide-plan.ts'
import { PlannedIds } from './make-plan.ts'
import type { CheckedFiles, CheckTask } from './plan-task.ts'

/** @throws what the environment refuses, where that is about no part of the files; OBJECT_NOT_FOUND for itself */
export function checkFiles(reader: Reader, { environment, now, files, prune }: CheckTask): CheckedFiles {
  const view = reader.view(environment)
  // with prune what no file names is gone: then the files have to name all that they use
  const { policy, problems, placeOf } = readPolicy(files, prune ? undefined : exportSchema(view))
  if (problems.some(({ severity }) => severity === 'error')) return { policy: null, problems }
  try {
    decidePlan(view, { policy, prune }, new PlannedIds(now))
    return { policy, problems }
  } catch (error) {
    const refusal = refusalIn(error, placeOf)
    if (refusal === undefined) throw error
    return { policy: null, problems: [refusal, ...problems] }
  }
}

/** An error about a part of the policy, where that stands in the files. */
function refusalIn(error: unknown, placeOf: PlaceOf): Problem | undefined {
  if (!isZerohopError(error) || error.path === undefined) return undefined
  const [body, policy, ...path] = error.path
  if (body !== BODY[0] || policy !== 'policy' || path.length === 0) return undefined
  const place = placeOf(path)
  return place.file === '' ? undefined : { severity: 'error', message: error.message, place }
}
