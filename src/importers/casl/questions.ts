// The universe of questions about rules of CASL: two users of each role, every action, and for each type of subjects
// every combination of the values of its attributes that decide. First, for each rule, subjects that fit it.
import type { JsonObject } from '../../model/objects.ts'
import type { Fact, ImportedTest, Question, Questions } from '../frame/importer.ts'
import { encodeKey } from '../frame/keys.ts'
import { combinationAt, countCombinations, type Dimension, findUnknown, stateDimensions } from '../frame/universe.ts'
import { APPLICATION_TYPE, type ConversionOptions, isAbout, type Names, type ReadRole } from './conversion.ts'
import type { Asked, AskedUser } from './engine.ts'
import type { Candidate, UserForm } from './reads.ts'

/** The test whose facts are the users of the proof. */
const TEST = 'roles'
/** Combinations of one type: within what numbers hold exactly. */
const COMBINATIONS_MAX = 1e12
/** Questions about the rules, which become expectations. */
const ABOUT_RULES_MAX = 1_000

export interface CaslQuestions extends Questions<Asked> {
  readonly facts: readonly Fact[]
}

interface Block {
  readonly type: string | undefined
  readonly dimensions: readonly Dimension[]
  readonly attributes: readonly (readonly [path: string, candidates: readonly Candidate[]])[]
}

export function makeQuestions(
  roles: readonly ReadRole[],
  { subjects, actions }: Names,
  { isPlain, closedNames, userKey }: ConversionOptions,
): CaslQuestions {
  const users = makeUsers(roles, userKey)
  const asked = closedNames ? actions : [...actions, findUnknown(actions, 'unknown-action')]
  const types =
    subjects === undefined ? [undefined] : closedNames ? subjects : [...subjects, findUnknown(subjects, 'Unknown')]
  const blocks = types.map((type) => makeBlock(type, users, asked, roles, isPlain))
  const sizes = blocks.map(({ dimensions }) => countCombinations(dimensions))
  const first = askAboutRules(roles, users, isPlain ? blocks : [], types, actions)
  const shown = blocks.map((block) => `${block.type ?? APPLICATION_TYPE}: ${stateDimensions(block.dimensions)}`)
  const unknown = closedNames ? '' : ', one of each unknown but of the users'
  return {
    stated: `${shown.slice(0, 20).join('; ')}${shown.length > 20 ? ` and ${shown.length - 20} more` : ''}${unknown}, after ${first.length} about the rules themselves`,
    total: first.length + sizes.reduce((sum, size) => sum + size, 0),
    always: first.length,
    facts: [...users.values()].flatMap((user) => [...toFacts(user)]),
    at(index) {
      const about = first[index]
      if (about !== undefined) return toQuestion(about)
      let [rest, block] = [index - first.length, 0]
      while (rest >= (sizes[block] ?? 0) && block < sizes.length - 1) rest -= sizes[block++] ?? 0
      const { type, dimensions = [], attributes = [] } = blocks[block] ?? {}
      const [name = '', action = '', ...values] = combinationAt(dimensions, rest)
      const user = users.get(name) ?? { key: '', role: '', attributes: {} }
      const chosen = attributes.map(
        ([path, candidates], at) => [path, candidates[Number(values[at])] ?? 'missing'] as const,
      )
      return toQuestion({ user, action, type, attributes: fillIn(chosen, user) })
    },
  }
}

function toQuestion(old: Asked): Question<Asked> {
  const { user, action, type, attributes } = old
  const resource = { type: encodeKey(type ?? APPLICATION_TYPE), tenant: 'default' }
  const about = type === undefined ? '' : `, ${type} ${JSON.stringify(attributes)}`
  return {
    text: `can(${action}${about}) as ${user.key}`,
    old,
    check: {
      ...{ user: user.key, action: encodeKey(action), test: TEST },
      resource: type === undefined ? resource : { ...resource, attributes: attributes as JsonObject },
    },
  }
}

/** The questions about rules and what CASL answers, as a policy test. */
export async function makeTest(
  questions: CaslQuestions,
  ask: (asked: Asked) => Promise<boolean>,
): Promise<readonly ImportedTest[]> {
  const expect: object[] = []
  for (let index = 0; index < questions.always; index++) {
    const { old, check } = questions.at(index)
    const { type, attributes = {} } = check.resource
    const allow = await ask(old).catch(() => undefined) // a proof says so
    if (allow === undefined) continue
    const resource = Object.keys(attributes).length === 0 ? type : { type, attributes }
    expect.push({ user: check.user, action: check.action, resource, allow })
  }
  return [{ key: TEST, name: 'what CASL says about each rule', facts: questions.facts, expect }]
}

/** Two users of each role, unlike in all that templates read. */
function makeUsers(roles: readonly ReadRole[], userKey: string | undefined): ReadonlyMap<string, AskedUser> {
  const forms = new Map<string, UserForm>()
  for (const { rules } of roles)
    for (const { reads } of rules) for (const [ref, form] of reads.users) if (!forms.has(ref)) forms.set(ref, form)
  const users = new Map<string, AskedUser>()
  for (const { role } of roles)
    for (const number of [1, 2]) {
      // a key as it is, because templates may name it
      const key = `${encodeKey(role, 'user')}-${number}`
      const attributes = {}
      for (const [ref, form] of forms) setAt(attributes, ref.split('.').slice(1), USER_VALUES[form](key, number))
      if (userKey !== undefined) setAt(attributes, userKey.split('.'), key)
      users.set(key, { key, role, attributes })
    }
  return users
}

const USER_VALUES: Readonly<Record<UserForm, (key: string, number: number) => unknown>> = {
  scalar: (key) => key,
  number: () => 10,
  list: (key) => [key, 'shared'],
}

function* toFacts({ key, role, attributes }: AskedUser): Iterable<Fact> {
  yield { kind: 'user', fact: { key, ...(Object.keys(attributes).length === 0 ? {} : { attributes }) } }
  yield { kind: 'role_assignment', fact: { user: key, role: encodeKey(role), tenant: 'default' } }
}

function makeBlock(
  type: string | undefined,
  users: ReadonlyMap<string, AskedUser>,
  actions: readonly string[],
  roles: readonly ReadRole[],
  isPlain: boolean,
): Block {
  const found = new Map<string, { readonly candidates: Map<string, Candidate>; isOrdered: boolean }>()
  for (const { rules } of roles)
    for (const { rule, reads } of rules) {
      if (!actions.some((action) => isAbout(rule, action, type))) continue
      for (const [path, { candidates, isOrdered }] of reads.attributes) {
        const known = found.get(path) ?? { candidates: new Map(), isOrdered: false }
        found.set(path, known)
        known.isOrdered ||= isOrdered
        for (const [text, candidate] of candidates) known.candidates.set(text, candidate)
      }
    }
  const attributes = [...found].map(([path, { candidates, isOrdered }]): [string, Candidate[]] => {
    const all = [...candidates.values()]
    if (isPlain) return [path, isOrdered ? all.filter((each) => each !== 'missing') : addMissing(all)]
    const lists = all
      .slice(0, 2)
      .flatMap((each): Candidate[] => (isValue(each) && !Array.isArray(each.value) ? [{ value: [each.value] }] : []))
    return [path, [...addMissing(all), ...lists, { value: null }, { value: '7' }, { value: true }]]
  })
  const size = () => attributes.reduce((product, [, all]) => product * all.length, users.size * actions.length)
  while (size() > COMBINATIONS_MAX)
    attributes.reduce((most, each) => (each[1].length > most[1].length ? each : most))[1].pop()
  return {
    ...{ type, attributes },
    dimensions: [
      { word: ['user', 'users'], names: [...users.keys()] },
      { word: ['action', 'actions'], names: actions },
      ...attributes.map(
        ([path, all]): Dimension => ({ word: [`${path}`, `${path}`], names: all.map((_, at) => String(at)) }),
      ),
    ],
  }
}

const isValue = (candidate: Candidate): candidate is { readonly value: unknown } =>
  typeof candidate === 'object' && 'value' in candidate
const addMissing = (all: readonly Candidate[]): Candidate[] => [
  ...all,
  ...(all.includes('missing') ? [] : (['missing'] as const)),
]

/** For each rule a subject that is likely to fit, its first type and each of its actions. */
function askAboutRules(
  roles: readonly ReadRole[],
  users: ReadonlyMap<string, AskedUser>,
  complete: readonly Block[],
  types: readonly (string | undefined)[],
  actions: readonly string[],
): readonly Asked[] {
  const asked: Asked[] = []
  for (const { role, rules } of roles) {
    const user = users.get(`${role}-1`)
    for (const { rule, reads } of rules) {
      const its = actions.filter((action) => types.some((type) => isAbout(rule, action, type))).slice(0, 8)
      for (const action of its) {
        const type = types.find((each) => isAbout(rule, action, each))
        if (user !== undefined && asked.length < ABOUT_RULES_MAX)
          asked.push({ user, action, type, attributes: fillIn([...listFirst(complete, type), ...reads.witness], user) })
      }
    }
  }
  return asked
}

/** A value for each attribute of the type. */
const listFirst = (blocks: readonly Block[], type: string | undefined): readonly (readonly [string, Candidate])[] =>
  (blocks.find((block) => block.type === type)?.attributes ?? []).map(([path, [first = 'missing']]) => [path, first])

function fillIn(
  chosen: readonly (readonly [path: string, candidate: Candidate])[],
  user: AskedUser,
): Record<string, unknown> {
  const attributes = {}
  for (const [path, candidate] of chosen) {
    if (candidate === 'missing') continue
    if (isValue(candidate)) setAt(attributes, path.split('.'), candidate.value)
    else {
      const value = candidate.of === 'user.key' ? user.key : readAt(user.attributes, candidate.of.split('.').slice(1))
      setAt(attributes, path.split('.'), candidate.item === true && Array.isArray(value) ? value[0] : value)
    }
  }
  return attributes
}

function setAt(into: object, path: readonly string[], value: unknown): void {
  let at = into as Record<string, unknown>
  for (const name of path.slice(0, -1)) {
    const inside = at[name]
    if (typeof inside !== 'object' || inside === null || Array.isArray(inside)) at[name] = {}
    at = at[name] as Record<string, unknown>
  }
  at[path.at(-1) ?? ''] = value
}

function readAt(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const name of path)
    found = typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined
  return found
}
