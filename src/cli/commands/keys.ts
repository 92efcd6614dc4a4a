// `zerohop keys` and `zerohop org list`: API keys and organizations, at a management API with a key, or of a data
// folder.
import { listAll } from '../../client/list-all.ts'
import { dataOf, type ManagementClient } from '../../client/management-client.ts'
import type { KeyRow, NewKey } from '../../management/host/admin.ts'
import type { ApiKeyRead } from '../../management/schemas/api-keys.ts'
import { DURATION, instantIn, parseSeconds } from '../../model/durations.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { parseId } from '../../model/keys.ts'
import { KEY_ENDS_SOON_MS } from '../../model/limits.ts'
import type { Env } from '../configuration/env.ts'
import { findProject } from '../configuration/project-file.ts'
import { type Column, printList } from '../terminal/print-list.ts'
import { makeClient } from './management-api.ts'
import { admin, type Printing, print, printJson } from './operator.ts'
import { findApi, resolveFolder, type TargetOptions } from './plan-target.ts'

/** Where keys are: options of a plan, without an environment. */
export type KeyOptions = Pick<TargetOptions, 'api' | 'data' | 'organization'> & Printing
export type ListOptions = KeyOptions & { readonly all?: boolean }

type Minted = KeyRow & { readonly secret: string }

interface Keys {
  list(): AsyncIterable<KeyRow>
  create(key: Omit<NewKey, 'organization'>): Promise<Minted>
  rotate(id: string, keepOldSeconds: number): Promise<Minted>
  endOld(id: string): Promise<unknown>
  delete(id: string): Promise<unknown>
}

export async function listKeys(env: Env, options: ListOptions): Promise<void> {
  await printList(resolveKeys(env, options).list(), KEY_COLUMNS, options)
}

const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'level', cell: ({ level }) => level },
  { head: 'access', cell: ({ access }) => access },
  { head: 'where', cell: (row) => placeIn(row) },
  { head: 'name', cell: ({ name }) => name ?? '' },
  { head: 'created', cell: ({ created_at: at }) => new Date(at).toISOString() },
  {
    head: 'last used',
    cell: ({ last_used_at: at }) => (at === null ? '–' : new Date(at).toISOString().slice(0, 10)),
  },
  { head: 'ends', cell: (row) => formatEnd(row, Date.now()) },
]

/** When a key ends, and its old secret; marked where that has happened, or happens within a week. */
function formatEnd({ expires_at, old_secret_expires_at }: KeyRow, now: number): string {
  const end = expires_at === null ? 'never' : `${new Date(expires_at).toISOString()}${mark(expires_at, now)}`
  const old = old_secret_expires_at === null ? '' : `, old secret ${new Date(old_secret_expires_at).toISOString()}`
  return end + old
}

function mark(at: number, now: number): string {
  if (at <= now) return ' (expired)'
  return at - now > KEY_ENDS_SOON_MS ? '' : ' (soon)'
}

export type CreateKeyOptions = KeyOptions & Omit<NewKey, 'expires_at'> & { readonly expires?: string }

/** Prints only the secret, so that it can be assigned to a variable. */
export async function createKey(env: Env, options: CreateKeyOptions) {
  const { level, access, project, environment, tenant, name, expires, form, userKey, ...of } = options
  const asked = {
    ...{ level, access },
    ...(project === undefined ? {} : { project }),
    ...(environment === undefined ? {} : { environment }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(name === undefined ? {} : { name }),
    ...(expires === undefined ? {} : { expires_at: endIn(expires) }),
    ...(form === undefined ? {} : { form }),
    ...(userKey === undefined ? {} : { userKey }),
  }
  printSecret(await resolveKeys(env, of).create(inDefaultProject(asked)), of)
}

/** @throws CONFIG_INVALID for a text that is neither a time from now nor begins as an instant */
function endIn(text: string): string {
  const at = instantIn(text, Date.now())
  if (/^\+?\d{4,}-/.test(at)) return at
  const reason = `--expires: ${DURATION}, or an instant with its offset, such as 2027-06-30T00:00:00Z`
  throw new ZerohopError('CONFIG_INVALID', { reason })
}

export type RotateKeyOptions = KeyOptions & { readonly keepOld?: string }

/** @throws CONFIG_INVALID when `keepOld` is not a time */
export async function rotateKey(env: Env, id: string, { keepOld = '0', ...options }: RotateKeyOptions): Promise<void> {
  const seconds = parseSeconds(keepOld)
  if (seconds === undefined) throw new ZerohopError('CONFIG_INVALID', { reason: `--keep-old: ${DURATION}` })
  printSecret(await resolveKeys(env, options).rotate(id, seconds), options)
}

export async function endOldSecret(env: Env, id: string, options: KeyOptions): Promise<void> {
  await resolveKeys(env, options).endOld(id)
}

export async function deleteKey(env: Env, id: string, options: KeyOptions): Promise<void> {
  await resolveKeys(env, options).delete(id)
}

/** Of an API, the one that the key belongs to. */
export async function listOrganizations(env: Env, options: ListOptions): Promise<void> {
  const url = findApi(env, options, findProject(process.cwd()))
  const rows =
    url === undefined
      ? await admin(folderIn(env, options), 'org.list', {})
      : await organizationAt(makeClient(url, env.pdpApiKey))
  await printList(rows, ORGANIZATION_COLUMNS, options)
}

const ORGANIZATION_COLUMNS: readonly Column<OrganizationRow>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'key', cell: ({ key }) => key },
  { head: 'name', cell: ({ name }) => name },
  { head: 'projects', cell: ({ projects }) => `${projects ?? '–'}` },
  { head: 'environments', cell: ({ environments }) => `${environments ?? '–'}` },
]

function printSecret(made: Minted, { json }: Printing): void {
  if (json) printJson(made)
  else print(made.secret)
}

const folderIn = (env: Env, options: KeyOptions): Env => resolveFolder(env, options, findProject(process.cwd())).of

function resolveKeys(env: Env, options: KeyOptions): Keys {
  const url = findApi(env, options, findProject(process.cwd()))
  return url === undefined ? inFolder(folderIn(env, options), options) : atApi(makeClient(url, env.pdpApiKey))
}

function inFolder(of: Env, { organization }: KeyOptions): Keys {
  const owner = organization === undefined ? {} : { organization }
  return {
    async *list() {
      for (const row of await admin(of, 'keys.list', owner)) yield withoutPast(row, Date.now())
    },
    create: (key) =>
      admin(of, 'keys.create', { ...owner, ...key }).catch((error: unknown) => {
        throw asOption(error)
      }),
    rotate: (id, keepOldSeconds) => admin(of, 'keys.rotate', { id, keepOldSeconds }),
    endOld: (id) => admin(of, 'keys.endOld', { id }),
    delete: (id) => admin(of, 'keys.delete', { id }),
  }
}

/** Without an old secret that has ended, as an API shows it. */
const withoutPast = (row: KeyRow, now: number): KeyRow =>
  row.old_secret_expires_at !== null && row.old_secret_expires_at <= now ? { ...row, old_secret_expires_at: null } : row

function atApi(client: ManagementClient): Keys {
  return {
    async *list() {
      for await (const row of listAll(client, '/v2/api-key')) yield toRow(row)
    },
    create: async ({ level, access, project, environment, tenant, name, expires_at, form, userKey }) => {
      const { organization_id } = dataOf(await client.GET('/v2/api-key/scope'))
      const body = {
        ...{ organization_id, object_type: level, access_level: access },
        ...(project === undefined ? {} : { project_id: project }),
        ...(environment === undefined ? {} : { environment_id: environment }),
        ...(tenant === undefined ? {} : { tenant_id: tenant }),
        ...(name === undefined ? {} : { name }),
        ...(expires_at === undefined ? {} : { expires_at }),
        ...(form === undefined ? {} : { form }),
        ...(userKey === undefined ? {} : { user_key: userKey }),
      }
      return toMinted(dataOf(await client.POST('/v2/api-key', { body })))
    },
    rotate: async (key, keep_old_seconds) => {
      const sent = { params: { path: { key } }, body: { keep_old_seconds } }
      return toMinted(dataOf(await client.POST('/v2/api-key/{key}/rotate-secret', sent)))
    },
    endOld: async (key) => dataOf(await client.DELETE('/v2/api-key/{key}/old-secret', { params: { path: { key } } })),
    delete: async (key) => dataOf(await client.DELETE('/v2/api-key/{key}', { params: { path: { key } } })),
  }
}

type Answered = Pick<
  ApiKeyRead,
  | 'id'
  | 'object_type'
  | 'access_level'
  | 'name'
  | 'created_at'
  | 'last_used_at'
  | 'expires_at'
  | 'old_secret_expires_at'
  | 'secret'
> & {
  readonly project: { readonly key: string } | null
  readonly env: { readonly key: string } | null
  readonly tenant?: { readonly key: string } | null
}

const toRow = ({
  id,
  object_type,
  access_level,
  project,
  env,
  tenant,
  name,
  created_at,
  ...ends
}: Answered): KeyRow => ({
  ...{ id, level: object_type, access: access_level, name },
  project: project?.key ?? null,
  environment: env?.key ?? null,
  tenant: object_type === 'tenant' ? (tenant?.key ?? '(deleted)') : null,
  created_at: Date.parse(created_at),
  last_used_at: parseTime(ends.last_used_at),
  expires_at: parseTime(ends.expires_at),
  old_secret_expires_at: parseTime(ends.old_secret_expires_at),
})

const parseTime = (text: string | null): number | null => (text === null ? null : Date.parse(text))

const toMinted = (key: Answered): Minted => ({ ...toRow(key), secret: key.secret ?? '' })

interface OrganizationRow {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly projects: number | null
  readonly environments: number | null
}

/** Counts are null for a key that is not one of the organization. */
async function organizationAt(client: ManagementClient): Promise<readonly OrganizationRow[]> {
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
  const isBare = level !== 'org' && level !== 'project' && project === undefined && environment !== undefined
  return isBare && parseId(environment) === undefined ? { ...key, project: 'default' } : key
}

/** Reports an error of a field under the name of its option. */
function asOption(error: unknown): unknown {
  const field = isZerohopError(error, 'INPUT_INVALID') ? error.path?.at(-1) : undefined
  if (typeof field !== 'string') return error
  return new ZerohopError('CONFIG_INVALID', {
    reason: `--${field.replace(/_(?:id|at)$/, '')}: ${(error as Error).message}`,
  })
}

const placeIn = ({ project, environment, tenant }: KeyRow): string =>
  [project, environment, tenant].filter((part) => part !== null).join('/') || '–'
