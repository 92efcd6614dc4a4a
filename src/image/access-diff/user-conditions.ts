// Conditions for one user in one tenant, by what one image has stored: whatever a question sends stays open
// (docs/access-diff.md). The keys of the user and of the tenant are known, but are written out next to something
// open, so that what is left is the same for all users for whom it means the same.
import { findMember, type Operand, plain } from '../../filters/meaning/operators.ts'
import { isOfType } from '../../model/attribute-types.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import type { ForeignMatch, Side } from '../filter/residuals.ts'
import { all, type Part } from '../filter/simplify.ts'
import { type Declared, type Open, OpenConditions, type StoredKeys } from './open-conditions.ts'

/** What conditions read of a user in a tenant. */
export interface Seen {
  readonly user: string
  readonly attributes: JsonObject
  /** tenant roles assigned in the tenant */
  readonly roles: readonly string[]
  readonly tenants: readonly string[]
  readonly tenant: string
  /** D6: none when the user does not belong to the tenant */
  readonly tenantAttributes: JsonObject
}

/** What conditions read of one image apart from the user. */
export interface Stored {
  readonly declared: Declared
  /** ms since 1970: `context.now`, where the images are compared at two instants */
  readonly now: number | undefined
  /** the attributes of a stored instance; undefined when the instance does not exist */
  instance(type: string, key: string): JsonObject | undefined
  /** marks the keys of a type whose instances change in one of these attributes */
  storedAs(type: string, attributes: readonly string[]): Pick<StoredKeys, 'as'>
}

export class UserConditions extends OpenConditions {
  readonly #seen: Seen
  readonly #stored: Stored
  readonly #isOpen: (attribute: string) => boolean

  /** @param isOpen whether a stored attribute of the user is open, because a question may send another value */
  constructor(type: string, stored: Stored, seen: Seen, isOpen: (attribute: string) => boolean) {
    super(type, stored.declared, stored.now)
    this.#seen = seen
    this.#stored = stored
    this.#isOpen = isOpen
  }

  /** The value of a path of the user, as a check without attributes reads it. */
  userValue(names: readonly string[]): Json | undefined {
    return this.userSide(names).known?.value
  }

  protected override userSide(names: readonly string[]): Side<Open> {
    const seen = this.#seen
    const [name = ''] = names
    switch (name) {
      case 'key':
        return names.length > 1
          ? MISSING
          : { known: plain(seen.user), term: { of: 'user', path: names, type: 'string' } }
      case 'roles':
        return names.length > 1 ? MISSING : { known: plain(seen.roles) }
      case 'tenants':
        return names.length > 1 ? MISSING : { known: plain(seen.tenants) }
      default:
        return this.#isOpen(name) ? super.userSide(names) : { known: this.#read(USER_TYPE, seen.attributes, names) }
    }
  }

  protected override tenantSide(names: readonly string[]): Side<Open> {
    const seen = this.#seen
    if (names[0] !== 'key') return { known: this.#read(TENANT_TYPE, seen.tenantAttributes, names) }
    return names.length > 1
      ? MISSING
      : { known: plain(seen.tenant), term: { of: 'tenant', path: names, type: 'string' } }
  }

  /** A declared attribute: of another type it is missing (D7). */
  #read(type: string, attributes: JsonObject, names: readonly string[]): Operand {
    const [name = ''] = names
    const declared = this.declared(type, name)
    if (!isOfType(findMember(attributes, [name]), declared)) return plain(undefined)
    return { value: findMember(attributes, names), time: names.length === 1 && declared === 'time' }
  }

  protected override foreignMatch(match: ForeignMatch, left: Side<Open>): Part<Open> {
    if (left.known === undefined) return super.foreignMatch(match, left)
    const { of, foreignType: type, members } = match
    return this.each(of, left.known, (item) => {
      const instance = typeof item === 'string' ? this.#stored.instance(type, item) : undefined
      if (instance === undefined) return false
      return all(members.map(({ names, test }) => this.test(test, { known: this.#read(type, instance, names) })))
    })
  }

  protected override storedAs(type: string, attributes: readonly string[]): Pick<StoredKeys, 'as'> {
    return this.#stored.storedAs(type, attributes)
  }
}

const MISSING: Side<Open> = { known: plain(undefined) }
