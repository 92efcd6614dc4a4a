// The one mechanism behind every collection: what POST, PUT, PATCH and DELETE on an object mean. An object type is a
// descriptor in src/management/objects, which says what its fields are and what follows a change. Everything here is a
// pure function of a view; nothing writes.
import { isDeepStrictEqual } from 'node:util'
import { type Claimed, HAND, isClaimedKind } from '../../kinds/claims.ts'
import type { IndexName, KindName, Objects } from '../../kinds/index.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseId, requireKey } from '../../model/keys.ts'
import { PARTS_PER_RESOURCE_MAX } from '../../model/limits.ts'
import { partKey, type Stored } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { claimsIn, isClaimedBy, keepForOthers, madeByHand, warnOfFieldsOfOthers } from './claims.ts'
import { BODY, type Path, type Sent } from './fields.ts'
import type { ListedKind, PartInFiles } from './kinds-in-files.ts'

/** Kinds that a caller creates by a key of their own. */
export type KeyedKind = ListedKind | PartKind | 'project' | 'environment'

/** Parts of a resource type with paths of their own below it: their key is `partKey(resource, name)`. */
export type PartKind = Extract<PartInFiles, KindName>

const PARTS_OF = {
  resource_role: 'resource_roles_of_resource',
  relation: 'relations_of_resource',
  action_group: 'action_groups_of_resource',
} as const satisfies Record<PartKind, IndexName>

const isPart = (kind: KeyedKind): kind is PartKind => Object.hasOwn(PARTS_OF, kind)

/** Where an object stands, when it is not simply the body of a request about an object of the environment. */
export interface Where {
  /** key of the resource type whose part it is */
  readonly of?: string
  /** where in the input its fields are */
  readonly path?: Path
  /** where in the input its key is; default the member `key` at `path` */
  readonly keyPath?: Path
  /** where in the input fields are that are not members at `path`: a body may be the value of one field */
  readonly fieldPaths?: Readonly<Record<string, Path>>
}

/** A body that changes an object may name it, by the key that it has: a key can't be changed. */
export interface SameKey {
  readonly key?: Sent<string>
}

/** The fields of an object apart from what every object has. */
export type Fields<K extends KeyedKind> = Omit<Objects[K], keyof Stored>

export interface Merge<K extends KeyedKind> {
  readonly view: View
  readonly mint: Mint
  /** the key that was chosen; of a part without that of its resource type */
  readonly key: string
  /** key of the resource type of a part, else empty */
  readonly of: string
  /** where in the input the fields are */
  readonly path: Path
  /** where those are that are elsewhere */
  readonly fieldPaths?: Readonly<Record<string, Path>>
  /** the object as it stands, when there is one */
  readonly stored: Objects[K] | undefined
}

/** What an object type is. `Input` holds the fields that may be sent, all optional. */
export interface Collection<K extends KeyedKind, Input extends object> {
  readonly kind: K
  /** Objects of this kind in one environment at most. */
  readonly limit: number
  /** @throws KEY_RESERVED */
  readonly refuseReserved?: (key: string, path: Path) => void
  /** The fields of an object for which only a key was sent: what POST starts from and PUT resets to. */
  readonly defaults: (key: string, mint: Mint, of: string) => Fields<K>
  /** `base` with what was sent: checks it and turns references into keys. */
  readonly merge: (base: Fields<K>, sent: Input, context: Merge<K>) => Fields<K>
  /** What else must change when `before` becomes `after`. */
  readonly changed?: (view: View, before: Objects[K], after: Objects[K], mint: Mint) => Change[]
  /** What goes, or changes, when the object goes (src/management/rules/cascade.ts). */
  readonly removed: (view: View, object: Objects[K], mint: Mint) => Change[]
}

export interface Written<T> {
  readonly object: T
  readonly created: boolean
}

/** The result of a write without whether it created. */
export const onlyObject = <T>({ changes, result }: Decided<Written<T>>): Decided<T> => ({
  changes,
  result: result.object,
})

/**
 * Adds an object; of one that others claim, by what is sent, the claim of `hand`.
 * @throws KEY_INVALID, KEY_TOO_LONG, KEY_RESERVED, OBJECT_EXISTS, KEY_IS_ID, LIMIT_EXCEEDED
 */
export function create<K extends KeyedKind, I extends object>(
  collection: Collection<K, I>,
  view: View,
  input: I & { readonly key: string },
  mint: Mint,
  { of = '', path = BODY, keyPath = [...path, 'key'] }: Where = {},
): Decided<Objects[K]> {
  const { kind, limit } = collection
  const key = requireKey(kind, input.key, keyPath)
  collection.refuseReserved?.(key, keyPath)
  const stored: Objects[K] | undefined = isClaimedKind(kind) ? view.get<K>(kind, key) : undefined
  if (stored !== undefined && !isClaimedBy(stored as Claimed, HAND)) {
    const where = { of, path, keyPath }
    return rewrite(collection, view, stored, withoutStamps<K>(stored), input, mint, where, true)
  }
  refuse(view, kind, key, of)
  if (view.count(kind) >= limit) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: `the number of objects of kind ${kind}`, limit }, { path })
  }
  if (isPart(kind) && view.countBy(PARTS_OF[kind], of) >= PARTS_PER_RESOURCE_MAX) {
    const what = `the number of objects of kind ${kind} of one resource`
    throw new ZerohopError('LIMIT_EXCEEDED', { what, limit: PARTS_PER_RESOURCE_MAX }, { path })
  }
  const context = { view, mint, key, of, path, stored: undefined }
  const fields = collection.merge(collection.defaults(key, mint, of), input, context)
  const stamps = { id: mint.id(), key: storedKey(of, key), created_at: mint.now, updated_at: mint.now }
  const object = assemble<K>(fields, stamps)
  return { changes: [put(kind, object)], result: object }
}

/** The object of that id or key; of a part `of` names its resource type. @throws OBJECT_NOT_FOUND */
export function locate<K extends KeyedKind>(
  view: View,
  kind: K,
  ref: string,
  of: string | undefined,
  path?: Path,
): Objects[K] {
  if (of === undefined || of === '') return view.require(kind, ref, path)
  const byId = parseId(ref) === undefined ? undefined : view.find(kind, ref)
  const found = byId?.key.startsWith(`${of}/`) ? byId : view.get(kind, partKey(of, ref))
  if (found) return found
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref }, path === undefined ? {} : { path })
}

/** @throws OBJECT_EXISTS, KEY_IS_ID */
function refuse(view: View, kind: KeyedKind, key: string, of: string): void {
  if (of === '') {
    view.refuse(kind, key)
    return
  }
  if (view.get(kind, partKey(of, key))) throw new ZerohopError('OBJECT_EXISTS', { kind, key })
  if (parseId(key) !== undefined && view.find(kind, key)) throw new ZerohopError('KEY_IS_ID', { kind, key })
}

const storedKey = (of: string, key: string): string => (of === '' ? key : partKey(of, key))
const shortKey = (of: string, key: string): string => (of === '' ? key : key.slice(of.length + 1))

export interface Changed<I> {
  readonly ref: string
  readonly fields: I & SameKey
}

/** Changes the fields that were sent. A key in the body must be that of the object. @throws KEY_MISMATCH */
export function patch<K extends KeyedKind, I extends object>(
  collection: Collection<K, I>,
  view: View,
  { ref, fields }: Changed<I>,
  mint: Mint,
  where: Where = {},
): Decided<Objects[K]> {
  const stored = locate(view, collection.kind, ref, where.of)
  return rewrite(collection, view, stored, withoutStamps(stored), fields, mint, where)
}

/**
 * Replaces the object: what was not sent is reset. One that others claim gets the claim of `hand`. A key in the body must be that of the object. @throws KEY_MISMATCH
 */
export function replace<K extends KeyedKind, I extends object>(
  collection: Collection<K, I>,
  view: View,
  { ref, fields }: Changed<I>,
  mint: Mint,
  where: Where = {},
): Decided<Objects[K]> {
  const { of = '' } = where
  const stored = locate(view, collection.kind, ref, of)
  const base = collection.defaults(shortKey(of, stored.key), mint, of)
  return rewrite(collection, view, stored, base, fields, mint, where, true)
}

/** Removes the object and what hangs on it; one that others claim too stays for them. @throws CLAIMED_BY_OTHERS */
export function erase<K extends KeyedKind, I extends object>(
  collection: Collection<K, I>,
  view: View,
  { ref }: { readonly ref: string },
  mint: Mint,
  { of }: Where = {},
): Decided<null> {
  const stored = locate(view, collection.kind, ref, of)
  const kept = /* canary: deletes-what-others-claim */ keepForOthers(collection.kind, stored, mint)
  if (kept !== undefined) return kept
  const changes = [...collection.removed(view, stored, mint), remove(collection.kind, stored.key)]
  return { changes, status: 204, result: null }
}

/**
 * The use cases of a collection where a write changes nothing but the object and what follows from it. `of` is the key of
 * the resource type of a part.
 */
export const makeWrites = <K extends KeyedKind, I extends object>(collection: Collection<K, I>) => ({
  create: (view: View, input: I & { readonly key: string }, mint: Mint, of = ''): Decided<Objects[K]> =>
    create(collection, view, input, mint, { of }),
  update: (view: View, input: Changed<I>, mint: Mint, of = ''): Decided<Objects[K]> =>
    patch(collection, view, input, mint, { of }),
  replace: (view: View, input: Changed<I>, mint: Mint, of = ''): Decided<Objects[K]> =>
    replace(collection, view, input, mint, { of }),
  remove: (view: View, input: { readonly ref: string }, mint: Mint, of = ''): Decided<null> =>
    erase(collection, view, input, mint, { of }),
})

export interface OnResource {
  /** id or key of the resource type */
  readonly resource: string
}

/** The place of a part. @throws OBJECT_NOT_FOUND */
export const requirePlace = (view: View, { resource }: OnResource): { readonly of: string } => ({
  of: view.require('resource', resource).key,
})

/** The same for parts of a resource type that the input names; `name` is what the input of `create` calls the part. */
export const makePartWrites = <K extends PartKind, I extends object, N extends string>(
  collection: Collection<K, I>,
  name: N,
) => ({
  create: (view: View, input: OnResource & Readonly<Record<N, I & { readonly key: string }>>, mint: Mint) =>
    create(collection, view, input[name], mint, requirePlace(view, input)),
  update: (view: View, input: OnResource & Changed<I>, mint: Mint) =>
    patch(collection, view, input, mint, requirePlace(view, input)),
  replace: (view: View, input: OnResource & Changed<I>, mint: Mint) =>
    replace(collection, view, input, mint, requirePlace(view, input)),
  remove: (view: View, input: OnResource & { readonly ref: string }, mint: Mint) =>
    erase(collection, view, input, mint, requirePlace(view, input)),
})

/** @throws KEY_MISMATCH */
export function requireSameKey(sent: string | null | undefined, key: string, path: Path = [...BODY, 'key']): void {
  if (sent === undefined || sent === null || sent === key) return
  throw new ZerohopError('KEY_MISMATCH', { body: sent, path: key }, { path })
}

function rewrite<K extends KeyedKind, I extends object>(
  collection: Collection<K, I>,
  view: View,
  stored: Objects[K],
  base: Fields<K>,
  sent: I & SameKey,
  mint: Mint,
  { of = '', path = BODY, keyPath = [...path, 'key'], fieldPaths = {} }: Where,
  isMadeByHand = false,
): Decided<Objects[K]> {
  const { id, key, created_at } = stored
  requireSameKey(sent.key, shortKey(of, key), keyPath)
  const merged = collection.merge(base, sent, { view, mint, key: shortKey(of, key), of, path, fieldPaths, stored })
  const fields = { ...merged, ...claimsIn(isMadeByHand ? madeByHand(stored) : stored) }
  if (isDeepStrictEqual({ ...fields }, { ...withoutStamps(stored) })) return { changes: [], result: stored }
  const object = assemble<K>(fields, { id, key, created_at, updated_at: mint.now })
  const follow = collection.changed?.(view, stored, object, mint) ?? []
  const warned = warnOfFieldsOfOthers(collection.kind, stored, object)
  return { changes: [put(collection.kind, object), ...follow], ...warned, result: object }
}

function withoutStamps<K extends KeyedKind>(object: Objects[K]): Fields<K> {
  const { id: _id, key: _key, created_at: _created, updated_at: _updated, ...fields } = object
  return fields as Fields<K>
}

function assemble<K extends KeyedKind>(fields: Fields<K>, stored: Stored): Objects[K] {
  return { ...stored, ...fields } as unknown as Objects[K]
}
