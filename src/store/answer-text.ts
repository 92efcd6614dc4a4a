// The answer to a request with an idempotency key as it is kept: sealed JSON, and deflated where it is long. The same in
// a data folder and in the database of replicas.
import { timingSafeEqual } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ZerohopError } from '../model/errors.ts'
import { ANSWER_DEFLATED_BYTES_MIN } from '../model/limits.ts'
import { toFailure } from '../threads/failure.ts'
import type { Done, Once, Reply } from './job.ts'
import { unseal } from './secrets.ts'

/** Before the base64 of what is deflated; JSON of an answer begins with a brace. */
const DEFLATED = 'z'

/** What an answer is sealed for: it cannot be given to another request. */
export const toAnswerId = ({ caller, key }: Pick<Once, 'caller' | 'key'>): string => `${caller} ${key}`

/** The text of an answer, to be sealed. */
export function writeKept(done: Done): string {
  const text = JSON.stringify(done)
  if (text.length < ANSWER_DEFLATED_BYTES_MIN) return text
  return `${DEFLATED}${deflateRawSync(text).toString('base64')}`
}

/**
 * What a request with the same key gets: the answer, IDEMPOTENCY_MISMATCH when it is another request, and
 * IDEMPOTENCY_UNREADABLE when the answer was sealed under another key, or was too long to be kept.
 */
export function repeatAnswer(once: Once, fingerprint: Uint8Array, sealed: Uint8Array, secretsKey: Uint8Array): Reply {
  const sent = Buffer.from(once.fingerprint, 'hex')
  if (sent.length !== fingerprint.length || !timingSafeEqual(sent, fingerprint))
    return { failure: toFailure(new ZerohopError('IDEMPOTENCY_MISMATCH', { key: once.key })) }
  const text = unseal(secretsKey, toAnswerId(once), sealed)
  if (text === undefined) return { failure: toFailure(new ZerohopError('IDEMPOTENCY_UNREADABLE', { key: once.key })) }
  return JSON.parse(text.startsWith(DEFLATED) ? inflate(text) : text) as Done
}

const inflate = (text: string): string =>
  inflateRawSync(Buffer.from(text.slice(DEFLATED.length), 'base64')).toString('utf8')
