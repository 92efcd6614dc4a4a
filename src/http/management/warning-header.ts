// Warnings in the answer to a write: header `warning`, one line each, in the form `299 zerohop "text"` (RFC 7234, 5.5).
// A header, because every write has one, whatever its status and body, and no client takes it for data.
import type { FastifyReply } from 'fastify'
import { shownWarnings } from '../../management/rules/shown-warnings.ts'

export function addWarnings(reply: FastifyReply, warnings: readonly string[] | undefined): void {
  if (warnings === undefined || warnings.length === 0) return
  reply.header('warning', shownWarnings(warnings).map(warningLine))
}

/** Attributes may have any name, a header has only ASCII: the text is written as JSON with escapes. */
function warningLine(text: string): string {
  const quoted = JSON.stringify(text).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `299 zerohop ${quoted}`
}
