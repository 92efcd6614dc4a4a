// The objects of one kind in two images: each has a number of its own here, whatever its ids in the two are. An id of 0
// means that the image does not have it.
import type { Kernel } from '../../kernel/kernel.ts'

/** How objects of a kind are found in an image. */
export interface Kind {
  /** the id of a key, 0 when unknown */
  find(kernel: Kernel, key: string): number
  keyOf(kernel: Kernel, id: number): string
}

/** 0: the image before the change, 1: the one after it. */
export type SideNumber = 0 | 1
export const SIDES: readonly SideNumber[] = [0, 1]
export const otherSide = (side: SideNumber): SideNumber => (side === 0 ? 1 : 0)

export class Twins {
  readonly #kernels: readonly [Kernel, Kernel]
  readonly #kind: Kind
  readonly #numbers = [new Map<number, number>(), new Map<number, number>()] as const
  readonly #ids: readonly [number[], number[]] = [[], []]

  constructor(kernels: readonly [Kernel, Kernel], kind: Kind) {
    this.#kernels = kernels
    this.#kind = kind
  }

  /** The number of the object with this id in one image. */
  of(side: SideNumber, id: number): number {
    const known = this.#numbers[side].get(id)
    if (known !== undefined) return known
    const other = this.#kind.find(this.#kernels[otherSide(side)], this.#kind.keyOf(this.#kernels[side], id))
    return side === 0 ? this.#add(id, other) : this.#add(other, id)
  }

  /** The number of the object with this key; undefined when neither image has it. */
  named(key: string): number | undefined {
    for (const side of SIDES) {
      const id = this.#kind.find(this.#kernels[side], key)
      if (id !== 0) return this.of(side, id)
    }
    return undefined
  }

  /** The id in one image, 0 when it is not there. */
  id(side: SideNumber, number: number): number {
    return this.#ids[side][number]!
  }

  /** The images that do not have the object. */
  lacking(number: number): SideNumber | undefined {
    return SIDES.find((side) => this.id(side, number) === 0)
  }

  key(number: number): string {
    const side = this.id(0, number) === 0 ? 1 : 0
    return this.#kind.keyOf(this.#kernels[side], this.id(side, number))
  }

  #add(before: number, after: number): number {
    const number = this.#ids[0].push(before) - 1
    this.#ids[1].push(after)
    if (before !== 0) this.#numbers[0].set(before, number)
    if (after !== 0) this.#numbers[1].set(after, number)
    return number
  }
}
