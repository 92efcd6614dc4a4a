// What a write expects: an object as it was read, or the revision of the log. It is looked at by the transaction of the
// write, so nothing comes between.
import { hash } from 'node:crypto'
import type { KindName } from '../kinds/index.ts'
import { ZerohopError } from '../model/errors.ts'
import type { View } from './view.ts'

/** What must hold for a write to be carried out. */
export interface Expected {
  /** of the log that is written to */
  readonly revision?: number
  readonly object?: { readonly kind: KindName; readonly id: string; readonly etag: string }
}

/** The entity tag of a stored object: another one whenever anything of it changes. */
export const formatEtag = (object: object): string =>
  `"${hash('sha256', JSON.stringify(object), 'base64url').slice(0, 22)}"`

/** @throws REVISION_MOVED, OBJECT_CHANGED; OBJECT_NOT_FOUND for an object that is gone */
export function requireExpected(view: View, { revision: expected, object }: Expected): void {
  const { revision } = view.position
  if (expected !== undefined && expected !== revision) throw new ZerohopError('REVISION_MOVED', { revision, expected })
  if (object === undefined) return
  const now = view.require(object.kind, object.id)
  if (formatEtag(now) === object.etag) return
  throw new ZerohopError('OBJECT_CHANGED', { kind: object.kind, key: now.key })
}
