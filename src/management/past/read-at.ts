// Where in the past a question is asked, as it is sent.
import { ZerohopError } from '../../model/errors.ts'
import { parseInstant } from '../../model/instant.ts'
import type { Path } from '../rules/fields.ts'
import type { At } from './past-revisions.ts'

/** A revision, also as text, or an instant; undefined when nothing is sent. @throws INPUT_INVALID */
export function readAt(at: number | string | null | undefined, path: Path): At | undefined {
  if (at === undefined || at === null) return undefined
  if (typeof at === 'number' || /^\d{1,15}$/.test(at)) return { revision: Number(at) }
  const instant = parseInstant(at)
  if (instant !== undefined) return { instant }
  const reason = 'must be a revision, or an instant such as 2026-11-20T08:30:00Z'
  throw new ZerohopError('INPUT_INVALID', { reason }, { path })
}
