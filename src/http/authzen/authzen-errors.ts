// Errors of the AuthZEN routes: a status and one line of text (rule 2). Two statuses differ from the other routes: a
// wrong body is 400, not 422, and an unknown key is 401, not 403.
import type { FastifyReply } from 'fastify'
import { type Problem, toProblem } from '../errors.ts'
import { wrong } from './authzen-bodies.ts'

export const PLAIN_TYPE = 'text/plain; charset=utf-8'

/** The problem with the status and text of the AuthZEN routes. Every error of a body, also of its type, is 400. */
export function plainProblem(error: unknown): Problem {
  const problem = toProblem(error)
  const { status, code } = problem
  if (status === 415) return { ...problem, ...plainError(wrong('the content type', '`application/json`')) }
  if (code === 'ENVIRONMENT_DELETED') return { ...problem, status: 503 }
  return status === 422 ? { ...problem, status: 400 } : problem
}

/** Status and text of an error. */
export function plainError(error: unknown): { status: number; message: string } {
  const { status, message } = plainProblem(error)
  return { status, message }
}

/** The challenge of a 401 (RFC 6750): `invalid_token` means that there was a key and that it is invalid. */
export function challenge(error: unknown): string {
  const realm = 'Bearer realm="zerohop"'
  return toProblem(error).code === 'KEY_MISSING' ? realm : `${realm}, error="invalid_token"`
}

/** Sends an error in the form of the AuthZEN routes. */
export function sendPlain(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).type(PLAIN_TYPE).send(message)
}
