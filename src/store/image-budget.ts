// The size limit of an environment's image. The head of its log has the size of its objects, which `apply` updates; a
// write that would exceed the limit is refused before it is made. Deletes are always possible.

import { type ImageSize, imageBytes, measureChange, NO_SIZE, plus } from '../kernel/image-bytes.ts'
import type { KindName, Objects } from '../kinds/index.ts'
import type { Change } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import type { Head } from './heads.ts'
import { nameKey, objectKey, objectRange } from './table-keys.ts'
import type { Tables } from './tables.ts'

/** A log with the size of its objects in an image. */
type Measured = Pick<Head, 'number'> & { readonly image: ImageSize }
/** A new log. */
export const EMPTY_LOG: Measured = { number: 0, image: NO_SIZE }

/** The size of the object that each change puts. */
export const listSizes = (changes: readonly Change[]): readonly ImageSize[] =>
  changes.map((change) => (change.op === 'put' ? measureChange(change) : NO_SIZE))

/** The head with the size of its objects, which is recomputed when the head lacks it (written by an older version). */
export function withSize(tables: Tables, head: Head): Head & { readonly image: ImageSize } {
  const { image } = head
  if (image?.at === head.revision) return { ...head, image }
  let size = NO_SIZE
  for (const kind of Object.keys(head.counts) as KindName[]) {
    for (const { content } of tables.objects(kind).range(objectRange(head.number, kind)))
      size = plus(size, sizeOfObject(kind, JSON.parse(content) as Objects[KindName]))
  }
  return { ...head, image: { ...size, at: head.revision } }
}

/** The size of a stored object in an image. */
export const sizeOfObject = (kind: KindName, object: Objects[KindName]): ImageSize =>
  // a stored object has the type of the value in a put of its kind
  measureChange({ op: 'put', kind, key: object.key, value: object } as Change & { readonly op: 'put' })

/**
 * @param@param limit bytes that an image may have
 * @throws LIMIT_EXCEEDED when the changes make the image larger, and larger than the limit
 */
export function requireRoom(
  tables: Tables,
  head: Measured,
  changes: readonly Change[],
  sizes: readonly ImageSize[],
  limit: number,
): void {
  const atMost = sizes.reduce((sum, size) => plus(sum, size), head.image)
  if (imageBytes(atMost) <= limit) return
  // Near the limit, subtract the objects that the changes replace.
  const replaced = new Map<string, ImageSize>()
  let after: ImageSize = head.image
  for (const [index, { kind, key }] of changes.entries()) {
    const name = `${kind}/${key}`
    const size = sizes[index] ?? NO_SIZE
    after = plus(plus(after, replaced.get(name) ?? storedSize(tables, head, kind, key), -1), size)
    replaced.set(name, size)
  }
  const bytes = imageBytes(after)
  if (bytes <= limit || bytes <= imageBytes(head.image)) return
  throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the image of the environment in bytes', limit })
}

function storedSize(tables: Tables, { number }: Measured, kind: KindName, key: string): ImageSize {
  const place = tables.keys.get(nameKey(number, kind, key))
  const text = place === undefined ? undefined : tables.objects(kind).get(objectKey(number, kind, place))
  return text === undefined ? NO_SIZE : sizeOfObject(kind, JSON.parse(text) as Objects[KindName])
}
