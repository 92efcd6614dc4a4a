// The questions of an access diff: each is asked of both images, once, and what flips is kept. Numbers are those of
// twins. docs/access-diff.md says what a flip is, and which flips on instances one on the type covers.
import { instanceTenant } from '../records/instance.ts'
import { type AskedNumbers, Flips } from './flips.ts'
import type { Meter } from './meter.ts'
import { keyOn, type Objects } from './objects.ts'
import type { Side } from './side.ts'
import { SIDES, type SideNumber, type Twins } from './twins.ts'

/** Answers to one question: the bit of a side that allows; OPEN when a side could not decide. */
const OPEN = 4
const NEITHER = 0
/** The bit of the side that allows a flip: gained or lost. */
export const LOST = 1
export const GAINED = 2

/** Room for the numbers of instances in a question's name: names stay exact integers. */
const INSTANCES = 2 ** 27
const TENANTS = 2 ** 27

export class Questions implements Objects {
  readonly sides: readonly [Side, Side]
  readonly users: Twins
  readonly tenants: Twins
  readonly types: Twins
  readonly instances: Twins
  readonly permissions: Twins
  readonly flips: Flips
  readonly meter: Meter
  /** answers on types: by permission and tenant, then by user */
  readonly #onTypes = new Map<number, Map<number, number>>()
  /** tenants of instances, by the number of the instance */
  readonly #homes: (readonly [number, number] | undefined)[] = []
  /** by permission: user and instance */
  readonly #onInstances = new Map<number, Set<number>>()

  constructor(sides: readonly [Side, Side], objects: Objects, meter: Meter) {
    this.sides = sides
    this.meter = meter
    this.users = objects.users
    this.tenants = objects.tenants
    this.types = objects.types
    this.instances = objects.instances
    this.permissions = objects.permissions
    this.flips = new Flips(objects, meter)
  }

  /** Asks about the type in the tenant; returns the answers. */
  ask(user: number, permission: number, tenant: number): number {
    const name = permission * TENANTS + tenant
    let byUser = this.#onTypes.get(name)
    if (byUser === undefined) {
      byUser = new Map()
      this.#onTypes.set(name, byUser)
    }
    const known = byUser.get(user)
    if (known !== undefined) return known
    const answers = this.#compare((side) => {
      const [userId, tenantId] = [this.users.id(side, user), this.tenants.id(side, tenant)]
      return this.sides[side].allowsOnType(userId, tenantId, this.permissions.id(side, permission))
    })
    byUser.set(user, answers)
    if (answers === GAINED || answers === LOST) this.#keep(answers, { user, permission, tenant, instance: undefined })
    return answers
  }

  /** The answers about the type; undefined when that was not asked. */
  known(user: number, permission: number, tenant: number): number | undefined {
    return this.#onTypes.get(permission * TENANTS + tenant)?.get(user)
  }

  /** The users and tenants that were asked about for a permission. */
  *asked(permission: number): Iterable<{ readonly user: number; readonly tenant: number }> {
    for (const [name, byUser] of this.#onTypes) {
      if (Math.floor(name / TENANTS) !== permission) continue
      for (const user of byUser.keys()) yield { user, tenant: name % TENANTS }
    }
  }

  /** Asks about the instance in its own tenant, unless the answers on its type say that nothing is to be listed. */
  askOn(user: number, permission: number, instance: number): void {
    const [before, after] = this.findHomes(instance)
    // Allowed on the type is allowed on all instances: what flips then is covered by the flip on the type.
    if (/* canary: covered-by-the-type */ before === after && this.ask(user, permission, after) !== NEITHER) return
    let asked = this.#onInstances.get(permission)
    if (asked === undefined) {
      asked = new Set()
      this.#onInstances.set(permission, asked)
    }
    const name = user * INSTANCES + instance
    if (asked.has(name)) return
    asked.add(name)
    const homes = [before, after] as const
    const answers = this.#compare((side) => this.sides[side].allowsOn(this.#idsOn(side, user, permission, instance)))
    if (answers !== GAINED && answers !== LOST) return
    const tenant = homes[answers === GAINED ? 1 : 0]
    if (before !== after && this.ask(user, permission, tenant) === answers) return
    this.#keep(answers, { user, permission, tenant, instance })
  }

  /** The tenant of an instance in each image; where it is not stored, that of the other one. */
  findHomes(instance: number): readonly [number, number] {
    const known = this.#homes[instance]
    if (known !== undefined) return known
    const [before, after] = [this.#findHome(0, instance), this.#findHome(1, instance)]
    const homes = [before ?? after!, after ?? before!] as const
    this.#homes[instance] = homes
    return homes
  }

  #findHome(side: SideNumber, instance: number): number | undefined {
    const id = this.instances.id(side, instance)
    return id === 0 ? undefined : this.tenants.of(side, instanceTenant(this.sides[side].kernel, id))
  }

  /** A question about an instance in the ids of one image. */
  #idsOn(side: SideNumber, user: number, permission: number, instance: number) {
    const id = this.instances.id(side, instance)
    return {
      user: this.users.id(side, user),
      tenant: this.tenants.id(side, this.findHomes(instance)[side]),
      permission: this.permissions.id(side, permission),
      instance: id,
      key: id === 0 ? keyOn(this, instance) : undefined,
    }
  }

  /** Whether an image allows it, asked by another side of it; undefined when it could not be decided. */
  decide(side: Side, number: SideNumber, { user, permission, tenant, instance }: AskedNumbers): boolean | undefined {
    const [userId, tenantId] = [this.users.id(number, user), this.tenants.id(number, tenant)]
    return this.meter.decided(() =>
      instance === undefined
        ? side.allowsOnType(userId, tenantId, this.permissions.id(number, permission))
        : side.allowsOn(this.#idsOn(number, user, permission, instance)),
    )
  }

  #compare(allows: (side: SideNumber) => boolean): number {
    let answers = NEITHER
    for (const side of SIDES) {
      const answer = this.meter.decided(() => allows(side))
      if (answer === undefined) return OPEN
      if (answer) answers |= side === 0 ? LOST : GAINED
    }
    return answers
  }

  #keep(answers: typeof GAINED | typeof LOST, asked: AskedNumbers): void {
    const side = answers === GAINED ? 1 : 0
    const { user, permission, tenant, instance } = asked
    const ids =
      instance === undefined
        ? {
            user: this.users.id(side, user),
            tenant: this.tenants.id(side, tenant),
            permission: this.permissions.id(side, permission),
            instance: 0,
            key: undefined,
          }
        : this.#idsOn(side, user, permission, instance)
    const because = this.sides[side].because(ids, instance === undefined)
    this.flips.add(answers === GAINED ? 'gained' : 'lost', asked, because)
  }
}
