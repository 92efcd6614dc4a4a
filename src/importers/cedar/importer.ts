// The importer of Cedar: policies, a schema and entities. docs/moving.md says what becomes of each construct.
import { inOrder, type Problem, type Source } from '../../management/policy-file/problem.ts'
import { toErrorLine } from '../../model/error-line.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { IMPORTED_LINES_MAX } from '../../model/limits.ts'
import { ClaimedKeys } from '../frame/claimed-keys.ts'
import type { Finding, Importer, ImporterOptions, Reading } from '../frame/importer.ts'
import { readText } from '../frame/read-text.ts'
import { type CedarPolicy, Conversion, type PolicyJson } from './conversion.ts'
import { openCedar } from './engine.ts'
import { Entities } from './entities.ts'
import { type Cedar, loadCedar } from './package.ts'
import { makeQuestions } from './questions.ts'
import { readSchema } from './schema.ts'

export const importer: Importer = {
  async read(named, options): Promise<Reading> {
    const sources = named.map(readText)
    const isSchema = ({ name }: Source): boolean => /\.cedarschema(?:\.json)?$/.test(name)
    const schemas = sources.filter(isSchema)
    const policies = sources.filter(({ name }) => name.endsWith('.cedar'))
    const entities = sources.filter((source) => source.name.endsWith('.json') && !isSchema(source))
    const [schema] = schemas
    if (policies.length === 0 || schema === undefined || schemas.length > 1 || entities.length > 1)
      throw new ZerohopError('CONFIG_INVALID', {
        reason: 'name the policies, one schema and the entities: policies.cedar app.cedarschema entities.json',
      })
    const other = sources.find((source) => ![...policies, ...schemas, ...entities].includes(source))
    if (other !== undefined)
      throw new ZerohopError('CONFIG_INVALID', {
        reason: `what \`${other.name}\` holds is known by its ending: .cedar, .cedarschema, .json`,
      })
    const cedar = await loadCedar()
    try {
      const read = convert(cedar, { policies, schema, entities: entities[0] }, options)
      return Array.isArray(read) ? { problems: inOrder(read, named), sources } : (read as Reading)
    } catch (error) {
      if (!isZerohopError(error, 'INPUT_INVALID') && !isZerohopError(error, 'KEY_TOO_LONG')) throw error
      return { problems: [problem(entities[0] ?? schema, 0, error.message)], sources }
    }
  },
}

interface Files {
  readonly policies: readonly Source[]
  readonly schema: Source
  readonly entities: Source | undefined
}

function convert(cedar: Cedar, files: Files, options: ImporterOptions): Reading | readonly Problem[] {
  const closedEntities = options.closedEntities === true
  const problems: Problem[] = []
  const isJson = files.schema.name.endsWith('.json')
  const schemaJson = isJson ? readJson(files.schema, problems) : files.schema.text
  const listed = files.entities === undefined ? [] : readJson(files.entities, problems)
  if (problems.length > 0) return problems
  const schema = readSchema(cedar, files.schema.text, isJson)
  if ('message' in schema) {
    const offset = isJson ? 0 : toOffset(files.schema.text, schema.sourceLocations?.[0]?.start)
    return [problem(files.schema, offset, schema.message)]
  }
  if (!Array.isArray(listed) || listed.length > IMPORTED_LINES_MAX)
    return [problem(files.entities ?? files.schema, 0, `the entities are a list of at most ${IMPORTED_LINES_MAX}`)]
  const wrong = cedar.checkParseEntities({ entities: listed, schema: schemaJson })
  if (wrong.type === 'failure')
    return [problem(files.entities ?? files.schema, 0, wrong.errors.map(({ message }) => message).join('; '))]
  const findings: Finding[] = []
  const policies = files.policies.flatMap((source) => readPolicies(cedar, source, problems, findings))
  if (problems.length > 0) return problems
  // without templates, which Cedar does not take among them
  const text = policies.map((policy) => policy.text).join('\n')
  const valid = cedar.validate({ schema: schemaJson, policies: { staticPolicies: text } })
  const [invalid] = valid.type === 'failure' ? valid.errors : valid.validationErrors.map(({ error }) => error)
  if (invalid !== undefined) return [problem(files.policies[0] ?? files.schema, 0, invalid.message)]
  const keys = new ClaimedKeys()
  const entities = new Entities(schema, listed, keys)
  const conversion = new Conversion(policies, entities, keys, closedEntities)
  const engine = openCedar(cedar, text, schemaJson, listed)
  const order = new Map(files.policies.map(({ name }, index) => [name, index]))
  const rank = ({ file }: Finding): number => order.get(file) ?? 0
  return {
    imported: {
      ...{ policy: conversion.toPolicy(), facts: conversion.facts },
      findings: [...findings, ...conversion.findings].toSorted(
        (one, other) => rank(one) - rank(other) || one.line - other.line,
      ),
      helper: printHelper(entities),
      questions: makeQuestions(entities, conversion.reads, closedEntities),
      open: () => Promise.resolve(engine),
    },
    problems: [],
  }
}

const problem = (source: Source, offset: number, message: string): Problem => ({
  ...{ severity: 'error', message },
  place: { file: source.name, line: source.text.slice(0, offset).split('\n').length, column: 1, length: 1 },
})

function readJson(source: Source, problems: Problem[]): unknown {
  try {
    return JSON.parse(source.text.replace(/^\ufeff/, '')) as unknown
  } catch (error) {
    problems.push(problem(source, 0, `it is not JSON: ${toErrorLine(error)}`))
    return undefined
  }
}

function readPolicies(
  cedar: Cedar,
  source: Source,
  problems: Problem[],
  findings: Finding[],
): readonly (CedarPolicy & { readonly text: string })[] {
  const parts = cedar.policySetTextToParts(source.text)
  if (parts.type === 'failure') {
    for (const { message, sourceLocations: [at] = [] } of parts.errors)
      problems.push(problem(source, toOffset(source.text, at?.start), message))
    return []
  }
  for (const template of parts.policy_templates)
    findings.push({
      ...{ kind: 'unsaid', file: source.name, what: flatten(template), line: findLine(source.text, template) },
      reason: 'a template is for entities that are linked to it elsewhere',
      nearest: 'a role on instances, which is assigned to each user',
    })
  return parts.policies.flatMap((text) => {
    const read = cedar.policyToJson(text)
    if (read.type === 'success')
      return [
        {
          json: read.json as PolicyJson,
          file: source.name,
          line: findLine(source.text, text),
          what: flatten(text),
          text,
        },
      ]
    problems.push(problem(source, source.text.indexOf(text), read.errors[0]?.message ?? 'it is not a policy'))
    return []
  })
}

/** Cedar counts bytes. */
const toOffset = (text: string, bytes = 0): number => Buffer.from(text).subarray(0, bytes).toString('utf8').length
const findLine = (text: string, part: string): number =>
  text.slice(0, Math.max(0, text.indexOf(part))).split('\n').length
const flatten = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 200)

function printHelper({ schema }: Entities): string {
  const form = (type: string): string =>
    schema.principals.includes(type) && !schema.resources.includes(type) ? 'userKey' : 'key'
  const forms = new Set(schema.principals.map(form))
  const user =
    schema.principals.length > 1
      ? forms.size === 1
        ? `${[...forms][0]}(principal.type + '|' + principal.id)`
        : `(${JSON.stringify(schema.principals.filter((type) => form(type) === 'key'))}.includes(principal.type) ? key : userKey)(principal.type + '|' + principal.id)`
      : `${[...forms][0] ?? 'userKey'}(principal.id)`
  const isUser = schema.resources.filter((type) => schema.principals.includes(type))
  const resource =
    isUser.length > 0 && schema.principals.length > 1
      ? `key(${JSON.stringify(isUser)}.includes(resource.type) ? resource.type + '|' + resource.id : resource.id)`
      : 'key(resource.id)'
  return `/** What \`isAuthorized({ principal, action, resource, context })\` asked, for \`pdp.check(user, action, resource, context)\`. */
export const toQuestion = (principal, action, resource, context = {}) => ({
  user: ${user},
  action: key(action.id),
  resource: { type: key(resource.type), key: ${resource}, tenant: 'default' },
  context,
})
`
}
