// Reads the API key of an environment with a wider key: for PDPs that are started with the key of an organization or a
// project. Done once, at the start: from then on the PDP follows with the environment's own key, and its callers send
// that key.
import { ZerohopError } from '../model/errors.ts'
import { ENVIRONMENT_KEY_MS } from '../model/limits.ts'
import { ask } from './ask.ts'

export interface EnvironmentKeyOptions {
  /** address of the management API */
  readonly url: string
  /** key of the organization or the project, with access `admin` */
  readonly widerKey: string
  /** id or key; undefined with the key of a project */
  readonly project: string | undefined
  /** id or key */
  readonly environment: string
}

/** @throws KEY_UNKNOWN, KEY_TOO_NARROW, OBJECT_NOT_FOUND, FEED_UNREACHABLE, CONFIG_INVALID when no project is named */
export async function environmentKey({ url, widerKey, project, environment }: EnvironmentKeyOptions): Promise<string> {
  const base = url.replace(/\/+$/, '')
  const get = async (path: string): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${widerKey}` }
    const { status, body } = await ask(base + path, { headers, timeoutMs: ENVIRONMENT_KEY_MS })
    if (status === 200) return (body ?? {}) as Record<string, unknown>
    throw refused(status, environment)
  }
  const place = project ?? (await get('/v2/api-key/scope')).project_id
  if (typeof place !== 'string') {
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'PDP_ACTIVE_PROJECT is not set: it names the project of the environment',
    })
  }
  const { secret } = await get(`/v2/api-key/${encodeURIComponent(place)}/${encodeURIComponent(environment)}`)
  if (typeof secret !== 'string' || secret === '') throw refused(403, environment)
  return secret
}

function refused(status: number, environment: string): ZerohopError {
  if (status === 401) return new ZerohopError('KEY_UNKNOWN')
  if (status === 403) return new ZerohopError('KEY_TOO_NARROW', { what: 'read the key of the environment' })
  if (status === 404) return new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: environment })
  return new ZerohopError('FEED_UNREACHABLE', { reason: `it answered with status ${status}` })
}
