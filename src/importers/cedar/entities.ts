// Entities of Cedar: principals become users, what they are in becomes roles, resources become instances. What stands in
// an attribute is stored as it is, an entity there by its key.

import { ZerohopError } from '../../model/errors.ts'
import { DEFAULT_TENANT } from '../../model/keys.ts'
import type { ClaimedKeys } from '../frame/claimed-keys.ts'
import type { Fact } from '../frame/importer.ts'
import { encodeKey } from '../frame/keys.ts'
import { type CedarSchema, type CedarType, formatUid, type Members, type Uid } from './schema.ts'
import { isReadable, MEMBER, RESERVED, toUids } from './values.ts'

interface Entity {
  readonly uid: Uid
  readonly attrs: Readonly<Record<string, unknown>>
  readonly parents: readonly Uid[]
}

export class Entities {
  readonly #all = new Map<string, Entity>()
  readonly #ancestors = new Map<string, ReadonlySet<string>>()
  readonly #roles = new Map<string, Uid>()
  #roleTypes = new Set<string>()

  constructor(
    readonly schema: CedarSchema,
    json: readonly unknown[],
    readonly keys: ClaimedKeys,
  ) {
    for (const each of json as readonly { uid: unknown; attrs?: Entity['attrs']; parents?: unknown[] }[]) {
      const [uid] = toUids(each.uid) ?? []
      if (uid === undefined) continue
      const parents = (each.parents ?? []).flatMap((parent) => toUids(parent) ?? [])
      this.#all.set(formatUid(uid), { uid, attrs: each.attrs ?? {}, parents })
    }
    for (const { uid } of this.#all.values())
      if (this.isPrincipal(uid))
        for (const name of this.#listAncestors(uid)) {
          const group = parseUid(name)
          if (!this.isPrincipal(group)) this.requireRole(group)
        }
  }

  isPrincipal({ type }: Uid): boolean {
    return this.schema.principals.includes(type)
  }

  /** Takes a group of principals for a role. */
  requireRole(uid: Uid): void {
    this.#roles.set(formatUid(uid), uid)
    this.#roleTypes.add(uid.type)
  }

  /** A principal that a policy names is a user, whether it is an entity or not. */
  requireUser(uid: Uid): void {
    if (!this.#all.has(formatUid(uid))) this.#all.set(formatUid(uid), { uid, attrs: {}, parents: [] })
  }

  hasMembers(type: string): boolean {
    return [...this.#all.values()].some(({ parents }) => parents.some((parent) => parent.type === type))
  }

  /** The key of what a user or an instance is here. */
  toKey(uid: Uid): string {
    const isUser = this.isPrincipal(uid)
    const name = isUser && this.schema.principals.length > 1 ? `${uid.type}|${uid.id}` : uid.id
    return encodeKey(name, isUser && !this.schema.resources.includes(uid.type) ? 'user' : 'ordinary')
  }

  toRoleKey(uid: Uid): string {
    const key = encodeKey(this.#roleTypes.size > 1 ? `${uid.type}_${uid.id}` : uid.id)
    return this.keys.claim('role', key, `the role of ${formatUid(uid)}`)
  }

  list(type: string): readonly Uid[] {
    return [...this.#all.values()].filter(({ uid }) => uid.type === type).map(({ uid }) => uid)
  }

  /** Keys of principals that are this one or in it; of a group of other types its roles say so. */
  listUsersIn(uid: Uid, type: string): readonly string[] {
    if (!this.isPrincipal(uid)) return []
    return this.#listIn(uid, type).map((each) => this.toKey(each))
  }

  /** Keys of the roles of a group and of the groups in it. */
  listRolesIn(uid: Uid): readonly string[] {
    if (this.isPrincipal(uid)) return []
    const name = formatUid(uid)
    const below = [...this.#roles.values()].filter(
      (role) => formatUid(role) !== name && this.#listAncestors(role).has(name),
    )
    return [uid, ...below].map((role) => this.toRoleKey(role))
  }

  listKeysIn(uid: Uid, type: string): readonly string[] {
    return this.#listIn(uid, type).map((each) => this.toKey(each))
  }

  #listIn(uid: Uid, type: string): readonly Uid[] {
    const name = formatUid(uid)
    const below = this.list(type).filter((each) => formatUid(each) !== name && this.#listAncestors(each).has(name))
    return uid.type === type ? [uid, ...below] : below
  }

  toRoles(permissions: ReadonlyMap<string, ReadonlySet<string>>): readonly object[] {
    return [...this.#roles.values()].map((uid) => {
      const key = this.toRoleKey(uid)
      const parents = this.#listRolesAbove(uid)
      const own = [...(permissions.get(key) ?? [])].sort()
      return {
        key,
        ...(uid.id === key ? {} : { name: uid.id.slice(0, 256) }),
        ...(own.length === 0 ? {} : { permissions: own }),
        ...(parents.length === 0 ? {} : { extends: parents }),
      }
    })
  }

  *listFacts(): Iterable<Fact> {
    const tenant = DEFAULT_TENANT
    const { principals, resources } = this.schema
    const all = [...this.#all.values()]
    for (const { uid, attrs } of all)
      if (principals.includes(uid.type))
        yield { kind: 'user', fact: { key: this.toKey(uid), ...this.#attributes('user', uid, attrs) } }
    for (const { uid, attrs } of all)
      if (resources.includes(uid.type))
        yield {
          kind: 'resource_instance',
          fact: {
            resource: encodeKey(uid.type),
            key: this.toKey(uid),
            tenant,
            ...this.#attributes('resource', uid, attrs),
          },
        }
    for (const { uid } of all)
      if (principals.includes(uid.type))
        for (const role of this.#listRolesAbove(uid))
          yield { kind: 'role_assignment', fact: { user: this.toKey(uid), role, tenant } }
  }

  /** Roles that this is in by itself, or by a principal that it is in. */
  #listRolesAbove(uid: Uid): readonly string[] {
    const found = new Set<string>()
    const seen = new Set<string>()
    const walk = (at: Uid): void => {
      for (const parent of this.#all.get(formatUid(at))?.parents ?? []) {
        const name = formatUid(parent)
        if (seen.has(name)) continue
        seen.add(name)
        if (this.#roles.has(name)) found.add(this.toRoleKey(parent))
        else walk(parent)
      }
    }
    walk(uid)
    return [...found].sort()
  }

  #attributes(root: 'user' | 'resource', uid: Uid, attrs: Entity['attrs']): object {
    const attributes = this.convertMembers(this.schema.entities.get(uid.type) ?? new Map(), attrs, RESERVED[root])
    return Object.keys(attributes).length === 0 ? {} : { attributes }
  }

  /** Values as they are stored or sent. */
  convertMembers(
    members: Members,
    values: Readonly<Record<string, unknown>>,
    reserved: ReadonlySet<string> = new Set(),
  ): Readonly<Record<string, unknown>> {
    const made: [string, unknown][] = []
    for (const [name, { type }] of members)
      if (Object.hasOwn(values, name) && MEMBER.test(name) && !reserved.has(name) && isReadable(type))
        made.push([name, this.#convert(values[name], type)])
    return Object.fromEntries(made)
  }

  #convert(value: unknown, type: CedarType): unknown {
    if (type.kind === 'Set') return (value as readonly unknown[]).map((item) => this.#convert(item, type.of))
    if (type.kind === 'Record') return this.convertMembers(type.members, value as Readonly<Record<string, unknown>>)
    if (type.kind === 'Entity') {
      const [uid] = toUids(value) ?? []
      return uid === undefined ? value : this.toKey(uid)
    }
    if (type.kind === 'Long' && !Number.isSafeInteger(value))
      throw new ZerohopError('INPUT_INVALID', { reason: `the number ${value} is beyond what attributes hold` })
    return value
  }

  #listAncestors(uid: Uid): ReadonlySet<string> {
    const name = formatUid(uid)
    const known = this.#ancestors.get(name)
    if (known !== undefined) return known
    const found = new Set((this.#all.get(name)?.parents ?? []).map(formatUid))
    for (const each of found) for (const parent of this.#all.get(each)?.parents ?? []) found.add(formatUid(parent))
    this.#ancestors.set(name, found)
    return found
  }
}

function parseUid(name: string): Uid {
  const at = name.indexOf('::"')
  return { type: name.slice(0, at), id: JSON.parse(name.slice(at + 2)) as string }
}
