// Secrets that the contract reads back, sealed with AES-256-GCM under a key that lies in a file of its own: whoever
// gets the data folder or a backup alone cannot read them. A secret never enters a change, a log entry or an image.
//
//   sealed   nonce, 12 bytes │ tag, 16 bytes │ ciphertext        additional data: the id it is stored under
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomFillSync } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ZerohopError } from '../model/errors.ts'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Seal = (id: string, secret: string) => Uint8Array

export interface SecretsKey {
  readonly bytes: Uint8Array
  /** set when the key is stored in the data folder, so that a copy of the folder contains both */
  readonly warning: string | undefined
}

/**
 * Reads the key file. At the default path, in the data folder, a missing file is created (mode 0600).
 * @throws CONFIG_INVALID when a file that was named is missing or holds neither 32 bytes nor 64 hex digits
 */
export function readSecretsKey(folder: string, file: string | undefined): SecretsKey {
  const path = file ?? join(folder, 'secrets.key')
  const bytes = readKeyFile(path) ?? (file === undefined ? makeKeyFile(path) : undefined)
  if (bytes === undefined)
    throw new ZerohopError('CONFIG_INVALID', { reason: `the secrets key file \`${path}\` does not exist` })
  if (bytes.length !== KEY_BYTES) {
    const reason = `the secrets key file \`${path}\` holds ${bytes.length} bytes instead of ${KEY_BYTES}`
    throw new ZerohopError('CONFIG_INVALID', { reason })
  }
  const warning = `the key that seals secrets lies beside the data, in \`${path}\`: whoever copies the folder can read them`
  return { bytes, warning: file === undefined ? warning : undefined }
}

/** Random bytes for the next nonces, which are asked for together: one at a time takes as long as the sealing. */
const nonces = Buffer.alloc(256 * NONCE_BYTES)
let taken = nonces.length

/** Random bytes that were never given before. */
function takeNonce(): Uint8Array {
  if (taken === nonces.length) {
    randomFillSync(nonces)
    taken = 0
  }
  taken += NONCE_BYTES
  return Uint8Array.prototype.slice.call(nonces, taken - NONCE_BYTES, taken)
}

export function sealWith(key: Uint8Array): Seal {
  return (id, secret) => {
    const nonce = takeNonce()
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(id))
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
  }
}

/** 32 bytes for another purpose: of as many as are named, none tells anything about another, or about the key. */
export function deriveKey(key: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', `zerohop ${purpose}`, KEY_BYTES))
}

/** The secret; undefined when it was sealed under another key or id, or is damaged. */
export function unseal(key: Uint8Array, id: string, sealed: Uint8Array): string | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function readKeyFile(path: string): Uint8Array | undefined {
  try {
    const bytes = readFileSync(path)
    const text = bytes.length > KEY_BYTES ? bytes.toString('latin1').trim() : ''
    return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : bytes
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function makeKeyFile(path: string): Uint8Array {
  const bytes = randomBytes(KEY_BYTES)
  const unfinished = `${path}.new` // a crash never leaves half a key
  const file = openSync(unfinished, 'w', 0o600)
  try {
    writeSync(file, bytes)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
  return bytes
}
