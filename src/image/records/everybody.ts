// Everybody (D16): the party that stands in role assignments in the place of a user: none of the tables has it,
// and no key leads to it but the reserved one.
import { Header, SCRATCH } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { EVERYBODY } from '../../model/keys.ts'

/** The party whatever is asked, or 0 while nothing is given to everybody: for contents and changes. */
export const everybodyStored = (kernel: Kernel): number => kernel.field(Header.Everybody)

/** The party whose roles count for each user of a question; 0 without one, and where users are asked about alone. */
export const everybodyAsked = (kernel: Kernel): number => (kernel.isOwnAlone ? 0 : everybodyStored(kernel))

/** Whether the key of so many bytes in the scratch area is the sign of everybody. */
export const isSignOfEverybody = (kernel: Kernel, length: number): boolean =>
  length === 1 && (kernel.word(SCRATCH) & 0xff) === SIGN

const SIGN = EVERYBODY.charCodeAt(0)

/** Runs what asks about what users hold themselves: what everybody does is said once, of the party itself. */
export function ownAlone<T>(kernel: Kernel, run: () => T): T {
  const before = kernel.isOwnAlone
  kernel.isOwnAlone = true
  try {
    return run()
  } finally {
    kernel.isOwnAlone = before
  }
}

/** The same in several images. */
export const ownAloneIn = <T>(kernels: readonly Kernel[], run: () => T): T =>
  kernels.reduceRight<() => T>((inner, kernel) => () => ownAlone(kernel, inner), run)()
