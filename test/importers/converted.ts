// Converts files of other engines as `zerohop import --from` does, in this process.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importer } from '../../src/importers/casbin/importer.ts'
import type { Imported, Importer, ImporterOptions } from '../../src/importers/frame/importer.ts'
import { prove } from '../../src/importers/frame/proof.ts'
import { makeReport, type Report } from '../../src/importers/frame/report.ts'
import { loadTests, loadWritten, printFiles, readWrittenFacts } from '../../src/importers/frame/written.ts'
import type { Problem } from '../../src/management/policy-file/problem.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { temporaryFolder } from '../support/folders.ts'

export type Converted =
  | { readonly problems: readonly Problem[]; readonly report?: undefined }
  | { readonly problems: readonly []; readonly report: Report; readonly imported: Imported; readonly folder: string }

export const convertFiles = (
  folder: string,
  names: readonly string[],
  options: ImporterOptions = {},
  questions = 20_000,
): Promise<Converted> => convertWith({ importer, from: 'casbin', questions }, folder, names, options)

interface With {
  readonly importer: Importer
  readonly from: string
  readonly questions: number
  /** changes what was read, before it is written */
  readonly change?: (imported: Imported) => Imported
}

/** @param folder with the files; one of its own for what is written */
export async function convertWith(
  { importer, from, questions, change = (imported) => imported }: With,
  folder: string,
  names: readonly string[],
  options: ImporterOptions = {},
): Promise<Converted> {
  const reading = await importer.read(
    names.map((name) => join(folder, name)),
    options,
  )
  if (reading.imported === undefined) return { problems: reading.problems }
  const imported = change(reading.imported)
  const out = temporaryFolder('imported')
  for (const [name, text] of printFiles(imported, `zerohop import --from ${from}`)) {
    mkdirSync(dirname(join(out, name)), { recursive: true })
    writeFileSync(join(out, name), text)
  }
  const pdp = loadWritten(out)
  if (!(pdp instanceof Pdp)) return { problems: pdp.problems }
  const tests = loadTests(out, imported.tests)
  if ('problems' in tests) return { problems: tests.problems }
  const written = () => readWrittenFacts(out)
  const proof = await prove(imported, pdp, { questions, seed: 1, tests, written })
  return { problems: [], report: makeReport(from, names, imported.findings, proof), imported, folder: out }
}

/** The same of texts: a model, and rules as CSV. */
export function convertTexts(
  model: string,
  rules: string,
  options: ImporterOptions = {},
  questions?: number,
): Promise<Converted> {
  const folder = temporaryFolder('casbin')
  writeFileSync(join(folder, 'model.conf'), model)
  writeFileSync(join(folder, 'policy.csv'), rules)
  return convertFiles(folder, ['model.conf', 'policy.csv'], options, questions)
}
