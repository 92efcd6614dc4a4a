// Ed25519 signatures of images, deltas and heads. The signature of an image or delta proves its origin, not how recent
// it is; that of a head has a nonce of the follower, and proves both. Normative text: docs/feed.md. An image file that is signed ends with a tail:
//
//   image file │ magic 'ZHS1' (4) │ signature (64) of the text "zerohop image\n" and the SHA-256 of the image file
//
// So does a state that followers build their own image from, with the text "zerohop state\n". A delta is signed over
// the text "zerohop delta\n" and the SHA-256 of its fields and packed changes, a head over "zerohop head\n" and its
// fields.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { ZerohopError } from '../model/errors.ts'
import type { PackedDelta } from './delta.ts'
import type { FeedHead } from './feed.ts'

const MAGIC = Buffer.from('ZHS1')
const SIGNATURE_BYTES = 64
/** The length of the signature block behind a signed image. */
export const TAIL_BYTES = MAGIC.length + SIGNATURE_BYTES

/** The kind of file that has a signature block. */
export type Tailed = 'image' | 'state'

/** Signs with a private key, as PEM. */
export class Signer {
  readonly #key: KeyObject

  /** @throws CONFIG_INVALID when it is not an Ed25519 private key */
  constructor(pem: string) {
    this.#key = parseKey(pem, createPrivateKey, 'private')
  }

  /** The tail of the file with this SHA-256. */
  tail(digest: Uint8Array, of: Tailed = 'image'): Uint8Array {
    return Buffer.concat([MAGIC, sign(null, fileMessage(digest, of), this.#key)])
  }

  delta(delta: PackedDelta): Uint8Array {
    return sign(null, deltaMessage(delta), this.#key)
  }

  head(head: FeedHead, nonce: string): Uint8Array {
    return sign(null, headMessage(head, nonce), this.#key)
  }
}

/** Verifies signatures with a public key, as PEM. */
export class Trust {
  readonly pem: string
  readonly #key: KeyObject

  /** @throws CONFIG_INVALID when it is not an Ed25519 public key */
  constructor(pem: string) {
    this.pem = pem
    this.#key = parseKey(pem, createPublicKey, 'public')
  }

  /** @throws SIGNATURE_INVALID */
  requireImage(digest: Uint8Array, tail: Uint8Array | undefined): void {
    this.#requireTail(digest, tail, 'image')
  }

  /** @throws SIGNATURE_INVALID */
  requireState(digest: Uint8Array, tail: Uint8Array | undefined): void {
    this.#requireTail(digest, tail, 'state')
  }

  #requireTail(digest: Uint8Array, tail: Uint8Array | undefined, of: Tailed): void {
    if (tail === undefined) throw refused(`the ${of}`, 'is not signed')
    if (!verify(null, fileMessage(digest, of), this.#key, tail.subarray(MAGIC.length)))
      throw refused(`the ${of}`, 'was changed, or signed with another key')
  }

  /** @throws SIGNATURE_INVALID */
  requireDelta(delta: PackedDelta): void {
    const what = `the delta to revision ${delta.to}`
    if (delta.signature === undefined) throw refused(what, 'is not signed')
    if (!verify(null, deltaMessage(delta), this.#key, delta.signature))
      throw refused(what, 'was changed, or signed with another key')
  }

  /** @throws SIGNATURE_INVALID */
  requireHead(head: FeedHead, nonce: string, signature: Uint8Array | undefined): void {
    const what = 'what the management API says of its head'
    if (signature === undefined) throw refused(what, 'is not signed')
    if (!verify(null, headMessage(head, nonce), this.#key, signature))
      throw refused(what, 'was changed, or signed with another key')
  }
}

/** True when bytes end like a signed image; `end` are the last TAIL_BYTES of them. */
export function isTail(end: Uint8Array): boolean {
  return end.length === TAIL_BYTES && MAGIC.equals(end.subarray(0, MAGIC.length))
}

function fileMessage(digest: Uint8Array, of: Tailed): Buffer {
  return Buffer.concat([Buffer.from(`zerohop ${of}\n`), digest])
}

function deltaMessage({ environment, from, to, previous, chain, count, packed }: PackedDelta): Buffer {
  const digest = createHash('sha256')
    .update(`${environment}\n${from}\n${to}\n${previous}\n${chain}\n${count}\n`)
    .update(packed)
    .digest()
  return Buffer.concat([Buffer.from('zerohop delta\n'), digest])
}

function headMessage({ environment, lineage, revision, chain, time }: FeedHead, nonce: string): Buffer {
  return Buffer.from(`zerohop head\n${environment}\n${lineage}\n${revision}\n${chain}\n${nonce}\n${time}\n`)
}

function parseKey(pem: string, make: (pem: string) => KeyObject, kind: string): KeyObject {
  try {
    const key = make(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // reported below, without the key
  }
  throw new ZerohopError('CONFIG_INVALID', { reason: `the ${kind} key of images is not an Ed25519 ${kind} key in PEM` })
}

function refused(what: string, reason: string): ZerohopError {
  return new ZerohopError('SIGNATURE_INVALID', { what, reason })
}
