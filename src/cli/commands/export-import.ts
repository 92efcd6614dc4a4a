// `zerohop export|import`: an environment as one readable file, JSON or YAML by its extension.

import { readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'
import { parseJson, UNLIMITED } from '../../http/json.ts'
import { STANDARD_INPUT as STANDARD } from '../../management/policy-file/find-files.ts'
import { formatPolicy } from '../../management/policy-file/format.ts'
import type { PlaceOf, Source } from '../../management/policy-file/problem.ts'
import { standardInput } from '../../management/policy-file/read-files.ts'
import { requirePolicy } from '../../management/policy-file/versions.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import { BODY } from '../../management/rules/fields.ts'
import { counted } from '../../model/counted.ts'
import { toErrorLine } from '../../model/error-line.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { BUNDLE_LINES_MAX } from '../../model/limits.ts'
import { plain } from '../../model/plain-text.ts'
import type { Env } from '../configuration/env.ts'
import { findProject } from '../configuration/project-file.ts'
import { writeOut } from '../process/process.ts'
import { madeBy } from '../terminal/print-warnings.ts'
import { exportFacts } from './export-facts.ts'
import { importFacts } from './import-facts.ts'
import { isFactsFile } from './line-files.ts'
import { type ReasonOptions, toReasons } from './management-api.ts'
import { admin } from './operator.ts'
import { exportFrom, isRemote, resolveFolder, resolveTarget, type TargetOptions } from './plan-target.ts'
import { nowhere, Refusals } from './policy-refusals.ts'

export interface ExportOptions extends TargetOptions {
  readonly facts?: boolean
  /** a revision or an instant */
  readonly at?: string
  readonly format?: string
  /** of facts as lines */
  readonly resume?: boolean
}
export interface ImportOptions extends TargetOptions, ReasonOptions {
  readonly dryRun?: boolean
  readonly json?: boolean
  readonly format?: string
  /** of facts as lines */
  readonly fromLine?: number
}

/** Writes the file, or prints it when no file is named. */
export async function exportBundle(env: Env, file: string = STANDARD, options: ExportOptions): Promise<void> {
  const { facts = false, at, format, resume, ...target } = options
  if (isLines(file, format)) {
    if (!facts) throw new ZerohopError('CONFIG_INVALID', { reason: 'only facts are exported as lines: add --facts' })
    return exportFacts(env, file, { at, resume, ...target })
  }
  if (resume) throw new ZerohopError('CONFIG_INVALID', { reason: '--resume is for facts as lines (.ndjson)' })
  const bundle = await exportFrom(env, target, { facts, at })
  const isYaml = format === undefined ? isYamlName(file) : format === 'yaml'
  const text = isYaml ? formatYaml(bundle) : `${JSON.stringify(bundle, null, 2)}\n`
  if (file === STANDARD) process.stdout.write(text)
  else writeOut(file, text)
}

/** In the canonical form of policy files, unless it is too large to be one. */
function formatYaml(bundle: unknown): string {
  const text = stringify(bundle, { lineWidth: 0 })
  return formatPolicy({ name: 'policy.yaml', text }).text ?? text
}

/**
 * Applies the file and prints the result, or what is refused where it stands. Returns the exit code: 1 when refused.
 */
export async function importBundle(env: Env, file: string, sent: ImportOptions): Promise<number> {
  const { json, format, fromLine, ...options } = sent
  if (isLines(file, format)) return importFacts(env, file, { json, fromLine, ...options })
  if (fromLine !== undefined)
    throw new ZerohopError('CONFIG_INVALID', { reason: '--from-line is for facts as lines (.ndjson)' })
  const { bundle, text } = read(file)
  const isSent = isRemote(env, options)
  const source = { name: file, text }
  const refusals = new Refusals([source], () => placesIn(source), isSent ? [...BODY, 'policy'] : BODY)
  const outcome = isSent ? importOverApi(env, bundle, options) : importIntoFolder(env, bundle, options)
  const imported = await refusals.shown(outcome).catch((error: unknown) => {
    throw withFilePath(file, error)
  })
  if (imported === undefined) return 1
  if (json) {
    process.stdout.write(`${JSON.stringify(imported, null, 2)}\n`)
    return 0
  }
  const { created, changed, deleted, lines, revision } = imported
  const more = created + changed + deleted - lines.length
  const would = options.dryRun ? 'would be ' : ''
  const rest = more > 0 ? [`… and ${more} more`] : []
  const sum = `${created} ${would}created, ${changed} ${would}changed, ${deleted} ${would}deleted`
  process.stdout.write(`${[...lines.map(plain), ...rest, `${sum}; revision ${revision}`].join('\n')}\n`)
  return 0
}

/** The file as it was sent: what of it is wrong is not left out, as when several files become one policy. */
function placesIn(source: Source): PlaceOf {
  const document = new YamlDocument(source)
  // too large for a policy file: it is read without places
  return document.value === undefined ? nowhere : (path) => document.place(path)
}

interface Result {
  readonly created: number
  readonly changed: number
  readonly deleted: number
  readonly lines: readonly string[]
  readonly revision: number
}

/** Into a data folder. */
async function importIntoFolder(env: Env, bundle: unknown, { dryRun, ...target }: ImportOptions): Promise<Result> {
  const { of, where } = resolveFolder(env, target, findProject(process.cwd()))
  return madeBy(
    await admin(of, 'import', { ...where, ...toReasons(target), ...(dryRun === undefined ? {} : { dryRun }), bundle }),
  )
}

/** To an API: a plan that deletes and renames nothing. The parts of a resource type count as objects of their own. */
async function importOverApi(
  env: Env,
  bundle: unknown,
  { dryRun = false, ...options }: ImportOptions,
): Promise<Result> {
  const { moved: _, ...policy } = requirePolicy(bundle, [...BODY, 'policy']) // the server judges what it refers to
  const target = await resolveTarget(env, options)
  const { changes, more, revision } = await (dryRun ? target.plan({ policy }) : target.apply({ policy }))
  if (more > 0) process.stderr.write(`zerohop: ${counted(more, 'more object', 'more objects')} not counted\n`)
  const count = (wanted: string): number => changes.filter(({ op }) => op === wanted).length
  return {
    ...{ created: count('create'), changed: count('update'), deleted: count('delete'), revision },
    lines: changes
      .slice(0, BUNDLE_LINES_MAX)
      .map(({ op, kind, key }) => `${op === 'update' ? 'change' : op} ${kind.replaceAll('_', ' ')} ${key}`),
  }
}

/** The error with its path before it: a file that is too large to be a policy file has no lines. */
function withFilePath(file: string, error: unknown): unknown {
  if (!isZerohopError(error) || (error.path?.length ?? 0) < 2) return error
  const place = error.path?.slice(1).join('.')
  return new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\`, \`${place}\`: ${error.message}` })
}

function read(file: string): { readonly bundle: unknown; readonly text: string } {
  try {
    const isStandard = file === STANDARD
    const bytes = isStandard ? standardInput() : readFileSync(file)
    const text = bytes.toString('utf8')
    return { text, bundle: isStandard || isYamlName(file) ? parse(text) : parseJson(bytes, 'refuse', UNLIMITED) }
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException
    const inJson = isZerohopError(error, 'JSON_INVALID') ? error.details.reason : undefined
    const reason = errno === undefined ? (inJson ?? toErrorLine(error)) : code // a YAML error has a code too, and says more
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be read: ${reason}` })
  }
}

const isLines = (file: string, format: string | undefined): boolean =>
  format === undefined ? isFactsFile(file) : format === 'ndjson'

const isYamlName = (file: string): boolean => /\.ya?ml$/i.test(file)
