// Errors of the AuthZEN routes: a status and one line of text (rule 2). A wrong body is 400 there, where the other routes answer 422.
import { problemOf } from '../../errors.ts'
import { wrong } from './bodies.ts'

/** Status and text of an error. A duplicate member is 422; whatever else is wrong with a body, its type too, is 400. */
export function plainError(error: unknown): { status: number; message: string } {
  const { status, code, message } = problemOf(error)
  if (status === 415) return plainError(wrong('the content type', '`application/json`'))
  if (code === 'KEY_UNKNOWN') return { status: 403, message }
  if (code === 'ENVIRONMENT_DELETED') return { status: 503, message }
  if (status === 422 && code !== 'JSON_DUPLICATE') return { status: 400, message }
  return { status, message }
}
