// One question to a running PDP over HTTP, for `check` and `why`: the address, the key, and what went wrong in one
// line.
import { ask } from '../../client/ask.ts'
import { readKeys } from '../../management/objects/keys-file.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { REQUEST_TIMEOUT_MS } from '../../model/limits.ts'
import type { Env } from '../configuration/env.ts'
import { formatUrl } from '../process/process.ts'

/** The answer to `POST /allowed`; the PDP may be of another version. */
export interface PdpAnswer {
  readonly allow: boolean
  readonly debug?: unknown
  readonly why?: unknown
  readonly revision: string | null
}

/**
 * Asks the PDP at the address, or the one that the variables name, with the key of PDP_API_KEY or that of development
 * in keys.json. `explain` is the header `x-explain`. @throws CONFIG_INVALID when it does not answer with a decision
 */
export async function askAllowed(
  env: Env,
  body: object,
  { pdp, explain }: { readonly pdp?: string | undefined; readonly explain?: string },
): Promise<PdpAnswer> {
  const key = env.pdpApiKey ?? readKeys(env.data)?.environments.development
  if (key === undefined) {
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'PDP_API_KEY is not set, and there is no keys.json in the data folder',
    })
  }
  const url = `${(pdp ?? formatUrl(env.pdpHost, env.pdpPort, env.tlsCert !== undefined)).replace(/\/+$/, '')}/allowed`
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(explain === undefined ? {} : { 'x-explain': explain }),
  }
  const asked = { method: 'POST', headers, body: JSON.stringify(body), timeoutMs: REQUEST_TIMEOUT_MS }
  const response = await ask(url, asked).catch((error: unknown) => {
    throw unreachable(url, error)
  })
  const answer = (response.body ?? {}) as { allow?: unknown; debug?: unknown; why?: unknown; detail?: unknown }
  if (response.status !== 200 || typeof answer.allow !== 'boolean') {
    const { detail = 'is it a PDP?' } = answer
    const text = typeof detail === 'string' ? detail : JSON.stringify(detail)
    throw new ZerohopError('CONFIG_INVALID', { reason: `${url} answered ${response.status}: ${text}` })
  }
  const { allow, debug, why } = answer
  return { allow, debug, why, revision: response.headers.get('x-revision') }
}

function unreachable(url: string, error: unknown): ZerohopError {
  const reason = isZerohopError(error, 'FEED_UNREACHABLE') ? error.details.reason : String(error)
  return new ZerohopError('CONFIG_INVALID', { reason: `no PDP answers at ${url}: ${reason}` })
}
