// POST /allowed as it is answered without the framework (direct.ts).
import { type ErrorForm, toProblem } from '../errors.ts'
import { answerTo, JSON_TYPE } from './allowed.ts'
import { readCheck } from './check-bodies.ts'
import type { DirectRoute } from './direct.ts'

export function directAllowed(
  errorForm: ErrorForm,
  { requestId, count }: Pick<DirectRoute, 'requestId' | 'count'>,
): DirectRoute {
  return {
    duplicates: 'last-wins',
    requestId,
    count,
    readCheck: (body) => ({ check: readCheck(body) }),
    formatAnswer: answerTo,
    formatRefusal: (error) => {
      const problem = toProblem(error)
      const { status, body } = errorForm(problem)
      return { problem, status, contentType: JSON_TYPE, text: JSON.stringify(body) }
    },
  }
}
