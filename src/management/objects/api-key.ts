// API keys: their format, their stored form, and their hash. Format: zh_<org|proj|env|tenant|dir>_<27 base62>_<6 base62>, where
// the last part is a checksum over all before it, so that a scanner for leaked keys can tell a real one offline. A key of
// the form `permit` is permit_key_<86 or more base62>: the public command line of that name takes no other. Only the
// SHA-256 is stored for looking up; a key is never logged and never part of a change.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { AccessLevel, ApiKey, KeyForm, KeyLevel } from '../../kinds/api-key.ts'
import type { Mint } from '../../store/view.ts'

/** Bytes of randomness in a key: 160 bits. */
const SECRET_BYTES = 20
/** Bytes of randomness in a key of the form `permit`, for the 97 characters that are asked for with its prefix. */
const PERMIT_SECRET_BYTES = 66
const CHECKSUM_LENGTH = 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LEVEL_NAMES: Readonly<Record<KeyLevel, string>> = {
  org: 'org',
  project: 'proj',
  env: 'env',
  tenant: 'tenant',
  directory: 'dir',
}
const FORM = /^zh_(?:org|proj|env|tenant|dir)_[0-9A-Za-z]{26,}_([0-9A-Za-z]{6})$/

/** A fresh secret of a level. */
export function mintSecret(level: KeyLevel, mint: Mint, form?: KeyForm): string {
  if (form === 'permit') return `permit_key_${mint.secret(PERMIT_SECRET_BYTES)}`
  const body = `zh_${LEVEL_NAMES[level]}_${mint.secret(SECRET_BYTES)}`
  return `${body}_${checksum(body)}`
}

/** True when the text has the format of a key of any Zerohop; the key may be unknown or revoked. */
export function looksMinted(text: string): boolean {
  const sum = FORM.exec(text)?.[1]
  return sum !== undefined && checksum(text.slice(0, -CHECKSUM_LENGTH - 1)) === sum
}

/** SHA-256 in hex, by which a key is found. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Compares two hashes in constant time. */
export function sameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

export interface KeyScope {
  readonly level: KeyLevel
  readonly organization_id: string
  readonly project_id: string | null
  readonly environment_id: string | null
  readonly tenant_id?: string
}

/** The stored form of a key. */
export function newApiKey(
  scope: KeyScope,
  secret: string,
  about: { readonly owner: ApiKey['owner']; readonly name: string | null; readonly access?: AccessLevel } & Pick<
    ApiKey,
    'expires_at' | 'form' | 'made_by' | 'user_key'
  >,
  mint: Mint,
): ApiKey {
  return {
    id: mint.id(),
    key: hashSecret(secret),
    ...scope,
    access: about.access ?? 'admin',
    owner: about.owner,
    name: about.name,
    ...(about.expires_at == null ? {} : { expires_at: about.expires_at }),
    ...(about.form === undefined ? {} : { form: about.form }),
    ...(about.user_key === undefined ? {} : { user_key: about.user_key }),
    ...(about.made_by === undefined ? {} : { made_by: about.made_by }),
    created_at: mint.now,
    updated_at: mint.now,
  }
}

/** Six base62 digits of a SHA-256: 35 bits, enough to tell a key from a text that only looks like one. */
function checksum(text: string): string {
  let rest = createHash('sha256').update(text).digest().readUIntBE(0, 6)
  let digits = ''
  for (let at = 0; at < CHECKSUM_LENGTH; at++) {
    digits += BASE62[rest % 62]
    rest = Math.floor(rest / 62)
  }
  return digits
}
