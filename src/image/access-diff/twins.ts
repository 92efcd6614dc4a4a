// The objects of one kind in two images: each has a number of its own here, whatever its ids in the two are. An id of 0
// means that the image does not have it.
import type { Kernel } from '../../kernel/kernel.ts'
import { copySymbolKey, type SymbolTable, symbolKey } from '../records/symbol.ts'

/** How objects of a kind are found in an image. */
export interface Kind {
  /** the bytes of the key that is written to the scratch area; below 1 when nothing has such a key */
  write(kernel: Kernel, key: string): number
  /** the id of the key in the scratch area, 0 when unknown */
  find(kernel: Kernel, length: number): number
  /** the record of an id, and the table that it is in */
  record(kernel: Kernel, id: number): number
  readonly table: SymbolTable
  /** whether what an image has counts as there; absent: always */
  readonly counts?: (kernel: Kernel, id: number) => boolean
}

/** The instants of the two images, in ms since 1970, where they are not the same (D15). */
export type Instants = readonly [was: number, is: number]

/** 0: the image before the change, 1: the one after it. */
export type SideNumber = 0 | 1
export const SIDES: readonly SideNumber[] = [0, 1]
/** Where both have the same. */
export const FIRST_SIDE: readonly SideNumber[] = [0]
export const otherSide = (side: SideNumber): SideNumber => (side === 0 ? 1 : 0)

export class Twins {
  readonly #kernels: readonly [Kernel, Kernel]
  readonly #kind: Kind
  readonly #numbers = [new Map<number, number>(), new Map<number, number>()] as const
  readonly #ids: readonly [number[], number[]] = [[], []]
  readonly #isCopy: boolean

  /**
   * @param changed keys, if one image is a copy of the other to which only changes of these were applied: all other
   * objects have the same id in both
   */
  constructor(kernels: readonly [Kernel, Kernel], kind: Kind, changed?: Iterable<string>) {
    this.#kernels = kernels
    this.#kind = kind
    this.#isCopy = false
    for (const key of changed ?? []) this.named(key)
    this.#isCopy = changed !== undefined
  }

  /** The number of the object with this id in one image. */
  of(side: SideNumber, id: number): number {
    return this.#numbers[side].get(id) ?? this.#find(side, id)
  }

  #find(side: SideNumber, id: number): number {
    const twin = this.#isCopy ? id : this.#findTwin(side, id)
    // An object is often asked for by its ids of one image only: then one entry is enough.
    let number = twin === 0 ? undefined : this.#numbers[otherSide(side)].get(twin)
    if (number === undefined) {
      number = this.#ids[side].push(id) - 1
      this.#ids[otherSide(side)].push(twin)
    }
    this.#numbers[side].set(id, number)
    if (!this.#isCopy && twin !== 0) this.#numbers[otherSide(side)].set(twin, number)
    return number
  }

  #findTwin(side: SideNumber, id: number): number {
    const [kernel, other] = [this.#kernels[side], this.#kernels[otherSide(side)]]
    return this.#kind.find(other, copySymbolKey(other, kernel, this.#kind.table, this.#kind.record(kernel, id)))
  }

  /** The number of the object with this key; undefined when neither image has it. */
  named(key: string): number | undefined {
    for (const side of SIDES) {
      const kernel = this.#kernels[side]
      const id = this.#kind.find(kernel, this.#kind.write(kernel, key))
      if (id !== 0) return this.of(side, id)
    }
    return undefined
  }

  /** The id in one image, 0 when it is not there, or counts as not there. */
  id(side: SideNumber, number: number): number {
    const id = this.#ids[side][number]!
    return id === 0 || this.#kind.counts?.(this.#kernels[side], id) !== false ? id : 0
  }

  /** The images that do not have the object. */
  lacking(number: number): SideNumber | undefined {
    return SIDES.find((side) => this.#ids[side][number] === 0)
  }

  /** Whether it counts as there in both images. */
  areBoth(number: number): boolean {
    return SIDES.every((side) => this.id(side, number) !== 0)
  }

  key(number: number): string {
    const side = this.#ids[0][number] === 0 ? 1 : 0
    const kernel = this.#kernels[side]
    return symbolKey(kernel, this.#kind.table, this.#kind.record(kernel, this.#ids[side][number]!))
  }
}
