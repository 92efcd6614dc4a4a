// What a model means, as far as it can be said here: for each relation the ways that lead to it. Intersections and
// exclusions are left out as a whole, so no way is wider than it was; every way only ever adds.

import type { ModelFile } from './model-files.ts'
import type { ConditionJson, RestrictionJson, RewriteJson } from './parser.ts'
import type { Definition } from './places.ts'

/** A type whose subjects can be written into a relation. */
export interface Restriction {
  readonly type: string
  /** of a userset, `group#member` */
  readonly relation: string | undefined
  readonly isWildcard: boolean
  readonly condition: string | undefined
}

/** `relation from link` */
export interface From {
  readonly link: string
  readonly relation: string
}

/** A part of a definition that has no equal. */
export interface LeftOut {
  readonly text: string
  readonly kind: 'and' | 'but not'
}

export interface Relation {
  readonly type: string
  readonly name: string
  /** tuples of it give it; false where they only count together with something else */
  readonly isDirect: boolean
  readonly restrictions: readonly Restriction[]
  /** relations of the same object that give it */
  readonly computed: readonly string[]
  readonly from: readonly From[]
  readonly leftOut: readonly LeftOut[]
  readonly definition: Definition
}

export class Model {
  readonly types: ReadonlyMap<string, ReadonlyMap<string, Relation>>
  readonly conditions: ReadonlyMap<string, ConditionJson>
  /** `type#relation` that others are made of */
  readonly #referenced = new Set<string>()
  /** `type#relation` that lead from an object to others */
  readonly #links = new Set<string>()
  readonly #asked: ReadonlySet<string>
  readonly #held = new Set<string>()
  readonly #giving = new Map<Relation, readonly Relation[]>()
  /** types that are asked about as users */
  readonly subjects: ReadonlySet<string>

  /**
   * @param asked `type#relation` that tests ask about
   * @param askers types of the users of tests
   */
  constructor({ json, definitions }: ModelFile, asked: ReadonlySet<string>, askers: Iterable<string>) {
    const types = new Map<string, ReadonlyMap<string, Relation>>()
    this.types = types
    this.conditions = new Map(Object.entries(json.conditions ?? {}))
    this.#asked = asked
    for (const { type, relations, metadata } of json.type_definitions) {
      const all = Object.entries(relations ?? {}).map(([name, rewrite]): Relation => {
        const restrictions = metadata?.relations?.[name]?.directly_related_user_types ?? []
        return {
          ...{ type, name, restrictions: restrictions.map(toRestriction), definition: definitions(`${type}#${name}`) },
          ...readWays(rewrite),
        }
      })
      types.set(type, new Map(all.map((relation) => [relation.name, relation])))
    }
    for (const { type, relations } of json.type_definitions)
      for (const [name, rewrite] of Object.entries(relations ?? {})) this.#addReferences(type, name, rewrite)
    this.subjects = this.#findSubjects(askers)
  }

  /** A relation that names a type of users is held by them, and makes users of the other types in it, too. */
  #findSubjects(askers: Iterable<string>): ReadonlySet<string> {
    const subjects = new Set(askers)
    for (let before = -1; before < subjects.size; ) {
      before = subjects.size
      for (const relation of this.all()) {
        const { type, name, restrictions } = relation
        const plain = restrictions.filter((each) => each.relation === undefined)
        if (!this.#isHeldAnyhow(relation) && !plain.some((each) => subjects.has(each.type))) continue
        this.#held.add(`${type}#${name}`)
        for (const each of plain) subjects.add(each.type)
      }
    }
    return subjects
  }

  *all(): Iterable<Relation> {
    for (const relations of this.types.values()) yield* relations.values()
  }

  find(type: string, name: string): Relation | undefined {
    return this.types.get(type)?.get(name)
  }

  /** Types with relations are resource types; the others are only users. */
  isObjectType(type: string): boolean {
    return (this.types.get(type)?.size ?? 0) > 0
  }

  /** Whether users have the relation. The others only lead from one object to others, such as `parent: [folder]`. */
  isHeld({ type, name }: Pick<Relation, 'type' | 'name'>): boolean {
    return this.#held.has(`${type}#${name}`)
  }

  #isHeldAnyhow(relation: Relation): boolean {
    const { type, name, restrictions } = relation
    return (
      this.#referenced.has(`${type}#${name}`) ||
      this.#asked.has(`${type}#${name}`) ||
      !isPlain(relation) ||
      restrictions.some((each) => each.isWildcard || each.relation !== undefined || !this.isObjectType(each.type))
    )
  }

  /** Whether its tuples lead to other objects. */
  isLink(relation: Relation): boolean {
    return this.#links.has(`${relation.type}#${relation.name}`) || !this.isHeld(relation)
  }

  /** Relations of the type that give this one: itself, those that it names, and so on. */
  listGiving(relation: Relation): readonly Relation[] {
    const known = this.#giving.get(relation) ?? this.#findGiving(relation)
    this.#giving.set(relation, known)
    return known
  }

  #findGiving({ type, name }: Relation): readonly Relation[] {
    const found = new Map<string, Relation>()
    const open = [name]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const relation = this.find(type, next)
      if (relation === undefined || found.has(next)) continue
      found.set(next, relation)
      open.push(...relation.computed)
    }
    return [...found.values()]
  }

  #addReferences(type: string, name: string, rewrite: RewriteJson): void {
    const { computedUserset, tupleToUserset, union, intersection, difference } = rewrite
    if (computedUserset) this.#referenced.add(`${type}#${computedUserset.relation}`)
    if (tupleToUserset) {
      const link = tupleToUserset.tupleset.relation ?? ''
      this.#links.add(`${type}#${link}`)
      for (const { type: other } of this.find(type, link)?.restrictions ?? [])
        this.#referenced.add(`${other}#${tupleToUserset.computedUserset.relation}`)
    }
    for (const { type: other, relation } of this.find(type, name)?.restrictions ?? [])
      if (relation !== undefined) this.#referenced.add(`${other}#${relation}`)
    const parts = [...(union?.child ?? []), ...(intersection?.child ?? [])]
    if (difference) parts.push(difference.base, difference.subtract)
    for (const part of parts) this.#addReferences(type, name, part)
  }
}

const isPlain = ({ isDirect, computed, from, leftOut }: Relation): boolean =>
  isDirect && computed.length === 0 && from.length === 0 && leftOut.length === 0

function toRestriction({ type, relation, wildcard, condition }: RestrictionJson): Restriction {
  return {
    ...{ type, isWildcard: wildcard !== undefined && wildcard !== null },
    relation: relation === '' ? undefined : relation,
    condition: condition === '' ? undefined : condition,
  }
}

function readWays(rewrite: RewriteJson): Pick<Relation, 'isDirect' | 'computed' | 'from' | 'leftOut'> {
  const ways = { isDirect: false, computed: [] as string[], from: [] as From[], leftOut: [] as LeftOut[] }
  const open = [rewrite]
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { computedUserset, tupleToUserset, union } = next
    if (next.this) ways.isDirect = true
    else if (computedUserset) ways.computed.push(computedUserset.relation ?? '')
    else if (tupleToUserset)
      ways.from.push({
        link: tupleToUserset.tupleset.relation ?? '',
        relation: tupleToUserset.computedUserset.relation ?? '',
      })
    else if (union) open.push(...union.child)
    else ways.leftOut.push({ text: print(next, false), kind: next.difference ? 'but not' : 'and' })
  }
  return ways
}

function print(rewrite: RewriteJson, isInner: boolean): string {
  const { computedUserset, tupleToUserset, union, intersection, difference } = rewrite
  if (computedUserset) return computedUserset.relation ?? ''
  if (tupleToUserset) return `${tupleToUserset.computedUserset.relation} from ${tupleToUserset.tupleset.relation}`
  const parts = difference ? [difference.base, difference.subtract] : (union ?? intersection)?.child
  if (parts === undefined) return '[…]'
  const word = difference ? ' but not ' : union ? ' or ' : ' and '
  const text = parts.map((part) => print(part, true)).join(word)
  return isInner ? `(${text})` : text
}
