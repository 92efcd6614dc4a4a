// SCIM PATCH (RFC 7644, 3.5.2) on a resource, in the forms in which providers send it: with `op` in any letter case,
// without a path and with names of attributes as members, with the values to remove in `value`, and with booleans as texts.
// It is a pure function, because it runs in the transaction that writes: what it is applied to is what is stored then.
import { SCIM_FILTER_LENGTH_MAX, SCIM_OPERATIONS_MAX } from '../../model/limits.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import { type Filter, holds, parseValueFilter } from './filter.ts'
import { type AttributePath, findValue, resolvePath, withMember, withValue } from './paths.ts'
import { isNone, isObject, readAttribute, readExtension, readValue, settleValues } from './read-resource.ts'
import { type Attribute, findAttribute, findPart, isExtension, type ResourceType } from './schemas.ts'
import { quote, refusal } from './scim-error.ts'

const OPS = ['add', 'replace', 'remove'] as const
export type Op = (typeof OPS)[number]

interface Operation {
  readonly op: Op
  readonly path: string | undefined
  readonly value: Json | undefined
}

/** What an operation is about: an attribute or a part of it, of all values or of those that a filter selects. */
export interface Target {
  readonly path: AttributePath
  readonly filter?: Filter
}

/** Carries out an operation on an attribute that is not kept with the resource. */
export type Elsewhere = (op: Op, target: Target, value: Json | undefined) => void

/**
 * The resource after the operations of the body, one after the other.
 * @param elsewhere of the attributes that are kept elsewhere, by their names
 * @throws SCIM_INVALID: then none is carried out
 */
export function patchResource(
  type: ResourceType,
  resource: JsonObject,
  body: unknown,
  elsewhere: Readonly<Record<string, Elsewhere>> = {},
): JsonObject {
  let patched = resource
  const carryOut = (op: Op, target: Target, value: Json | undefined): void => {
    const other = target.path.extension === undefined ? elsewhere[target.path.attribute.name] : undefined
    if (other === undefined) patched = applied(patched, op, target, value)
    else other(op, target, value)
  }
  for (const { op, path, value } of readOperations(body)) {
    if (path !== undefined && isExtension(type, path)) {
      patched = withExtension(type, patched, op, value)
    } else if (path !== undefined) {
      carryOut(op, parseTarget(type, path), value)
    } else {
      if (op === 'remove') throw refusal('noTarget', 'an operation `remove` has a path')
      if (!isObject(value)) throw refusal('invalidValue', 'an operation without a path has an object as value')
      for (const [name, sent] of Object.entries(value)) {
        if (isExtension(type, name)) patched = withExtension(type, patched, op, sent)
        else {
          const target = findTarget(type, name)
          // as in the body of a resource
          if (target !== undefined && !isReadOnly(target.path)) carryOut(op, target, sent)
        }
      }
    }
  }
  return patched
}

function readOperations(body: unknown): Operation[] {
  const sent = isObject(body) ? findMember(body, 'operations') : undefined
  if (!Array.isArray(sent) || sent.length === 0) throw refusal('invalidSyntax', '`Operations` is a list of operations')
  if (sent.length > SCIM_OPERATIONS_MAX)
    throw refusal('tooMany', `\`Operations\` has more than ${SCIM_OPERATIONS_MAX} operations`)
  return sent.map((one: Json) => {
    if (!isObject(one)) throw refusal('invalidSyntax', 'an operation is an object')
    const named = findMember(one, 'op')
    const op = OPS.find((name) => typeof named === 'string' && named.toLowerCase() === name)
    if (op === undefined) throw refusal('invalidSyntax', '`op` is add, replace or remove')
    const path = findMember(one, 'path') ?? undefined
    if (path !== undefined && typeof path !== 'string') throw refusal('invalidPath', '`path` is a text')
    return { op, path: path === '' ? undefined : path, value: findMember(one, 'value') }
  })
}

const findMember = (object: JsonObject, name: string): Json | undefined =>
  Object.entries(object).find(([member]) => member.toLowerCase() === name)?.[1]

/** @throws SCIM_INVALID */
function parseTarget(type: ResourceType, text: string): Target {
  if (text.length > SCIM_FILTER_LENGTH_MAX)
    throw refusal('invalidPath', `\`path\` has more than ${SCIM_FILTER_LENGTH_MAX} characters`)
  const target = findTarget(type, text)
  if (target === undefined) throw refusal('invalidPath', `there is no attribute ${quote(text)}`)
  if (isReadOnly(target.path)) throw refusal('mutability', `${quote(text)} is not to be written`)
  return target
}

function findTarget(type: ResourceType, text: string): Target | undefined {
  const bracket = text.indexOf('[')
  if (bracket < 0) {
    const path = resolvePath(type, text)
    return path && { path }
  }
  const place = findAttribute(type, text.slice(0, bracket))
  if (place === undefined) return undefined
  if (!place.attribute.many || place.attribute.type !== 'complex')
    throw refusal('invalidPath', `${quote(place.attribute.name)} has one value, and no filter`)
  const { filter, end } = parseValueFilter(place.attribute, text, bracket)
  const rest = text.slice(end)
  if (rest === '') return { path: place, filter }
  const part = rest.startsWith('.') ? findPart(place.attribute, rest.slice(1)) : undefined
  return part && { path: { ...place, part }, filter }
}

const isReadOnly = ({ attribute, part }: AttributePath): boolean =>
  attribute.mutability === 'readOnly' || part?.mutability === 'readOnly'

function withExtension(type: ResourceType, resource: JsonObject, op: Op, value: Json | undefined): JsonObject {
  const { id } = type.extension!
  const read = op === 'remove' || isNone(value) ? undefined : readExtension(type, value!)
  const merged = read && { ...(resource[id] as JsonObject | undefined), ...read }
  return withMember(resource, id, merged)
}

function applied(resource: JsonObject, op: Op, { path, filter }: Target, value: Json | undefined): JsonObject {
  const { attribute, part } = path
  if (op !== 'remove' && value === undefined) throw refusal('invalidValue', `an operation \`${op}\` has a value`)
  const stored = findValue(resource, path)
  const next = attribute.many
    ? ofMany(attribute, { op, part, filter, value }, (stored ?? []) as readonly Json[])
    : ofOne(attribute, { op, part, value }, stored)
  if (next === undefined && attribute.required)
    throw refusal('mutability', `${quote(attribute.name)} is required, and cannot be removed`)
  return withValue(resource, path, next)
}

interface OnAttribute {
  readonly op: Op
  readonly part: Attribute | undefined
  readonly value: Json | undefined
}

/** An attribute with one value after an operation. */
function ofOne(attribute: Attribute, { op, part, value }: OnAttribute, stored: Json | undefined): Json | undefined {
  if (part !== undefined) return withPart((stored ?? {}) as JsonObject, part, op === 'remove' ? undefined : value)
  if (op === 'remove' || isNone(value)) return undefined
  if (attribute.type !== 'complex' || !isObject(value)) return readValue(attribute, value!)
  return merged(attribute, stored as JsonObject | undefined, value)
}

/** A complex value with the parts that were sent: null takes one away. */
function merged(attribute: Attribute, stored: JsonObject = {}, sent: JsonObject): JsonObject | undefined {
  let next: JsonObject | undefined = stored
  for (const [name, value] of Object.entries(sent)) {
    const part = findPart(attribute, name)
    if (part !== undefined && part.mutability !== 'readOnly') next = withPart(next ?? {}, part, value)
  }
  return next
}

/** A complex value with another value of a part; undefined when nothing is left. */
function withPart(stored: JsonObject, part: Attribute, value: Json | undefined): JsonObject | undefined {
  const next = withMember(stored, part.name, isNone(value) ? undefined : readValue(part, value!))
  return Object.keys(next).length === 0 ? undefined : next
}

/** An attribute with many values after an operation. */
function ofMany(
  attribute: Attribute,
  { op, part, filter, value }: OnAttribute & { readonly filter: Filter | undefined },
  stored: readonly Json[],
): readonly Json[] | undefined {
  const isTarget = (one: Json): boolean => filter === undefined || (isObject(one) && holds(filter, one))
  if (part === undefined && filter === undefined) {
    if (op === 'replace') return readAttribute(attribute, value!) as readonly Json[] | undefined
    const sent = isNone(value) ? [] : ((readAttribute(attribute, value!) ?? []) as readonly Json[])
    if (op === 'add') return added(attribute, stored, sent)
    // one provider names in `value` what is to be removed
    return isNone(value)
      ? undefined
      : settleValues(
          attribute,
          stored.filter((one) => !sent.some((gone) => isSame(one, gone))),
        )
  }
  if (op === 'remove') {
    const left = stored.flatMap((one) => {
      if (!isTarget(one)) return [one]
      return part === undefined ? [] : (withPart(one as JsonObject, part, undefined) ?? [])
    })
    return settleValues(attribute, left)
  }
  if (!stored.some(isTarget)) {
    // of values that are not there one is made, as far as the filter says which
    const base = filter === undefined ? {} : op === 'add' ? makeSample(filter) : undefined
    if (base === undefined) throw refusal('noTarget', `no value of ${quote(attribute.name)} is as the path says`)
    const made = part ? withPart(base, part, value) : merged(attribute, base, asObject(attribute, value!))
    return added(attribute, stored, made === undefined ? [] : [made])
  }
  const changed: Json[] = []
  const next = stored.flatMap((one) => {
    if (!isTarget(one)) return [one]
    const base = op === 'replace' && part === undefined ? {} : (one as JsonObject)
    const made = part ? withPart(base, part, value) : merged(attribute, base, asObject(attribute, value!))
    if (made !== undefined) changed.push(made)
    return made ?? []
  })
  return settleValues(attribute, withOnePrimary(next, changed))
}

const asObject = (attribute: Attribute, value: Json): JsonObject => {
  const one = Array.isArray(value) && value.length === 1 ? (value[0] as Json) : value
  const read = readValue(attribute, one)
  return isObject(read) ? read : {}
}

const added = (attribute: Attribute, stored: readonly Json[], sent: readonly Json[]): readonly Json[] | undefined =>
  readAttribute(attribute, withOnePrimary([...stored, ...sent], sent)) as readonly Json[] | undefined

/** A new primary value takes the place of the one before (RFC 7644, 3.5.2). */
function withOnePrimary(all: readonly Json[], changed: readonly Json[]): readonly Json[] {
  const isPrimary = (one: Json): boolean => isObject(one) && one.primary === true
  if (!changed.some(isPrimary)) return all
  return all.map((one) => (isPrimary(one) && !changed.includes(one) ? { ...(one as JsonObject), primary: false } : one))
}

/** Whether a stored value has all parts of another one. */
const isSame = (stored: Json, wanted: Json): boolean =>
  isObject(stored) && isObject(wanted)
    ? Object.entries(wanted).every(([name, value]) => stored[name] === value)
    : stored === wanted

/** A value that makes the filter true, where the filter says exactly which. */
function makeSample(filter: Filter): JsonObject | undefined {
  if (filter.kind === 'compare' && filter.operator === 'eq' && filter.value !== null)
    return { [filter.path.attribute.name]: filter.value }
  if (filter.kind !== 'and') return undefined
  const samples = filter.items.map(makeSample)
  return samples.includes(undefined) ? undefined : Object.assign({}, ...samples)
}
