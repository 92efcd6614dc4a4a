// Validates conditions against declared types: a declared attribute of a resource type (or of `__user`, `__tenant`) may
// only be compared as its type allows, and a declaration that a condition reads can neither be removed nor changed to a
// type that the condition does not fit (D11: deletes). Attributes of resource types that declare any must be declared;
// undeclared ones of users, tenants, context and action are not checked, so that their values decide (D7: missing values). The grammar
// is src/model/condition.ts.
import { compile } from '../../image/build/condition-program.ts'
import type { ConditionSet } from '../../kinds/condition-set.ts'
import type { AttributeDefinition, Resource } from '../../kinds/resource.ts'
import { put } from '../../log/change.ts'
import {
  type AttributePath,
  type Condition,
  OPERATORS,
  type Operator,
  parseConditions,
  type Root,
  type Test,
} from '../../model/condition.ts'
import { readingsBelowNot } from '../../model/condition-gaps.ts'
import {
  declaringType,
  pathEntry,
  pathsRead,
  RESOURCE_IDENTITY,
  readings,
  resourceAttributes,
} from '../../model/condition-reads.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseInstant } from '../../model/instant.ts'
import { PATHS_MAX } from '../../model/limits.ts'
import { type AttributeType, type Json, type JsonObject, partKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { View } from '../../store/view.ts'
import { type Path, requireStorable } from '../rules/fields.ts'

type Checked = Pick<ConditionSet, 'key' | 'conditions' | 'resource'>

/**
 * Requires that the conditions fit what is declared, for a set over resources of `resource` (null: a user set).
 * @throws INPUT_INVALID, LIMIT_EXCEEDED on the grammar, OBJECT_NOT_FOUND on the type of a foreign key,
 * ATTRIBUTE_MISMATCH
 */
export function requireConditions(view: View, of: Checked, path: Path): void {
  check(view, of, path, false)
}

/**
 * Requires also what is not required of conditions that are stored: an environment may have older ones, which stay as
 * they are. `context.now` counts as declared `time`, and a resource type must declare the attributes that are read, but
 * for one that declares none at all: that is only warned of (src/management/rules/undeclared-reads.ts), except below `not`.
 * @throws as `requireConditions`, and ATTRIBUTE_UNDECLARED with the first attribute that its type does not declare
 */
export function requireNewConditions(view: View, of: Checked, path: Path): void {
  const condition = check(view, of, path, true)
  const negated = readingsBelowNot(condition)
  for (const { type, attribute } of resourceAttributes(condition, of.resource)) {
    const declared = view.get('resource', type)?.attributes ?? []
    if (declared.some(({ key }) => key === attribute)) continue
    const isNegated = negated.some(({ root, type: followed, names }) => {
      return names[0] === attribute && (root === 'resource' ? of.resource === type : followed === type)
    })
    if (declared.length === 0 && !isNegated) continue
    throw new ZerohopError('ATTRIBUTE_UNDECLARED', { resource: type, attribute }, { path })
  }
}

function check(view: View, { key, conditions, resource }: Checked, path: Path, isNew: boolean): Condition {
  const condition = parseConditions(conditions, path)
  requireStorable(conditions, 'the conditions', path)
  requireStorable(compile(condition).constants, 'the values in the conditions', path)
  const times = () => (isNew ? listTimes(view, typesOfRules(view, key)) : NONE)
  checkTests(new Checker(view, resource, path, isNew, times), condition)
  return condition
}

function checkTests(checker: Checker, condition: Condition): void {
  for (const { path: attribute, test } of readings(condition)) if (test) checker.operand(attribute, test)
}

/**
 * Requires that a user set, and the parents whose conditions it has, compare what the resource types declare as `time`
 * with nothing else: rules ask them about resources of these types. Conditions that are no better without are older.
 * @throws ATTRIBUTE_MISMATCH
 */
export function requireTimes(view: View, set: ConditionSet, types: readonly string[], path: Path): void {
  if (types.length === 0) return
  const of = (at: ConditionSet, times: () => ReadonlySet<string>) =>
    checkTests(new Checker(view, at.resource, path, true, times), parseConditions(at.conditions, path))
  let at: ConditionSet | undefined = set
  while (at !== undefined) {
    const { parent }: ConditionSet = at
    const one = at
    if (passes(() => of(one, () => NONE))) of(one, () => new Set(timesIn(view, types)))
    at = parent === null ? undefined : view.get('condition_set', parent)
  }
}

/**
 * Requires that the paths of the conditions, together with those of all other sets, fit into an image.
 * @throws LIMIT_EXCEEDED
 */
export function requirePathRoom(view: View, conditions: JsonObject, key: string, path: Path): void {
  const paths = pathsRead({ conditions })
  if (paths.every((each) => view.countBy('sets_by_path', pathEntry(each)) > 0)) return
  // Counting every use is fast and usually enough: only when there are many, the sets are read to count each path once.
  let uses = paths.length
  for (let place = 0, sets = 1; sets > 0; place++) uses += sets = view.countBy('sets_by_path', `#${place}`)
  if (uses <= PATHS_MAX) return
  const all = new Set(paths)
  for (const set of view.list('condition_set')) if (set.key !== key) for (const each of pathsRead(set)) all.add(each)
  if (all.size <= PATHS_MAX) return
  const what = 'the attributes that the conditions of an environment read'
  throw new ZerohopError('LIMIT_EXCEEDED', { what, limit: PATHS_MAX }, { path })
}

/** The declared type; undefined for an undeclared attribute. */
type Declared = AttributeType | undefined
type Comparison = Test & { readonly kind: 'compare' }
type Match = Test & { readonly kind: 'match' }

const OBJECTS: readonly AttributeType[] = ['object']
const LISTS: readonly AttributeType[] = ['array', 'object_array']

/** Lists that nobody declares: an operator of single values never takes one. */
const GENERATED_LISTS: ReadonlySet<string> = new Set(['user.roles', 'user.tenants'])

class Checker {
  readonly #view: View
  readonly #resource: string | null
  readonly #path: Path
  /** conditions that are stored for the first time: `context.now` counts as declared */
  readonly #isNew: boolean
  readonly #times: () => ReadonlySet<string>

  /** @param times the attributes of resources that are times for a user set; asked when it reads one */
  constructor(view: View, resource: string | null, path: Path, isNew: boolean, times: () => ReadonlySet<string>) {
    this.#times = times
    this.#view = view
    this.#resource = resource
    this.#path = path
    this.#isNew = isNew
  }

  operand(attribute: AttributePath, test: Test): void {
    this.#test(formatPath(attribute), this.#declared(attribute), test)
  }

  #declared(path: AttributePath): Declared {
    const [first = ''] = path.names
    const owner = declaringType(path, this.#resource)
    const type = owner === undefined ? this.#time(path.root, first) : this.#typeOf(owner, first)
    return this.#inside(path.root, type, path.names)
  }

  /** The type of what the names lead to, in a value of that type. */
  #inside(root: string, type: Declared, [first = '', member]: readonly string[]): Declared {
    if (type === undefined || member === undefined) return type
    if (type === 'object' || type === 'json') return undefined
    throw this.#mismatch(`${root}.${first}`, type, `it has no member \`${member}\``)
  }

  /** What is a time although the set has no type that declares it. */
  #time(root: Root, name: string): Declared {
    if (!this.#isNew) return undefined
    if (root === 'context') return name === 'now' ? 'time' : undefined
    if (root !== 'resource' || RESOURCE_IDENTITY.includes(name)) return undefined
    return this.#times().has(name) ? 'time' : undefined
  }

  #typeOf(owner: string, attribute: string): Declared {
    const { attributes } = this.#view.get('built_in', owner) ?? this.#view.get('resource', owner) ?? {}
    return attributes?.find(({ key }) => key === attribute)?.type
  }

  #test(attribute: string, type: Declared, test: Test): void {
    if (test.kind === 'not') this.#test(attribute, type, test.test)
    else if (test.kind === 'compare') this.#compare(attribute, type, test)
    else if (test.kind === 'match') this.#match(attribute, type, test)
    else for (const one of test.tests) this.#test(attribute, type, one)
  }

  #match(attribute: string, type: Declared, { of, foreignType, members }: Match): void {
    const isKey = of === 'object' && foreignType !== null && type === 'string'
    if (!isKey) this.#require(attribute, type, of === 'object' ? OBJECTS : LISTS, `\`${of}_match\``)
    if (foreignType === null) {
      for (const { names, test } of members) this.#test([attribute, ...names].join('.'), undefined, test)
      return
    }
    if (this.#view.get('resource', foreignType) === undefined) {
      throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'resource', ref: foreignType }, { path: this.#path })
    }
    for (const { names, test } of members) {
      const type = this.#typeOf(foreignType, names[0] ?? '')
      const member = names.length === 1 || this.#isNew ? this.#inside(foreignType, type, names) : undefined
      this.#test([foreignType, ...names].join('.'), member, test)
    }
  }

  #compare(attribute: string, type: Declared, { operator, right }: Comparison): void {
    this.#require(attribute, type, OPERATORS[operator].left, `\`${operator}\``)
    const other = right.kind === 'ref' ? this.#declared(right.path) : undefined
    if (this.#isNew && right.kind === 'ref')
      this.#requireInstants(attribute, type, operator, formatPath(right.path), other)
    if (type === undefined || type === 'json' || type === 'array') return
    if (right.kind === 'value') {
      const values = Array.isArray(right.value) ? right.value : [right.value]
      const odd = values.find((value: Json) => !fits(type, value))
      if (odd !== undefined) throw this.#mismatch(attribute, type, `\`${operator}\` compares it with \`${odd}\``)
    } else if (other !== undefined && other !== 'json') {
      const well = OPERATORS[operator].shape === 'list' ? other === 'array' : comparable(type, other)
      if (!well) throw this.#mismatch(attribute, type, `\`${formatPath(right.path)}\` is declared ${other}`)
    }
  }

  /** A time is compared with one value, not with the roles or tenants of the user, and is neither text nor a list. */
  #requireInstants(left: string, type: Declared, operator: Operator, right: string, other: Declared): void {
    const { shape, right: form } = OPERATORS[operator]
    if (other === 'time' && (form === 'string' || form === 'list')) {
      throw this.#mismatch(right, other, `\`${operator}\` takes ${form === 'list' ? 'a list' : 'text'}`)
    }
    if (shape === 'list') return
    if (type === 'time' && GENERATED_LISTS.has(right)) throw this.#mismatch(left, type, `\`${right}\` is a list`)
    if (other === 'time' && GENERATED_LISTS.has(left)) throw this.#mismatch(right, other, `\`${left}\` is a list`)
  }

  #require(attribute: string, type: Declared, allowed: readonly AttributeType[], what: string): void {
    if (type === undefined || type === 'json' || allowed.includes(type)) return
    throw this.#mismatch(attribute, type, `${what} takes ${allowed.join(' or ')}`)
  }

  #mismatch(attribute: string, type: AttributeType, reason: string): ZerohopError {
    return new ZerohopError('ATTRIBUTE_MISMATCH', { attribute, type, reason }, { path: this.#path })
  }
}

/**
 * The attributes of resources that are times for a user set, which may be asked about any resource: those that one of
 * the types of its rules declares as `time`, and those that every type that has them does.
 */
function listTimes(view: View, types: readonly string[]): ReadonlySet<string> {
  const [times, others] = [new Set<string>(), new Set<string>()]
  for (const { attributes } of view.list('resource'))
    for (const one of attributes) (isTime(one) ? times : others).add(one.key)
  return new Set([...[...times].filter((key) => !others.has(key)), ...timesIn(view, types)])
}

const timesIn = (view: View, types: readonly string[]): string[] =>
  types.flatMap((type) => (view.get('resource', type)?.attributes ?? []).filter(isTime).map(({ key }) => key))

/** The resource types about which rules ask the set, or a set that has its conditions. */
export function typesOfRules(view: View, set: string): string[] {
  const types = new Set<string>()
  const add = (key: string): void => {
    for (const { permission } of view.by('rules_of_user_set', key))
      types.add(permission.slice(0, permission.indexOf(':')))
    for (const child of view.by('sets_with_parent', key)) add(child.key)
  }
  add(set)
  return [...types]
}

const isTime = ({ type }: AttributeDefinition): boolean => type === 'time'

/** A text that is not an instant would make comparisons with an instant always false, and always true under `not`. */
function fits(type: AttributeType, value: Json): boolean {
  if (type === 'time') return parseInstant(value) !== undefined
  return typeof value === (type === 'bool' ? 'boolean' : type)
}

function comparable(one: AttributeType, other: AttributeType): boolean {
  const time = one === 'time' ? other : other === 'time' ? one : undefined
  return one === other || time === 'string' || time === 'number'
}

function formatPath({ root, names }: AttributePath): string {
  return [root, ...names].join('.')
}

/**
 * Requires that the declarations may change from `before` to `after`.
 * @throws OBJECT_IN_USE when a condition reads an attribute that is removed, or does not fit one that is new or has
 * another type
 */
export function keepReaders(view: View, kind: 'resource' | 'built_in', before: Resource, after: Resource): void {
  const now = new Map(after.attributes.map(({ key, type }) => [key, type]))
  const was = new Map(before.attributes.map(({ key, type }) => [key, type]))
  const draft = new Draft(view).stage([put(kind, after)])
  for (const attribute of new Set([...was.keys(), ...now.keys()])) {
    if (was.get(attribute) === now.get(attribute)) continue
    for (const set of view.by('sets_reading', partKey(before.key, attribute))) {
      if (now.has(attribute) && stillFits(view, draft, set)) continue
      const by = `condition set \`${set.key}\``
      throw new ZerohopError('OBJECT_IN_USE', { kind: 'attribute', key: attribute, by })
    }
  }
  if (kind === 'resource') keepUserSets(view, before.attributes, after)
}

/**
 * Requires that no user set compares with something else what a resource type declares as `time` and did not before:
 * user sets are of no type, so that they are not among the readers of its attributes.
 * @throws OBJECT_IN_USE
 */
export function keepUserSets(view: View, before: readonly AttributeDefinition[], after: Resource): void {
  const were = new Set(before.filter(isTime).map(({ key }) => key))
  const times = after.attributes.filter((one) => isTime(one) && !were.has(one.key))
  if (times.length === 0) return
  const draft = new Draft(view).stage([put('resource', after)])
  for (const set of view.list('condition_set')) {
    const read = set.resource === null ? resourceNamesRead(set) : NONE
    const attribute = times.find(({ key }) => read.has(key))
    if (attribute === undefined || stillFits(view, draft, set)) continue
    throw new ZerohopError('OBJECT_IN_USE', {
      kind: 'attribute',
      key: attribute.key,
      by: `condition set \`${set.key}\``,
    })
  }
}

/** The attributes under `resource.*` that a set reads. */
const resourceNamesRead = (set: ConditionSet): ReadonlySet<string> =>
  new Set(pathsRead(set).flatMap((path) => (path.startsWith('resource.') ? [path.split('.')[1] ?? ''] : [])))
const NONE: ReadonlySet<string> = new Set()

/** Whether the set fits as well as before: an older one may be stored that would not be accepted as a new one. */
function stillFits(before: View, after: View, set: ConditionSet): boolean {
  return (
    passes(() => check(after, set, [], true)) ||
    (passes(() => check(after, set, [], false)) && !passes(() => check(before, set, [], true)))
  )
}

function passes(required: () => unknown): boolean {
  try {
    required()
    return true
  } catch {
    return false
  }
}
