// Models as files: the modelling language, modules that a `fga.mod` lists, and JSON as the API has it. All are read by
// OpenFGA's parser; of JSON it is checked besides that the parser leaves nothing out.
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Problem, Source } from '../../management/policy-file/problem.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import { toErrorLine } from '../../model/error-line.ts'
import { IMPORTED_MODULES_MAX } from '../../model/limits.ts'
import { readText } from '../frame/read-text.ts'
import { type ModelJson, type Parser, toProblems } from './parser.ts'
import { conditionName, type Definition, type Definitions, findDefinitions, type ModelText, placeIn } from './places.ts'

export interface ModelFile {
  readonly json: ModelJson
  readonly definitions: Definitions
}

export type ModelRead = {
  readonly model?: ModelFile
  readonly problems: readonly Problem[]
  readonly sources: readonly Source[]
}

/** Reads a model by the name of its file. @throws CONFIG_INVALID when a file cannot be read */
export function readModelFile(name: string, parser: Parser): ModelRead {
  const source = readText(name)
  if (name.endsWith('.mod')) return readModules(source, parser)
  if (name.endsWith('.json')) return readModelJson(source, parser)
  return { ...readModelText({ file: name, text: source.text, before: 0 }, parser), sources: [source] }
}

/** Reads the modelling language. */
export function readModelText(text: ModelText, parser: Parser): Omit<ModelRead, 'sources'> {
  try {
    const json = parser.transformer.transformDSLToJSONObject(text.text)
    parser.validator.validateDSL(text.text)
    return { model: { json, definitions: findDefinitions([text]) }, problems: [] }
  } catch (error) {
    return { problems: toProblems(error, (line) => placeIn(text, line)) }
  }
}

function readModules(source: Source, parser: Parser): ModelRead {
  const here: ModelText = { file: source.name, text: source.text, before: 0 }
  try {
    const { schema, contents } = parser.transformer.transformModFileToJSON(source.text)
    if (contents.value.length > IMPORTED_MODULES_MAX)
      throw new Error(`more than ${IMPORTED_MODULES_MAX} files are listed`)
    const modules = contents.value.map(({ value }) => ({
      name: value,
      source: readText(join(dirname(source.name), value)),
    }))
    const sources = [source, ...modules.map((module) => module.source)]
    const texts = modules.map(({ source: { name, text } }): ModelText => ({ file: name, text, before: 0 }))
    const findPlace = (line: number, file: string | undefined) =>
      placeIn(texts[modules.findIndex(({ name }) => name === file)] ?? here, line)
    try {
      const files = modules.map(({ name, source: { text } }) => ({ name, contents: text }))
      const json = parser.transformer.transformModuleFilesToModel(files, schema.value)
      const whole: ModelText = { file: source.name, text: parser.transformer.transformJSONToDSL(json), before: 0 }
      // the places in what was put together are none of a file
      const { problems } = readModelText(whole, parser)
      return problems.length > 0
        ? { problems: problems.map((problem) => ({ ...problem, place: placeIn(here, 0) })), sources }
        : { model: { json, definitions: findDefinitions(texts) }, problems: [], sources }
    } catch (error) {
      return { problems: toProblems(error, findPlace), sources }
    }
  } catch (error) {
    if ((error as { code?: string }).code === 'CONFIG_INVALID') throw error
    return { problems: toProblems(error, (line) => placeIn(here, line)), sources: [source] }
  }
}

/** A model as JSON, also inside of `{ "authorization_model": … }`. */
function readModelJson(source: Source, parser: Parser): ModelRead {
  const document = new YamlDocument(source)
  const sources = [source]
  if (document.value === undefined) return { problems: document.problems, sources }
  const inner = (document.value as { authorization_model?: unknown } | null)?.authorization_model
  const root = inner === undefined ? [] : ['authorization_model']
  const value = inner ?? document.value
  const refuse = (reason: string): ModelRead => ({
    problems: [{ severity: 'error', message: reason, place: document.place(root) }],
    sources,
  })
  let text: string
  try {
    text = parser.transformer.transformJSONToDSL(value as object)
  } catch (error) {
    return refuse(`this is not a model as OpenFGA's API has it: ${toErrorLine(error)}`)
  }
  const { model, problems } = readModelText({ file: source.name, text, before: 0 }, parser)
  if (model === undefined)
    return { problems: problems.map((problem) => ({ ...problem, place: document.place(root) })), sources }
  if (!isDeepStrictEqual(normalize(value), normalize(model.json)))
    return refuse('the model has members that OpenFGA does not have')
  const written = findDefinitions([{ file: source.name, text, before: 0 }])
  const paths = listPaths(model.json, value as ModelJson)
  const definitions = (name: string): Definition => {
    const path = paths.get(name)
    return { place: document.place(path === undefined ? root : [...root, ...path], 'key'), text: written(name).text }
  }
  return { model: { json: model.json, definitions }, problems: [], sources }
}

function listPaths(json: ModelJson, value: ModelJson): Map<string, (string | number)[]> {
  const paths = new Map<string, (string | number)[]>()
  for (const [at, { type, relations }] of value.type_definitions.entries()) {
    paths.set(type, ['type_definitions', at])
    for (const relation of Object.keys(relations ?? {}))
      paths.set(`${type}#${relation}`, ['type_definitions', at, 'relations', relation])
  }
  for (const name of Object.keys(json.conditions ?? {})) paths.set(conditionName(name), ['conditions', name])
  return paths
}

/** Without what is empty, without where modules come from, and with lists in one order. */
function normalize(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => normalize(item))
    return items.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return key === 'expression' ? String(value).trim() : value
  const members = Object.entries(value)
    .filter(([name]) => name !== 'id' && name !== 'module' && name !== 'source_info')
    .map(([name, member]) => [name, normalize(member, name)] as const)
    .filter(([name, member]) => name === 'this' || name === 'wildcard' || !isEmpty(member))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members)
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
