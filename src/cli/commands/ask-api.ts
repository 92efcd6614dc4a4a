// An environment of a management API over HTTP, as commands ask it that read only; and one explanation by it.
import { dataOf, type ManagementClient } from '../../client/management-client.ts'
import { readKeys } from '../../management/api-keys/keys-file.ts'
import { ZerohopError } from '../../model/errors.ts'
import { PLAN_TIMEOUT_MS } from '../../model/limits.ts'
import { isLoopback } from '../../model/loopback.ts'
import type { Why } from '../../model/why.ts'
import type { Check } from '../../pdp/request.ts'
import type { Env } from '../configuration/env.ts'
import { findProject } from '../configuration/project-file.ts'
import { urlOf } from '../process/process.ts'
import { type ApiOptions, addressOf, clientOf, environmentOf } from './management-api.ts'

export type { ApiOptions } from './management-api.ts'

export interface ExplainOptions extends ApiOptions {
  /** a revision, or an instant */
  readonly at?: string
}

/** An environment of a management API, and the client that asks it. */
export interface RemoteEnvironment {
  readonly client: ManagementClient
  readonly path: { readonly p: string; readonly e: string }
}

/**
 * The environment at the API that `addressOf` finds, else at the one of this machine, with the key of PDP_API_KEY. On
 * this machine the key of development in keys.json will do; it is sent to no other, whatever a zerohop.yaml names.
 * @throws CONFIG_INVALID without a key; API_REFUSED; FEED_UNREACHABLE
 */
export async function remoteEnvironment(env: Env, options: ApiOptions): Promise<RemoteEnvironment> {
  const project = findProject(process.cwd())
  const named = addressOf(options, env, project)
  const isHere = named === undefined || isLoopback(new URL(named).hostname)
  const key = env.pdpApiKey ?? (isHere ? readKeys(env.data)?.environments.development : undefined)
  if (key === undefined) {
    const reason = isHere ? ', and there is no keys.json in the data folder' : `: \`${named}\` is asked with it`
    throw new ZerohopError('CONFIG_INVALID', { reason: `PDP_API_KEY is not set${reason}` })
  }
  const url = named ?? urlOf(env.host, env.apiPort, env.tlsCert !== undefined)
  const client = clientOf(url, key, PLAN_TIMEOUT_MS)
  return { client, path: await environmentOf(client, options, project) }
}

/** One explanation of that environment. @throws as `remoteEnvironment` */
export async function explainByApi(env: Env, check: Check, { at, ...options }: ExplainOptions): Promise<Why> {
  const { client, path } = await remoteEnvironment(env, options)
  const body = { ...check, ...(at === undefined ? {} : { at }) } as Question // readonly here, not in the generated types
  const { why } = dataOf(await client.POST('/v2/projects/{p}/envs/{e}/explain', { params: { path }, body }))
  return why as Why
}

type Question = object & Record<'action' | 'user' | 'resource', never>
