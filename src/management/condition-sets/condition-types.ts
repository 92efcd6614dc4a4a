// Validates conditions against declared types: a declared attribute of a resource type (or of `__user`, `__tenant`) may
// only be compared as its type allows, and a declaration that a condition reads can neither be removed nor changed to a
// type that the condition does not fit (D11: deletes). Attributes of resource types must be declared; undeclared ones
// of users, tenants, context and action are not checked, so that their values decide (D7: missing values). The grammar
// is src/model/condition.ts.
import { compile } from '../../image/build/condition-program.ts'
import { put } from '../../log/change.ts'
import { type AttributePath, OPERATORS, parseConditions, type Test } from '../../model/condition.ts'
import { declaringType, pathEntry, pathsRead, readings, resourceAttributes } from '../../model/condition-reads.ts'
import { ZerohopError } from '../../model/errors.ts'
import { instantOf } from '../../model/instant.ts'
import { PATHS_MAX } from '../../model/limits.ts'
import {
  type AttributeType,
  type ConditionSet,
  type Json,
  type JsonObject,
  partKey,
  type Resource,
} from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { View } from '../../store/view.ts'
import { type Path, requireStorable } from '../fields.ts'

type Checked = Pick<ConditionSet, 'conditions' | 'resource'>

/**
 * Requires that the conditions may be stored for a set over resources of `resource` (null: a user set).
 * @throws INPUT_INVALID, LIMIT_EXCEEDED on the grammar, OBJECT_NOT_FOUND on the type of a foreign key,
 * ATTRIBUTE_MISMATCH
 */
export function requireConditions(view: View, { conditions, resource }: Checked, path: Path): void {
  const condition = parseConditions(conditions, path)
  requireStorable(conditions, 'the conditions', path)
  requireStorable(compile(condition).constants, 'the values in the conditions', path)
  const checker = new Checker(view, resource, path)
  for (const { path: attribute, test } of readings(condition)) if (test) checker.operand(attribute, test)
}

/**
 * Requires that the resource types declare the attributes that the conditions read. Only for new conditions: an
 * environment may have older ones, which stay as they are.
 * @throws ATTRIBUTE_UNDECLARED with the first attribute that its type does not declare
 */
export function requireDeclared(view: View, { conditions, resource }: Checked, path: Path): void {
  for (const { type, attribute } of resourceAttributes(parseConditions(conditions, path), resource)) {
    const declared = view.get('resource', type)?.attributes ?? []
    if (declared.some(({ key }) => key === attribute)) continue
    throw new ZerohopError('ATTRIBUTE_UNDECLARED', { resource: type, attribute }, { path })
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

class Checker {
  readonly #view: View
  readonly #resource: string | null
  readonly #path: Path

  constructor(view: View, resource: string | null, path: Path) {
    this.#view = view
    this.#resource = resource
    this.#path = path
  }

  operand(attribute: AttributePath, test: Test): void {
    this.#test(nameOf(attribute), this.#declared(attribute), test)
  }

  #declared(path: AttributePath): Declared {
    const owner = declaringType(path, this.#resource)
    const type = owner === undefined ? undefined : this.#typeOf(owner, path.names[0] ?? '')
    if (type === undefined || path.names.length === 1) return type
    if (type === 'object' || type === 'json') return undefined
    throw this.#mismatch(`${path.root}.${path.names[0]}`, type, `it has no member \`${path.names[1]}\``)
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
      const member = names.length === 1 ? this.#typeOf(foreignType, names[0] ?? '') : undefined
      this.#test([foreignType, ...names].join('.'), member, test)
    }
  }

  #compare(attribute: string, type: Declared, { operator, right }: Comparison): void {
    this.#require(attribute, type, OPERATORS[operator].left, `\`${operator}\``)
    const other = right.kind === 'ref' ? this.#declared(right.path) : undefined
    if (type === undefined || type === 'json' || type === 'array') return
    if (right.kind === 'value') {
      const values = Array.isArray(right.value) ? right.value : [right.value]
      const odd = values.find((value: Json) => !fits(type, value))
      if (odd !== undefined) throw this.#mismatch(attribute, type, `\`${operator}\` compares it with \`${odd}\``)
    } else if (other !== undefined && other !== 'json') {
      const well = operator === 'in' ? other === 'array' : comparable(type, other)
      if (!well) throw this.#mismatch(attribute, type, `\`${nameOf(right.path)}\` is declared ${other}`)
    }
  }

  #require(attribute: string, type: Declared, allowed: readonly AttributeType[], what: string): void {
    if (type === undefined || type === 'json' || allowed.includes(type)) return
    throw this.#mismatch(attribute, type, `${what} takes ${allowed.join(' or ')}`)
  }

  #mismatch(attribute: string, type: AttributeType, reason: string): ZerohopError {
    return new ZerohopError('ATTRIBUTE_MISMATCH', { attribute, type, reason }, { path: this.#path })
  }
}

/** A text that is not an instant would make comparisons with an instant always false, and always true under `not`. */
function fits(type: AttributeType, value: Json): boolean {
  if (type === 'time') return instantOf(value) !== undefined
  return typeof value === (type === 'bool' ? 'boolean' : type)
}

function comparable(one: AttributeType, other: AttributeType): boolean {
  const time = one === 'time' ? other : other === 'time' ? one : undefined
  return one === other || time === 'string' || time === 'number'
}

function nameOf({ root, names }: AttributePath): string {
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
      if (now.has(attribute) && stillFits(draft, set)) continue
      const by = `condition set \`${set.key}\``
      throw new ZerohopError('OBJECT_IN_USE', { kind: 'attribute', key: attribute, by })
    }
  }
}

function stillFits(view: View, set: ConditionSet): boolean {
  try {
    requireConditions(view, set, [])
    return true
  } catch {
    return false
  }
}
