// An error as one line, for a terminal, a log line or the reason of another error.
import { isZerohopError } from './errors.ts'
import { plain } from './plain-text.ts'

/** Without stack and internal details, and without control characters: names of files are in it. */
export function toErrorLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (isZerohopError(error, 'INTERNAL') && error.cause instanceof Error)
    return plain(`${message}: ${firstLine(error.cause.message)}`)
  return plain(firstLine(message))
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? ''
}
