// An environment of a management API over HTTP, as commands ask it: which one, with which key; and one explanation by it.
import { createClient, dataOf, type ManagementClient } from '../../client/management-client.ts'
// One explanation by a management API over HTTP, of the present or of the past.
import { dataOf } from '../../client/management-client.ts'
import { readKeys } from '../../management/api-keys/keys-file.ts'
import { ZerohopError } from '../../model/errors.ts'
import { PLAN_TIMEOUT_MS } from '../../model/limits.ts'
import type { Why } from '../../model/why.ts'
import type { Check } from '../../pdp/request.ts'
import type { Env } from '../configuration/env.ts'
import { findProject } from '../configuration/project-file.ts'
import { urlOf } from '../process/process.ts'
import { type ApiOptions, addressOf, clientOf, environmentOf } from './management-api.ts'

export interface ApiOptions {
  /** address of the management API */
  readonly api?: string
  readonly project?: string
  readonly environment?: string
}

interface WhenOptions extends ApiOptions {
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
 * The environment that the options, the variables or `zerohop.yaml` name, with the key of PDP_API_KEY or that of
 * development in keys.json. Names that are not given are those of the key, else those of `zerohop.yaml`.
 * @throws CONFIG_INVALID without a key; API_REFUSED; FEED_UNREACHABLE
 */
export async function remoteEnvironment(env: Env, options: ApiOptions): Promise<RemoteEnvironment> {
  const apiKey = env.pdpApiKey ?? readKeys(env.data)?.environments.development
  if (apiKey === undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'PDP_API_KEY is not set, and there is no keys.json in the data folder',
    })
  const names = findProject(process.cwd())
  const url = options.api ?? env.api ?? names.api ?? urlOf(env.host, env.apiPort, env.tlsCert !== undefined)
  const client = createClient({ url, apiKey, timeoutMs: PLAN_TIMEOUT_MS })
  return { client, path: await environmentOf(client, options, names) }
}

/** One explanation of that environment. @throws as `remoteEnvironment` */
export async function explainByApi(env: Env, check: Check, { at, ...options }: WhenOptions): Promise<Why> {
  const { client, path } = await remoteEnvironment(env, options)
 * Asks the API that `addressOf` finds, else the one of this machine, with the key of PDP_API_KEY or that of development
 * in keys.json. @throws CONFIG_INVALID without a key; API_REFUSED; FEED_UNREACHABLE
 */
export async function explainByApi(env: Env, check: Check, { at, ...options }: ExplainOptions): Promise<Why> {
  const key = env.pdpApiKey ?? readKeys(env.data)?.environments.development
  if (key === undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'PDP_API_KEY is not set, and there is no keys.json in the data folder',
    })
  const project = findProject(process.cwd())
  const url = addressOf(options, env, project) ?? urlOf(env.host, env.apiPort, env.tlsCert !== undefined)
  const client = clientOf(url, key)
  const path = await environmentOf(client, options, project)
  const body = { ...check, ...(at === undefined ? {} : { at }) } as Question // readonly here, not in the generated types
  const { why } = dataOf(await client.POST('/v2/projects/{p}/envs/{e}/explain', { params: { path }, body }))
  return why as Why
}

type Question = object & Record<'action' | 'user' | 'resource', never>
