// Errors in the form of SCIM (RFC 7644, 3.12).
import type { FastifyError } from 'fastify'
import { isZerohopError } from '../../../model/errors.ts'
import type { Problem } from '../../errors.ts'
import { toProblem } from '../../errors.ts'

export const SCIM_TYPE = 'application/scim+json'
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

export interface ScimError {
  readonly status: number
  readonly body: object
}

/** What is answered to an error, and the error in terms of HTTP. */
export function scimError(error: unknown): ScimError & { readonly problem: Problem } {
  const problem = toProblem(error)
  // a 422 is a 400 here
  const status = problem.status === 422 ? 400 : problem.status
  const detail = problem.detail?.[0]?.msg ?? problem.message
  return { ...scimErrorBody(status, detail, findScimType(error, status)), problem: { ...problem, status } }
}

export const scimErrorBody = (status: number, detail: string, scimType?: string): ScimError => ({
  status,
  body: {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail,
  },
})

function findScimType(error: unknown, status: number): string | undefined {
  if (isZerohopError(error, 'SCIM_INVALID')) return String(error.details.scimType)
  if (isZerohopError(error, 'OBJECT_EXISTS', 'KEY_IS_ID')) return 'uniqueness'
  if (isZerohopError(error, 'JSON_INVALID', 'JSON_DUPLICATE', 'JSON_TOO_DEEP', 'JSON_TOO_MANY_MEMBERS'))
    return 'invalidSyntax'
  if (status !== 400) return undefined
  return isZerohopError(error) ? 'invalidValue' : (error as Partial<FastifyError>).code ? 'invalidSyntax' : undefined
}
