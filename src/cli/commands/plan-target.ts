// Where a plan is made: a management API with a key, or a data folder on this machine.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { dataOf, type ManagementClient } from '../../client/management-client.ts'
import type { Source } from '../../management/policy-file/problem.ts'
import type { ApplyRequest, CheckedPolicy, Plan, PlanRequest } from '../../management/schemas/plan.ts'
import type { PolicyFile } from '../../management/schemas/policy-file.ts'
import { PLAN_TIMEOUT_MS } from '../../model/limits.ts'
import { makeTemporaryFolder } from '../../store/temporary-folder.ts'
import type { Env } from '../configuration/env.ts'
import { findProject, type Project } from '../configuration/project-file.ts'
import { withSettings } from '../terminal/command-line.ts'
import { madeBy } from '../terminal/print-warnings.ts'
import {
  type ApiOptions,
  type AskOptions,
  type EnvironmentPath,
  findAddress,
  makeClient,
  type ReasonOptions,
  resolveEnvironment,
  toReasons,
} from './management-api.ts'
import { admin } from './operator.ts'

export interface TargetOptions extends ApiOptions {
  readonly data?: string
  readonly organization?: string
}

export interface PlanTarget {
  /** how people call it */
  readonly name: string
  /** the same for every address of one environment */
  readonly id: string
  /** `next` of an answer asks for its next page */
  plan(request: PlanRequest): Promise<Plan>
  /** What is wrong with policy files there: they may refer to what the environment has. */
  check(files: readonly Source[]): Promise<CheckedPolicy>
  apply(request: ApplyRequest): Promise<Plan>
}

/**
 * The target that options, variables and `zerohop.yaml` name, in this order: a data folder when `--data` is given or no
 * API is named.
 * @throws CONFIG_INVALID when the key for an API is missing; API_REFUSED when the API does not know the key
 */
export async function resolveTarget(env: Env, options: TargetOptions & ReasonOptions): Promise<PlanTarget> {
  const place = await resolvePlace(env, options, { timeoutMs: PLAN_TIMEOUT_MS })
  if (place.api !== undefined) return remote(place.api)
  const { of: settings, where } = place.folder
  const name = `${where.project}/${where.environment}`
  return {
    name,
    id: name,
    check: (files) => admin(settings, 'check', { ...where, request: { files }, now: Date.now() }),
    plan: (request) => admin(settings, 'plan', { ...where, request, now: Date.now() }),
    apply: async (request) => {
      const input = { ...where, ...toReasons(options), request, now: Date.now() }
      return madeBy(await admin(settings, 'apply', input))
    },
  }
}

/** Of what an environment is exported. */
export interface Exported {
  /** also users, tenants and what they have */
  readonly facts: boolean
  /** a revision or an instant, instead of the present */
  readonly at?: string | undefined
}

/** An environment as a policy, from where `resolveTarget` would plan. @throws as `resolveTarget` */
export async function exportFrom(env: Env, options: TargetOptions, { facts, at }: Exported): Promise<PolicyFile> {
  const place = await resolvePlace(env, options, { timeoutMs: PLAN_TIMEOUT_MS })
  const past = at === undefined ? {} : { at }
  if (place.api === undefined) {
    const { of, where } = place.folder
    const input = { ...where, ...past }
    return facts ? exportEverything(of, input) : ((await admin(of, 'export', input)) as PolicyFile)
  }
  const { client, path } = place.api
  const params = { path, query: { facts, ...past } }
  return dataOf(await client.GET('/v2/projects/{p}/envs/{e}/export', { params })) as PolicyFile
}

/** The server writes a large export to a private file in a folder of ours. */
async function exportEverything(env: Env, where: InFolder & { readonly at?: string }): Promise<PolicyFile> {
  const folder = await makeTemporaryFolder()
  try {
    const file = join(resolve(folder.path), 'bundle.json')
    await admin(env, 'export', { ...where, file })
    return JSON.parse(readFileSync(file, 'utf8'))
  } finally {
    await folder.remove()
  }
}

export interface InFolder {
  readonly organization?: string
  readonly project: string
  readonly environment: string
}

/** Where an environment is: at an API, or in a data folder. */
export type Place =
  | { readonly api: { readonly url: string; readonly client: ManagementClient; readonly path: EnvironmentPath } }
  | { readonly api?: undefined; readonly folder: { readonly of: Env; readonly where: InFolder } }

/**
 * The environment that options, variables and `zerohop.yaml` name, in this order.
 * @throws as `resolveTarget`
 */
export async function resolvePlace(
  env: Env,
  options: TargetOptions & ReasonOptions,
  asking: AskOptions = {},
): Promise<Place> {
  const project = findProject(process.cwd())
  const url = findApi(env, options, project)
  if (url === undefined) return { folder: resolveFolder(env, options, project) }
  const client = makeClient(url, env.pdpApiKey, { ...toReasons(options), ...asking })
  return { api: { url, client, path: await resolveEnvironment(client, options, project) } }
}

/** The settings and the environment of a data folder. */
export function resolveFolder(
  env: Env,
  options: TargetOptions,
  names: Project,
): { readonly of: Env; readonly where: InFolder } {
  const { data, organization, project = names.project, environment = names.environment } = options
  const of = withSettings(env, data === undefined ? {} : { data })
  return { of, where: { project, environment, ...(organization === undefined ? {} : { organization }) } }
}

/** Whether an API is asked, instead of a folder. */
export const isRemote = (env: Env, options: TargetOptions): boolean =>
  findApi(env, options, findProject(process.cwd())) !== undefined

/** The address of the API that is asked; undefined when a folder is meant. */
export const findApi = (env: Env, options: TargetOptions, project: Project): string | undefined =>
  options.data === undefined ? findAddress(options, env, project) : undefined

async function remote({ url, client, path }: NonNullable<Place['api']>): Promise<PlanTarget> {
  const { project, environment, id } = await readName(client, path)
  return {
    name: `${project}/${environment} at ${new URL(url).host}`,
    id,
    check: async (files) => {
      const body = { files: files.map(({ name, text }) => ({ name, text })) }
      return dataOf(
        await client.POST('/v2/projects/{p}/envs/{e}/validate', { params: { path }, body }),
      ) as CheckedPolicy
    },
    plan: async (request) => {
      const body = request as Body // the generated types know no lists that are only read
      return dataOf(await client.POST('/v2/projects/{p}/envs/{e}/plan', { params: { path }, body })) as Plan
    },
    apply: async (request) => {
      const body = request as Body
      return dataOf(await client.POST('/v2/projects/{p}/envs/{e}/apply', { params: { path }, body })) as Plan
    },
  }
}

type Body = object & Record<never, never>

async function readName(client: ManagementClient, path: EnvironmentPath) {
  const { id, key, project_id } = dataOf(await client.GET('/v2/projects/{p}/envs/{e}', { params: { path } }))
  const project = dataOf(await client.GET('/v2/projects/{p}', { params: { path: { p: project_id } } }))
  return { project: project.key, environment: key, id }
}
