// Conditions with what is known of them: one that is true of no more than CASL's, one that is true of no less, and where
// they are not the same. Negation swaps the two, so nothing that is negated becomes wider than it was.

/** Conditions in the form of docs/conditions.md. */
export type Node = Readonly<Record<string, unknown>>

/** Why conditions are not those of CASL. */
export interface Remark {
  readonly reason: string
  readonly nearest: string
}

export interface Bounds {
  /** true of no more than CASL's */
  readonly under: Node
  /** true of no less */
  readonly over: Node
  /** why `under` is not the same */
  readonly narrow: readonly Remark[]
  /** why `over` is not the same */
  readonly wide: readonly Remark[]
}

export const TRUE: Node = { allOf: [] }
export const FALSE: Node = { anyOf: [] }
const isSame = (one: Node, other: Node): boolean => JSON.stringify(one) === JSON.stringify(other)
export const isTrue = (node: Node): boolean => isSame(node, TRUE)
export const isFalse = (node: Node): boolean => isSame(node, FALSE)

/** All of them, as members of one object where their names allow it. */
export function joinAll(nodes: readonly Node[]): Node {
  const parts = nodes.filter((node) => !isTrue(node))
  if (parts.some(isFalse)) return FALSE
  const names = parts.flatMap((node) => Object.keys(node))
  if (parts.length <= 1) return parts[0] ?? TRUE
  return new Set(names).size === names.length ? Object.assign({}, ...parts) : { allOf: parts }
}

export function joinSome(nodes: readonly Node[]): Node {
  const parts = nodes.filter((node) => !isFalse(node))
  if (parts.some(isTrue)) return TRUE
  const [first, ...more] = parts
  return first === undefined ? FALSE : more.length === 0 ? first : { anyOf: parts }
}

export function not(node: Node): Node {
  if (isTrue(node)) return FALSE
  if (isFalse(node)) return TRUE
  const [name, ...more] = Object.keys(node)
  return name === 'not' && more.length === 0 ? (node.not as Node) : { not: node }
}

export const exactly = (node: Node): Bounds => ({ under: node, over: node, narrow: [], wide: [] })

/** What has no equal: nothing when it allows, everything when it takes away. */
export const unknown = (remark: Remark): Bounds => ({ under: FALSE, over: TRUE, narrow: [remark], wide: [remark] })

export const negate = ({ under, over, narrow, wide }: Bounds): Bounds => ({
  ...{ under: not(over), over: not(under), narrow: wide, wide: narrow },
})

/** All of them are true. */
export const every = (all: readonly Bounds[]): Bounds => joinBounds(all, joinAll)
/** One of them is true. */
export const some = (all: readonly Bounds[]): Bounds => joinBounds(all, joinSome)

const joinBounds = (all: readonly Bounds[], join: (nodes: readonly Node[]) => Node): Bounds => ({
  under: join(all.map(({ under }) => under)),
  over: join(all.map(({ over }) => over)),
  narrow: all.flatMap(({ narrow }) => narrow),
  wide: all.flatMap(({ wide }) => wide),
})

/** Of what the attribute holds. */
export const isList = (path: string): Node => ({ [path]: { array_superset: [] } })
export const isScalar = (path: string): Node => ({ [path]: { anyOf: [{ equals: '' }, { 'not-equals': '' }] } })
/** There, and not null. */
export const isPresent = (path: string): Node => joinSome([isScalar(path), isList(path), isObject(path)])
export const isObject = (path: string): Node => ({ [path]: { object_match: { match: {} } } })
