// The grammar of conditions: reads the JSON of a condition set (docs/conditions.md) into one small tree, or says what
// is wrong and where. The JSON itself is stored and returned verbatim; the tree is what the definition (test/reference)
// evaluates and what the image compiles. What a tree means is docs/semantics.md, D6–D9; docs/conditions.md has the
// grammar and every operator.
import { GROUPS, MATCHES, ROOTS, type Root } from './condition-operators.ts'
import { ZerohopError } from './errors.ts'
import { requireKey } from './keys.ts'
import { CONDITION_DEPTH_MAX, CONDITION_NODES_MAX, CONDITIONS_BYTES_MAX, KEY_BYTES_MAX } from './limits.ts'
import type { Json } from './objects.ts'
import { OPERATORS, type Operator, type OperatorRule } from './operators.ts'

export { GROUPS, MATCHES, ROOTS, type Root } from './condition-operators.ts'
export { OPERATORS, type Operator } from './operators.ts'

/** An attribute, and members inside it. */
export interface AttributePath {
  readonly root: Root
  readonly names: readonly string[]
}

/** The right side of a test: a value, or another attribute. */
export type Term =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'ref'; readonly path: AttributePath }

/** A test of one value. `members` reads inside the value that is tested. */
export type Test =
  | { readonly kind: 'all' | 'any'; readonly tests: readonly Test[] }
  | { readonly kind: 'not'; readonly test: Test }
  | { readonly kind: 'compare'; readonly operator: Operator; readonly right: Term }
  | {
      readonly kind: 'match'
      /** the value itself, some item of it, every item of it */
      readonly of: 'object' | 'any' | 'all'
      readonly members: readonly { readonly names: readonly string[]; readonly test: Test }[]
      /**
       * when not null, the value (or item) is the key of a stored instance of this type, and its attributes are tested
       */
      readonly foreignType: string | null
    }

/** A condition over a request. `all` of nothing is true: the condition `{}`. */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly items: readonly Condition[] }
  | { readonly kind: 'not'; readonly item: Condition }
  | { readonly kind: 'operand'; readonly left: AttributePath; readonly test: Test }

type Path = readonly (string | number)[]

/**
 * Reads conditions, or refuses them with the place and the reason.
 * @param path where in the input the conditions stand; errors name the place below it
 * @param places receives where each comparison and each match stands, for explain
 * @throws INPUT_INVALID on the grammar, LIMIT_EXCEEDED on size, depth or number of nodes
 */
export function parseConditions(
  conditions: Json,
  path: Path = ['body', 'conditions'],
  places?: Map<Test, Path>,
): Condition {
  const condition = new Parser(places).condition(conditions, path, 1) // first: it bounds the depth, also for what measures the size
  const bytes = Buffer.byteLength(JSON.stringify(conditions))
  if (bytes > CONDITIONS_BYTES_MAX) throw tooMuch('the size of the conditions', `${CONDITIONS_BYTES_MAX} bytes`, path)
  return condition
}

class Parser {
  #nodes = 0
  readonly #places: Map<Test, Path> | undefined

  constructor(places: Map<Test, Path> | undefined) {
    this.#places = places
  }

  /** conditions := {} | group | operand; several members are ANDed. */
  condition(json: Json, path: Path, depth: number): Condition {
    const members = Object.entries(this.#object(json, path, depth))
    const items = members.map(([name, value]) => this.#member(name, value, [...path, name], depth))
    return items.length === 1 ? items[0]! : { kind: 'all', items }
  }

  #member(name: string, value: Json, path: Path, depth: number): Condition {
    const group = GROUPS.get(name)
    if (group !== undefined) return { kind: group, items: this.#conditions(value, path, depth) }
    if (name === 'not') return { kind: 'not', item: this.#negated(value, path, depth) }
    if (!name.includes('.'))
      throw invalid(`\`${name}\` is neither a group (allOf, anyOf, not) nor an attribute such as \`user.age\``, path)
    return { kind: 'operand', left: attributePath(name, path), test: this.test(value, path, depth + 1) }
  }

  #negated(value: Json, path: Path, depth: number): Condition {
    if (!Array.isArray(value)) return this.condition(value, path, depth + 1)
    if (value.length === 0) throw invalid(NOTHING_TO_NEGATE, path)
    const items = this.#conditions(value, path, depth)
    return items.length === 1 ? items[0]! : { kind: 'all', items }
  }

  #conditions(value: Json, path: Path, depth: number): Condition[] {
    return list(value, path).map((item, index) => this.condition(item, [...path, index], depth + 1))
  }

  /** test := {operator: value} | {group: [test…]} | {not: …}; several members are ANDed. */
  test(json: Json, path: Path, depth: number): Test {
    const members = Object.entries(this.#object(json, path, depth))
    if (members.length === 0) throw invalid('a test names an operator', path)
    const tests = members.map(([name, value]) => this.#testMember(name, value, [...path, name], depth))
    return tests.length === 1 ? tests[0]! : { kind: 'all', tests }
  }

  #testMember(name: string, value: Json, path: Path, depth: number): Test {
    const group = GROUPS.get(name)
    if (group !== undefined) return { kind: group, tests: this.#tests(value, path, depth) }
    if (name === 'not') return { kind: 'not', test: this.#negatedTest(value, path, depth) }
    const match = MATCHES.get(name)
    if (match !== undefined) return this.#placed(this.#match(match, value, path, depth), path)
    if (!Object.hasOwn(OPERATORS, name)) throw invalid(`unknown operator \`${name}\``, path)
    const operator = name as Operator
    return this.#placed({ kind: 'compare', operator, right: rightSide(operator, value, path) }, path)
  }

  #placed(test: Test, path: Path): Test {
    this.#places?.set(test, path)
    return test
  }

  #tests(value: Json, path: Path, depth: number): Test[] {
    return list(value, path).map((item, index) => this.test(item, [...path, index], depth + 1))
  }

  /**
   * `not` of a value, or of a list of values, is true of what equals none of them; `not` of tests, of what does not
   * pass all of them.
   */
  #negatedTest(value: Json, path: Path, depth: number): Test {
    const items = Array.isArray(value) ? value : [value]
    if (items.length === 0) throw invalid(NOTHING_TO_NEGATE, path)
    const values = items.filter(isScalar).length
    if (values > 0 && values < items.length) throw invalid('a list under `not` holds values or tests, not both', path)
    const tests = items.map((item: Json, index): Test => {
      const at = Array.isArray(value) ? [...path, index] : path
      if (isScalar(item))
        return this.#placed(
          { kind: 'compare', operator: 'equals', right: { kind: 'value', value: wellFormed(item, at) } },
          at,
        )
      return this.test(item, at, depth + 1)
    })
    return tests.length === 1 ? tests[0]! : { kind: values > 0 ? 'any' : 'all', tests }
  }

  #match(of: 'object' | 'any' | 'all', value: Json, path: Path, depth: number): Test {
    const { match, fk_resource_type: foreign, ...rest } = this.#object(value, path, depth)
    const unknown = Object.keys(rest)[0]
    if (unknown !== undefined) throw invalid(`unknown member \`${unknown}\``, [...path, unknown])
    if (match === undefined) throw invalid('`match` is required', path)
    if (foreign !== undefined && foreign !== null && typeof foreign !== 'string') {
      throw invalid('`fk_resource_type` is the key of a resource', [...path, 'fk_resource_type'])
    }
    if (foreign != null) requireKey('resource', foreign, [...path, 'fk_resource_type'])
    const members = Object.entries(this.#object(match, [...path, 'match'], depth + 1)).map(([name, test]) => ({
      names: names(name, [...path, 'match', name]),
      test: this.test(test, [...path, 'match', name], depth + 2),
    }))
    return { kind: 'match', of, members, foreignType: foreign ?? null }
  }

  /** Every node passes here: the one place where depth and number are bounded. */
  #object(json: Json, path: Path, depth: number): Record<string, Json> {
    if (depth > CONDITION_DEPTH_MAX) throw tooMuch('the depth of the conditions', CONDITION_DEPTH_MAX, path)
    if (++this.#nodes > CONDITION_NODES_MAX) throw tooMuch('the number of nodes', CONDITION_NODES_MAX, path)
    if (json === null || typeof json !== 'object' || Array.isArray(json)) throw invalid('an object is expected', path)
    return json as Record<string, Json>
  }
}

function list(value: Json, path: Path): readonly Json[] {
  if (Array.isArray(value)) return value
  throw invalid('a list is expected', path)
}

function rightSide(operator: Operator, value: Json, path: Path): Term {
  const rule: OperatorRule = OPERATORS[operator]
  const ref = findRef(value)
  if (ref !== undefined) {
    if (!rule.ref) throw invalid(`\`${operator}\` takes no \`ref\``, path)
    if (typeof ref !== 'string') throw invalid('`ref` names an attribute, such as `user.key`', path)
    return { kind: 'ref', path: attributePath(ref, [...path, 'ref']) }
  }
  const unwrapped = unwrap(rule, value)
  if (!fits(rule, unwrapped)) throw invalid(`\`${operator}\` takes ${EXPECTED[rule.right]}`, path)
  return { kind: 'value', value: wellFormed(unwrapped, path) }
}

/**
 * D9: what the conditions compare with must be what a decision can hold: whole numbers within ±2^53, text without lone
 * surrogates.
 */
function wellFormed<T extends Json>(value: T, path: Path): T {
  for (const each of Array.isArray(value) ? value : [value]) {
    if (typeof each === 'number' && !(Math.abs(each) <= 2 ** 53)) throw invalid('a number lies beyond ±2^53', path)
    if (typeof each === 'string' && !each.isWellFormed()) throw invalid(LONE_SURROGATE, path)
  }
  return value
}

const EXPECTED = {
  scalar: 'a string, a number or a boolean',
  ordered: 'a number or a string',
  range: 'two numbers or two strings, [low, high]',
  string: 'a string',
  list: 'a list of strings, numbers or booleans',
} as const

function findRef(value: Json): Json | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  return entries.length === 1 && entries[0]![0] === 'ref' ? entries[0]![1] : undefined
}

/** A list of one where a scalar is expected stands for its item. */
function unwrap(rule: OperatorRule, value: Json): Json {
  const single = rule.right !== 'list' && rule.right !== 'range' && Array.isArray(value) && value.length === 1
  return single ? (value[0] as Json) : value
}

function fits(rule: OperatorRule, value: Json): boolean {
  switch (rule.right) {
    case 'scalar':
      return isScalar(value)
    case 'ordered':
      return typeof value === 'number' || typeof value === 'string'
    case 'string':
      return typeof value === 'string'
    case 'list':
      return Array.isArray(value) && value.every(isScalar)
    case 'range':
      return Array.isArray(value) && value.length === 2 && sameOrderedType(value)
  }
}

function sameOrderedType([low, high]: readonly Json[]): boolean {
  return (typeof low === 'number' && typeof high === 'number') || (typeof low === 'string' && typeof high === 'string')
}

function isScalar(value: Json): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function attributePath(text: string, path: Path): AttributePath {
  const dot = text.indexOf('.')
  const root = ROOTS.get(dot < 0 ? text : text.slice(0, dot))
  if (root === undefined)
    throw invalid(`\`${text}\` does not begin with user, resource, tenant, context or action`, path)
  if (dot < 0) throw invalid(`\`${text}\` names no attribute`, path)
  return { root, names: names(text.slice(dot + 1), path) }
}

function names(text: string, path: Path): string[] {
  const parts = text.split('.')
  if (parts.some((part) => part === '')) throw invalid(`\`${text}\` has an empty member`, path)
  if (!text.isWellFormed()) throw invalid(LONE_SURROGATE, path)
  if (parts.length > CONDITION_DEPTH_MAX)
    throw tooMuch('the number of members in an attribute', CONDITION_DEPTH_MAX, path)
  if (parts.some((part) => Buffer.byteLength(part) > KEY_BYTES_MAX))
    throw tooMuch('the name of an attribute', `${KEY_BYTES_MAX} bytes`, path)
  return parts
}

const NOTHING_TO_NEGATE = '`not` needs something to negate'
const LONE_SURROGATE = 'text must not contain an unpaired surrogate'

function invalid(reason: string, path: Path): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason }, { path })
}

function tooMuch(what: string, limit: string | number, path: Path): ZerohopError {
  return new ZerohopError('LIMIT_EXCEEDED', { what, limit }, { path })
}
