// What is left of one question in both images, for one user in one tenant, and what kind of change the two are
// (docs/access-diff.md): none, a flip that is listed with the users, or one that depends on what is sent.
import type { Kernel } from '../../kernel/kernel.ts'
import { isZerohopError } from '../../model/errors.ts'
import type { Term } from '../../model/filter.ts'
import { any, eachLeaf } from '../filter/simplify.ts'
import { findSymbol } from '../look-up.ts'
import { permissionOfRole } from '../records/role.ts'
import type { LineTexts } from './conditional-lines.ts'
import { type ChangedInstance, isMoved, type ReachOfChanges } from './conditional-reach.ts'
import { type HeldParts, HeldRoles, heldResiduals, NO_PARTS } from './held-roles.ts'
import { normalForm, toComparableText } from './normal-form.ts'
import type { Objects } from './objects.ts'
import type { Open, Residual, StoredKeys } from './open-conditions.ts'
import { formatResidual, formatResiduals } from './residual-text.ts'
import { type CopiedSide, type HeldResidual, type ParsedRule, reduceRules, StoredSide } from './stored-side.ts'
import { FIRST_SIDE, type Instants, SIDES, type SideNumber } from './twins.ts'
import { type Seen, UserConditions } from './user-conditions.ts'
import { collectUserReads, computeSignature, type UserReads } from './user-reads.ts'

/** A permission, in the ids of both images; 0 where it is unknown. */
export interface AskedPermission {
  readonly number: number
  readonly ids: readonly [number, number]
  /** key of its resource type */
  readonly type: string
  /** records of the type */
  readonly types: readonly [number, number]
  readonly rules: readonly [readonly ParsedRule[], readonly ParsedRule[]]
  readonly reads: readonly [UserReads, UserReads]
  /** roles on instances among the user sets, with the ids of the permissions that stand for them */
  readonly held: readonly { readonly role: string; readonly ids: readonly [number, number] }[]
}

/** What the user holds, in one image: for the permission itself under an empty name, and for each role in `held`. */
type PartsByName = ReadonlyMap<string, HeldParts>
const NO_ROLES: PartsByName = new Map()
const OF_PERMISSION = ''

/** A user in a tenant, in numbers. */
export interface AskedUser {
  readonly user: number
  readonly tenant: number
}

/** What is left in both images; `refused` when one could not be made, with the reason. */
export interface Pair {
  readonly residuals: readonly [before: Residual, after: Residual]
  readonly refused?: string
  /** whether the two mean the same */
  readonly isSame: boolean
  /** equal for pairs that make the same line */
  readonly name: string
}

/** Which stored attributes of a user are open. */
type IsOpen = (attribute: string) => boolean
const CLOSED: IsOpen = () => false

export class ResidualPairs {
  readonly #objects: Objects
  readonly #sides: readonly [StoredSide, StoredSide]
  readonly #held: readonly [HeldRoles, HeldRoles]

  readonly #reach: ReachOfChanges
  /** what the rules of a permission read of a user, in each image; of the last one */
  readonly #own: { asked?: AskedPermission; user?: number; texts: readonly [Map<IsOpen, string>, Map<IsOpen, string>] }

  constructor(objects: Objects, kernels: readonly [Kernel, Kernel], reach: ReachOfChanges, instants?: Instants) {
    this.#objects = objects
    this.#reach = reach
    this.#own = { texts: [new Map(), new Map()] }
    const marked =
      (as: 'before' | 'after') =>
      (type: string, attributes: readonly string[]): Pick<StoredKeys, 'as'> =>
        this.#areOthers(type, attributes) ? { as } : {}
    const before = new StoredSide(kernels[0], { storedAs: marked('before'), now: instants?.[0] })
    const copied = findCopiedSide(before, objects, reach)
    this.#sides = [before, new StoredSide(kernels[1], { storedAs: marked('after'), now: instants?.[1], copied })]
    this.#held = [new HeldRoles(kernels[0]), new HeldRoles(kernels[1])]
  }

  permission(number: number): AskedPermission {
    const { permissions, types } = this.#objects
    const ids = SIDES.map((side) => permissions.id(side, number)) as [number, number]
    const key = permissions.key(number)
    const type = key.slice(0, key.indexOf(':'))
    const of = types.named(type)
    const rules = SIDES.map((side) => this.#sides[side].listRules(ids[side])) as [
      readonly ParsedRule[],
      readonly ParsedRule[],
    ]
    return {
      number,
      ids,
      type,
      types: SIDES.map((side) => (of === undefined ? 0 : types.id(side, of))) as [number, number],
      rules,
      reads: rules.map(collectUserReads) as unknown as [UserReads, UserReads],
      held: this.#findHeld(rules),
    }
  }

  #findHeld(rules: AskedPermission['rules']): AskedPermission['held'] {
    const users = rules.flatMap((each) => each.map((rule) => rule.users))
    const roles = new Set(users.flatMap((side) => (typeof side === 'object' && 'held' in side ? [side.held] : [])))
    return [...roles].map((role) => {
      const ids = SIDES.map((side) => {
        const { kernel } = this.#sides[side]
        const record = findSymbol(kernel, 'resource_role', role)
        return record === 0 ? 0 : permissionOfRole(kernel, record)
      })
      return { role, ids: ids as [number, number] }
    })
  }

  /** Whether instances of the type begin, end or change in one of the attributes. */
  #areOthers(type: string, attributes: readonly string[]): boolean {
    const instances = this.#reach.instances.get(type) ?? []
    return instances.some(
      (each) => each.homes.includes(undefined) || attributes.some((name) => each.attributes.has(name)),
    )
  }

  /** Whether the rules follow keys to stored instances that change. */
  followsChanged({ reads }: AskedPermission): boolean {
    return reads.some(({ followed }) => followed.some(({ type, attributes }) => this.#areOthers(type, attributes)))
  }

  /** Whether anything but a role in a tenant can give the permission. */
  isConditional({ ids, types, rules }: AskedPermission): boolean {
    return SIDES.some(
      (side) => rules[side].length > 0 || (ids[side] !== 0 && this.#held[side].isGiven(ids[side], types[side])),
    )
  }

  /** Numbers of the tenants that the user belongs to in either image. */
  findTies(user: number): Set<number> {
    const { users, tenants } = this.#objects
    const found = new Set<number>()
    for (const side of this.#reach.isCopy && !this.#reach.users.has(user) ? FIRST_SIDE : SIDES) {
      const id = users.id(side, user)
      if (id !== 0) for (const tenant of this.#sides[side].findTies(id)) found.add(tenants.of(side, tenant))
    }
    return found
  }

  /**
   * The same for all users and tenants for whom the pair is the same.
   * @param isOpen which stored attributes of the user are open
   */
  signature(asked: AskedPermission, { user, tenant }: AskedUser, isTied: boolean, isOpen = CLOSED): string {
    const parts: [PartsByName, PartsByName] = [NO_ROLES, NO_ROLES]
    const own = SIDES.map((side) => {
      const ids = this.#findIds(side, asked, { user, tenant })
      if (ids === undefined) return '-'
      if (isTied && this.#sides[side].allowsByRoles(ids.user, ids.tenant, asked.ids[side])) return '+'
      const reads = asked.reads[side]
      const own = reads.tenantRoles
        ? this.#signatureOn(side, asked, this.#sides[side].seen(ids.user, ids.tenant), isOpen)
        : this.#ownSignature(side, asked, user, isOpen)
      const place = isTied && (reads.tenantAttributes || reads.tenantKey) ? tenant : ''
      const held = isTied ? this.#partsByName(side, asked, ids) : parts[side]
      if (typeof held === 'string') return held
      parts[side] = held
      return `${own} ${place}`
    })
    const held = parts[0].size + parts[1].size === 0 ? '' : JSON.stringify([...residualsByName(parts)])
    return `${own.join('\n')}\n${held}`
  }

  /** Whether roles in the tenant allow, in each image. */
  byRoles(asked: AskedPermission, who: AskedUser): readonly boolean[] {
    return SIDES.map((side) => {
      const ids = this.#findIds(side, asked, who)
      return ids !== undefined && this.#sides[side].allowsByRoles(ids.user, ids.tenant, asked.ids[side])
    })
  }

  /** The same for all users for whom the rules mean the same in tenants that they do not belong to. */
  outsideSignature(asked: AskedPermission, user: number, isOpen = CLOSED): string {
    return SIDES.map((side) => {
      const id = this.#objects.users.id(side, user)
      return id === 0 ? '-' : this.#ownSignature(side, asked, user, isOpen)
    }).join('\n')
  }

  #signatureOn(side: SideNumber, asked: AskedPermission, seen: Seen, isOpen: IsOpen): string {
    const reads = asked.reads[side]
    return computeSignature(reads, new UserConditions(asked.type, this.#sides[side], seen, isOpen), seen)
  }

  /** What the rules read of a user outside of tenants: where they read no roles, it is the same in each. */
  #ownSignature(side: SideNumber, asked: AskedPermission, user: number, isOpen: IsOpen): string {
    const own = this.#own
    if (own.asked !== asked || own.user !== user) {
      own.asked = asked
      own.user = user
      for (const texts of own.texts) texts.clear()
    }
    let text = own.texts[side].get(isOpen)
    if (text === undefined) {
      const seen = this.#sides[side].seenOutside(this.#objects.users.id(side, user))
      text = this.#signatureOn(side, asked, seen, isOpen)
      own.texts[side].set(isOpen, text)
    }
    return text
  }

  #findIds(side: SideNumber, asked: AskedPermission, { user, tenant }: AskedUser) {
    const { users, tenants } = this.#objects
    const ids = { user: users.id(side, user), tenant: tenants.id(side, tenant) }
    return ids.user === 0 || ids.tenant === 0 || asked.ids[side] === 0 ? undefined : ids // D1
  }

  /** @returns why not, where there is too much */
  #partsByName(side: SideNumber, asked: AskedPermission, { user, tenant }: AskedUser): PartsByName | string {
    const found = new Map<string, HeldParts>()
    const add = (name: string, permission: number): void => {
      const parts =
        permission === 0 ? NO_PARTS : this.#held[side].findParts(user, tenant, permission, asked.types[side])
      if (parts.size > 0) found.set(name, parts)
    }
    try {
      add(OF_PERMISSION, asked.ids[side])
      for (const { role, ids } of asked.held) add(role, ids[side])
      return found
    } catch (error) {
      if (isZerohopError(error, 'LISTING_TOO_LARGE')) return error.message
      throw error
    }
  }

  /** What is left in both images. */
  pair(asked: AskedPermission, who: AskedUser, isOpen = CLOSED): Pair {
    const parts: [PartsByName, PartsByName] = [NO_ROLES, NO_ROLES]
    const reduced: [Reduce, Reduce] = [() => false, () => false]
    for (const side of SIDES) {
      const ids = this.#findIds(side, asked, who)
      if (ids === undefined) continue
      if (this.#sides[side].allowsByRoles(ids.user, ids.tenant, asked.ids[side])) {
        reduced[side] = () => true
        continue
      }
      const seen = this.#sides[side].seen(ids.user, ids.tenant)
      const conditions = new UserConditions(asked.type, this.#sides[side], seen, isOpen)
      reduced[side] = (held) => reduceRules(asked.rules[side], conditions, seen, held)
      const held = this.#partsByName(side, asked, ids)
      if (typeof held === 'string') return makePair([reduced[0](NOTHING_HELD), reduced[1](NOTHING_HELD)], held)
      parts[side] = held
    }
    const residuals = residualsByName(parts)
    const of = (name: string, side: SideNumber) => {
      const found = residuals.get(name)
      return { byRelation: found?.byRelation[side] ?? false, byKey: found?.byKey[side] ?? false }
    }
    const both = (isWithKeys: boolean) =>
      SIDES.map((side) => {
        const own = of(OF_PERMISSION, side)
        const sets = reduced[side]((role, isAlone) => {
          const { byRelation, byKey } = of(role, side)
          return isAlone && !isWithKeys ? byRelation : any([byRelation, byKey])
        })
        return normalForm(any([sets, own.byRelation, isWithKeys ? own.byKey : false]))
      }) as [Residual, Residual]
    const rest = both(false)
    // Only the key of a stored instance decides then, whatever is sent: that is asked with nothing sent.
    return makePair(rest.every((each) => typeof each === 'boolean') ? rest : both(true))
  }
}

type Reduce = (held: HeldResidual) => Residual
const NOTHING_HELD: HeldResidual = () => false

/** What the parts of both images leave, by their names. */
function residualsByName(parts: readonly [PartsByName, PartsByName]): Map<string, ReturnType<typeof heldResiduals>> {
  const names = new Set([...parts[0].keys(), ...parts[1].keys()].sort())
  const of = (side: SideNumber, name: string): HeldParts => parts[side].get(name) ?? NO_PARTS
  return new Map([...names].map((name) => [name, heldResiduals([of(0, name), of(1, name)])]))
}

/** Users whom the changes do not name, where the ids of one image are those of the other. */
function findCopiedSide(
  of: StoredSide,
  { users }: Objects,
  { users: changed, isCopy }: ReachOfChanges,
): CopiedSide | undefined {
  if (!isCopy) return undefined
  const others = new Set([...changed.keys()].map((user) => users.id(1, user)))
  return { of, isSame: (user) => !others.has(user) }
}

function makePair(residuals: Pair['residuals'], refused?: string): Pair {
  if (refused !== undefined) return { residuals, refused, isSame: false, name: notCompared(refused) }
  const [before, after] = residuals.map(toComparableText) as [string, string]
  return { residuals, isSame: before === after, name: `${before}\n${after}` }
}

const notCompared = (reason: string): string => `could not be compared: ${reason}`

/** The texts of a pair. */
export function toLineTexts({ residuals: [before, after], refused, name }: Pair): LineTexts {
  if (refused !== undefined) return { name, texts: () => [notCompared(refused), notCompared(refused)] }
  return { name, texts: () => formatResiduals(before, after) }
}

/** The same conditions over what is stored of instances, and that is something else afterwards. */
export function instanceLine(residual: Residual, instances: readonly ChangedInstance[]): LineTexts {
  const [one, ...others] = instances.map(({ name }) => name).sort()
  const names = others.length === 0 ? `\`${one}\`` : `\`${one}\` and ${others.length} others`
  return {
    name: `${toComparableText(residual)}\n${names}`,
    texts: () => [
      `${formatResidual(residual)}, with what is stored of ${names}`,
      `${formatResidual(residual)}, with what will be stored`,
    ],
  }
}

/** What of a question the residual reads. */
interface OpenReads {
  readonly row: ReadonlySet<string>
  readonly user: ReadonlySet<string>
  /** whether anything else that is sent is read */
  readonly others: boolean
}

export function collectOpenReads(residual: Residual): OpenReads {
  const [row, user] = [new Set<string>(), new Set<string>()]
  let others = false
  const look = (term: Term<Open>): void => {
    if ('keysOf' in term) for (const leaf of eachLeaf<Open>(term.where)) lookAt(leaf)
    if (!('path' in term)) return
    const [name = ''] = term.path
    if (!('of' in term)) row.add(name)
    else if (term.of === 'user') {
      if (!IDENTITY.includes(name)) user.add(name)
    } else if (term.of !== 'tenant' && term.of !== 'item') others = true
  }
  const lookAt = (leaf: Parameters<typeof look>[0] | object): void => {
    if ('left' in leaf) look(leaf.left as Term<Open>)
    if ('right' in leaf) look(leaf.right as Term<Open>)
  }
  if (typeof residual !== 'boolean') for (const leaf of eachLeaf<Open>(residual)) lookAt(leaf)
  return { row, user, others }
}
const IDENTITY: readonly string[] = ['key', 'roles', 'tenants']

/** The instances whose change can matter to the residual, and not only where nothing is sent. */
export function instancesThatMatter(residual: Residual, instances: readonly ChangedInstance[]): ChangedInstance[] {
  if (residual === false) return []
  const { row, user, others } = collectOpenReads(residual)
  const isAlone = row.size === 1 && user.size === 0 && !others
  return instances.filter(
    (instance) => isMoved(instance) || (!isAlone && [...instance.attributes].some((name) => row.has(name))),
  )
}
