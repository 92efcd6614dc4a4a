// What users hold in tenants, by their keys: the ids of both and what stands for the roles, found by one probe instead
// of one for each key and one in the kernel. What stands for the roles holds until the user gets or loses a role in the
// tenant, is suspended or resumed, or one of the two is deleted: `forget` ends it then. What is unknown is not kept, and no decision is: whether
// one of the roles allows what is asked is looked up each time.
import type { Kernel } from '../../kernel/kernel.ts'
import { DEFAULT_TENANT } from '../../model/keys.ts'
import { LOOKASIDE_ENTRIES_FIRST, LOOKASIDE_ENTRIES_MAX } from '../../model/limits.ts'
import type { LiveIds } from '../live-ids.ts'
import type { Plan } from '../update/prepare.ts'
import { sampleUser, spread } from './lookaside.ts'

/** A user in a tenant, at one revision; an id of 0 is unknown. */
export interface Held {
  readonly user: number
  readonly tenant: number
  /** what stands for the roles, for the kernel's `decideByRoles` */
  readonly roles: number
}

// The places of an entry among the numbers. The first is its mark: the sample of its keys with the count of forgettings
// in it, so that an entry that is over, or of other keys, is passed without looking at its keys.
const ROLES = 1
const USER = 2
const TENANT = 3

/** What of a delta can change what a user holds. */
type Changing = Pick<Plan, 'assign' | 'unassign' | 'gone' | 'suspends'>

/** Two-way and growing, as lookaside.ts says. An entry is two keys in one array, and four numbers in another. */
export class HeldRoles {
  readonly #kernel: Kernel
  readonly #ids: LiveIds
  #shift = 0
  /** 0 where nothing is kept: keys are texts */
  #keys: (string | 0)[] = []
  #numbers = new Int32Array()
  #pushedOut = 0
  /** counts, by 32 bits, how often all that was kept was forgotten */
  #forgotten = 0

  constructor(kernel: Kernel, ids: LiveIds) {
    this.#kernel = kernel
    this.#ids = ids
    this.#resize(LOOKASIDE_ENTRIES_FIRST)
  }

  /** The place of the entry of the user in the tenant, or in `default` without a key: for `roles`, `user` and `tenant`. */
  find(user: string, tenant: string = DEFAULT_TENANT): number {
    const keys = this.#keys
    const numbers = this.#numbers
    const bits = sample(user, tenant)
    const mark = bits ^ this.#forgotten
    const at = spread(bits, this.#shift) << 1
    if (numbers[at << 1] === mark && keys[at] === user && keys[at + 1] === tenant) return at << 1
    const next = at ^ 2
    if (numbers[next << 1] === mark && keys[next] === user && keys[next + 1] === tenant) return next << 1
    return this.#keep(user, tenant)
  }

  roles(place: number): number {
    return this.#numbers[place + ROLES]!
  }

  user(place: number): number {
    return this.#numbers[place + USER]!
  }

  tenant(place: number): number {
    return this.#numbers[place + TENANT]!
  }

  /** Call after each delta. */
  forget({ assign, unassign, gone, suspends }: Changing): void {
    for (const { user, tenant } of assign) this.#drop(user, tenant)
    for (const { user, tenant } of unassign) this.#drop(user, tenant)
    if (gone.length === 0 && !suspends) return
    // whose roles went with what is gone is not looked for, nor in which tenants they who are suspended have some
    this.#forgotten = (this.#forgotten + 1) | 0
    if (this.#forgotten === 0) this.#resize(LOOKASIDE_ENTRIES_FIRST)
  }

  #drop(user: string, tenant: string): void {
    const keys = this.#keys
    const slot = spread(sample(user, tenant), this.#shift) << 1
    for (const at of [slot, slot ^ 2]) if (keys[at] === user && keys[at + 1] === tenant) keys[at] = 0
  }

  /** Finds what is not kept. Its place is good until the next one. */
  #keep(user: string, tenant: string): number {
    const userId = this.#ids.user(user)
    const tenantId = this.#ids.tenant(tenant)
    const roles = this.#kernel.calls.rolesIn(userId, tenantId)
    const isKnown = userId !== 0 && tenantId !== 0
    const place = isKnown ? this.#makeRoom(user, tenant) : this.#numbers.length - 4
    const numbers = this.#numbers
    numbers[place + ROLES] = roles
    numbers[place + USER] = userId
    numbers[place + TENANT] = tenantId
    return place
  }

  /** The place for an entry of these keys; what was there moves to the next slot. */
  #makeRoom(user: string, tenant: string): number {
    const size = this.#keys.length >> 1
    if (this.#pushedOut * 4 > size && size < LOOKASIDE_ENTRIES_MAX) this.#resize(size * 4)
    const keys = this.#keys
    const numbers = this.#numbers
    const bits = sample(user, tenant)
    const at = spread(bits, this.#shift) << 1
    const next = at ^ 2
    if (keys[next] !== 0) this.#pushedOut++
    for (let part = 0; part < 2; part++) keys[next + part] = keys[at + part]!
    for (let part = 0; part < 4; part++) numbers[(next << 1) + part] = numbers[(at << 1) + part]!
    keys[at] = user
    keys[at + 1] = tenant
    numbers[at << 1] = bits ^ this.#forgotten
    return at << 1
  }

  /** So many entries, all of them empty, and behind them the one for what is unknown. */
  #resize(size: number): void {
    this.#shift = Math.clz32(size) + 1
    this.#keys = new Array<string | 0>(size * 2).fill(0)
    this.#numbers = new Int32Array(size * 4 + 4)
    this.#pushedOut = 0
  }
}

/** 32 bits of a user in a tenant: of the tenant only the end, because in most questions the user tells them apart. */
function sample(user: string, tenant: string): number {
  const length = tenant.length
  const end = length < 2 ? length : tenant.charCodeAt(length - 1) ^ (tenant.charCodeAt(length - 2) << 8)
  return sampleUser(user) ^ (end << 15)
}
