// Conflicts of a revert in words, for the error that refuses it.
import { ZerohopError } from '../../model/errors.ts'
import { REVERT_NAMED_MAX } from '../../model/limits.ts'
import type { Conflict } from './undone.ts'

type Told = Conflict & { readonly operation?: string | null; readonly revision?: number | null }

/** @throws REVERT_CONFLICTS when there is one */
export function requireNoConflict({ conflicts }: { readonly conflicts: readonly Told[] }): void {
  if (conflicts.length === 0) return
  const more = conflicts.length - REVERT_NAMED_MAX
  const lines = [...conflicts.slice(0, REVERT_NAMED_MAX).map(sentence), ...(more > 0 ? [`${more} more`] : [])]
  throw new ZerohopError('REVERT_CONFLICTS', { what: lines.join('; ') })
}

const sentence = ({ kind, key, what, operation, revision }: Told): string => {
  const who = revision ? ` by ${operation ?? 'somebody'} at revision ${revision}` : ''
  return `${kind.replaceAll('_', ' ')} \`${key}\` ${what}${who}`
}
