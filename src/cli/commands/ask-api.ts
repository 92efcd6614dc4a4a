// One explanation by a management API over HTTP, of the present or of the past: which environment, with which key.
import { createClient, dataOf, type ManagementClient } from '../../client/management-client.ts'
import { readKeys } from '../../management/api-keys/keys-file.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Why } from '../../model/why.ts'
import type { Check } from '../../pdp/request.ts'
import type { Env } from '../configuration/env.ts'
import { findProject } from '../configuration/project-file.ts'
import { urlOf } from '../process/process.ts'

export interface ApiOptions {
  /** address of the management API */
  readonly api?: string
  readonly project?: string
  readonly environment?: string
  /** a revision, or an instant */
  readonly at?: string
}

/**
 * Asks the API that the options, `zerohop.yaml` or the variables name, with the key of PDP_API_KEY or that of development
 * in keys.json. Names that are not given are those of the key, else those of `zerohop.yaml`.
 * @throws CONFIG_INVALID without a key; API_REFUSED; FEED_UNREACHABLE
 */
export async function explainByApi(env: Env, check: Check, { at, ...options }: ApiOptions): Promise<Why> {
  const apiKey = env.pdpApiKey ?? readKeys(env.data)?.environments.development
  if (apiKey === undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'PDP_API_KEY is not set, and there is no keys.json in the data folder',
    })
  const names = findProject(process.cwd())
  const url = options.api ?? names.api ?? urlOf(env.host, env.apiPort, env.tlsCert !== undefined)
  const client = createClient({ url, apiKey })
  const path = await environmentOf(client, options, names)
  const body = { ...check, ...(at === undefined ? {} : { at }) } as Question // readonly here, not in the generated types
  const { why } = dataOf(await client.POST('/v2/projects/{p}/envs/{e}/explain', { params: { path }, body }))
  return why as Why
}

type Question = object & Record<'action' | 'user' | 'resource', never>

async function environmentOf(
  client: ManagementClient,
  { project, environment }: ApiOptions,
  names: { readonly project: string; readonly environment: string },
): Promise<{ readonly p: string; readonly e: string }> {
  if (project !== undefined && environment !== undefined) return { p: project, e: environment }
  const { project_id, environment_id } = dataOf(await client.GET('/v2/api-key/scope'))
  return { p: project ?? project_id ?? names.project, e: environment ?? environment_id ?? names.environment }
}
