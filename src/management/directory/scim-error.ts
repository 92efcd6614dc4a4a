// What SCIM refuses with 400 (RFC 7644, 3.12), by its own words.
import { ZerohopError } from '../../model/errors.ts'

export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'

export const refusal = (scimType: ScimType, reason: string): ZerohopError =>
  new ZerohopError('SCIM_INVALID', { scimType, reason })

/** User input in an error: short, and quoted. */
export const quote = (text: string): string => `\`${text.length > 100 ? `${text.slice(0, 100)}…` : text}\``
