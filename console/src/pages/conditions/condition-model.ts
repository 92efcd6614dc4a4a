// Conditions as the builder shows them, read from their JSON and written back: groups, and tests of one attribute each.
// What it cannot show stays JSON, and what was not touched is written back as it was. The grammar is
// docs/conditions.md; whether conditions are right is for the server to say. Nothing here knows the page.
import { CONDITION_DEPTH_MAX, CONDITION_NODES_MAX, GROUPS, MATCHES, OPERATORS, type Operator } from 'zerohop/conditions'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }
export type Conditions = { readonly [member: string]: Json }

export interface Group {
  readonly is: 'group'
  /** `not`: not all of the items are true */
  readonly of: 'all' | 'any' | 'not'
  readonly items: readonly Node[]
  /** as it was written, until something in it is changed */
  readonly json?: Json
}

export interface Test {
  readonly is: 'test'
  readonly attribute: string
  readonly operator: Operator
  /** the right side as in the JSON: a constant, or `{ ref: attribute }` */
  readonly value: Json
  readonly json?: Json
}

/** What the builder cannot show. */
export interface Opaque {
  readonly is: 'json'
  readonly json: Json
  /** why, as the end of a sentence */
  readonly because: string
}

export type Node = Group | Test | Opaque
/** Where a node is: the index in each group, from the outermost one. */
export type Place = readonly number[]

export const NOTHING: Group = { is: 'group', of: 'all', items: [], json: {} }
const MATCH = 'it tests values inside a list or object'
const TOO_DEEP = `it's nested deeper than ${CONDITION_DEPTH_MAX} levels`
const TOO_MANY = `there are more than ${CONDITION_NODES_MAX} conditions`
const UNKNOWN = "its format isn't valid for conditions"

/** The outermost node is always a group. */
export function readConditions(json: Json): Group {
  const node = new Reader().node(json, 1)
  return node.is === 'group' ? node : { is: 'group', of: 'all', items: [node], json }
}

class Reader {
  #left: number = CONDITION_NODES_MAX

  node(json: Json, depth: number): Node {
    if (!isObject(json)) return { is: 'json', json, because: UNKNOWN }
    if (depth > CONDITION_DEPTH_MAX) return { is: 'json', json, because: TOO_DEEP }
    if (--this.#left < 0) return { is: 'json', json, because: TOO_MANY }
    const members = Object.entries(json)
    const [only] = members
    if (members.length === 1 && only) return as(this.#member(only, depth), json)
    return { is: 'group', of: 'all', items: members.map((member) => this.#member(member, depth)), json }
  }

  #member([name, value]: readonly [string, Json], depth: number): Node {
    const json = { [name]: value }
    const of = name === 'not' ? 'not' : GROUPS.get(name)
    if (of === undefined) return this.#test(name, value, depth + 1)
    if (of !== 'not' && !Array.isArray(value)) return { is: 'json', json, because: UNKNOWN }
    const items: readonly Json[] = Array.isArray(value) ? value : [value]
    return { is: 'group', of, items: items.map((item) => this.node(item, depth + 1)), json }
  }

  /** The tests of one attribute; several are all required. */
  #test(attribute: string, test: Json, depth: number): Node {
    const json = { [attribute]: test }
    if (!isObject(test) || Object.keys(test).length === 0) return { is: 'json', json, because: UNKNOWN }
    if (depth > CONDITION_DEPTH_MAX) return { is: 'json', json, because: TOO_DEEP }
    const tests = Object.entries(test).map((member) => this.#testMember(attribute, member, depth))
    return as(tests.length === 1 && tests[0] ? tests[0] : { is: 'group', of: 'all', items: tests }, json)
  }

  /** A group of tests becomes a group of nodes about the same attribute, which means the same. */
  #testMember(attribute: string, [name, value]: readonly [string, Json], depth: number): Node {
    const json = { [attribute]: { [name]: value } }
    const items: readonly Json[] = Array.isArray(value) ? value : [value]
    const group = GROUPS.get(name)
    if (group !== undefined && Array.isArray(value))
      return { is: 'group', of: group, items: items.map((item) => this.#test(attribute, item, depth + 1)), json }
    if (name === 'not') return { ...this.#negated(attribute, items, depth), json }
    if (MATCHES.has(name)) return { is: 'json', json, because: MATCH }
    if (!Object.hasOwn(OPERATORS, name)) return { is: 'json', json, because: UNKNOWN }
    return { is: 'test', attribute, operator: name as Operator, value, json }
  }

  /** `not` of values: the attribute equals none of them. */
  #negated(attribute: string, items: readonly Json[], depth: number): Group {
    if (!items.every((item) => !isObject(item)))
      return { is: 'group', of: 'not', items: items.map((item) => this.#test(attribute, item, depth + 1)) }
    const equal = items.map((value): Test => ({ is: 'test', attribute, operator: 'equals', value }))
    return { is: 'group', of: 'not', items: equal.length === 1 ? equal : [{ is: 'group', of: 'any', items: equal }] }
  }
}

const isObject = (json: Json): json is Conditions => typeof json === 'object' && json !== null && !Array.isArray(json)

const as = (node: Node, json: Json): Node => (node.is === 'json' ? node : { ...node, json })

/** The JSON of a node. */
export function writeConditions(node: Node): Json {
  if (node.json !== undefined) return node.json
  if (node.is === 'test') return { [node.attribute]: { [node.operator]: node.value } }
  const items = (node as Group).items.map(writeConditions)
  if ((node as Group).of === 'all') return { allOf: items }
  if ((node as Group).of === 'any') return { anyOf: items }
  return { not: items.length === 1 && items[0] !== undefined ? items[0] : items }
}

/** The conditions of a whole set: without any it has everybody. */
export const writeSet = (root: Group): Json =>
  root.of === 'all' && root.items.length === 0 ? {} : writeConditions(root)

/** The group with the node at a place changed; undefined takes it away. */
export function changeAt(root: Group, [at, ...rest]: Place, change: (node: Node) => Node | undefined): Group {
  if (at === undefined) {
    const changed = change(root)
    return changed?.is === 'group' ? changed : NOTHING
  }
  const items = root.items.flatMap((item, index) => {
    if (index !== at) return [item]
    if (rest.length > 0) return item.is === 'group' ? [changeAt(item, rest, change)] : [item]
    return change(item) ?? []
  })
  return { is: 'group', of: root.of, items }
}

export const addTo = (root: Group, place: Place, node: Node): Group =>
  changeAt(root, place, (group) =>
    group.is === 'group' ? { is: 'group', of: group.of, items: [...group.items, node] } : group,
  )

/** Whether the API takes one more node in the group at a place: a test, or a group with a test in it. */
export function hasRoom(place: Place, of: 'test' | 'group'): boolean {
  // the group, the item in it, its test; a group has one level more
  return place.length + 1 + (of === 'test' ? 2 : 3) <= CONDITION_DEPTH_MAX
}

/** Everything in a group that stays JSON. */
export function opaqueIn(node: Node): readonly Opaque[] {
  if (node.is === 'json') return [node]
  return node.is === 'test' ? [] : node.items.flatMap(opaqueIn)
}

/** The attributes that tests in a group read, on both sides. */
export function attributesIn(node: Node): readonly string[] {
  if (node.is === 'json') return []
  if (node.is === 'group') return node.items.flatMap(attributesIn)
  const { value } = node
  const ref = isObject(value) ? value.ref : undefined
  return [node.attribute, ...(typeof ref === 'string' ? [ref] : [])]
}
