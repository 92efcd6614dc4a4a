// The metadata of an OpenID provider (OpenID Connect Discovery 1.0), as far as tokens are verified by it: the address
// of its keys, and the algorithms with which it signs. Everything is read over https, or from this machine.
import { ask } from '../client/ask.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { PROVIDER_ANSWER_BYTES_MAX, PROVIDER_TIMEOUT_MS } from '../model/limits.ts'
import { isLoopback } from '../model/loopback.ts'

/**
 * The algorithms that are taken, where the provider names them as its own. Never among them: `none`, and HS256 and the
 * like, whose secret would be the public key.
 */
export const ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA']

export interface ProviderMetadata {
  readonly jwksUri: string
  /** of ALGORITHMS, those that the provider signs with */
  readonly algorithms: readonly string[]
}

export interface ProviderAddress {
  /** exactly as tokens have it in `iss` */
  readonly issuer: string
  /** where the keys are, instead of where the metadata says */
  readonly jwksUri?: string
}

/** True of an address over which keys may be read: whoever can change an answer there signs in as anyone. */
export function isTrustedAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** @throws PROVIDER_UNUSABLE when the metadata cannot be read, is of another issuer, or names no algorithm that is taken */
export async function readMetadata({ issuer, jwksUri }: ProviderAddress): Promise<ProviderMetadata> {
  const metadata = await readJson(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`)
  if (metadata.issuer !== issuer)
    throw unusable(`its metadata is of the issuer \`${shown(metadata.issuer)}\`, not of \`${issuer}\``)
  const keys = jwksUri ?? metadata.jwks_uri
  if (typeof keys !== 'string' || !isTrustedAddress(keys)) throw unusable('its metadata has no https `jwks_uri`')
  const named = metadata.id_token_signing_alg_values_supported ?? ['RS256'] // what every provider must sign with
  const algorithms = ALGORITHMS.filter((one) => Array.isArray(named) && named.includes(one))
  if (algorithms.length === 0) throw unusable(`it signs with none of ${ALGORITHMS.join(', ')}`)
  return { jwksUri: keys, algorithms }
}

/** The JSON object at an address of the provider. @throws PROVIDER_UNUSABLE */
export async function readJson(url: string): Promise<Readonly<Record<string, unknown>>> {
  const headers = { accept: 'application/json' }
  const asked = { headers, timeoutMs: PROVIDER_TIMEOUT_MS, bytesMax: PROVIDER_ANSWER_BYTES_MAX }
  const { status, body } = await ask(url, asked).catch((error: unknown) => {
    const reason = isZerohopError(error) ? String(error.details.reason) : String(error)
    throw unusable(`${url}: ${reason}`, error)
  })
  if (status !== 200 || typeof body !== 'object' || body === null || Array.isArray(body))
    throw unusable(`${url} answers ${status === 200 ? 'something other than a JSON object' : status}`)
  return body as Readonly<Record<string, unknown>>
}

const unusable = (reason: string, cause?: unknown): ZerohopError =>
  new ZerohopError('PROVIDER_UNUSABLE', { reason }, { cause })

const shown = (issuer: unknown): string => String(issuer).slice(0, 100)
