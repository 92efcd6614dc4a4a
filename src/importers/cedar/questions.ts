// The universe of questions about policies of Cedar: for each action, with the types that the schema allows, every
// principal and resource of the entities, one of each unknown, and the values of the context that decide.
import type { JsonObject } from '../../model/objects.ts'
import type { Question, Questions } from '../frame/importer.ts'
import { encodeKey } from '../frame/keys.ts'
import { combinationAt, countCombinations, type Dimension, findUnknown, stateDimensions } from '../frame/universe.ts'
import type { Asked } from './engine.ts'
import type { Entities } from './entities.ts'
import type { ContextReads } from './expressions.ts'
import { type CedarAction, type CedarType, formatUid, type Members, type Uid } from './schema.ts'
import { RESERVED } from './values.ts'

interface Block {
  readonly action: CedarAction
  readonly principals: readonly Uid[]
  readonly resources: readonly Uid[]
  readonly reads: readonly (readonly [path: readonly string[], values: readonly unknown[]])[]
  readonly dimensions: readonly Dimension[]
}

/** What leaves a member out. */
const MISSING = Symbol('missing')
/** Combinations of one action: within what numbers hold exactly. */
const COMBINATIONS_MAX = 1e12

export function makeQuestions(
  entities: Entities,
  reads: ReadonlyMap<CedarAction, ContextReads>,
  closedEntities: boolean,
): Questions<Asked> {
  const blocks = [...reads].flatMap(([action, read]) =>
    action.principals.flatMap((principal) =>
      action.resources.map((resource) =>
        makeBlock(action, read, listUids(entities, principal, closedEntities), listUids(entities, resource, false)),
      ),
    ),
  )
  const sizes = blocks.map(({ dimensions }) => countCombinations(dimensions))
  const shown = blocks.map(({ action, dimensions }) => `${action.uid.id}: ${stateDimensions(dimensions)}`)
  return {
    stated: `${shown.slice(0, 20).join('; ')}${shown.length > 20 ? ` and ${shown.length - 20} more` : ''}, one of each unknown${closedEntities ? ' but of the principals' : ''}`,
    total: sizes.reduce((sum, size) => sum + size, 0),
    always: 0,
    at(index) {
      let [rest, at] = [index, 0]
      while (rest >= (sizes[at] ?? 0) && at < sizes.length - 1) rest -= sizes[at++] ?? 0
      const block = blocks[at]
      if (block === undefined) throw new Error(`there is no question ${index}`)
      return toQuestion(block, combinationAt(block.dimensions, rest).map(Number), entities)
    },
  }
}

function toQuestion(
  block: Block,
  [user = 0, resource = 0, ...values]: readonly number[],
  entities: Entities,
): Question<Asked> {
  const { action, reads } = block
  const none = { type: '', id: '' }
  const asked = { principal: block.principals[user] ?? none, resource: block.resources[resource] ?? none }
  const context = makeBase(action.context)
  for (const [at, [path, candidates]] of reads.entries()) setAt(context, path, candidates[values[at] ?? 0])
  const sent = entities.convertMembers(action.context, context, RESERVED.context) as JsonObject
  const about = Object.keys(context).length === 0 ? '' : ` with ${JSON.stringify(context)}`
  return {
    text: `${formatUid(asked.principal)} ${action.uid.id} ${formatUid(asked.resource)}${about}`,
    old: { ...asked, action: action.uid, context },
    check: {
      user: entities.toKey(asked.principal),
      action: encodeKey(action.uid.id),
      resource: { type: encodeKey(asked.resource.type), key: entities.toKey(asked.resource), tenant: 'default' },
      ...(Object.keys(sent).length === 0 ? {} : { context: sent }),
    },
  }
}

function listUids(entities: Entities, type: string, isClosed: boolean): readonly Uid[] {
  const known = entities.list(type)
  const unknown = {
    type,
    id: findUnknown(
      known.map(({ id }) => id),
      'unknown',
    ),
  }
  return isClosed && known.length > 0 ? known : [...known, unknown]
}

function makeBlock(
  action: CedarAction,
  read: ContextReads,
  principals: readonly Uid[],
  resources: readonly Uid[],
): Block {
  const reads = [...read].map(([name, { type, values }]): [string[], unknown[]] => {
    const path = name.split('.').slice(1)
    return [path, [...listValues(type, [...values]), ...(isOptional(action.context, path) ? [MISSING] : [])]]
  })
  const size = () => reads.reduce((product, [, all]) => product * all.length, principals.length * resources.length)
  while (size() > COMBINATIONS_MAX)
    reads.reduce((most, each) => (each[1].length > most[1].length ? each : most))[1].pop()
  const count = (word: readonly [string, string], length: number): Dimension => ({
    word,
    names: Array.from({ length }, (_, at) => String(at)),
  })
  return {
    ...{ action, principals, resources, reads },
    dimensions: [
      count(['principal', 'principals'], principals.length),
      count(['resource', 'resources'], resources.length),
      ...reads.map(([path, all]) => count([path.join('.'), path.join('.')], all.length)),
    ],
  }
}

function isOptional(members: Members, [name = '', ...more]: readonly string[]): boolean {
  const member = members.get(name)
  if (member === undefined) return false
  return more.length === 0 ? !member.isRequired : member.type.kind === 'Record' && isOptional(member.type.members, more)
}

function listValues(type: CedarType, known: readonly unknown[]): readonly unknown[] {
  const flat = known.flat()
  switch (type.kind) {
    case 'Boolean':
      return [true, false]
    case 'Long':
      return [
        ...new Set([0, ...flat.flatMap((value) => (typeof value === 'number' ? [value - 1, value, value + 1] : []))]),
      ]
    case 'String':
      return [
        ...new Set([
          'another',
          ...flat.flatMap((value) => (typeof value === 'string' ? [value, `x${value}`, `${value}x`] : [])),
        ]),
      ]
    case 'Set':
      return [[], ...(flat.length > 0 ? [flat, flat.slice(0, 1), flat.slice(1)] : [])].filter(
        (list) => list.length === 0 || type.of.kind === 'String' || type.of.kind === 'Long',
      )
    default:
      return [makeValue(type)]
  }
}

function makeBase(members: Members): Record<string, unknown> {
  const required = [...members].filter(([, { isRequired }]) => isRequired)
  return Object.fromEntries(required.map(([name, { type }]) => [name, makeValue(type)]))
}

function makeValue(type: CedarType): unknown {
  switch (type.kind) {
    case 'Boolean':
      return false
    case 'Long':
      return 0
    case 'String':
      return 'another'
    case 'Set':
      return []
    case 'Record':
      return makeBase(type.members)
    case 'Entity':
      return { __entity: { type: type.name, id: 'unknown' } }
    default:
      return EXTENSIONS[type.name] ?? null
  }
}

/** Values of types that conditions do not read, for contexts that must have them. */
const EXTENSIONS: Readonly<Record<string, object>> = {
  ipaddr: { __extn: { fn: 'ip', arg: '192.0.2.1' } },
  decimal: { __extn: { fn: 'decimal', arg: '1.0' } },
  datetime: { __extn: { fn: 'datetime', arg: '2026-01-01' } },
  duration: { __extn: { fn: 'duration', arg: '1h' } },
}

function setAt(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = into
  for (const name of path.slice(0, -1)) {
    const inside = at[name]
    if (typeof inside !== 'object' || inside === null) return
    at = inside as Record<string, unknown>
  }
  if (value === MISSING) delete at[path.at(-1) ?? '']
  else at[path.at(-1) ?? ''] = structuredClone(value)
}
