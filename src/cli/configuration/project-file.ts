// `zerohop.yaml`, the configuration of a folder with policy files: which files they are, which tests go with them, and
// which server and environment they are for. Found upwards from the working directory. Holds no secrets: keys come from
// variables.
import { lstatSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { PROJECT_FILE } from '../../management/policy-file/find-files.ts'
import { formSentence } from '../../management/policy-file/form-sentence.ts'
import type { Problem } from '../../management/policy-file/problem.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import { misfits } from '../../management/rules/shape.ts'
import { toErrorLine } from '../../model/error-line.ts'
import { ZerohopError } from '../../model/errors.ts'
import * as t from '../../model/json-schema.ts'

const ProjectFile = t.closed({
  api: t.maybe(t.described(t.Text, 'URL of the management API; `--api` and ZEROHOP_API take precedence')),
  project: t.maybe(t.described(t.Text, 'id or key of the project; `default` when absent')),
  environment: t.maybe(t.described(t.Text, 'id or key of the environment; `development` when absent')),
  files: t.maybe(
    t.described(t.Texts, 'policy files, and folders of them, from the folder of this file; `policy.yaml` when absent'),
  ),
  tests: t.maybe(t.described(t.Texts, 'test files, and folders of them; `tests` when absent')),
})
type ProjectFile = t.Static<typeof ProjectFile>

/** The configuration of a folder. */
export interface Project {
  /** the `zerohop.yaml`; undefined without one */
  readonly file: string | undefined
  /** absolute path of the folder that `files` and `tests` are relative to */
  readonly folder: string
  /** undefined without a `zerohop.yaml` */
  readonly api: string | undefined
  readonly project: string
  readonly environment: string
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

/**
 * The configuration that counts in the folder: the nearest `zerohop.yaml` upwards, else the defaults.
 * @throws CONFIG_INVALID with everything that is wrong in it, each with line and column
 */
export function findProject(from: string): Project {
  const file = upwards(resolve(from))
  const { project, problems } = file === undefined ? { project: {}, problems: [] } : readProject(file)
  if (problems.length > 0) throw new ZerohopError('CONFIG_INVALID', { reason: problems.map(placed).join('; ') })
  return {
    file,
    folder: file === undefined ? resolve(from) : dirname(file),
    api: project.api ?? undefined,
    project: project.project ?? 'default',
    environment: project.environment ?? 'development',
    files: project.files ?? ['policy.yaml'],
    tests: project.tests ?? ['tests'],
  }
}

/** Reads the file. @throws CONFIG_INVALID when it cannot be read */
function readProject(file: string): { readonly project: ProjectFile; readonly problems: readonly Problem[] } {
  const document = new YamlDocument({ name: file, text: readText(file) })
  if (document.value === undefined) return { project: {}, problems: document.problems }
  const problems = misfits(ProjectFile, document.value, []).map((misfit): Problem => {
    const which = misfit.kind === 'unknown' ? 'key' : 'value'
    return { severity: 'error', message: formSentence(misfit), place: document.place(misfit.path, which) }
  })
  return { project: problems.length > 0 ? {} : (document.value as ProjectFile), problems }
}

function upwards(folder: string): string | undefined {
  const file = join(folder, PROJECT_FILE)
  if (isThere(file)) return file
  const above = dirname(folder)
  return above === folder ? undefined : upwards(above)
}

/** Also a link that leads nowhere: to read it is an error, but to take another file in its place would be a mistake. */
function isThere(file: string): boolean {
  try {
    lstatSync(file)
    return true
  } catch {
    return false
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be read: ${toErrorLine(error)}` })
  }
}

const placed = ({ message, place }: Problem): string => `${place.file}:${place.line}:${place.column}: ${message}`
