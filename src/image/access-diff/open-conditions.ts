// Conditions with everything open that a question can send, or that facts say: what is left is the normal form by which
// an access diff compares them (docs/access-diff.md). Who knows more overrides the sides of users and tenants.
import { plain } from '../../filters/meaning/operators.ts'
import type { AttributePath } from '../../model/condition.ts'
import { RESOURCE_IDENTITY, TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import type { FilterNode } from '../../model/filter.ts'
import type { AttributeType } from '../../model/objects.ts'
import { FOREIGN_OPERATORS, type ForeignMatch, Residuals, type Side, toTerm } from '../filter/residuals.ts'
import { all, type Part, toNode } from '../filter/simplify.ts'

/**
 * A value that is not known: of the user, the tenant, the context, the action, or of a stored instance that is tested.
 */
export interface OpenPath {
  readonly of: 'user' | 'tenant' | 'context' | 'action' | 'item' | 'relation'
  readonly path: readonly string[]
  /** what the attribute (the first name) is declared as */
  readonly type: AttributeType
}

/** The keys of the stored instances of a type for which `where` is true. */
export interface StoredKeys {
  readonly keysOf: string
  readonly where: FilterNode<Open>
  /** when such instances change, and the list may be another one */
  readonly as?: 'before' | 'after'
}

/** The keys of the stored instances on which the user holds a role. */
export interface HeldKeys {
  /** `type#role`; of any role `type` */
  readonly held: string
  /** what only this image has of them; empty when the two do not differ, or the rule is in one of them only */
  readonly only: readonly string[]
}

export type Open = OpenPath | StoredKeys | HeldKeys

/** What is left of conditions: true, false, or data over what is open. */
export type Residual = Part<Open>

/** The attribute types that a resource type declares. */
export type Declared = (type: string) => Readonly<Record<string, AttributeType>>

export class OpenConditions extends Residuals<Open> {
  /** resource type of the question */
  protected readonly type: string
  readonly #declared: Declared
  readonly #now: number | undefined

  /** @param now ms since 1970: what `context.now` is, where the images are compared at two instants; open otherwise */
  constructor(type: string, declared: Declared, now?: number) {
    super()
    this.type = type
    this.#declared = declared
    this.#now = now
  }

  protected side({ root, names }: AttributePath): Side<Open> {
    if (root === 'user') return this.userSide(names)
    if (root === 'tenant') return this.tenantSide(names)
    if (root === 'context' && names[0] === 'now' && this.#now !== undefined)
      return { known: names.length > 1 ? plain(undefined) : { value: this.#now, time: true } }
    if (root === 'context' || root === 'action') return { term: { of: root, path: names, type: 'json' } }
    const [name = ''] = names
    if (!RESOURCE_IDENTITY.includes(name)) return { term: { path: names, type: this.declared(this.type, name) } }
    if (names.length > 1) return { known: plain(undefined) } // text has no members
    if (name === 'type') return { known: plain(this.type) }
    return name === 'key' ? { term: { key: true } } : this.tenantSide(['key']) // D2: the tenant of the question
  }

  protected userSide(names: readonly string[]): Side<Open> {
    const identity = { key: 'string', roles: 'array', tenants: 'array' } as const
    return this.#principal('user', names, identity, USER_TYPE)
  }

  protected tenantSide(names: readonly string[]): Side<Open> {
    return this.#principal('tenant', names, { key: 'string' }, TENANT_TYPE)
  }

  #principal(
    of: 'user' | 'tenant',
    names: readonly string[],
    identity: Readonly<Record<string, AttributeType>>,
    declaring: string,
  ): Side<Open> {
    const [name = ''] = names
    if (!Object.hasOwn(identity, name)) return { term: { of, path: names, type: this.declared(declaring, name) } }
    return names.length > 1 ? { known: plain(undefined) } : { term: { of, path: names, type: identity[name]! } }
  }

  protected declared(type: string, name: string): AttributeType {
    const types = this.#declared(type)
    return Object.hasOwn(types, name) ? types[name]! : 'json'
  }

  /** Which instances pass is said by what is tested of them, so that none is looked at. */
  protected foreignMatch({ of, foreignType, members }: ForeignMatch, left: Side<Open>): Part<Open> {
    const where = all(
      members.map(({ names, test }) => {
        const type = this.declared(foreignType, names[0] ?? '')
        return this.test(test, { term: { of: 'item', path: names, type } })
      }),
    )
    const right = { keysOf: foreignType, where: toNode(where), ...this.storedAs(foreignType, namesRead(members)) }
    return { op: FOREIGN_OPERATORS[of], left: toTerm(left), right }
  }

  /** Marks the keys of a type whose instances change in one of these attributes. */
  protected storedAs(_type: string, _attributes: readonly string[]): Pick<StoredKeys, 'as'> {
    return {}
  }
}

/** The attributes that a match on stored instances reads of them. */
export const namesRead = (members: ForeignMatch['members']): readonly string[] =>
  members.map(({ names: [name = ''] }) => name)
