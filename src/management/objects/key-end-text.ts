// The end of an API key as it is sent: an instant in the future, with its offset, so that nobody has to guess a zone.
import { ZerohopError } from '../../model/errors.ts'
import { parseInstant } from '../../model/instant.ts'
import { BODY } from '../rules/fields.ts'

const WITH_OFFSET = /T.*(?:Z|[+-]\d\d:\d\d)$/
/** The year 10000 begins: later instants have no text that everybody reads. */
const END_MAX = Date.UTC(10_000, 0, 1)

/** Milliseconds since 1970 of a text such as `2027-06-30T00:00:00Z`. @throws INPUT_INVALID */
export function endOfText(text: string, now: number): number {
  const at = WITH_OFFSET.test(text) ? parseInstant(text) : undefined
  if (at === undefined) throw refused('an instant with its offset is needed, such as 2027-06-30T00:00:00Z')
  if (at >= END_MAX) throw refused('the end must be before the year 10000; a key without an end has none')
  if (at <= now) throw refused('the end must be in the future')
  return at
}

const refused = (reason: string): ZerohopError =>
  new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, 'expires_at'] })
