// What the two sides of a test may be, by the declared type of the attribute: which operators are offered, and what
// stands on the right of one. All of it comes from the operators of the grammar.
import { type AttributeType, OPERATORS, type Operator, type OperatorRule } from 'zerohop/conditions'
import type { Json, Test } from './condition-model.ts'

export type ScalarKind = 'string' | 'number' | 'boolean'

/** Attributes that nobody declares (docs/conditions.md). */
export const GENERATED: Readonly<Record<string, AttributeType>> = {
  'user.key': 'string',
  'user.roles': 'array',
  'user.tenants': 'array',
  'resource.type': 'string',
  'resource.key': 'string',
  'resource.tenant': 'string',
  'tenant.key': 'string',
  'context.now': 'time',
}

const ALL = Object.keys(OPERATORS) as Operator[]
const isFree = (type: AttributeType | undefined): boolean => type === undefined || type === 'json'

/** The operators that take an attribute of the type; none where only its inside can be tested. */
export const listOperators = (type: AttributeType | undefined): readonly Operator[] =>
  isFree(type) ? ALL : ALL.filter((operator) => operatorRule(operator).left.includes(type as never))

const operatorRule = (operator: Operator): OperatorRule => OPERATORS[operator]

/** What stands on the right of an operator. */
export interface RightSide {
  readonly form: 'one' | 'two' | 'list'
  /** which values; the first is offered first */
  readonly kinds: readonly ScalarKind[]
  /** another attribute may stand there */
  readonly ref: boolean
  /** text is a date, or a date and time */
  readonly isTime: boolean
}

const KINDS: Readonly<Record<OperatorRule['right'], readonly ScalarKind[]>> = {
  scalar: ['string', 'number', 'boolean'],
  list: ['string', 'number', 'boolean'],
  ordered: ['number', 'string'],
  range: ['number', 'string'],
  string: ['string'],
}
const KINDS_OF_TYPE: Readonly<Partial<Record<AttributeType, readonly ScalarKind[]>>> = {
  bool: ['boolean'],
  number: ['number'],
  string: ['string'],
  time: ['string', 'number'],
}

export function makeRightSide(operator: Operator, type: AttributeType | undefined): RightSide {
  const { right, ref } = operatorRule(operator)
  const declared = type === undefined ? undefined : KINDS_OF_TYPE[type]
  const taken = KINDS[right]
  return {
    form: right === 'range' ? 'two' : right === 'list' ? 'list' : 'one',
    kinds: declared?.filter((kind) => taken.includes(kind)) ?? taken,
    ref,
    isTime: type === 'time',
  }
}

/** The attribute on the right; undefined for a constant. */
export function findRef(value: Json): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { ref } = value as { readonly ref?: Json }
  return typeof ref === 'string' ? ref : undefined
}

const EMPTY: Readonly<Record<ScalarKind, Json>> = { string: '', number: 0, boolean: true }

export const findKind = (value: Json | undefined): ScalarKind | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? (typeof value as ScalarKind)
    : undefined

/** The value as another kind, as far as it can be. */
export function toKind(value: Json | undefined, kind: ScalarKind): Json {
  if (findKind(value) === kind && value !== undefined) return value
  if (kind === 'string') return findKind(value) === undefined ? '' : String(value)
  return typeof value === 'string' ? scalarFrom(kind, value, EMPTY[kind]) : EMPTY[kind]
}

/** What was typed, as a value of the kind; `otherwise` when it is not one. */
export function scalarFrom(kind: ScalarKind, text: string, otherwise: Json = text): Json {
  if (kind === 'string') return text
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : otherwise
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : otherwise
}

/** The test with another attribute or operator, and of its value whatever fits there. */
export function retarget(
  test: Test,
  { attribute = test.attribute, operator = test.operator }: Partial<Pick<Test, 'attribute' | 'operator'>>,
  type: AttributeType | undefined,
): Test {
  const allowed = listOperators(type)
  const chosen = allowed.includes(operator) ? operator : (allowed[0] ?? operator)
  const right = makeRightSide(chosen, type)
  const [first = 'string'] = right.kinds
  if (findRef(test.value) !== undefined && right.ref)
    return { is: 'test', attribute, operator: chosen, value: test.value }
  const before: readonly Json[] = Array.isArray(test.value) ? test.value : [test.value]
  const fit = (value: Json | undefined): Json => {
    const kind = findKind(value)
    return toKind(value, kind !== undefined && right.kinds.includes(kind) ? kind : first)
  }
  const scalars = before.filter((value) => findKind(value) !== undefined)
  const value =
    right.form === 'one'
      ? fit(scalars[0])
      : right.form === 'two'
        ? [fit(scalars[0]), fit(scalars[1] ?? scalars[0])]
        : scalars.filter((each) => each !== '').map(fit)
  return { is: 'test', attribute, operator: chosen, value }
}
