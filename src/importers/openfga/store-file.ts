// What the command names: a store file with model, tuples and tests, or a model and files of tuples.
import { dirname, join } from 'node:path'
import { formSentence } from '../../management/policy-file/form-sentence.ts'
import type { Place, Problem, Source } from '../../management/policy-file/problem.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import { misfits } from '../../management/rules/shape.ts'
import * as t from '../../model/json-schema.ts'
import { IMPORTED_MODULES_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import { readText } from '../frame/read-text.ts'
import { type ModelFile, type ModelRead, readModelFile, readModelText } from './model-files.ts'
import type { Parser } from './parser.ts'
import { readTuples, type Tuple, TupleKeys, toTuples } from './tuples.ts'

const Context = t.maybe(t.schemaOf<JsonObject>({ type: 'object' }))
const Tuples = {
  tuples: t.maybe(TupleKeys),
  tuple_file: t.maybe(t.Text),
  tuple_files: t.maybe(t.Texts),
}
const Checked = t.closed({
  user: t.maybe(t.Text),
  users: t.maybe(t.Texts),
  object: t.maybe(t.Text),
  objects: t.maybe(t.Texts),
  context: Context,
  assertions: t.mapOf(t.Flag),
})
const ListedObjects = t.closed({
  user: t.Text,
  type: t.Text,
  context: Context,
  assertions: t.mapOf(t.nullable(t.Texts)),
})
const ListedUsers = t.closed({
  object: t.Text,
  user_filter: t.listOf(t.closed({ type: t.Text, relation: t.maybe(t.Text) })),
  context: Context,
  assertions: t.mapOf(t.closed({ users: t.nullable(t.Texts) })),
})
const StoreTest = t.closed({
  name: t.maybe(t.Text),
  description: t.maybe(t.Text),
  ...Tuples,
  check: t.maybe(t.listOf(Checked)),
  list_objects: t.maybe(t.listOf(ListedObjects)),
  list_users: t.maybe(t.listOf(ListedUsers)),
})
const StoreFile = t.closed({
  name: t.maybe(t.Text),
  model: t.maybe(t.Text),
  model_file: t.maybe(t.Text),
  ...Tuples,
  tests: t.maybe(t.listOf(StoreTest)),
})
type StoreFile = t.Static<typeof StoreFile>

/** A test of the store, with tuples of its own and the place of each of its parts. */
export interface WrittenTest {
  readonly test: t.Static<typeof StoreTest>
  readonly tuples: readonly Tuple[]
  readonly placeOf: (path: readonly (string | number)[]) => Place
}

export interface StoreFiles {
  readonly model: ModelFile
  readonly tuples: readonly Tuple[]
  readonly tests: readonly WrittenTest[]
}

export interface StoreRead {
  readonly files?: StoreFiles
  readonly problems: readonly Problem[]
  readonly sources: readonly Source[]
}

/** @throws CONFIG_INVALID when a file cannot be read */
export function readStore([first = '', ...more]: readonly string[], parser: Parser): StoreRead {
  const problems: Problem[] = []
  const sources: Source[] = []
  const take = (name: string): readonly Tuple[] => {
    const source = readText(name)
    sources.push(source)
    return readTuples(source, problems)
  }
  const finish = (read: ModelRead, tuples: readonly Tuple[], tests: readonly WrittenTest[]): StoreRead => {
    sources.push(...read.sources)
    problems.push(...read.problems)
    return read.model === undefined || problems.length > 0
      ? { problems, sources }
      : { files: { model: read.model, tuples: [...tuples, ...more.flatMap(take)], tests }, problems, sources }
  }
  if (!/\.ya?ml$/.test(first)) return checked(finish(readModelFile(first, parser), [], []), problems)
  const source = readText(first)
  sources.push(source)
  if (source.text.trim() === '') {
    const place = { file: first, line: 1, column: 1, length: 1 }
    return { problems: [{ severity: 'error', message: 'the store is empty', place }], sources }
  }
  const document = new YamlDocument(source)
  problems.push(...document.problems)
  if (document.value === undefined) return { problems, sources }
  for (const misfit of misfits(StoreFile, document.value, []))
    problems.push({
      severity: 'error',
      message: formSentence(misfit),
      place: document.place(misfit.path, misfit.kind === 'unknown' ? 'key' : 'value'),
    })
  if (problems.length > 0) return { problems, sources }
  const store = document.value as StoreFile
  const folder = dirname(first)
  const readList = (list: t.Static<typeof StoreTest> | StoreFile, path: readonly (string | number)[]): Tuple[] => {
    const named = [...(list.tuple_file ? [list.tuple_file] : []), ...(list.tuple_files ?? [])]
    if (named.length > IMPORTED_MODULES_MAX)
      problems.push({
        ...{ severity: 'error', message: `more than ${IMPORTED_MODULES_MAX} files are listed` },
        place: document.place(path),
      })
    return [
      ...named.slice(0, IMPORTED_MODULES_MAX).flatMap((name) => take(join(folder, name))),
      ...toTuples(
        list.tuples ?? [],
        (at) => document.place([...path, 'tuples', at]),
        (message, place) => problems.push({ severity: 'error', message, place }),
      ),
    ]
  }
  const tuples = readList(store, [])
  const tests = (store.tests ?? []).map(
    (test, at): WrittenTest => ({
      test,
      tuples: readList(test, ['tests', at]),
      placeOf: (path) => document.place(['tests', at, ...path]),
    }),
  )
  return checked(finish(readNamedModel(store, document, source, folder, parser), tuples, tests), problems)
}

/** Without the files where tuples of the command line were wrong. */
const checked = (read: StoreRead, problems: readonly Problem[]): StoreRead =>
  problems.length > 0 ? { problems, sources: read.sources } : read

function readNamedModel(
  store: StoreFile,
  document: YamlDocument,
  source: Source,
  folder: string,
  parser: Parser,
): ModelRead {
  const refuse = (message: string): ModelRead => ({
    problems: [{ severity: 'error', message, place: document.place([]) }],
    sources: [],
  })
  if (store.model && store.model_file) return refuse('a store has either `model` or `model_file`')
  if (store.model_file) return readModelFile(join(folder, store.model_file), parser)
  if (!store.model) return refuse('the store has neither `model` nor `model_file`')
  // a block begins on the line after its sign
  const { line } = document.place(['model'])
  const isBlock = /^\s*model\s*:\s*[|>]/.test(source.text.split('\n')[line - 1] ?? '')
  const text = { file: source.name, text: store.model, before: isBlock ? line : line - 1 }
  return { ...readModelText(text, parser), sources: [] }
}
