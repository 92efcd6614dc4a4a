// What `apply` remembers of an object of a policy file.
import type { Stored } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/**
 * What `apply` last wrote of an object from a policy file, so that a plan can tell what was changed elsewhere since.
 * `key` is `appliedKey(kind, key)` of the object, with which it goes. It bears on no decision, and is neither exported
 * nor copied.
 */
export interface AppliedObject extends Stored {
  /** fingerprints of the object, under `''`, and of its actions and attributes, under `action/key`, `attribute/key` */
  readonly fingerprints: Readonly<Record<string, string>>
  /** id of the API key that applied it; null for the command line */
  readonly by: string | null
  /** the revision that applied it */
  readonly revision: number
}

export const appliedObject = {
  number: 18,
  hasIds: true,
  hasOwnTable: false,
  indexes: {},
  projection: null,
  inFiles: null,
} as const satisfies Kind<'applied_object', AppliedObject>
