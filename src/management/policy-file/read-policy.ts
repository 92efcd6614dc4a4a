// Reads policy files: several texts become one policy, and everything that is wrong with it is said at once, each with
// its place and the nearest word that would be right. First the text (yaml-document.ts), then the form
// (schemas/policy-file.ts), then the meaning, which the use cases of the API judge (meaning.ts).
import { noteFields } from '../../kinds/role-assignment.ts'
import { timeFields } from '../../kinds/times.ts'
import { POLICY_FILES_BYTES_MAX, POLICY_PROBLEMS_MAX } from '../../model/limits.ts'
import { shortText } from '../../model/shorten.ts'
import type { Path } from '../rules/fields.ts'
import { misfits, withEmptyBlocks } from '../rules/shape.ts'
import type { PolicyConditionSet, PolicyFile } from '../schemas/policy-file.ts'
import { Defined } from './defined.ts'
import { formSentence } from './form-sentence.ts'
import { meaningErrors } from './meaning.ts'
import { inOrder, type Place, type PlaceOf, type Problem, type Source } from './problem.ts'
import { findForm, findVersion, LISTS, MAPS, newestSet } from './versions.ts'
import { policyWarnings } from './warnings.ts'
import { YamlDocument } from './yaml-document.ts'

export interface ReadPolicy {
  /** all files as one policy of version 2; without the objects whose form is wrong */
  readonly policy: PolicyFile
  /**
   * all errors, in the order of the files: with one the policy must not be used; without errors, all warnings
   */
  readonly problems: readonly Problem[]
  /** where a part of the policy stands: for problems that are found later */
  readonly placeOf: PlaceOf
}

/**
 * Reads files as one policy. Never throws for what stands in them.
 * @param stored what the environment has, to which the files may refer
 */
export function readPolicy(sources: readonly Source[], stored?: PolicyFile): ReadPolicy {
  const files = new PolicyFiles()
  let bytes = 0
  for (const source of sources) {
    bytes += Buffer.byteLength(source.text)
    if (bytes > POLICY_FILES_BYTES_MAX) {
      files.tooLarge(source.name)
      break
    }
    files.add(new YamlDocument(source))
  }
  const { policy, problems, placeOf } = files
  if (files.isWhole) problems.push(...meaningErrors(policy, files.defined, files, stored))
  // what an error leaves out may seem to be unused
  if (problems.length === 0) problems.push(...policyWarnings(policy, files))
  const names = sources.map(({ name }) => name)
  return { policy, problems: inOrder(problems, names).slice(0, POLICY_PROBLEMS_MAX), placeOf }
}

/** Where an object of the merged policy comes from. */
interface Origin {
  readonly document: YamlDocument
  readonly path: Path
}
type ListName = keyof typeof LISTS | 'manages' | 'moved'
const LIST_NAMES = [...Object.keys(LISTS), 'manages', 'moved'] as readonly ListName[]

/** Several files as one policy. */
class PolicyFiles {
  readonly problems: Problem[] = []
  /** names of all objects of all files, also of those whose form is wrong */
  readonly defined = new Defined()
  /** false when a text could not be read: what it defines is not known, so references cannot be judged */
  isWhole = true
  readonly #lists = new Map<string, unknown[]>()
  readonly #maps = new Map<string, [string, unknown][]>()
  /** by field: where the items of a list, and the members of a map come from */
  readonly #origins = new Map<string, Origin>()
  /** by the name of an object */
  readonly #owners = new Map<string, Origin>()
  #first: YamlDocument | undefined

  get policy(): PolicyFile {
    const maps = [...this.#maps].map(([field, members]) => [field, Object.fromEntries(members)])
    return { zerohop: 2, ...Object.fromEntries(maps), ...Object.fromEntries(this.#lists) } as PolicyFile
  }

  tooLarge(file: string): void {
    const message = `the policy files are larger than ${POLICY_FILES_BYTES_MAX} bytes together`
    this.problems.push({ severity: 'error', message, place: { file, line: 1, column: 1, length: 1 } })
    this.isWhole = false
  }

  add(document: YamlDocument): void {
    this.#first ??= document
    this.problems.push(...document.problems)
    const form = findForm(document.value)
    const value = form === undefined ? document.value : withEmptyBlocks(form, document.value)
    if (value === undefined || form === undefined) {
      this.isWhole = false
      if (value !== undefined) this.#refuse(versionSentence(value), { document, path: ['zerohop'] })
      return
    }
    const wrong = misfits(form, value, [])
    for (const misfit of wrong) {
      const which = misfit.kind === 'unknown' || misfit.kind === 'missing' ? 'key' : 'value'
      this.#refuse(formSentence(misfit), { document, path: misfit.path }, which)
    }
    const bad = new Set(
      wrong.flatMap(({ path }) => [path.slice(0, 1), path.slice(0, 2)]).map((path) => formatPath(path)),
    )
    this.defined.add(value)
    for (const field of LIST_NAMES) this.#addList(field, findMember(value, field), document, bad)
    for (const field of MAPS) this.#addMap(field, findMember(value, field), document, bad)
  }

  placeOf: PlaceOf = (path, which) => {
    const [field = '', at, ...rest] = path[0] === 'body' ? path.slice(1) : path
    const origin = at === undefined ? undefined : this.#origins.get(formatPath([field, at]))
    if (origin !== undefined) return origin.document.place([...origin.path, ...rest], which)
    return this.#first?.place(path, which) ?? { file: '', line: 1, column: 1, length: 1 }
  }

  /** As `placeOf`, of the first key or text at the path or below it that is wanted. */
  placeOfWord(path: Path, wanted: (word: string) => boolean): Place | undefined {
    const [field = '', at, ...rest] = path[0] === 'body' ? path.slice(1) : path
    const origin = at === undefined ? undefined : this.#origins.get(formatPath([field, at]))
    return origin?.document.placeOfWord([...origin.path, ...rest], wanted)
  }

  #addList(field: ListName, items: unknown, document: YamlDocument, bad: ReadonlySet<string>): void {
    if (!Array.isArray(items)) return
    const list = this.#lists.get(field) ?? []
    this.#lists.set(field, list)
    for (const [at, item] of items.entries()) {
      const origin = { document, path: [field, at] }
      if (bad.has(formatPath(origin.path))) continue
      const name = field === 'manages' || field === 'moved' ? undefined : LISTS[field](item)
      if (name !== undefined && this.#isTaken(formatPath([field, name]), `\`${shownName(field, item)}\``, origin))
        continue
      this.#origins.set(formatPath([field, list.length]), origin)
      list.push(field === 'condition_sets' ? newestSet(item as PolicyConditionSet) : item)
    }
  }

  #addMap(field: string, map: unknown, document: YamlDocument, bad: ReadonlySet<string>): void {
    if (typeof map !== 'object' || map === null || Array.isArray(map)) return
    const members = this.#maps.get(field) ?? []
    this.#maps.set(field, members)
    for (const [key, member] of Object.entries(map)) {
      const origin = { document, path: [field, key] }
      if (bad.has(formatPath(origin.path)) || this.#isTaken(formatPath([field, key]), `\`${key}\``, origin)) continue
      this.#origins.set(formatPath([field, key]), origin)
      members.push([key, member])
    }
  }

  /** Reports a second object of one name, with both places. */
  #isTaken(name: string, shown: string, origin: Origin): boolean {
    const before = this.#owners.get(name)
    if (before === undefined) {
      this.#owners.set(name, origin)
      return false
    }
    const related = { message: 'first here', place: before.document.place([...before.path, 'key']) }
    const message = `${shown} is defined twice: keep one of them`
    const place = origin.document.place([...origin.path, 'key'])
    this.problems.push({ severity: 'error', message, place, related })
    return true
  }

  #refuse(message: string, { document, path }: Origin, which: 'key' | 'value' = 'value'): void {
    this.problems.push({ severity: 'error', message, place: document.place(path, which) })
  }
}

const formatPath = (path: Path): string => JSON.stringify(path)

function findMember(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name]
}

function shownName(field: ListName, item: unknown): string {
  const { key, resource, ...rest } = item as Readonly<Record<string, string>>
  if (field === 'resource_instances') return `${resource}:${key}`
  if (key !== undefined) return key
  return field === 'set_rules'
    ? `${rest.user_set} × ${rest.permission} × ${rest.resource_set}`
    : Object.entries(rest)
        .flatMap(([name, value]) => (PAYLOAD.has(name) ? [] : value))
        .join(' ')
}

/** Not of the name of what connects others. */
const PAYLOAD: ReadonlySet<string> = new Set([...Object.keys(timeFields), ...Object.keys(noteFields)])

function versionSentence(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'a policy file is a map: it begins with `zerohop: 2`'
  const version = findVersion(value)
  return version === undefined
    ? 'the version of the form is missing: begin with the line `zerohop: 2`'
    : `version \`${shortText(version)}\` of the form is not known: the newest is 2`
}
