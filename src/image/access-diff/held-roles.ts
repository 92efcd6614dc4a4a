// What roles on instances give without set rules: on the instance itself by its key, and over relations that a question
// sends (D14). The keys of the instances are not written where both images have the same, so that users with roles on
// different instances share a line.
import type { Kernel } from '../../kernel/kernel.ts'
import { CONDITIONAL_FIRST_MAX } from '../../model/limits.ts'
import { directKeys, HeldKeys, type RowRoles, readRowRoles } from '../filter/roles-on-rows.ts'
import { all, any } from '../filter/simplify.ts'
import { resourceKey } from '../records/resource.ts'
import { roleKey } from '../records/role.ts'
import type { Open, Residual } from './open-conditions.ts'
import { shownRole } from './role-graph.ts'

/** What gives the permission in one image: for the resource itself, or for a relation to an instance. */
export interface HeldPart {
  /** `type#role`, or `type` for any role that gives the permission */
  readonly held: string
  /** of the resource to the instance; undefined for the resource itself */
  readonly relation: string | undefined
  readonly keys: readonly string[]
  /** resources on which the user has a role directly, where that stops the derivation */
  readonly direct: readonly string[] | undefined
}

/** By what they are, whatever the keys. */
export type HeldParts = ReadonlyMap<string, HeldPart>
export const NO_PARTS: HeldParts = new Map()

/** The roles of users on instances, in one image. */
export class HeldRoles {
  readonly #kernel: Kernel
  readonly #rowRoles = new Map<number, RowRoles>()
  #held: HeldKeys | undefined

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Whether roles on instances can give the permission to anyone. */
  isGiven(permission: number, type: number): boolean {
    return this.#readRoles(permission, type).roles.length > 0
  }

  #readRoles(permission: number, type: number): RowRoles {
    let roles = this.#rowRoles.get(permission)
    if (roles === undefined) {
      roles = readRowRoles(this.#kernel, permission, type)
      this.#rowRoles.set(permission, roles)
    }
    return roles
  }

  /** @throws LISTING_TOO_LARGE when the user has roles on too many instances */
  findParts(user: number, tenant: number, permission: number, type: number): HeldParts {
    const kernel = this.#kernel
    const row = this.#readRoles(permission, type)
    if (row.roles.length === 0) return NO_PARTS
    const parts = new Map<string, HeldPart>()
    if (this.#held?.user !== user) this.#held = new HeldKeys(kernel, user)
    const held = this.#held
    const typeKey = resourceKey(kernel, type)
    const add = (name: string, part: HeldPart) => {
      if (part.keys.length > 0) parts.set(name, part)
    }
    const own = held.keys(type, tenant, (role) => row.roles.includes(role))
    add(OWN, { held: typeKey, relation: undefined, keys: own, direct: undefined })
    for (const { relation, source, type: of, noDirect } of row.derivations) {
      const role = shownRole(roleKey(kernel, source))
      const direct = noDirect ? directKeys(kernel, { user, tenant, type }) : undefined
      const keys = held.keys(of, tenant, (each) => each === source)
      add(`${relation} ${role} ${noDirect}`, { held: role, relation, keys, direct })
    }
    return parts
  }
}

const OWN = 'own'

/**
 * What the parts of both images leave, over relations and by the key of the resource. Keys are written where both
 * images have the part, and others.
 */
export function heldResiduals(parts: readonly [HeldParts, HeldParts]): {
  readonly byRelation: readonly [Residual, Residual]
  readonly byKey: readonly [Residual, Residual]
} {
  const found = [0, 1].map((side) => {
    const [own, others] = [parts[side]!, parts[1 - side]!]
    const leaf = (name: string, part: HeldPart): Residual => toResidual(part, others.get(name))
    const relations = [...own].filter(([name]) => name !== OWN).map(([name, part]) => leaf(name, part))
    const key = own.get(OWN)
    return { byRelation: any(relations), byKey: key === undefined ? false : leaf(OWN, key) }
  })
  return {
    byRelation: [found[0]!.byRelation, found[1]!.byRelation],
    byKey: [found[0]!.byKey, found[1]!.byKey],
  }
}

function toResidual({ held, relation, keys, direct }: HeldPart, other: HeldPart | undefined): Residual {
  const left = relation === undefined ? KEY : ({ of: 'relation', path: [relation], type: 'array' } as const)
  const leaf: Residual = { op: 'in', left, right: { held, only: listOwnKeys(keys, other?.keys) } }
  if (direct === undefined) return leaf
  const only = listOwnKeys(direct, other?.direct)
  return all<Open>([leaf, { not: { op: 'in', left: KEY, right: { held: 'resource', only } } }])
}
const KEY = { key: true } as const

/** What only one image has, if both have something. */
function listOwnKeys(keys: readonly string[], others: readonly string[] | undefined): readonly string[] {
  if (others === undefined) return []
  const known = new Set(others)
  const only = keys.filter((key) => !known.has(key))
  return only.length <= CONDITIONAL_FIRST_MAX
    ? only
    : [...only.slice(0, CONDITIONAL_FIRST_MAX), `${only.length - CONDITIONAL_FIRST_MAX} more`]
}
