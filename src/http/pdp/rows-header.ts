// The header by which an application says that the resources of its questions are rows whose own tenant decides (D2:
// marked rows), for checks and for filters alike. A header, because only the application writes it: what is in a body
// may come from whoever asked the application.
import type { FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { markRow } from '../../model/marked-row.ts'
import type { Check, Resource } from '../../pdp/request.ts'

export const ROWS_HEADER = 'x-tenant-column-is-authoritative'

/** Whether the resources of the request are marked rows. @throws INPUT_INVALID when the header says neither */
export function areRows({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const header = headers[ROWS_HEADER]
  if (header === undefined || header === 'false') return false
  if (header === 'true') return true
  throw new ZerohopError('INPUT_INVALID', { reason: 'must be `true` or `false`' }, { path: ['header', ROWS_HEADER] })
}

/** The check about its resource as a marked row, if the request says so. @throws INPUT_INVALID as `areRows` */
export function asAsked(request: FastifyRequest, check: Check): Check {
  return { ...check, resource: toRow(request, check.resource) }
}

/** The resource as a marked row, if the request says so. @throws INPUT_INVALID as `areRows` */
export function toRow<T extends Resource>(request: FastifyRequest, resource: T): T {
  return areRows(request) && typeof resource === 'object' ? markRow({ ...resource }) : resource
}
