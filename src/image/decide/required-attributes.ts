// Determines which attributes the set rules of a permission read, and encodes those of the request; no others are read,
// nor is the clock unless a rule reads `context.now`. The cache is derived from the image alone, bounded, and dropped when a delta changes rules or conditions.
import { Op, Source, Table } from '../../../assembly/limits.ts'
import { Encoder, type Wanted } from '../../kernel/encode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { pathPlace } from '../../kernel/question-area.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { NEEDS_MAX } from '../../model/limits.ts'
import { attributePathKey, attributePathNumber, attributePathSource } from '../records/attribute-path.ts'
import { conditionSetParent, conditionSetProgram } from '../records/condition-set.ts'
import { countSteps, isRightPath, programStep, stepLeft, stepOperation, stepRight } from '../records/program.ts'
import { isResourceRole } from '../records/set-rule.ts'
import { symbolTable } from '../records/symbol.ts'

/** Attributes of a request. They take precedence over stored ones of the same name (D8: precedence of attributes). */
export interface Sent {
  readonly user?: object | null | undefined
  readonly action?: object | null | undefined
  readonly resource?: object | null | undefined
  readonly context?: object | null | undefined
}

/** What the rules of a permission read of a request. */
interface Requirement {
  readonly permission: number
  /** as a set of bits: `1 << source` */
  readonly reads: number
  readonly members: Readonly<Record<keyof Sent, readonly Wanted[]>>
  /** `context.now` */
  readonly now: readonly Wanted[]
  /** places of the key of the instance */
  readonly keys: readonly number[]
}

const FROM: Readonly<Partial<Record<Source, keyof Sent>>> = {
  [Source.User]: 'user',
  [Source.Resource]: 'resource',
  [Source.Context]: 'context',
  [Source.Action]: 'action',
}

/** Tells the instant of the question that is answered, in ms since 1970. */
export type Clock = () => number

export class RequiredAttributes {
  /** asked when a rule reads `context.now` and the question has none (D8); without a clock it is missing */
  clock: Clock | undefined
  readonly #kernel: Kernel
  readonly #encoder: Encoder
  readonly #known = new Map<number, Requirement>()
  /** of the last check, because the next one is often about the same permission */
  #last: Requirement | undefined

  constructor(kernel: Kernel) {
    this.#kernel = kernel
    this.#encoder = new Encoder(kernel)
  }

  /** Call when rules or conditions have changed. */
  forget(): void {
    this.#known.clear()
    this.#last = undefined
  }

  /**
   * Encodes the request attributes that the rules of the permission read; returns where the encoding ends.
   * @throws INPUT_INVALID, TEXT_INVALID, NUMBER_INVALID, JSON_TOO_DEEP on a value that cannot be encoded; UNDECIDED
   * when the values are too large
   */
  encode(permission: number, key: string | undefined, sent: Sent | undefined): number {
    const { members, now, keys } = this.#findRequirement(permission)
    const encoder = this.#encoder
    const begun = ++this.#kernel.encodings
    encoder.begin()
    try {
      if (members.user.length !== 0) encoder.members(members.user, sent?.user)
      if (members.resource.length !== 0) encoder.members(members.resource, sent?.resource)
      if (members.context.length !== 0) encoder.members(members.context, sent?.context)
      if (now.length !== 0) encoder.members(now, this.#timed(sent?.context))
      if (members.action.length !== 0) encoder.members(members.action, sent?.action)
      for (let index = 0; index < keys.length; index++) encoder.key(keys[index]!, key)
    } catch (cause) {
      if (isZerohopError(cause)) throw cause
      throw new ZerohopError('INPUT_INVALID', { reason: 'the attributes cannot be read' }, { cause })
    }
    // There is one area, and another check has overwritten this one.
    if (begun !== this.#kernel.encodings) throw new ZerohopError('INPUT_INVALID', { reason: ASKS_ITSELF })
    return encoder.end
  }

  /** What has the time of the question. */
  #timed(context: object | null | undefined): object | null | undefined {
    const { now } = (context ?? {}) as { readonly now?: unknown }
    if (this.clock === undefined || (now !== undefined && now !== null && Object.hasOwn(context!, 'now')))
      return context
    return { now: this.clock() }
  }

  /** What the rules of the permission read, as a set of bits: `1 << source`. */
  reads(permission: number): number {
    return this.#findRequirement(permission).reads
  }

  /** Names of the request attributes that the rules of the permission read; `now` is one of the context. */
  names(permission: number): Readonly<Record<keyof Sent, readonly string[]>> {
    const { members, now } = this.#findRequirement(permission)
    const { user, action, resource, context } = members
    const listNames = (wanted: readonly Wanted[]): string[] => [...new Set(wanted.map(({ name }) => name))]
    const ofContext = listNames([...context, ...now])
    return { user: listNames(user), action: listNames(action), resource: listNames(resource), context: ofContext }
  }

  #findRequirement(permission: number): Requirement {
    if (this.#last?.permission === permission) return this.#last
    this.#last = this.#known.get(permission) ?? this.#find(permission)
    return this.#last
  }

  #find(permission: number): Requirement {
    const kernel = this.#kernel
    const members = { user: [], resource: [], context: [], action: [] } satisfies Record<keyof Sent, Wanted[]>
    const now: Wanted[] = []
    const keys: number[] = []
    let reads = 0
    for (const path of kernel.readList(kernel.calls.listReads(permission))) {
      const source = attributePathSource(kernel, path)
      const place = pathPlace(attributePathNumber(kernel, path))
      const from = FROM[source]
      if (from !== undefined) (members[from] as Wanted[]).push({ place, ...this.#names(path) })
      if (source === Source.Now) now.push({ place, ...this.#names(path) })
      if (source === Source.ResourceKey) keys.push(place)
      reads |= 1 << source
    }
    const need = { permission, reads, members, now, keys }
    if (this.#known.size >= NEEDS_MAX) this.forget()
    this.#known.set(permission, need)
    return need
  }

  #names(path: number): Pick<Wanted, 'name' | 'inside'> {
    const [name = '', ...inside] = attributePathKey(this.#kernel, path).split('.').slice(1)
    return { name, inside }
  }
}

const ASKS_ITSELF = 'reading an attribute (a getter or a proxy) runs another check: send its value'

/** Sources that can differ between the instances of a tenant. */
export const READS_INSTANCE = (1 << Source.Resource) | (1 << Source.ResourceKey)
/** Sources that can differ between tenants, besides roles. */
export const READS_TENANT =
  (1 << Source.UserRoles) | (1 << Source.ResourceTenant) | (1 << Source.TenantKey) | (1 << Source.Tenant)

/**
 * Sources that can differ between users. Stored attributes of a tenant are only read for its members (D6: set rules).
 */
export const READS_USER =
  (1 << Source.User) |
  (1 << Source.UserKey) |
  (1 << Source.UserRoles) |
  (1 << Source.UserTenants) |
  (1 << Source.Tenant)

/** As one whose conditions read the key of the user and of the instance. */
const READS_ROLES = (1 << Source.UserKey) | (1 << Source.ResourceKey)

/** What one side of a rule reads, as a set of bits. */
export function readsOfSide(kernel: Kernel, side: number): number {
  // D17: who holds a role on instances depends on the instance, and on who asks.
  if (isResourceRole(kernel, side)) return READS_ROLES
  const seen = new Set<number>()
  let reads = 0
  for (let set = side; set !== 0 && !seen.has(set); set = conditionSetParent(kernel, set)) {
    if (symbolTable(kernel, set) !== Table.Sets) break
    seen.add(set)
    const program = conditionSetProgram(kernel, set)
    const count = countSteps(kernel, program)
    for (let index = 0; index < count; index++) {
      const step = programStep(program, index)
      const op = stepOperation(kernel, step)
      if (op <= Op.Always || op >= Op.ItemTrue) continue
      reads |= 1 << attributePathSource(kernel, stepLeft(kernel, step))
      if (!isRightPath(kernel, step)) continue
      reads |= 1 << attributePathSource(kernel, stepRight(kernel, step))
    }
  }
  return reads
}
