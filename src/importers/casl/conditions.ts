// Conditions of CASL in ours. CASL compares any values: a list is equal to each of its items, and what is missing is less
// than every number. So each operator has the two bounds that hold for every JSON value, and says where they differ; with
// `--plain-values` they are compared over values of the type that the rules compare them with, as docs/moving.md says.

import {
  type Bounds,
  every,
  exactly,
  FALSE,
  isList,
  isObject,
  isPresent,
  isScalar,
  joinAll,
  joinSome,
  type Node,
  negate,
  not,
  type Remark,
  some,
  unknown,
} from '../frame/bounds.ts'
import { findOther, type Reads, toCandidate } from './reads.ts'
import { isRef, isRefused, readValue, type Scalar, shown, type Value } from './values.ts'

export interface Reading {
  /** attributes hold values of the type that they are compared with */
  readonly isPlain: boolean
  /** attributes that are compared with several types: that says nothing about them */
  readonly mixed: ReadonlySet<string>
  /** the attribute of users in templates that is their key here */
  readonly userKey: string | undefined
  readonly reads: Reads
}

/** Members of a path; a number would be a place in a list. */
const FIELD = /^(?!__proto__)[A-Za-z_][A-Za-z0-9_-]*(?:\.(?!__proto__)[A-Za-z_][A-Za-z0-9_-]*)*$/
/** What a check has about a resource beside its attributes. */
const RESERVED: ReadonlySet<string> = new Set(['key', 'type', 'tenant'])
const PLAIN =
  '--plain-values says that attributes hold no lists, and values of the one type that they are compared with'
const OWN = 'an attribute of its own that says it, set by the application'

/** Each member of the query is a condition; all must be true. */
export function readConditions(query: Readonly<Record<string, unknown>>, reading: Reading): Bounds {
  return every(Object.entries(query).map(([field, value]) => readField(field, value, reading)))
}

function readField(field: string, value: unknown, reading: Reading): Bounds {
  if (field.startsWith('$'))
    return no(`CASL's matcher has no \`${field}\` of conditions`, 'a rule for each alternative, as CASL does it')
  const members = field.split('.')
  if (!FIELD.test(field)) return no(`\`${field}\` is not a path of names`, OWN)
  if (RESERVED.has(members[0] ?? ''))
    return no(`\`${field}\` is what a check names the resource by, not an attribute`, 'an attribute of another name')
  const at: Field = { field, members, ...reading, isPlain: reading.isPlain && !reading.mixed.has(field) }
  if (!isPlainObject(value)) return through(at, readEqual(at, value))
  const names = Object.keys(value)
  if (names.length === 0 || names.some((name) => !name.startsWith('$')))
    return no(
      `\`${field}\` is compared with an object, which is equal to no other`,
      'a condition on each of its members',
    )
  return every(
    names.filter((name) => name !== '$options').map((name) => through(at, readOperator(at, name, value[name], value))),
  )
}

interface Field extends Reading {
  readonly field: string
  readonly members: readonly string[]
}

const no = (reason: string, nearest: string): Bounds => unknown({ reason, nearest })
const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const on = ({ field }: Field, test: Node): Node => ({ [`resource.${field}`]: test })
const isNumber = (path: string): Node => ({ [path]: { anyOf: [{ 'less-than': 0 }, { 'greater-than-equals': 0 }] } })

/** CASL reads a path also through the items of lists. */
function through({ members, isPlain }: Field, bounds: Bounds): Bounds {
  if (isPlain || members.length === 1) return bounds
  const lists = members.slice(1).map((_, at) => isList(`resource.${members.slice(0, at + 1).join('.')}`))
  const remark = { reason: 'CASL reads a path through lists, too', nearest: PLAIN }
  return {
    // what is false of a missing value may be true of the items of a list, and the other way round
    under: joinAll([bounds.under, ...lists.map(not)]),
    over: joinSome([bounds.over, ...lists]),
    narrow: [...bounds.narrow, remark],
    wide: [...bounds.wide, remark],
  }
}

function readOperator(at: Field, name: string, value: unknown, all: Readonly<Record<string, unknown>>): Bounds {
  switch (name) {
    case '$eq':
      return readEqual(at, value)
    case '$ne':
      return swap(at, negate(readEqual(at, value)))
    case '$in':
      return readIn(at, value)
    case '$nin':
      return swap(at, negate(readIn(at, value)))
    case '$lt':
    case '$lte':
    case '$gt':
    case '$gte':
      return readOrder(at, name, value)
    case '$all':
      return readAll(at, value)
    case '$exists':
      return readExists(at, value)
    case '$regex':
      return readPattern(at, value, all.$options)
    case '$size':
      return no('the number of items of a list has no equal', OWN)
    case '$elemMatch':
      return no(
        'conditions on the items of a list have no equal here',
        'a resource set with `any_match` (docs/conditions.md)',
      )
    default:
      return no(`CASL's matcher has no \`${name}\``, OWN)
  }
}

/** What makes a negation true is what its comparison is not. */
function swap({ reads, field }: Field, bounds: Bounds): Bounds {
  const candidates = reads.attributes.get(field)?.candidates
  const other = [...(candidates?.values() ?? [])].at(-1)
  if (other !== undefined) reads.witness.set(field, other)
  return bounds
}

function readEqual(at: Field, value: unknown): Bounds {
  if (value === null) return readNull(at)
  const read = readValue(value, at.userKey)
  if (isRefused(read)) return no(read.why, OWN)
  at.reads.add(at.field, toCandidate(read), [findOther(read)])
  if (!isRef(read)) at.reads.addType(at.field, read)
  return equals(at, read)
}

function equals(at: Field, value: Value): Bounds {
  const same = at.isPlain
    ? on(at, { equals: value })
    : on(at, { anyOf: [{ equals: value }, { array_contains: value }] })
  if (!isRef(value)) return exactly(same)
  at.reads.addUser(value.ref, 'scalar')
  // without the attribute no ability is made, so nothing is allowed
  return { ...exactly(same), over: joinSome([same, not(isPresent(value.ref))]) }
}

/** Equal to null is what is null, or is missing from an object that is there. */
function readNull(at: Field): Bounds {
  at.reads.addType(at.field, null)
  at.reads.add(at.field, { value: null }, ['missing', { value: 'some-value' }])
  const path = `resource.${at.field}`
  const around = at.members.slice(0, -1).join('.')
  const is = joinAll([not(isPresent(path)), ...(around === '' ? [] : [isObject(`resource.${around}`)])])
  return at.isPlain ? exactly(is) : { ...exactly(is), over: joinSome([is, isList(path)]) }
}

function readIn(at: Field, value: unknown): Bounds {
  if (typeof value === 'string') {
    const read = readValue(value, at.userKey)
    if (!isRef(read)) return no(`\`${value}\` is not a list`, 'a list of values')
    at.reads.add(at.field, toCandidate(read, true), [{ value: 'someone-else' }])
    at.reads.addUser(read.ref, 'list')
    const same = at.isPlain ? on(at, { in: read }) : on(at, { anyOf: [{ in: read }, { array_intersect: read }] })
    return { ...exactly(same), over: joinSome([same, not(isList(read.ref))]) }
  }
  if (!Array.isArray(value)) return no(`\`${shown(value)}\` is not a list`, 'a list of values')
  const scalars: Scalar[] = []
  const parts: Bounds[] = []
  for (const item of value as readonly unknown[]) {
    const read = readValue(item, at.userKey)
    if (item === null)
      // null, but not what is missing, which is the same here
      parts.push({
        ...no('null in a list is not a missing value in CASL', OWN),
        over: not(isScalar(`resource.${at.field}`)),
      })
    else if (isRefused(read)) parts.push(no(read.why, OWN))
    else {
      at.reads.add(at.field, toCandidate(read), [])
      if (isRef(read)) parts.push(equals(at, read))
      else {
        scalars.push(read)
        at.reads.addType(at.field, read)
      }
    }
  }
  at.reads.add(at.field, toCandidate(scalars[0] ?? 'none'), [findOther(scalars[0] ?? 'none'), { value: 'in-no-list' }])
  if (scalars.length > 0)
    parts.unshift(
      exactly(
        at.isPlain ? on(at, { in: scalars }) : on(at, { anyOf: [{ in: scalars }, { array_intersect: scalars }] }),
      ),
    )
  return some(parts)
}

const ORDERS = {
  $lt: ['less-than', 'greater-than-equals', -1],
  $lte: ['less-than-equals', 'greater-than', 0],
  $gt: ['greater-than', 'less-than-equals', 1],
  $gte: ['greater-than-equals', 'less-than', 0],
} as const

function readOrder(at: Field, name: keyof typeof ORDERS, value: unknown): Bounds {
  const [operator, opposite, step] = ORDERS[name]
  const read = readValue(value, at.userKey)
  if (isRefused(read)) return no(read.why, OWN)
  if (typeof read === 'boolean') return no('CASL refuses to compare true or false by order', OWN)
  // above these, UTF-8 and the text of JavaScript have another order
  if (typeof read === 'string' && /[\ud800-\uffff]/.test(read))
    return no(`CASL orders text such as \`${read}\` by UTF-16 units`, OWN)
  const path = `resource.${at.field}`
  const is = isRef(read)
    ? joinAll([{ allOf: [isNumber(path), on(at, { [operator]: read })] }])
    : on(at, { [operator]: read })
  const isNot = isRef(read) ? { allOf: [isNumber(path), on(at, { [opposite]: read })] } : on(at, { [opposite]: read })
  at.reads.addType(at.field, isRef(read) ? 0 : read)
  if (isRef(read)) {
    at.reads.addUser(read.ref, 'number')
    at.reads.add(at.field, { value: step === 0 ? 10 : 10 + step }, [{ value: 9 }, { value: 10 }, { value: 11 }], true)
  } else if (typeof read === 'number')
    at.reads.add(
      at.field,
      { value: read + step },
      [-1, 0, 1].map((by) => ({ value: read + by })),
      true,
    )
  else
    at.reads.add(
      at.field,
      { value: step > 0 ? `${read}a` : step < 0 ? '' : read },
      [{ value: read }, { value: '' }, { value: `${read}a` }],
      true,
    )
  const remark: Remark = {
    reason: `\`${name}\` also compares what is missing, lists and values of other types in CASL`,
    nearest: PLAIN,
  }
  return at.isPlain
    ? { ...exactly(is), over: not(isNot) }
    : { under: is, over: not(isNot), narrow: [remark], wide: [remark] }
}

function readAll(at: Field, value: unknown): Bounds {
  const path = `resource.${at.field}`
  if (!Array.isArray(value)) return no(`\`$all\` of \`${shown(value)}\` is not a list of values`, 'a list of values')
  const items = (value as readonly unknown[]).map((item) => readValue(item, at.userKey))
  const refused = items.find(isRefused)
  if (refused !== undefined) return { ...no(refused.why, OWN), over: isList(path) }
  if (items.some(isRef)) return { ...no('a template in `$all` has no equal', OWN), over: isList(path) }
  at.reads.addType(at.field, items)
  at.reads.add(at.field, { value: items }, [{ value: items.slice(1) }, { value: [...items, 'more'] }, { value: [] }])
  return exactly(on(at, { array_superset: items }))
}

function readExists(at: Field, value: unknown): Bounds {
  if (typeof value !== 'boolean') return no('`$exists` takes true or false', 'true or false')
  const is = isPresent(`resource.${at.field}`)
  at.reads.addType(at.field, null)
  at.reads.add(at.field, value ? { value: 'some-value' } : 'missing', ['missing', { value: 'some-value' }])
  if (at.isPlain) return exactly(value ? is : not(is))
  const remark = { reason: 'in CASL null exists, and here it is a missing value', nearest: PLAIN }
  return value
    ? { under: is, over: { allOf: [] }, narrow: [remark], wide: [remark] }
    : { under: FALSE, over: not(is), narrow: [remark], wide: [remark] }
}

/** A text with or without `^` and `$`; anything else is a pattern. */
const LITERAL = /^(\^?)((?:[^.*+?^${}()|[\]\\]|\\[.*+?^${}()|[\]\\/-])*)(\$?)$/

function readPattern(at: Field, value: unknown, options: unknown): Bounds {
  const found = typeof value === 'string' && value.isWellFormed() ? LITERAL.exec(value) : null
  if (found === null || (options !== undefined && options !== ''))
    return no(`the pattern \`${shown(value)}\` is more than a text with \`^\` and \`$\``, OWN)
  const [, start, pattern = '', end] = found
  const text = pattern.replace(/\\(.)/g, '$1')
  const operator = start === '' ? (end === '' ? 'contains' : 'ends-with') : end === '' ? 'starts-with' : 'equals'
  const is = on(at, { [operator]: text })
  at.reads.addType(at.field, text)
  at.reads.add(at.field, { value: text }, [{ value: `x${text}` }, { value: `${text}x` }, { value: text.slice(1) }])
  if (at.isPlain) return exactly(is)
  const remark = { reason: 'in CASL a pattern also finds items of a list', nearest: PLAIN }
  return { under: is, over: joinSome([is, isList(`resource.${at.field}`)]), narrow: [remark], wide: [remark] }
}
