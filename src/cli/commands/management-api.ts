// Which management API a command asks, with which key, and about which environment: the one place that decides it.
import { createClient, dataOf, type ManagementClient } from '../../client/management-client.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Env } from '../configuration/env.ts'
import type { Project } from '../configuration/project-file.ts'
import { sayRetry, withWarnings } from '../terminal/print-warnings.ts'

export interface ApiOptions {
  /** address of the management API */
  readonly api?: string
  readonly project?: string
  readonly environment?: string
}

/** Why a command writes, and what for. */
export interface ReasonOptions {
  readonly reason?: string
  readonly ticket?: string
}

/** What names an environment in the paths of the API: ids or keys. */
export interface EnvironmentPath {
  readonly p: string
  readonly e: string
}

/** The address of the option, else of ZEROHOP_API, else of `zerohop.yaml`; undefined when none names one. */
export const findAddress = ({ api }: ApiOptions, env: Env, project: Project): string | undefined =>
  api ?? env.api ?? project.api

/** How a command asks. */
export interface AskOptions {
  /** for one request */
  readonly timeoutMs?: number
  /** 1 where the command itself repeats */
  readonly tries?: number
}

/**
 * A client of the API at the address, whose writes print what they warn of, and why they are sent again.
 * @param key PDP_API_KEY, or what the command takes in its place
 * @throws CONFIG_INVALID without a key
 */
export function makeClient(
  url: string,
  key: string | undefined,
  { timeoutMs, tries, ...reasons }: ReasonOptions & AskOptions = {},
): ManagementClient {
  if (key === undefined) throw new ZerohopError('CONFIG_INVALID', { reason: `\`${url}\` needs a key: set PDP_API_KEY` })
  const asking = { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(tries === undefined ? {} : { tries }) }
  return withWarnings(createClient({ url, apiKey: key, onRetry: sayRetry, ...toReasons(reasons), ...asking }))
}

/** The reason and the ticket among the options of a command: an empty or blank one counts as one that is not sent. */
export const toReasons = ({ reason = '', ticket = '' }: ReasonOptions): ReasonOptions => ({
  ...(reason.trim() === '' ? {} : { reason }),
  ...(ticket.trim() === '' ? {} : { ticket }),
})

/**
 * The environment that the options name, else that of the key, else that of `zerohop.yaml`.
 * @throws API_REFUSED when the API does not know the key
 */
export async function resolveEnvironment(
  client: ManagementClient,
  { project, environment }: ApiOptions,
  names: Project,
): Promise<EnvironmentPath> {
  if (project !== undefined && environment !== undefined) return { p: project, e: environment }
  const { project_id, environment_id } = dataOf(await client.GET('/v2/api-key/scope'))
  return { p: project ?? project_id ?? names.project, e: environment ?? environment_id ?? names.environment }
}
