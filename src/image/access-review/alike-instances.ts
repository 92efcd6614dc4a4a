// The stored instances that lines may be about, in groups that are alike to a rule: it reads nothing else of them than
// attributes, and these have the same values. A rule is evaluated once for each group.
import type { Kernel } from '../../kernel/kernel.ts'
import { Fingerprints } from '../access-diff/alike.ts'
import { instancesInTenant, instanceTenant, instanceType, piecesOfType } from '../records/instance.ts'

/** The work of looking at an instance, in the unit of listings. */
const LOOK_WORK = 4
/** The work of reading its attributes. */
const ATTRIBUTES_WORK = 32

/** The instances that lines may be about. */
interface Among {
  readonly kernel: Kernel
  /** the only instance; undefined: all */
  readonly instance: number | undefined
  /** the only tenant */
  readonly tenant: number | undefined
}

type Groups = readonly (readonly number[])[]

export class AlikeInstances {
  readonly #kernel: Kernel
  readonly #among: Among
  /** by type, then by tenant */
  readonly #byType = new Map<number, ReadonlyMap<number, readonly number[]>>()
  readonly #groups = new Map<string, Groups>()
  #work = 0

  constructor(among: Among) {
    this.#kernel = among.kernel
    this.#among = among
  }

  /** Work since the last call. */
  takeWork(): number {
    const work = this.#work
    this.#work = 0
    return work
  }

  /**
   * @param tenant the only tenant; undefined: wherever they are, in groups that may be of several
   * @param names attributes that are read; undefined: no two instances are alike
   */
  list(type: number, tenant: number | undefined, names: readonly string[] | undefined): Groups {
    const name = JSON.stringify([type, tenant, names])
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    const byTenant = this.#findByTenant(type)
    const lists = tenant === undefined ? [...byTenant.values()] : [byTenant.get(tenant) ?? []]
    const groups = names === undefined ? lists.flat().map((one) => [one]) : this.#group(lists, names)
    this.#groups.set(name, groups)
    return groups
  }

  #group(lists: readonly (readonly number[])[], names: readonly string[]): Groups {
    const groups = new Map<string, number[]>()
    const fingerprints = new Fingerprints(this.#kernel, names)
    for (const instances of lists) {
      for (const instance of instances) {
        const values = fingerprints.of(instance)
        this.#work += values === '' ? LOOK_WORK : ATTRIBUTES_WORK
        const group = groups.get(values)
        if (group === undefined) groups.set(values, [instance])
        else group.push(instance)
      }
    }
    return [...groups.values()]
  }

  #findByTenant(type: number): ReadonlyMap<number, readonly number[]> {
    let found = this.#byType.get(type)
    if (found === undefined) {
      found = this.#readByTenant(type)
      this.#byType.set(type, found)
    }
    return found
  }

  #eachPiece(type: number): Iterable<Iterable<number>> {
    const { instance: only, tenant } = this.#among
    if (only !== undefined) return [[only]]
    if (tenant !== undefined) return [instancesInTenant(this.#kernel, { type, tenant })]
    return piecesOfType(this.#kernel, type)
  }

  #readByTenant(type: number): ReadonlyMap<number, readonly number[]> {
    const kernel = this.#kernel
    const { tenant } = this.#among
    const found = new Map<number, number[]>()
    for (const piece of this.#eachPiece(type)) {
      for (const instance of piece) {
        this.#work += LOOK_WORK
        const home = instanceTenant(kernel, instance)
        if (tenant !== undefined && tenant !== home) continue
        if (!kernel.isLive(instance) || instanceType(kernel, instance) !== type) continue
        const there = found.get(home)
        if (there === undefined) found.set(home, [instance])
        else there.push(instance)
      }
    }
    return found
  }
}
