// Which warnings of one write are shown: a caller reads a few, and headers are bounded. The same for every door.
import { WARNINGS_MAX } from '../../model/limits.ts'

/** The first of the warnings, and how many more there are. */
export function shownWarnings(warnings: readonly string[] = []): readonly string[] {
  const more = warnings.length - WARNINGS_MAX
  return more > 0 ? [...warnings.slice(0, WARNINGS_MAX), `${more} more warnings`] : warnings
}
