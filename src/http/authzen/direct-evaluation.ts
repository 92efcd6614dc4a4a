// POST /access/v1/evaluation as it is answered without the framework (src/http/pdp/direct.ts).
import type { DirectRoute } from '../pdp/direct.ts'
import { readEvaluation } from './authzen-bodies.ts'
import { PLAIN_TYPE, plainProblem } from './authzen-errors.ts'
import type { AuthzenSettings } from './deps.ts'
import { interchangeable } from './i-json.ts'
import { isEchoedAsSent } from './request-ids.ts'
import { UNKNOWN_SUBJECT_TYPE } from './subjects.ts'

const ALLOWED = '{"decision":true}'
const DENIED = '{"decision":false}'

export function directEvaluation(
  settings: AuthzenSettings,
  { requestId, count }: Pick<DirectRoute, 'requestId' | 'count'>,
): DirectRoute {
  return {
    duplicates: 'refuse',
    acceptsId: isEchoedAsSent,
    alwaysSendsId: true,
    requestId: (request) => {
      const { 'x-request-id': sent } = request.headers
      return typeof sent === 'string' ? sent : requestId(request)
    },
    count,
    readCheck: (body) => {
      const { isKnown, check } = readEvaluation(settings, interchangeable(body))
      return isKnown ? { check } : { check, denial: UNKNOWN_SUBJECT_TYPE }
    },
    formatAnswer: (allow) => (allow ? ALLOWED : DENIED),
    formatRefusal: (error) => {
      const problem = plainProblem(error)
      return { problem, status: problem.status, contentType: PLAIN_TYPE, text: problem.message }
    },
  }
}
