// The importer of OpenFGA: a model, tuples and tests. docs/moving.md says what becomes of each construct.
import { inOrder, type Place, type Problem } from '../../management/policy-file/problem.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { IMPORTED_INSTANTS_MAX } from '../../model/limits.ts'
import type { Fact, Finding, Imported, ImportedTest, Importer, ImporterOptions, Reading } from '../frame/importer.ts'
import { type Asked, type Assertions, listAssertions } from './assertions.ts'
import { readCondition, type TimesOf } from './condition.ts'
import { openAssertions, openServer } from './engine.ts'
import { EVERYONE, type ToFacts, toFacts } from './facts.ts'
import { nameHolders } from './holders.ts'
import { Model } from './model.ts'
import type { ModelFile } from './model-files.ts'
import { loadParser } from './parser.ts'
import { conditionName } from './places.ts'
import { PolicyOfModel } from './policy.ts'
import { makeQuestions, toCheck, toExpectations } from './questions.ts'
import { readStore, type StoreFiles } from './store-file.ts'
import { printHelper } from './subjects.ts'
import { splitObject, splitUser } from './tuples.ts'

export const importer: Importer = {
  async read(named, options): Promise<Reading> {
    if (named.length < 1)
      throw new ZerohopError('CONFIG_INVALID', {
        reason: 'name a store, or a model and files of tuples: store.fga.yaml, model.fga tuples.csv',
      })
    const parser = await loadParser()
    const { files, problems, sources } = readStore(named, parser)
    const names = sources.map(({ name }) => name)
    if (files === undefined) return { problems: inOrder(problems, names), sources }
    const assertions = listAssertions(files.tests, files.tuples)
    const read = convert(files, assertions, options)
    return Array.isArray(read)
      ? { problems: inOrder(read, names), sources }
      : { imported: sortFindings(read as Imported, names), problems: [] }
  },
}

function convert(
  { model: file, tuples }: StoreFiles,
  assertions: Assertions,
  options: ImporterOptions,
): Imported<Asked> | readonly Problem[] {
  const present = typeof options.presentTime === 'string' ? options.presentTime : 'current_time'
  const url = typeof options.openfgaUrl === 'string' ? options.openfgaUrl : undefined
  const asked = assertions.tests.flatMap((test) => test.asked)
  const problems = [...assertions.problems, ...asked.flatMap((one) => refuseAsked(one, file))]
  if (problems.length > 0) return problems
  const users = asked.map(({ user }) => splitUser(user))
  const usersets = users.filter((user) => user.relation !== undefined)
  const model = new Model(
    file,
    new Set([
      ...asked.map(({ object, relation }) => `${splitObject(object).type}#${relation}`),
      ...usersets.map(({ type, relation }) => `${type}#${relation}`),
    ]),
    users.filter((user) => user.relation === undefined).map(({ type }) => type),
  )
  try {
    const conditions = new Map(
      [...model.conditions].map(([name, condition]) => [name, readCondition(condition, present)] as const),
    )
    const from: ToFacts = { model, conditions, policy: new PolicyOfModel(model) }
    const made = toFacts(tuples, from)
    const tests = assertions.tests.map((test, at) => {
      const holders = nameHolders(test, tuples, model, from.policy)
      const users = holders.asked.flatMap((one) => toCheck(one, model, present).user ?? [])
      const own = toFacts([...tuples, ...test.tuples], from, users)
      return { name: test.name, key: toTestKey(test.name, at), made: own, holders, asked: holders.asked }
    })
    const wrong = [made, ...tests.map((test) => test.made)].flatMap((each) => each.problems)
    if (wrong.length > 0) return wrong
    const written = made.allowed.map((tuple) => tuple.written)
    const questions = makeQuestions({
      ...{ model, present, tests, tuples: made.allowed, isRunning: url !== undefined },
      instants: made.instants.slice(0, IMPORTED_INSTANTS_MAX / 2),
    })
    return {
      ...{ policy: from.policy.toPolicy(), facts: made.facts, questions, helper: printHelper(model) },
      findings: [
        ...listFindings(model, conditions, file, present),
        ...[made, ...tests.map((test) => test.made)].flatMap((each) => each.findings),
        ...tests.flatMap((test) => test.holders.findings),
      ],
      tests: tests.map(
        (test): ImportedTest => ({
          ...{ key: test.key, name: test.name, facts: joinFacts(test.made.facts, test.holders.facts) },
          expect: toExpectations(test.asked, model, present),
        }),
      ),
      open: () =>
        url === undefined ? Promise.resolve(openAssertions(asked.length)) : openServer(url, file.json, written),
    }
  } catch (error) {
    if (!isZerohopError(error, 'INPUT_INVALID') && !isZerohopError(error, 'KEY_TOO_LONG')) throw error
    const [type = ''] = model.types.keys()
    return [{ severity: 'error', message: error.message, place: file.definitions(type).place }]
  }
}

/** What an assertion names that the model does not have: OpenFGA fails to answer it. */
function refuseAsked({ user, relation, object, place }: Asked, { json, definitions }: ModelFile): readonly Problem[] {
  const at: Place = place ?? definitions('').place
  const find = (name: string) => json.type_definitions.find(({ type }) => type === name)
  const [asker, { type }] = [splitUser(user).type, splitObject(object)]
  const refuse = (message: string): Problem => ({ severity: 'error', message, place: at })
  if (find(asker) === undefined) return [refuse(`the model has no type \`${asker}\``)]
  if (find(type) === undefined) return [refuse(`the model has no type \`${type}\``)]
  return Object.hasOwn(find(type)?.relations ?? {}, relation)
    ? []
    : [refuse(`the type \`${type}\` has no relation \`${relation}\``)]
}

function listFindings(
  model: Model,
  conditions: ReadonlyMap<string, TimesOf | { readonly reason: string }>,
  { definitions }: ModelFile,
  present: string,
): readonly Finding[] {
  const findings: Finding[] = []
  const used = new Set<string>()
  const leading: string[] = []
  for (const relation of model.all()) {
    const { text: what, place } = relation.definition
    const at = { what, file: place.file, line: place.line }
    for (const { text, kind } of relation.leftOut)
      findings.push({
        ...at,
        kind: 'unsaid',
        reason:
          kind === 'and'
            ? `\`${text}\` asks for several at once, and every rule here allows by itself`
            : `\`${text}\` takes away, and Zerohop has no rule that denies`,
        nearest:
          kind === 'and'
            ? 'a set rule on the role of one part, whose resource set or context says the other (a role under a condition, D17)'
            : 'give it to those alone who keep it, or a set rule whose conditions say who does not',
      })
    if (!model.isHeld(relation)) leading.push(`${relation.type}#${relation.name}`)
    if (!relation.isDirect) continue
    if (model.subjects.size > 1 && relation.restrictions.some((each) => each.isWildcard))
      findings.push({ ...at, kind: 'unsaid', reason: EVERYONE[0], nearest: EVERYONE[1] })
    for (const { condition } of relation.restrictions) if (condition !== undefined) used.add(condition)
  }
  for (const name of used) {
    const read = conditions.get(name)
    const { text: what, place } = definitions(conditionName(name))
    const at = { what, file: place.file, line: place.line }
    if (typeof read === 'function')
      findings.push({
        ...at,
        kind: 'note',
        reason: `its tuples have a start or an end, and \`${present}\` is the time at which a PDP is asked`,
        nearest: 'the application need not send the time any longer',
      })
    else
      findings.push({
        ...at,
        kind: 'unsaid',
        reason: read?.reason ?? 'the model does not have it',
        nearest:
          'a set rule whose conditions read what the application sends; --present-time names the parameter that is the present time',
      })
  }
  const [first] = leading
  if (first !== undefined) {
    const { text, place } = definitions(first)
    findings.push({
      ...{ kind: 'note', what: text, file: place.file, line: place.line },
      reason: `OpenFGA also answers whether an object is related to another, and these are not asked about: ${leading.slice(0, 20).join(', ')}${leading.length > 20 ? ` and ${leading.length - 20} more` : ''}`,
      nearest: 'they are relations between instances, from which roles are derived',
    })
  }
  return findings
}

/** In the order of the files, each once: tests have the tuples of the store, too. */
function sortFindings(imported: Imported, files: readonly string[]): Imported {
  const order = new Map(files.map((name, index) => [name, index]))
  const rank = ({ file }: Finding): number => order.get(file) ?? 0
  const once = new Map(imported.findings.map((finding) => [JSON.stringify(finding), finding]))
  const findings = [...once.values()].sort((one, other) => rank(one) - rank(other) || one.line - other.line)
  return { ...imported, findings }
}

/** Facts by kinds, each once. */
function joinFacts(facts: readonly Fact[], more: readonly Fact[]): readonly Fact[] {
  const once = new Map([...facts, ...more].map((fact) => [JSON.stringify(fact), fact]))
  const all = [...once.values()]
  const users = all.filter(({ kind }) => kind === 'user')
  return [...users, ...all.filter(({ kind }) => kind !== 'user')]
}

/** The name of a file: unlike for each test. */
function toTestKey(name: string, at: number): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return `${String(at + 1).padStart(2, '0')}${words === '' ? '' : `-${words.slice(0, 50).replace(/-+$/, '')}`}`
}
