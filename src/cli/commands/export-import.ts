// `zerohop export|import`: an environment as one readable file, JSON or YAML by its extension.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parse, stringify } from 'yaml'
import { parseJson, UNLIMITED } from '../../http/json.ts'
import { formatPolicy } from '../../management/policy-file/format.ts'
import type { PolicyFile } from '../../management/policy-file/schema.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import type { Env } from '../configuration/env.ts'
import { lineOf, writeOut } from '../process/process.ts'
import { admin } from './operator.ts'

export interface BundleOptions {
  readonly organization?: string
  readonly project: string
  readonly environment: string
}
export interface ExportOptions extends BundleOptions {
  readonly facts?: boolean
  readonly format?: string
}
export interface ImportOptions extends BundleOptions {
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** Writes the file, or prints it when no file is named. */
export async function exportBundle(env: Env, file: string | undefined, options: ExportOptions): Promise<void> {
  const { facts = false, format, ...where } = options
  const bundle = facts ? await everythingOf(env, where) : await admin(env, 'export', where)
  const isYaml = format === undefined ? isYamlName(file ?? '') : format === 'yaml'
  const text = isYaml ? yamlOf(bundle) : `${JSON.stringify(bundle, null, 2)}\n`
  if (file === undefined) process.stdout.write(text)
  else writeOut(file, text)
}

/** In the canonical form of policy files, unless it is too large to be one. */
function yamlOf(bundle: unknown): string {
  const text = stringify(bundle, { lineWidth: 0 })
  return formatPolicy({ name: 'policy.yaml', text }).text ?? text
}

/** The server writes a large export to a private file in the data folder. */
export async function everythingOf(env: Env, where: BundleOptions): Promise<PolicyFile> {
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-export-'))
  try {
    const file = join(resolve(folder), 'bundle.json')
    await admin(env, 'export', { ...where, file })
    return JSON.parse(readFileSync(file, 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Applies the file and prints the result. */
export async function importBundle(env: Env, file: string, { json, ...options }: ImportOptions): Promise<void> {
  const imported = await admin(env, 'import', { ...options, bundle: read(file) }).catch((error: unknown) => {
    throw placed(file, error)
  })
  if (json) {
    process.stdout.write(`${JSON.stringify(imported, null, 2)}\n`)
    return
  }
  const { created, changed, deleted, lines, revision } = imported
  const more = created + changed + deleted - lines.length
  const would = options.dryRun ? 'would be ' : ''
  const rest = more > 0 ? [`… and ${more} more`] : []
  const sum = `${created} ${would}created, ${changed} ${would}changed, ${deleted} ${would}deleted`
  process.stdout.write(`${[...lines, ...rest, `${sum}; revision ${revision}`].join('\n')}\n`)
}

/** The error with its place in the file before it. */
function placed(file: string, error: unknown): unknown {
  if (!isZerohopError(error) || (error.path?.length ?? 0) < 2) return error
  const place = error.path?.slice(1).join('.')
  return new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\`, \`${place}\`: ${error.message}` })
}

function read(file: string): unknown {
  try {
    const bytes = readFileSync(file)
    return isYamlName(file) ? parse(bytes.toString('utf8')) : parseJson(bytes, 'refuse', UNLIMITED)
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException
    const inJson = isZerohopError(error, 'JSON_INVALID') ? error.details.reason : undefined
    const reason = errno === undefined ? (inJson ?? lineOf(error)) : code // a YAML error has a code too, and says more
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be read: ${reason}` })
  }
}

const isYamlName = (file: string): boolean => /\.ya?ml$/i.test(file)
