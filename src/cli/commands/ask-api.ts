// An environment as commands ask a management API about it: over HTTP, or of a data folder; and one explanation by it.
import { clientOver, dataOf, type ManagementClient } from '../../client/management-client.ts'
import type { AdminInput } from '../../management/host/admin.ts'
import { readKeys } from '../../management/objects/keys-file.ts'
import { ZerohopError } from '../../model/errors.ts'
import { PLAN_TIMEOUT_MS } from '../../model/limits.ts'
import { isLoopback } from '../../model/loopback.ts'
import type { Why } from '../../model/why.ts'
import type { Check } from '../../pdp/request.ts'
import type { Env } from '../configuration/env.ts'
import { findProject, type Project } from '../configuration/project-file.ts'
import { formatUrl } from '../process/process.ts'
import { withWarnings } from '../terminal/print-warnings.ts'
import {
  type ApiOptions,
  findAddress,
  makeClient,
  type ReasonOptions,
  resolveEnvironment,
  toReasons,
} from './management-api.ts'
import { admin } from './operator.ts'
import { resolveFolder, type TargetOptions } from './plan-target.ts'

export interface ExplainOptions extends TargetOptions {
  /** a revision, or an instant */
  readonly at?: string
}

/** An environment of a management API, and the client that asks it. */
export interface RemoteEnvironment {
  readonly client: ManagementClient
  readonly path: { readonly p: string; readonly e: string }
}

/**
 * The environment of the data folder that `data` names, else that at the API that `findAddress` finds, else at the one of this machine, with the key of PDP_API_KEY. On
 * this machine the key of development in keys.json will do; it is sent to no other, whatever a zerohop.yaml names.
 * @throws CONFIG_INVALID without a key; API_REFUSED; FEED_UNREACHABLE
 */
export async function remoteEnvironment(env: Env, options: TargetOptions & ReasonOptions): Promise<RemoteEnvironment> {
  if (options.data !== undefined) return storedEnvironment(env, options, findProject(process.cwd()))
  return apiEnvironment(env, options)
}

/** The same at an API, with its address and key. @throws as `remoteEnvironment` */
export async function apiEnvironment(
  env: Env,
  options: ApiOptions & ReasonOptions,
): Promise<RemoteEnvironment & { readonly url: string; readonly apiKey: string }> {
  const project = findProject(process.cwd())
  const named = findAddress(options, env, project)
  const isHere = named === undefined || isLoopback(new URL(named).hostname)
  const key = env.pdpApiKey ?? (isHere ? readKeys(env.data)?.environments.development : undefined)
  if (key === undefined) {
    const reason = isHere ? ', and there is no keys.json in the data folder' : `: \`${named}\` needs it`
    throw new ZerohopError('CONFIG_INVALID', { reason: `PDP_API_KEY is not set${reason}` })
  }
  const url = named ?? formatUrl(env.host, env.apiPort, env.tlsCert !== undefined)
  const client = makeClient(url, key, { ...toReasons(options), timeoutMs: PLAN_TIMEOUT_MS })
  return { client, url, apiKey: key, path: await resolveEnvironment(client, options, project) }
}

/** Stands before paths where nothing is sent to an address. */
const FOLDER_URL = 'http://folder.invalid'

/** Each request goes to the server that has locked the folder, or opens the folder for itself. */
function storedEnvironment(env: Env, options: TargetOptions & ReasonOptions, names: Project): RemoteEnvironment {
  const { of, where } = resolveFolder(env, options, names)
  const { project, environment, ...organization } = where
  const answer = async (sent: Request): Promise<Response> => {
    const { pathname, search } = new URL(sent.url)
    const text = await sent.text()
    const request = { method: sent.method, path: pathname + search, ...(text === '' ? {} : { body: text }) }
    const { status, warning, link, body } = await admin(of, 'request', {
      ...organization,
      ...request,
      ...toReasons(options),
    } as AdminInput<'request'>)
    const headers = {
      'content-type': 'application/json',
      ...(warning === undefined ? {} : { warning }),
      ...(link === undefined ? {} : { link }),
    }
    return new Response(body, { status, headers })
  }
  return { client: withWarnings(clientOver(answer, FOLDER_URL)), path: { p: project, e: environment } }
}

/** One explanation of that environment. @throws as `remoteEnvironment` */
export async function explainByApi(env: Env, check: Check, { at, ...options }: ExplainOptions): Promise<Why> {
  const { client, path } = await remoteEnvironment(env, options)
  const body = { ...check, ...(at === undefined ? {} : { at }) } as Question // readonly here, not in the generated types
  const { why } = dataOf(await client.POST('/v2/projects/{p}/envs/{e}/explain', { params: { path }, body }))
  return why as Why
}

type Question = object & Record<'action' | 'user' | 'resource', never>
