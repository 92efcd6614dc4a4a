// `zerohop keys` and `zerohop org list`: API keys and organizations, at a management API with a key, or of a data
// folder.
import { dataOf, type ManagementClient } from '../../client/management-client.ts'
import type { KeyRow, NewKey } from '../../management/admin.ts'
import type { ApiKeyRead } from '../../management/api-keys/schema.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { parseId } from '../../model/keys.ts'
import { API_KEYS_MAX, PAGE_ROWS_MAX } from '../../model/limits.ts'
import type { Env } from '../configuration/env.ts'
import { findProject } from '../configuration/project-file.ts'
import { printTable } from '../terminal/print-table.ts'
import { clientOf } from './management-api.ts'
import { admin, type Printing, print, printJson } from './operator.ts'
import { apiOf, folderOf, type TargetOptions } from './plan-target.ts'

/** Where keys are: options of a plan, without an environment. */
export type KeyOptions = Pick<TargetOptions, 'api' | 'data' | 'organization'> & Printing

type Minted = KeyRow & { readonly secret: string }

interface Keys {
  list(): Promise<readonly KeyRow[]>
  create(key: Omit<NewKey, 'organization'>): Promise<Minted>
  rotate(id: string): Promise<Minted>
  delete(id: string): Promise<unknown>
}

export async function listKeys(env: Env, options: KeyOptions): Promise<void> {
  const rows = await keysOf(env, options).list()
  if (options.json) return printJson(rows)
  printTable(
    ['id', 'level', 'access', 'where', 'name', 'created'],
    rows.map((row) => [
      row.id,
      row.level,
      row.access,
      placeIn(row),
      row.name ?? '',
      new Date(row.created_at).toISOString(),
    ]),
  )
}

/** Prints only the secret, so that it can be assigned to a variable. */
export async function createKey(env: Env, { level, access, project, environment, name, ...of }: KeyOptions & NewKey) {
  const asked = {
    ...{ level, access },
    ...(project === undefined ? {} : { project }),
    ...(environment === undefined ? {} : { environment }),
    ...(name === undefined ? {} : { name }),
  }
  printSecret(await keysOf(env, of).create(inDefaultProject(asked)), of)
}

export async function rotateKey(env: Env, id: string, options: KeyOptions): Promise<void> {
  printSecret(await keysOf(env, options).rotate(id), options)
}

export async function deleteKey(env: Env, id: string, options: KeyOptions): Promise<void> {
  await keysOf(env, options).delete(id)
}

/** Of an API, the one that the key belongs to. */
export async function listOrganizations(env: Env, options: KeyOptions): Promise<void> {
  const url = apiOf(env, options, findProject(process.cwd()))
  const rows =
    url === undefined
      ? await admin(folderIn(env, options), 'org.list', {})
      : await organizationAt(clientOf(url, env.pdpApiKey))
  if (options.json) return printJson(rows)
  printTable(
    ['id', 'key', 'name', 'projects', 'environments'],
    rows.map((row) => [row.id, row.key, row.name, `${row.projects ?? '–'}`, `${row.environments ?? '–'}`]),
  )
}

function printSecret(made: Minted, { json }: Printing): void {
  if (json) printJson(made)
  else print(made.secret)
}

const folderIn = (env: Env, options: KeyOptions): Env => folderOf(env, options, findProject(process.cwd())).of

function keysOf(env: Env, options: KeyOptions): Keys {
  const url = apiOf(env, options, findProject(process.cwd()))
  return url === undefined ? inFolder(folderIn(env, options), options) : atApi(clientOf(url, env.pdpApiKey))
}

function inFolder(of: Env, { organization }: KeyOptions): Keys {
  const owner = organization === undefined ? {} : { organization }
  return {
    list: () => admin(of, 'keys.list', owner),
    create: (key) =>
      admin(of, 'keys.create', { ...owner, ...key }).catch((error: unknown) => {
        throw asOption(error)
      }),
    rotate: (id) => admin(of, 'keys.rotate', { id }),
    delete: (id) => admin(of, 'keys.delete', { id }),
  }
}

function atApi(client: ManagementClient): Keys {
  return {
    list: async () => {
      const rows: KeyRow[] = []
      for (let page = 1; rows.length < API_KEYS_MAX; page++) {
        const params = { query: { page, per_page: PAGE_ROWS_MAX } }
        const { data } = dataOf(await client.GET('/v2/api-key', { params }))
        rows.push(...data.map(rowOf))
        if (data.length < PAGE_ROWS_MAX) break
      }
      return rows
    },
    create: async ({ level, access, project, environment, name }) => {
      const { organization_id } = dataOf(await client.GET('/v2/api-key/scope'))
      const body = {
        ...{ organization_id, object_type: level, access_level: access },
        ...(project === undefined ? {} : { project_id: project }),
        ...(environment === undefined ? {} : { environment_id: environment }),
        ...(name === undefined ? {} : { name }),
      }
      return mintedOf(dataOf(await client.POST('/v2/api-key', { body })))
    },
    rotate: async (key) =>
      mintedOf(dataOf(await client.POST('/v2/api-key/{key}/rotate-secret', { params: { path: { key } } }))),
    delete: async (key) => dataOf(await client.DELETE('/v2/api-key/{key}', { params: { path: { key } } })),
  }
}

type Answered = Pick<ApiKeyRead, 'id' | 'object_type' | 'access_level' | 'name' | 'created_at' | 'secret'> & {
  readonly project: { readonly key: string } | null
  readonly env: { readonly key: string } | null
}

const rowOf = ({ id, object_type, access_level, project, env, name, created_at }: Answered): KeyRow => ({
  ...{ id, level: object_type, access: access_level, name },
  project: project?.key ?? null,
  environment: env?.key ?? null,
  created_at: Date.parse(created_at),
})

const mintedOf = (key: Answered): Minted => ({ ...rowOf(key), secret: key.secret ?? '' })

/** Counts are null for a key that is not one of the organization. */
async function organizationAt(client: ManagementClient) {
  const organizations = dataOf(await client.GET('/v2/orgs'))
  return Promise.all(
    organizations.map(async ({ id, key, name }) => {
      const { data } = await client.GET('/v2/orgs/{org}/stats', { params: { path: { org: id } } })
      return { id, key, name, projects: data?.stats.projects ?? null, environments: data?.stats.environments ?? null }
    }),
  )
}

/** An environment without a project is in project `default`, as for export and import. */
function inDefaultProject<K extends Pick<NewKey, 'level' | 'project' | 'environment'>>(key: K): K {
  const { level, project, environment } = key
  const isBare = level === 'env' && project === undefined && environment !== undefined
  return isBare && parseId(environment) === undefined ? { ...key, project: 'default' } : key
}

/** Reports an error of a field under the name of its option. */
function asOption(error: unknown): unknown {
  const field = isZerohopError(error, 'INPUT_INVALID') ? error.path?.at(-1) : undefined
  if (typeof field !== 'string') return error
  return new ZerohopError('CONFIG_INVALID', { reason: `--${field.replace(/_id$/, '')}: ${(error as Error).message}` })
}

const placeIn = ({ project, environment }: KeyRow): string =>
  [project, environment].filter((part) => part !== null).join('/') || '–'
