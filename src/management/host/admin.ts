// The operator's commands on the machine itself: organizations, API keys, backups. The same functions run in a server,
// which receives them through `<data>/admin.sock`, and in the command itself when no server has locked the folder. Each
// leaves a log entry without an API key.

import { writeFile } from 'node:fs/promises'
import { Image } from '../../image/image.ts'
import type { AccessLevel, ApiKey, DirectoryUserKey, KeyForm, KeyLevel } from '../../kinds/api-key.ts'
import { isSession } from '../../kinds/api-key.ts'
import { type LogId, type Reasons, withoutRequest } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseId } from '../../model/keys.ts'
import { requireReasons } from '../../model/reason-headers.ts'
import { type BackupLog, type BackupManifest, finishBackup, makeBackupFolder } from '../../store/backup.ts'
import type { Reader } from '../../store/reader.ts'
import { openStore } from '../../store/store.ts'
import type { View } from '../../store/view.ts'
import { threadUrl } from '../../threads/thread-url.ts'
import { exportFacts } from '../past/export-facts.ts'
import { PastRevisions } from '../past/past-revisions.ts'
import { readAt } from '../past/read-at.ts'
import { exportSchema } from '../policy-file/export.ts'
import { exportInThread } from '../policy-file/export-task.ts'
import { FactsReader } from '../policy-file/facts-reader.ts'
import { shownWarnings } from '../rules/shown-warnings.ts'
import type { PolicyFile } from '../schemas/policy-file.ts'
import { policyOf } from '../snapshot/snapshot.ts'
import {
  type AdminDeps,
  findEnvironment,
  findOrganization,
  type InEnvironment,
  type InOrganization,
  type ManagementStore,
  organizationIn,
  type SystemAnswer,
  type SystemRequest,
} from './admin-places.ts'
import {
  applyEnvironment,
  checkEnvironmentFiles,
  copyEnvironment,
  planEnvironment,
  planEnvironmentCopy,
} from './admin-plans.ts'
import { keepKeysFile } from './keys-file-upkeep.ts'
import { listAllOrganizations } from './open.ts'
import type { ManagementUseCases } from './registry.ts'

export interface KeyRow {
  readonly id: string
  readonly level: KeyLevel
  readonly access: AccessLevel
  readonly project: string | null
  readonly environment: string | null
  /** of a key of level `tenant` */
  readonly tenant: string | null
  readonly name: string | null
  readonly created_at: number
  /** the first instant of the last day (UTC) on which it was used */
  readonly last_used_at: number | null
  /** when it ends; null when it has no end */
  readonly expires_at: number | null
  /** when the secret before the current one ends, or ended; null without one */
  readonly old_secret_expires_at: number | null
}

export interface NewKey extends InOrganization {
  readonly level: KeyLevel
  readonly access: AccessLevel
  readonly project?: string
  readonly environment?: string
  readonly tenant?: string
  readonly name?: string
  /** when it ends, such as 2027-06-30T00:00:00Z */
  readonly expires_at?: string
  readonly form?: KeyForm
  /** of a key of level `directory`: what becomes the key of a new user */
  readonly userKey?: DirectoryUserKey
}

/** Every command by its name on the socket. */
export const ADMIN = {
  'org.create': createOrganization,
  'org.list': listOrganizations,
  'keys.list': listKeys,
  'keys.create': createKey,
  'keys.rotate': rotateKey,
  'keys.endOld': endOldSecret,
  'keys.delete': deleteKey,
  backup: copyForBackup,
  export: exportEnvironment,
  import: importEnvironment,
  'facts.export': exportEnvironmentFacts,
  'facts.import': importEnvironmentFacts,
  plan: planEnvironment,
  check: checkEnvironmentFiles,
  apply: applyEnvironment,
  'copy.plan': planEnvironmentCopy,
  copy: copyEnvironment,
  request: answerRequest,
  'console.link': makeSignInLink,
} as const

export type AdminCommand = keyof typeof ADMIN
export type AdminInput<C extends AdminCommand> = Parameters<(typeof ADMIN)[C]>[1]
export type AdminResult<C extends AdminCommand> = Awaited<ReturnType<(typeof ADMIN)[C]>>

/** Runs a command. @throws INPUT_INVALID for an unknown name, and what the command throws */
export async function runAdmin(deps: AdminDeps, command: string, input: unknown): Promise<unknown> {
  if (!Object.hasOwn(ADMIN, command))
    throw new ZerohopError('INPUT_INVALID', { reason: `no command is named ${command}` })
  return ADMIN[command as AdminCommand](deps, (input ?? {}) as never)
}

/**
 * Opens the store of a folder for commands only: nothing is bootstrapped. Rotated keys are written to `keys.json`, as
 * in a server.
 */
export async function openAdminStore(data: string, secretsKeyFile: string | undefined): Promise<ManagementStore> {
  const writerThread = threadUrl(import.meta.url, './writer-thread.ts')
  const of = { data, writerThread, ...(secretsKeyFile === undefined ? {} : { secretsKeyFile }) }
  const store = await openStore<ManagementUseCases>(of)
  const [organization] = listAllOrganizations(store)
  if (organization !== undefined) keepKeysFile(data, store, organization)
  return store
}

/** @throws CONFIG_INVALID without a server that serves the console */
function makeSignInLink({ signInLink }: AdminDeps, _input: object): { readonly url: string } {
  if (signInLink === undefined) {
    const reason = 'no server uses this data folder: start one with `zerohop serve`, or name its folder with --data'
    throw new ZerohopError('CONFIG_INVALID', { reason })
  }
  return { url: signInLink() }
}

async function createOrganization(
  { store, newId }: AdminDeps,
  input: { readonly key: string; readonly name?: string },
) {
  const of = { organization: input.key, name: input.name ?? input.key, noExample: true }
  const asking = { newOrganization: input.key }
  return (await store.commit(newId(), 'bootstrap', of, withoutRequest('createOrganization'), asking)).result
}

async function listOrganizations({ store }: AdminDeps, _input: object) {
  return listAllOrganizations(store).map((log) => {
    const view = store.view(log)
    const { id, key, name } = organizationIn(view)
    return { id, key, name, projects: view.count('project'), environments: view.count('environment') }
  })
}

async function listKeys({ store }: AdminDeps, { organization }: InOrganization): Promise<KeyRow[]> {
  const view = store.view(findOrganization(store, organization))
  return [...view.list('api_key')]
    .filter((key) => key.secret_of === undefined && !isSession(key))
    .map((key) => keyRow(store, view, key))
}

async function createKey({ store }: AdminDeps, { organization, ...input }: NewKey) {
  const log = findOrganization(store, organization)
  const { key, secret } = (await store.commit(log, 'createApiKey', input, withoutRequest('createApiKey'))).result
  return { ...keyRow(store, store.view(log), key), secret }
}

async function rotateKey(
  { store }: AdminDeps,
  { id, keepOldSeconds = 0 }: { readonly id: string; readonly keepOldSeconds?: number },
) {
  const log = organizationOfKey(store, id)
  const input = { ref: id, keepOldSeconds }
  const { key, secret } = (await store.commit(log, 'rotateApiKey', input, withoutRequest('rotateApiKey'))).result
  return { ...keyRow(store, store.view(log), key), secret }
}

async function endOldSecret({ store }: AdminDeps, { id }: { readonly id: string }): Promise<null> {
  await store.commit(organizationOfKey(store, id), 'endOldSecret', { ref: id }, withoutRequest('endOldSecret'))
  return null
}

async function deleteKey({ store }: AdminDeps, { id }: { readonly id: string }): Promise<null> {
  await store.commit(organizationOfKey(store, id), 'deleteApiKey', { ref: id }, withoutRequest('deleteApiKey'))
  return null
}

/**
 * Exports the schema; with a file, schema and facts are written there instead. The export is logged.
 * @throws REVISION_GONE when `at` cannot be reached any more
 */
async function exportEnvironment(
  { store, data, past = new PastRevisions(store, { data }) }: AdminDeps,
  { file, at, ...input }: InEnvironment & { readonly file?: string; readonly at?: string },
): Promise<PolicyFile | null> {
  const { organization, environment } = findEnvironment(store, input)
  const wanted = readAt(at, ['at'])
  const found = wanted && past.find(environment, wanted)
  await store.commit(organization, 'noteRead', null, withoutRequest('export'))
  if (found === undefined) {
    if (file === undefined) return exportSchema(store.view(environment))
    await exportInThread({ data, environment, file })
    return null
  }
  const bytes = await past.export(environment, found.revision, file !== undefined)
  if (file === undefined) return JSON.parse(Buffer.from(bytes).toString('utf8')) as PolicyFile
  await writeFile(file, bytes, { mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be written: ${error.code}` })
  })
  return null
}

async function importEnvironment(
  { store }: AdminDeps,
  {
    bundle,
    dryRun = false,
    ...input
  }: InEnvironment & Reasons & { readonly bundle: unknown; readonly dryRun?: boolean },
) {
  const { environment } = findEnvironment(store, input)
  const { result, revision, warnings } = await store.commit(
    environment,
    'importBundle',
    { bundle, dryRun },
    withoutRequest('importBundle', requireReasons(input)),
  )
  return { made: { ...result, revision }, warnings: shownWarnings(warnings) }
}

/**
 * Writes facts as lines into a new file. The export is logged.
 * @throws REVISION_GONE when `at` cannot be reached any more; CONFIG_INVALID when the file cannot be written
 */
async function exportEnvironmentFacts(
  { store, data, past = new PastRevisions(store, { data }) }: AdminDeps,
  { file, at, skip, ...input }: InEnvironment & { readonly file: string; readonly at?: string; readonly skip: number },
): Promise<null> {
  const { organization, environment } = findEnvironment(store, input)
  const wanted = readAt(at, ['at'])
  const found = wanted && past.find(environment, wanted)
  await store.commit(organization, 'noteRead', null, withoutRequest('export'))
  await exportFacts({ data, past }, environment, { file, skip, revision: found?.revision })
  return null
}

/** Applies lines of a part of a file of facts, each with its place there, in one revision. */
async function importEnvironmentFacts(
  { store }: AdminDeps,
  { lines, ...input }: InEnvironment & Reasons & { readonly lines: readonly (readonly [at: number, line: unknown])[] },
) {
  const { environment } = findEnvironment(store, input)
  const reader = new FactsReader()
  for (const [at, line] of lines) reader.add(line, at)
  try {
    const by = withoutRequest('importFacts', requireReasons(input))
    const { result, revision, warnings } = await store.commit(environment, 'importFacts', reader.lists, by)
    return { made: { ...result, facts: reader.facts, revision }, warnings: shownWarnings(warnings) }
  } catch (error) {
    throw reader.located(error)
  }
}

/** Answers a request of the management API about the organization, caused by the system. */
async function answerRequest(
  { store, answer }: AdminDeps,
  { organization, ...request }: InOrganization & SystemRequest,
): Promise<SystemAnswer> {
  if (answer === undefined) throw new ZerohopError('INPUT_INVALID', { reason: 'no requests are answered here' })
  return answer(findOrganization(store, organization), request)
}

/** The first half of a backup, which needs the store. `describeBackup` is the second half, which does not. */
async function copyForBackup({ store }: AdminDeps, { folder }: { readonly folder: string }): Promise<null> {
  if (store.isReplicated) {
    const reason = 'the data of a replica is in its database: back that up with its own tools, such as pg_dump'
    throw new ZerohopError('CONFIG_INVALID', { reason })
  }
  makeBackupFolder(folder)
  for (const log of listAllOrganizations(store)) await store.commit(log, 'noteRead', null, withoutRequest('backup'))
  await store.copyData(folder)
  return null
}

/**
 * The second half: reads the copy, computes the image of every environment, and completes the backup. Takes seconds
 * when they are large.
 */
export function describeBackup(folder: string, at: number): Promise<BackupManifest> {
  return finishBackup(folder, at, (reader) => {
    const logs = reader.logs()
    const names = nameEnvironments(reader, logs)
    return logs.map((log) => backupLog(reader, log, names))
  })
}

function backupLog(reader: Reader, log: LogId, names: ReadonlyMap<LogId, string>): BackupLog {
  const view = reader.view(log)
  const { revision, chain } = view.position
  const [organization] = view.list('organization', { limit: 1 })
  if (organization !== undefined) return { log, name: organization.key, revision, chain }
  const name = names.get(log)
  if (name === undefined) return { log, name: 'deleted', revision, chain }
  return { log, name, revision, chain, image_sha256: Image.build(log, view.position, policyOf(view)).hash() }
}

/** `organization/project/environment` of each environment that is not deleted. */
function nameEnvironments(reader: Reader, logs: readonly LogId[]): ReadonlyMap<LogId, string> {
  const names = new Map<LogId, string>()
  for (const log of logs) {
    const view = reader.view(log)
    const [organization] = view.list('organization', { limit: 1 })
    if (organization === undefined) continue
    for (const { id, key } of view.list('environment')) names.set(id, `${organization.key}/${key}`)
  }
  return names
}

/** Ids are unique over all organizations. @throws OBJECT_NOT_FOUND */
function organizationOfKey(store: ManagementStore, ref: string): LogId {
  const id = parseId(ref) ?? ''
  const log = listAllOrganizations(store).find((one) => store.view(one).find('api_key', id) !== undefined)
  if (log === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'API key', ref })
  return log
}

const tenantName = (store: ManagementStore, { environment_id, tenant_id }: ApiKey): string =>
  store.view(environment_id ?? '').find('tenant', tenant_id ?? '')?.key ?? '(deleted)'

function keyRow(store: ManagementStore, view: View, key: ApiKey): KeyRow {
  const { id, level, access, name, created_at, last_used_at = null, expires_at = null, old_secret } = key
  const project = key.project_id === null ? undefined : view.find('project', key.project_id)
  const environment = key.environment_id === null ? undefined : view.find('environment', key.environment_id)
  return {
    id,
    level,
    access,
    project: project?.key ?? null,
    environment: environment?.environment ?? null,
    tenant: key.tenant_id === undefined ? null : tenantName(store, key),
    name,
    created_at,
    last_used_at,
    expires_at,
    old_secret_expires_at: old_secret?.expires_at ?? null,
  }
}
