// Commands of an operator on a data folder: `zerohop org create|backup|restore`. While a server has locked the folder
// they go through its admin.sock, otherwise they open the folder themselves. The store is loaded only in that case,
// because loading takes longer than most commands.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { callAdmin, fitsSocket } from '../../http/admin-client.ts'
import type { AdminCommand, AdminInput, AdminResult } from '../../management/host/admin.ts'
import type { AnswerSystem, ManagementStore } from '../../management/host/admin-places.ts'
import { ZerohopError } from '../../model/errors.ts'
import { plain } from '../../model/plain-text.ts'
import type { BackupManifest } from '../../store/backup.ts'
import type { Env } from '../configuration/env.ts'
import { newId } from '../process/process.ts'
import { printTable } from '../terminal/print-table.ts'

/** Runs the operator's commands on one data folder. */
export interface Operator {
  /** @throws what the command throws */
  run<C extends AdminCommand>(command: C, input: AdminInput<C>): Promise<AdminResult<C>>
}

/**
 * Runs a command in the server that has locked the folder, or in this process. @throws CONFIG_INVALID when the folder
 * does not exist, and what the command throws
 */
export function admin<C extends AdminCommand>(env: Env, command: C, input: AdminInput<C>): Promise<AdminResult<C>> {
  return withOperator(env, ({ run }) => run(command, input), command === 'org.create')
}

/**
 * The same for several commands: a folder that no server has locked is opened once.
 * @param isNew the folder may be missing
 */
export async function withOperator<T>(env: Env, work: (operator: Operator) => Promise<T>, isNew = false): Promise<T> {
  const { data, secretsKeyFile } = env
  const socket = join(data, 'admin.sock')
  let store: ManagementStore | undefined
  const run = async <C extends AdminCommand>(command: C, input: AdminInput<C>): Promise<AdminResult<C>> => {
    // the server answers with the result of the same function
    const reply = store === undefined && fitsSocket(socket) ? await callAdmin(socket, command, input) : undefined
    if (reply !== undefined) return reply.result as AdminResult<C>
    if (!isNew && !existsSync(join(data, 'data.mdb')))
      throw new ZerohopError('CONFIG_INVALID', { reason: `there is no data in \`${data}\`` })
    const { ADMIN, openAdminStore } = await import('../../management/host/admin.ts')
    store ??= await openAdminStore(data, secretsKeyFile)
    const deps = { store, data, newId, answer: answerAtRest(store, data) }
    return (await ADMIN[command](deps, input as never)) as AdminResult<C>
  }
  try {
    return await work({ run })
  } finally {
    await store?.close()
  }
}

/** The management API over a folder at rest; it is loaded when a request comes. */
function answerAtRest(store: ManagementStore, data: string): AnswerSystem {
  return async (organization, request) => {
    const { managementApp } = await import('../../http/apps/management-app.ts')
    const { openAuditLog } = await import('../../management/host/open.ts')
    const { PastRevisions } = await import('../../management/past/past-revisions.ts')
    const audit = openAuditLog({ data })
    const app = managementApp({ store, audit, past: new PastRevisions(store, { data }) })
    try {
      return await app.answerSystem(organization, request)
    } finally {
      await app.close()
      await audit.close()
    }
  }
}

export interface Printing {
  readonly json?: boolean
}

export async function createOrganization(env: Env, key: string, options: { name?: string } & Printing): Promise<void> {
  const made = await admin(env, 'org.create', { key, ...(options.name === undefined ? {} : { name: options.name }) })
  if (options.json) return printJson(made)
  print(`organization ${plain(made.organization.key)} ${made.organization.id}`)
  print(`key          ${made.organization.secret}`)
}

export async function backup(env: Env, folder: string, { json }: Printing): Promise<void> {
  const path = resolve(folder)
  await admin(env, 'backup', { folder: path })
  const { describeBackup } = await import('../../management/host/admin.ts')
  const manifest = await describeBackup(path, Date.now())
  const { noteBackup } = await import('../../store/backup.ts')
  noteBackup(env.data, manifest.at)
  printManifest(manifest, json)
}

export async function restore(env: Env, folder: string, { json }: Printing): Promise<void> {
  const { restoreBackup } = await import('../../store/backup.ts')
  printManifest(await restoreBackup(resolve(folder), env.data, () => newId() + newId()), json)
}

function printManifest(manifest: BackupManifest, json: boolean | undefined): void {
  const rows = manifest.logs.map((log) => [log.log, log.name, String(log.revision), log.image_sha256 ?? ''])
  if (json) printJson(manifest)
  else printTable(['log', 'name', 'revision', 'image'], rows)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints a link that signs in to the console of the running server; an earlier one no longer does. */
export async function printConsoleLink(env: Env, options: Printing): Promise<void> {
  const link = await admin(env, 'console.link', {})
  if (options.json) return printJson(link)
  print(link.url)
}
