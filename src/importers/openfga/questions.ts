// What OpenFGA and the written files are asked: the assertions of the tests, and, where an OpenFGA runs, every combination of
// the users, relations and objects of the store.
import type { Check, ImportedTest, Question, Questions } from '../frame/importer.ts'
import { encodeKey } from '../frame/keys.ts'
import { combinationAt, countCombinations, type Dimension, findUnknown, stateDimensions } from '../frame/universe.ts'
import type { Asked } from './assertions.ts'
import type { Model } from './model.ts'
import { toUserKey } from './subjects.ts'
import { parseTimestamp } from './time.ts'
import { splitObject, splitUser, type Tuple } from './tuples.ts'

export interface ToAsk {
  readonly model: Model
  /** the parameter of conditions that is the present time */
  readonly present: string
  readonly tests: readonly { readonly key: string; readonly asked: readonly Asked[] }[]
  readonly tuples: readonly Tuple[]
  /** each start and end of a grant */
  readonly instants: readonly number[]
  /** whether an OpenFGA answers more than the assertions */
  readonly isRunning: boolean
}

/** The assertions first, which a sample always has. */
export function makeQuestions(source: ToAsk): Questions<Asked> {
  const asserted = source.tests.flatMap(({ key, asked }) => asked.map((one) => ({ key, one })))
  const blocks = source.isRunning ? listBlocks(source) : []
  const sizes = blocks.map(({ dimensions }) => countCombinations(dimensions))
  const assertions = `${asserted.length === 1 ? 'one assertion' : `${asserted.length.toLocaleString('en-US')} assertions`} of the tests`
  return {
    stated:
      blocks.length === 0
        ? assertions
        : `${blocks.map(({ type, dimensions }) => `${type}: ${stateDimensions(dimensions)}`).join('; ')}, one of each unknown, after ${assertions}`,
    total: asserted.length + sizes.reduce((sum, size) => sum + size, 0),
    always: asserted.length,
    at(index) {
      const assertion = asserted[index]
      if (assertion !== undefined) return toQuestion(assertion.one, source, assertion.key)
      let [rest, block] = [index - asserted.length, 0]
      while (rest >= (sizes[block] ?? 0) && block < sizes.length - 1) rest -= sizes[block++] ?? 0
      const [user = '', relation = '', object = '', instant = ''] = combinationAt(blocks[block]?.dimensions ?? [], rest)
      const context = instant === '' ? {} : { [source.present]: instant }
      return toQuestion({ user, relation, object, context, tuples: [] }, source, undefined)
    },
  }
}

function toQuestion(
  asked: Asked,
  { model, present }: Pick<ToAsk, 'model' | 'present'>,
  test: string | undefined,
): Question<Asked> {
  const { user, relation, object } = asked
  const time = asked.context[present]
  const at = time === undefined ? '' : ` at ${typeof time === 'string' ? time : JSON.stringify(time)}`
  return {
    text: `check(${user}, ${relation}, ${object})${at}${test === undefined ? '' : ` in ${test}`}`,
    old: asked,
    check: { ...toCheck(asked, model, present), ...(test === undefined ? {} : { test }) },
  }
}

export function toCheck({ user, relation, object, context, key }: Asked, model: Model, present: string): Check {
  const subject = splitUser(user)
  const { type, id } = splitObject(object)
  const time = context[present]
  const now = typeof time === 'string' ? parseTimestamp(time) : undefined
  return {
    user: subject.id === '*' ? null : (key ?? toUserKey(subject, model)),
    action: encodeKey(relation),
    resource: { type: encodeKey(type), key: encodeKey(id), tenant: 'default' },
    ...(now === undefined ? {} : { now: Number(now / 1_000_000n) }),
  }
}

/** The assertions of a test as expectations: actions together that are asked of one user and object. */
export function toExpectations(asked: readonly Asked[], model: Model, present: string): ImportedTest['expect'] {
  const lines = new Map<string, { readonly action: string[] }>()
  for (const each of asked) {
    const { user, action, resource, now } = toCheck(each, model, present)
    const line = {
      ...{ user: user ?? '*', action: [] as string[], resource: `${resource.type}:${resource.key}` },
      ...(now === undefined ? {} : { context: { now: new Date(now).toISOString() } }),
      allow: each.expected === true,
    }
    const name = JSON.stringify(line)
    const there = lines.get(name) ?? line
    if (!there.action.includes(action)) there.action.push(action)
    lines.set(name, there)
  }
  return [...lines.values()]
}

interface Block {
  readonly type: string
  readonly dimensions: readonly Dimension[]
}

/** For each type its relations and objects with all users. */
function listBlocks({ model, tuples, instants }: ToAsk): readonly Block[] {
  const users = new Set<string>()
  const objects = new Map<string, Set<string>>()
  const add = (name: string): void => {
    const { type } = splitObject(name)
    objects.set(type, (objects.get(type) ?? new Set()).add(name))
    if (model.subjects.has(type)) users.add(name)
  }
  for (const { user, written } of tuples) {
    add(written.object)
    add(user.relation === undefined ? written.user : `${user.type}:${user.id}`)
  }
  for (const type of model.subjects) users.add(findUnknown(users, `${type}:unknown-${type}`))
  if (model.subjects.size > 1) for (const user of users) if (user.endsWith(':*')) users.delete(user)
  const times = instants.flatMap((instant) => [instant - 1, instant]).map((instant) => new Date(instant).toISOString())
  const dimension = (one: string, names: Iterable<string>): Dimension => ({ word: [one, `${one}s`], names: [...names] })
  return [...model.types].flatMap(([type, relations]) => {
    const held = [...relations.values()].filter((relation) => model.isHeld(relation)).map(({ name }) => name)
    const names = [...(objects.get(type) ?? [])].filter((name) => !name.endsWith(':*'))
    if (held.length === 0) return []
    const dimensions = [
      dimension('user', users),
      dimension('relation', held),
      dimension('object', [...names, findUnknown(names, `${type}:unknown-${type}`)]),
      ...(times.length === 0 ? [] : [dimension('time', times)]),
    ]
    return [{ type, dimensions }]
  })
}
