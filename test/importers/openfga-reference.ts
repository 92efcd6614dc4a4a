// What OpenFGA answers, as simple slow code over a model as its API has it: the judge of random stores.
import type { ModelJson, RewriteJson } from '../../src/importers/openfga/parser.ts'
import type { TupleKey } from '../../src/importers/openfga/tuples.ts'

export class OpenFgaReference {
  constructor(
    readonly model: ModelJson,
    readonly tuples: readonly TupleKey[],
    /** whether the condition of a tuple is true */
    readonly isTrue: (
      condition: NonNullable<TupleKey['condition']>,
      context: Readonly<Record<string, unknown>>,
    ) => boolean,
  ) {}

  check(user: string, relation: string, object: string, context: Readonly<Record<string, unknown>>): boolean {
    return this.#check(user, relation, object, context, [])
  }

  #check(
    user: string,
    relation: string,
    object: string,
    context: Readonly<Record<string, unknown>>,
    path: readonly string[],
  ): boolean {
    const here = `${object}#${relation}`
    if (user === here) return true
    if (path.includes(here)) return false
    const [type] = object.split(':')
    const rewrite = this.model.type_definitions.find((each) => each.type === type)?.relations?.[relation]
    if (rewrite === undefined) return false
    const inner = [...path, here]
    const has = (other: string, on: string): boolean => this.#check(user, other, on, context, inner)
    const stored = (name: string): readonly string[] =>
      this.tuples
        .filter((tuple) => tuple.object === object && tuple.relation === name)
        .filter(({ condition }) => condition === undefined || condition === null || this.isTrue(condition, context))
        .map((tuple) => tuple.user)
    const decide = (part: RewriteJson): boolean => {
      if (part.this)
        return stored(relation).some((subject) => {
          const [on = '', other] = subject.split('#')
          return other === undefined ? subject === user || subject === `${user.split(':')[0]}:*` : has(other, on)
        })
      if (part.computedUserset) return has(part.computedUserset.relation ?? '', object)
      if (part.tupleToUserset) {
        const { tupleset, computedUserset } = part.tupleToUserset
        return stored(tupleset.relation ?? '').some((subject) => has(computedUserset.relation ?? '', subject))
      }
      if (part.union) return part.union.child.some(decide)
      if (part.intersection) return part.intersection.child.every(decide)
      return part.difference !== undefined && decide(part.difference.base) && !decide(part.difference.subtract)
    }
    return decide(rewrite)
  }
}
