// What applications hand to `loadImage`: bytes in any of the forms that runtimes and file readers give, or where the
// file is. Whatever else it is, the error says what to do; nothing is fetched here.
import { fileURLToPath } from 'node:url'
import { types } from 'node:util'
import { ZerohopError } from '../model/errors.ts'

/** The bytes of an image, or the path or `file:` URL of its file. */
export type ImageInput = ArrayBufferLike | ArrayBufferView | string | URL

/**
 * The bytes, or the path of the file. Objects may come from another realm, as in Jest, so nothing is asked of a class.
 * @throws INPUT_INVALID
 */
export function imageInput(image: ImageInput): Uint8Array | string {
  if (types.isUint8Array(image)) return unshared(image)
  if (ArrayBuffer.isView(image)) return unshared(new Uint8Array(image.buffer, image.byteOffset, image.byteLength))
  if (types.isAnyArrayBuffer(image)) return unshared(new Uint8Array(image))
  if (typeof image === 'string') return /^(https?|file):\/\//i.test(image) ? toPath(image) : image
  const { href, arrayBuffer } = (image ?? {}) as { readonly href?: unknown; readonly arrayBuffer?: unknown }
  if (typeof href === 'string') return toPath(href)
  if (typeof arrayBuffer === 'function') throw invalid(`this has to be read first: ${AWAITED}`)
  throw invalid('it is a Uint8Array or an ArrayBuffer, or the path or `file:` URL of its file')
}

const AWAITED = '`loadImage(await it.arrayBuffer())`'

function toPath(href: string): string {
  if (!/^file:/i.test(href)) throw invalid(`it is not fetched from an address: fetch it, and then ${AWAITED}`)
  try {
    return fileURLToPath(href)
  } catch (cause) {
    throw invalid(`its URL is no path: ${(cause as Error).message}`)
  }
}

/** Another thread may change shared bytes while they are verified. */
const unshared = (bytes: Uint8Array): Uint8Array => (types.isSharedArrayBuffer(bytes.buffer) ? bytes.slice() : bytes)

const invalid = (reason: string): ZerohopError => new ZerohopError('INPUT_INVALID', { reason: `the image: ${reason}` })
