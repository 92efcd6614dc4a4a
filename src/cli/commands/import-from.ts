// `zerohop import --from`: files of another engine become a policy file, a file of facts, a module for the application and
// a report. Both engines are then asked the same questions. Nothing is sent to a server: `zerohop import` of the written
// files does that.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Option } from 'commander'
import type { Imported, ImporterOptions } from '../../importers/frame/importer.ts'
import { prove } from '../../importers/frame/proof.ts'
import { makeReport, printReport } from '../../importers/frame/report.ts'
import { loadTests, loadWritten, printFiles, REPORT_NAME, readWrittenFacts } from '../../importers/frame/written.ts'
import { IMPORTERS, type ImporterName } from '../../importers/index.ts'
import type { Problem, Source } from '../../management/policy-file/problem.ts'
import { ZerohopError } from '../../model/errors.ts'
import { makeFolder } from '../../model/folder.ts'
import { IMPORT_QUESTIONS } from '../../model/limits.ts'
import { Pdp } from '../../pdp/pdp.ts'
import { readEnv } from '../configuration/env.ts'
import { writeOut } from '../process/process.ts'
import { printOptions, printProblems } from '../terminal/print-problems.ts'
import { sayRetry } from '../terminal/print-warnings.ts'
import { startCounter } from '../terminal/progress.ts'

export interface FromOptions {
  readonly from?: ImporterName
  readonly out?: string
  readonly force?: boolean
  readonly questions?: number
  readonly seed?: number
  readonly json?: boolean
  readonly [option: string]: unknown
}

/** Options of an import into an environment. */
const ELSEWHERE = [
  'api',
  'project',
  'environment',
  'data',
  'organization',
  'reason',
  'ticket',
  'dryRun',
  'format',
  'fromLine',
]

/**
 * Converts, writes and proves. Returns the exit code: 0 when everything was said and no answer differs, else 1.
 * @throws CONFIG_INVALID, PACKAGE_MISSING
 */
export async function importFrom(files: readonly string[], options: FromOptions): Promise<number> {
  const { from = 'casbin', out, force = false, json = false, seed = 1, questions = IMPORT_QUESTIONS } = options
  const other = ELSEWHERE.find((name) => options[name] !== undefined)
  if (other !== undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: `--from writes files and sends nothing, so it takes no --${other.replace(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`)}: import the written files afterwards`,
    })
  const foreign = findForeignOption(from, options)
  if (foreign !== undefined)
    throw new ZerohopError('CONFIG_INVALID', { reason: `--from ${from} takes no ${foreign.long ?? foreign.flags}` })
  if (out === undefined) throw new ZerohopError('CONFIG_INVALID', { reason: '--out names the folder for the files' })
  const { importer } = await IMPORTERS[from].load()
  const given = from === 'permit' ? { ...options, apiKey: readEnv().pdpApiKey } : options
  const reading = await importer.read(files, given as ImporterOptions, sayRetry)
  if (reading.imported === undefined) return refuse(reading.problems, reading.sources)
  const { imported } = reading
  writeFiles(imported, from, out, force)
  const pdp = loadWritten(out)
  if (!(pdp instanceof Pdp)) return refuse(pdp.problems, pdp.sources)
  const tests = loadTests(out, imported.tests)
  if ('problems' in tests) return refuse(tests.problems, tests.sources)
  const counter = startCounter('asked', Math.min(questions, imported.questions.total))
  const onAsked = (asked: number): void => counter.set(asked)
  const written = () => readWrittenFacts(out)
  const proof = await prove(imported, pdp, { seed, questions, tests, onAsked, written }).finally(() => counter.end())
  const report = makeReport(from, files, imported.findings, proof)
  const text = `${JSON.stringify(report, null, 2)}\n`
  writeOut(join(out, REPORT_NAME), text)
  process.stdout.write(json ? text : `${[...printReport(report), `written to ${out}`].join('\n')}\n`)
  return report.exact ? 0 : 1
}

/** An option of another importer. */
const findForeignOption = (from: ImporterName, options: FromOptions): Option | undefined =>
  Object.entries(IMPORTERS)
    .flatMap(([name, entry]) => (name === from ? [] : entry.options.map(({ flags }) => new Option(flags))))
    .find((option) => options[option.attributeName()] !== undefined)

function refuse(problems: readonly Problem[], sources: readonly Source[]): number {
  process.stderr.write(printProblems(problems, sources, printOptions(process.stderr)))
  return 1
}

function writeFiles(imported: Imported, from: string, out: string, force: boolean): void {
  const files = printFiles(imported, `zerohop import --from ${from}`)
  const there = [...files.map(([name]) => name), REPORT_NAME].find((name) => existsSync(join(out, name)))
  if (there !== undefined && !force)
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${join(out, there)}\` already exists: add --force` })
  try {
    for (const folder of new Set(files.map(([name]) => dirname(join(out, name))))) makeFolder(folder)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error)
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${out}\` cannot be made: ${reason}` }, { cause: error })
  }
  for (const [name, text] of files) writeOut(join(out, name), text)
}
