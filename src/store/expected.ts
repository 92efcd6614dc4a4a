// What a write expects: an object as it was read, or the revision of the log. It is looked at by the transaction of the
// write, so nothing comes between.
import { hash } from 'node:crypto'
import type { KindName } from '../kinds/index.ts'
import type { Resource } from '../kinds/resource.ts'
import { type ErrorDetails, ZerohopError } from '../model/errors.ts'
import type { View } from './view.ts'

/** What must hold for a write to be carried out. */
export interface Expected {
  /** of the log that is written to */
  readonly revision?: number
  readonly object?: ExpectedObject | { readonly missing: ErrorDetails }
}

/** An object, or a part of it, as it was read; with the etag `*` as it is. */
interface ExpectedObject {
  readonly kind: KindName
  readonly id: string
  readonly part?: ObjectPart
  readonly etag: string
}

/** Part of an object that has an id and an etag of its own. */
export interface ObjectPart {
  readonly kind: 'action' | 'attribute'
  readonly id: string
  readonly key: string
}

/** The entity tag of a stored object: another one whenever anything of it changes. */
export const formatEtag = (object: object): string =>
  `"${hash('sha256', JSON.stringify(object), 'base64url').slice(0, 22)}"`

/** @throws REVISION_MOVED, OBJECT_CHANGED; OBJECT_NOT_FOUND for an object that is gone */
export function requireExpected(view: View, { revision: expected, object }: Expected): void {
  const { revision } = view.position
  if (expected !== undefined && expected !== revision) throw new ZerohopError('REVISION_MOVED', { revision, expected })
  if (object === undefined) return
  if ('missing' in object) throw new ZerohopError('OBJECT_NOT_FOUND', object.missing)
  const now = findExpected(view, object)
  if (object.etag === '*' || formatEtag(now) === object.etag) return
  throw new ZerohopError('OBJECT_CHANGED', { kind: object.part?.kind ?? object.kind, key: now.key })
}

/** @throws OBJECT_NOT_FOUND */
function findExpected(view: View, { kind, id, part }: ExpectedObject): { readonly key: string } {
  const whole = view.require(kind, id)
  if (part === undefined) return whole
  const parts = (whole as Partial<Resource>)[part.kind === 'action' ? 'actions' : 'attributes']
  const now = parts?.find((each) => each.id === part.id)
  if (now === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: part.kind, ref: part.key })
  return now
}
