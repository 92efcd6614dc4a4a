// A model as a policy. A relation that users have by tuples or over other objects is a role on instances; every relation
// that is asked about is an action, which all roles have that give it. A derivation asks for exactly its source, so "or"
// becomes one derivation for each role that gives the relation.
import { ClaimedKeys } from '../frame/claimed-keys.ts'
import type { Imported } from '../frame/importer.ts'
import { encodeKey } from '../frame/keys.ts'
import type { Model, Relation, Restriction } from './model.ts'

export class PolicyOfModel {
  readonly #model: Model
  readonly #keys = new ClaimedKeys()

  constructor(model: Model) {
    this.#model = model
    // all of them before any is used: their keys may meet
    for (const relation of model.all()) this.#listRelations(relation)
  }

  /** Whether tuples of the relation say that a user has it: everyone, where there is one type of users. */
  canHold(relation: Relation, { isWildcard }: Pick<Restriction, 'isWildcard'>): boolean {
    return relation.isDirect && this.#model.isHeld(relation) && (!isWildcard || this.#model.subjects.size === 1)
  }

  /** The key of the relation between instances that a tuple of an object is; undefined where it is not one. */
  findRelation(
    relation: Relation,
    { type, relation: of, isWildcard }: Omit<Restriction, 'condition'>,
  ): string | undefined {
    const model = this.#model
    if (isWildcard || !model.isObjectType(type)) return undefined
    if (of !== undefined)
      return relation.isDirect
        ? this.#key(relation, `${relation.name}#${type}#${of}`, [relation.name, type, of])
        : undefined
    if (!model.isLink(relation)) return undefined
    const types = new Set(relation.restrictions.filter((each) => each.relation === undefined).map((each) => each.type))
    const parts = types.size === 1 ? [relation.name] : [relation.name, type]
    return this.#key(relation, parts.length === 1 ? relation.name : `${relation.name}#${type}`, parts)
  }

  toPolicy(): Imported['policy'] {
    const resources = [...this.#model.types].flatMap(([type, relations]) =>
      relations.size === 0 ? [] : [this.#toResource(type, [...relations.values()])],
    )
    return { zerohop: 2, ...(resources.length === 0 ? {} : { resources }) }
  }

  #toResource(type: string, relations: readonly Relation[]): object {
    const held = relations.filter((relation) => this.#model.isHeld(relation))
    const between = relations.flatMap((relation) => this.#listRelations(relation))
    const roles = relations
      .filter((relation) => this.isRole(relation))
      .map((relation) => [encodeKey(relation.name), this.#toRole(relation, held)])
    return {
      ...named(type),
      actions: Object.fromEntries(held.map(({ name }) => [encodeKey(name), displayed(name)])),
      ...(between.length === 0 ? {} : { relations: Object.fromEntries(between) }),
      ...(roles.length === 0 ? {} : { roles: Object.fromEntries(roles) }),
    }
  }

  #toRole(relation: Relation, held: readonly Relation[]): object {
    const permissions = held.filter((each) => this.#model.listGiving(each).includes(relation))
    const derivations = this.#listDerivations(relation)
    const isForEveryone = relation.restrictions.some((each) => each.isWildcard && this.canHold(relation, each))
    return {
      ...displayed(relation.name),
      permissions: permissions.map(({ name }) => encodeKey(name)),
      ...(derivations.length === 0 ? {} : { granted_to: { users_with_role: derivations } }),
      ...(isForEveryone ? { everybody: true } : {}),
    }
  }

  /** Whether it is a role: users have it by tuples or over other objects, and not only by other relations. */
  isRole(relation: Relation): boolean {
    return this.#model.isHeld(relation) && (relation.isDirect || relation.from.length > 0)
  }

  #listDerivations(relation: Relation): readonly object[] {
    const found = new Map<string, object>()
    const derive = (type: string, name: string, linked_by_relation: string | undefined): void => {
      const source = this.#model.find(type, name)
      if (source === undefined || linked_by_relation === undefined) return
      for (const each of this.#model.listGiving(source)) {
        if (!this.isRole(each)) continue
        const derivation = { role: encodeKey(each.name), on_resource: encodeKey(type), linked_by_relation }
        found.set(JSON.stringify(derivation), derivation)
      }
    }
    for (const { link, relation: wanted } of relation.from) {
      const leading = this.#model.find(relation.type, link)
      for (const restriction of leading?.restrictions ?? [])
        if (restriction.relation === undefined)
          derive(restriction.type, wanted, this.findRelation(leading!, restriction))
    }
    for (const restriction of relation.restrictions)
      if (restriction.relation !== undefined)
        derive(restriction.type, restriction.relation, this.findRelation(relation, restriction))
    return [...found.values()]
  }

  /** Relations between instances that tuples of a relation are: key and type of the subject. */
  #listRelations(relation: Relation): readonly (readonly [key: string, subject: string])[] {
    const all = relation.restrictions.flatMap((restriction) => {
      const key = this.findRelation(relation, restriction)
      return key === undefined ? [] : [[key, encodeKey(restriction.type)] as const]
    })
    return [...new Map(all)]
  }

  #key({ type }: Relation, owner: string, parts: readonly string[]): string {
    const key = parts.map((part) => encodeKey(part)).join('_')
    return this.#keys.claim(`relation of ${type}`, key, `\`${owner}\``)
  }
}

const displayed = (name: string) => (encodeKey(name) === name ? {} : { name: name.slice(0, 256) })
const named = (name: string) => ({ key: encodeKey(name), ...displayed(name) })
