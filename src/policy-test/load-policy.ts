// A decision point for policy files, without a server and without a data folder: what `loadPolicy` gives to unit tests,
// and `zerohop image build` writes. The use cases of the API make the policy, so that no image can hold what no server
// would take.
import { fileURLToPath } from 'node:url'
import type { Image } from '../image/image.ts'
import type { CompiledModule } from '../kernel/module.ts'
import { formSentence } from '../management/policy-file/form-sentence.ts'
import type { Place, Problem, Source } from '../management/policy-file/problem.ts'
import { type FoundSources, readSources } from '../management/policy-file/read-files.ts'
import { misfits } from '../management/rules/shape.ts'
import { ZerohopError } from '../model/errors.ts'
import { FixedImage } from '../pdp/fixed-image.ts'
import { Pdp, type PdpOptions } from '../pdp/pdp.ts'
import type { PolicyTypes } from '../pdp/policy-types.ts'
import { ObjectSource, pathText, toPlainJson } from './object-source.ts'
import type { PolicyFacts } from './policy-facts.ts'
import { buildImage, policyUnderTest } from './policy-under-test.ts'
import { Facts } from './test-file.ts'

/** A policy that a program holds: what stands in a policy file, such as the value of an imported JSON file. */
export type PolicyObject = { readonly zerohop: number | string; readonly [field: string]: unknown }
/** The path or URL of a policy file, or of a folder with policy files; or a policy as an object. */
export type PolicySource = string | URL | PolicyObject

export interface LoadPolicyOptions extends PdpOptions {
  /** users, tenants, role assignments and so on, which are added to those of the files; in the form of the policy file */
  readonly facts?: PolicyFacts | undefined
  /** default true: a name that the policy does not have is an error (UNKNOWN_NAME), and not a deny */
  readonly strict?: boolean
  /** default true: a request attribute of another type than the declared one is an error (ATTRIBUTE_ILL_TYPED) */
  readonly strictAttributes?: boolean
  /** the compiled module of `zerohop/kernel.wasm`, for runtimes that forbid compiling; default the packaged kernel */
  readonly kernel?: CompiledModule | undefined
}

/** Errors that the message has; `details.problems` has all of them. */
const SHOWN_MAX = 10

/**
 * A PDP over a policy, which never changes: for tests of an application. Several files are one policy.
 * @throws POLICY_INVALID with everything that is wrong, as `zerohop validate` says it; CONFIG_INVALID when a file
 * cannot be read; INPUT_INVALID when it is neither a path nor an object
 */
export function loadPolicy<P extends PolicyTypes = PolicyTypes>(
  files: PolicySource | readonly PolicySource[],
  options: LoadPolicyOptions = {},
): Pdp<P> {
  const { facts, kernel, strict = true, strictAttributes = true } = options
  const image = imageOfFiles(files, facts, kernel)
  return new Pdp(new FixedImage(image), { ...options, strict, strictAttributes })
}

/** The image of a policy: the same files give the same bytes. @throws as `loadPolicy` */
export function imageOfFiles(
  files: PolicySource | readonly PolicySource[],
  facts?: PolicyFacts,
  kernel?: CompiledModule,
): Image {
  const { sources, problems: unread } = collectSources(Array.isArray(files) ? files : [files])
  const { under, problems } = policyUnderTest(sources)
  const lines = [...unread, ...problems].map((problem) => formatProblem(problem, sources))
  if (under === undefined || lines.length > 0) throw invalid(lines)
  return buildImage([...under.changes, ...listFactChanges(under, facts)], kernel)
}

/** What the facts add. @throws POLICY_INVALID with the place of each part that is wrong */
function listFactChanges(
  under: NonNullable<ReturnType<typeof policyUnderTest>['under']>,
  sent: PolicyFacts | undefined,
) {
  if (sent === undefined) return []
  const facts = toPlainJson('`facts`', sent)
  const wrong = misfits(Facts, facts, ['facts']).map(
    (misfit) => `${pathText(misfit.path)}: error: ${formSentence(misfit)}`,
  )
  if (wrong.length > 0) throw invalid(wrong)
  const { changes } = under.facts(facts as Facts, (message, path) => wrong.push(`${pathText(path)}: error: ${message}`))
  if (wrong.length > 0) throw invalid(wrong)
  return changes
}

/** The texts of all files, each once, and of objects. */
function collectSources(files: readonly PolicySource[]): FoundSources {
  const paths: string[] = []
  const objects: Source[] = []
  for (const [at, file] of files.entries()) {
    if (typeof file === 'string' || file instanceof URL) paths.push(toPath(file))
    else
      objects.push(
        new ObjectSource(files.length === 1 ? 'policy object' : `policy object ${at + 1}`, requireObject(file)),
      )
  }
  const isObjects = paths.length === 0 && objects.length > 0
  const found = isObjects ? { sources: [], problems: [] } : readSources(paths, process.cwd())
  return { sources: [...found.sources, ...objects], problems: found.problems }
}

function requireObject(file: unknown): object {
  if (typeof file === 'object' && file !== null && !Array.isArray(file) && !ArrayBuffer.isView(file)) return file
  const reason = 'a policy is the path or URL of a file or folder, or an object such as `{ zerohop: 2, … }`'
  throw new ZerohopError('INPUT_INVALID', { reason })
}

/** `-` is a file of that name: standard input is for commands. */
function toPath(file: string | URL): string {
  if (typeof file === 'string') return file === '-' ? './-' : file
  if (file.protocol === 'file:') return fileURLToPath(file)
  throw new ZerohopError('INPUT_INVALID', {
    reason: `a policy is read from a file: \`${file.protocol}\` is not supported`,
  })
}

/** As `zerohop validate` prints it, in one line. */
function formatProblem({ place, severity, message, related }: Problem, sources: readonly Source[]): string {
  const at = ({ file, line, column }: Place): string => {
    const source = sources.find(({ name }) => name === file)
    return source instanceof ObjectSource ? source.placeOf(line) : `${file}:${line}:${column}`
  }
  return `${at(place)}: ${severity}: ${message}${related === undefined ? '' : ` (${related.message}: ${at(related.place)})`}`
}

function invalid(lines: readonly string[]): ZerohopError {
  const more = lines.length > SHOWN_MAX ? `; and ${lines.length - SHOWN_MAX} more` : ''
  return new ZerohopError('POLICY_INVALID', {
    reason: `${lines.slice(0, SHOWN_MAX).join('; ')}${more}`,
    problems: lines.join('\n'),
  })
}
