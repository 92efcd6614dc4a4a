// Types, their relations, and the roles that are derived over them, as a graph, and the part of it that is shown: a
// graph of hundreds of types cannot be read, so the rest is found by putting another type in the middle.
import type { Resource } from './resource-queries.ts'

/** Types and relations that are drawn at once. */
export const TYPES_MAX = 60
export const RELATIONS_MAX = 120

export interface GraphType {
  readonly key: string
  readonly name: string
  readonly actions: number
  readonly roles: number
}

/** Whoever has the role `from` on the subject has `to` on the object. */
export interface Derived {
  readonly from: string
  readonly to: string
  /** not where the user has a role of its own on the object */
  readonly isOnlyWithoutOwn: boolean
}

/** `subject` is `relation` of `object`. */
export interface GraphRelation {
  readonly id: string
  readonly subject: string
  readonly relation: string
  readonly object: string
  readonly derived: readonly Derived[]
}

export interface TypeGraph {
  readonly types: readonly GraphType[]
  readonly relations: readonly GraphRelation[]
}

export interface ShownGraph extends TypeGraph {
  /** that are not shown */
  readonly moreTypes: number
  /** between types that are shown */
  readonly moreRelations: number
}

type GraphSource = Pick<Resource, 'key' | 'name' | 'actions' | 'roles' | 'relations'>

export function makeGraph(resources: readonly GraphSource[]): TypeGraph {
  const types = resources.map(({ key, name, actions, roles }) => {
    return { key, name, actions: Object.keys(actions).length, roles: Object.keys(roles).length }
  })
  return { types, relations: resources.flatMap(listRelations) }
}

function listRelations({ key: object, relations, roles }: GraphSource): GraphRelation[] {
  return Object.entries(relations).map(([relation, { resource: subject }]) => {
    const derived = Object.entries(roles).flatMap(([to, { granted_to }]) =>
      (granted_to?.users_with_role ?? [])
        .filter((rule) => rule.linked_by_relation === relation && rule.on_resource === subject)
        .map(({ role: from, when }) => {
          const isOnlyWithoutOwn = when.no_direct_roles_on_object || granted_to?.when.no_direct_roles_on_object === true
          return { from, to, isOnlyWithoutOwn }
        }),
    )
    return { id: `${object}/${relation}`, subject, relation, object, derived }
  })
}

/**
 * What is shown: with `around` the types that can be reached from it, the nearest first; else all, those that have
 * relations first. At most TYPES_MAX types and RELATIONS_MAX relations between them.
 */
export function shownPart({ types, relations }: TypeGraph, around: string | undefined): ShownGraph {
  const byKey = new Map(types.map((type) => [type.key, type]))
  const isKnown = ({ subject, object }: GraphRelation) => byKey.has(subject) && byKey.has(object)
  const whole = relations.filter(isKnown)
  const order = around !== undefined && byKey.has(around) ? nearest(around, whole) : connectedFirst(types, whole)
  const keys = new Set(order.slice(0, TYPES_MAX))
  const between = whole.filter(({ subject, object }) => keys.has(subject) && keys.has(object))
  const shown = between.slice(0, RELATIONS_MAX)
  return {
    types: types.filter(({ key }) => keys.has(key)),
    relations: shown,
    moreTypes: types.length - keys.size,
    moreRelations: between.length - shown.length,
  }
}

/** Each type once, by its distance from the first, against and along relations. */
function nearest(start: string, relations: readonly GraphRelation[]): readonly string[] {
  const neighbours = new Map<string, string[]>()
  for (const { subject, object } of relations) {
    neighbours.set(subject, [...(neighbours.get(subject) ?? []), object])
    neighbours.set(object, [...(neighbours.get(object) ?? []), subject])
  }
  const found = new Set([start])
  for (const key of found) for (const next of neighbours.get(key) ?? []) found.add(next) // a set is walked as it grows
  return [...found]
}

/** The types in parts without relations between them, the largest first. */
export function listComponents({ types, relations }: TypeGraph): readonly TypeGraph[] {
  const left = new Map(types.map((type) => [type.key, type]))
  const parts: TypeGraph[] = []
  for (const { key } of types) {
    if (!left.has(key)) continue
    const keys = new Set(nearest(key, relations))
    for (const each of keys) left.delete(each)
    parts.push({
      types: types.filter((type) => keys.has(type.key)),
      relations: relations.filter(({ subject }) => keys.has(subject)),
    })
  }
  return parts.toSorted((one, other) => other.types.length - one.types.length)
}

function connectedFirst(types: readonly GraphType[], relations: readonly GraphRelation[]): readonly string[] {
  const connected = new Set(relations.flatMap(({ subject, object }) => [subject, object]))
  return [...new Set([...connected, ...types.map(({ key }) => key)])]
}

/** `owner on folder gives reader on invoice` */
export function derivedText({ subject, object }: GraphRelation, { from, to, isOnlyWithoutOwn }: Derived): string {
  const unless = isOnlyWithoutOwn ? `, unless the user has a direct role on the ${object}` : ''
  return `${from} on ${subject} gives ${to} on ${object}${unless}`
}
