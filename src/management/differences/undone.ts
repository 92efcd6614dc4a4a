// What a revision did to stored objects, and what of it shall be undone: the form in which it goes to the thread that
// makes plans and to the writer.
import type { KindName, Objects } from '../../kinds/index.ts'

/** One stored object of a revision: as it was before it, and as it was left. */
export interface UndoneObject {
  readonly kind: KindName
  readonly key: string
  /** null when the revision made it */
  readonly before: Objects[KindName] | null
  /** null when the revision deleted it */
  readonly after: Objects[KindName] | null
}

/** A revert that is asked for. */
export interface Revert {
  readonly revision: number
  readonly objects: readonly UndoneObject[]
  /** also where deletes take along what others made */
  readonly cascade?: boolean | null | undefined
  /** `kind:key` of what shall be reverted; by default all of it */
  readonly only?: readonly string[] | null | undefined
}

/**
 * Why something cannot be reverted: it is not as the revision left it, what it made is used by others, a use case
 * refuses what it was, or a revert does not write such objects.
 */
export type ConflictReason = 'changed' | 'used' | 'refused' | 'unsupported'

export interface Conflict {
  readonly kind: string
  readonly key: string
  readonly reason: ConflictReason
  /** completes a sentence that begins with the object */
  readonly what: string
  /** the stored object whose last change the log is searched for */
  readonly stored?: { readonly kind: KindName; readonly key: string }
}

/** Something that a revert does not bring back. */
export interface Lost {
  readonly kind: string
  readonly key: string
  readonly what: string
}
