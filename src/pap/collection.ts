// The one mechanism behind every collection: what POST, PUT, PATCH and DELETE on an object mean. An object type is a descriptor in
// collections/, which says what its fields are and what follows a change. Everything here is a pure function of a view; nothing
// writes. The specification, "REST conventions in v2"; contract §6.5-6.7.
import { isDeepStrictEqual } from 'node:util'
import { type Change, put, remove } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { requireKey } from '../model/keys.ts'
import type { Objects, Stored } from '../model/objects.ts'
import type { Decided, Mint, View } from '../store/view.ts'
import { BODY } from './fields.ts'

/** Kinds that a caller creates by a key of their own. */
export type KeyedKind = 'resource' | 'role' | 'user' | 'tenant' | 'project' | 'environment'

/** The fields of an object apart from what every object has. */
export type Fields<K extends KeyedKind> = Omit<Objects[K], keyof Stored>

export interface Merge<K extends KeyedKind> {
  readonly view: View
  readonly mint: Mint
  readonly key: string
  /** the object as it stands, when there is one */
  readonly stored: Objects[K] | undefined
}

/** What an object type is. `Input` holds the fields that may be sent, all optional. */
export interface Collection<K extends KeyedKind, Input extends object> {
  readonly kind: K
  /** Objects of this kind in one environment at most. */
  readonly most: number
  /** @throws KEY_RESERVED */
  readonly refuseReserved?: (key: string) => void
  /** The fields of an object for which only a key was sent: what POST starts from and PUT resets to. */
  readonly defaults: (key: string, mint: Mint) => Fields<K>
  /** `base` with what was sent: checks it and turns references into keys. */
  readonly merge: (base: Fields<K>, sent: Input, context: Merge<K>) => Fields<K>
  /** What else must change when `before` becomes `after`. */
  readonly changed?: (view: View, before: Objects[K], after: Objects[K], mint: Mint) => Change[]
  /** What goes, or changes, when the object goes (src/pap/cascade.ts). */
  readonly removed: (view: View, object: Objects[K], mint: Mint) => Change[]
}

export interface Written<T> {
  readonly object: T
  readonly created: boolean
}

/** Adds an object. @throws KEY_INVALID, KEY_TOO_LONG, KEY_RESERVED, OBJECT_EXISTS, KEY_IS_ID, LIMIT_EXCEEDED */
export function create<K extends KeyedKind, I extends object>(
  collection: Collection<K, I>,
  view: View,
  input: I & { readonly key: string },
  mint: Mint,
): Decided<Objects[K]> {
  const { kind, most } = collection
  const key = requireKey(kind, input.key)
  collection.refuseReserved?.(key)
  view.refuse(kind, key)
  if (view.count(kind) >= most) {
    throw new ZerohopError(
      'LIMIT_EXCEEDED',
      { what: `the number of objects of kind ${kind}`, limit: most },
      { path: BODY },
    )
  }
  const fields = collection.merge(collection.defaults(key, mint), input, { view, mint, key, stored: undefined })
  const object = assemble<K>(fields, { id: mint.id(), key, created_at: mint.now, updated_at: mint.now })
  return { changes: [put(kind, object)], result: object }
}

/** Changes the fields that were sent. */
export function patch<K extends KeyedKind, I extends object>(
  collection: Collection<K, I>,
  view: View,
  { ref, fields }: { readonly ref: string; readonly fields: I },
  mint: Mint,
): Decided<Objects[K]> {
  const stored = view.require(collection.kind, ref)
  return rewrite(collection, view, stored, fieldsOf(stored), fields, mint)
}

/** Replaces the object: what was not sent is reset. A key in the body must be that of the object. */
export function replace<K extends KeyedKind, I extends object>(
  collection: Collection<K, I>,
  view: View,
  { ref, fields }: { readonly ref: string; readonly fields: I & { readonly key?: string | null } },
  mint: Mint,
): Decided<Objects[K]> {
  const stored = view.require(collection.kind, ref)
  requireSameKey(fields.key, stored.key)
  return rewrite(collection, view, stored, collection.defaults(stored.key, mint), fields, mint)
}

/** Removes the object and what hangs on it. */
export function erase<K extends KeyedKind, I extends object>(
  collection: Collection<K, I>,
  view: View,
  { ref }: { readonly ref: string },
  mint: Mint,
): Decided<null> {
  const stored = view.require(collection.kind, ref)
  const changes = [...collection.removed(view, stored, mint), remove(collection.kind, stored.key)]
  return { changes, status: 204, result: null }
}

/** @throws KEY_MISMATCH */
export function requireSameKey(sent: string | null | undefined, key: string): void {
  if (sent === undefined || sent === null || sent === key) return
  throw new ZerohopError('KEY_MISMATCH', { body: sent, path: key }, { path: [...BODY, 'key'] })
}

function rewrite<K extends KeyedKind, I extends object>(
  collection: Collection<K, I>,
  view: View,
  stored: Objects[K],
  base: Fields<K>,
  sent: I,
  mint: Mint,
): Decided<Objects[K]> {
  const { id, key, created_at } = stored
  const fields = collection.merge(base, sent, { view, mint, key, stored })
  if (isDeepStrictEqual({ ...fields }, { ...fieldsOf(stored) })) return { changes: [], result: stored }
  const object = assemble<K>(fields, { id, key, created_at, updated_at: mint.now })
  const follow = collection.changed?.(view, stored, object, mint) ?? []
  return { changes: [put(collection.kind, object), ...follow], result: object }
}

function fieldsOf<K extends KeyedKind>(object: Objects[K]): Fields<K> {
  const { id: _id, key: _key, created_at: _created, updated_at: _updated, ...fields } = object
  return fields as Fields<K>
}

function assemble<K extends KeyedKind>(fields: Fields<K>, stored: Stored): Objects[K] {
  return { ...stored, ...fields } as unknown as Objects[K]
}
