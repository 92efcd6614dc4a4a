// Fields of a relation that was sent with a question (D14). Valid until the next question is written.
import { Related } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** How many instances follow. */
export const relatedCount = (kernel: Kernel, related: number): number => kernel.word(related + Related.Count)
export const relatedRelation = (kernel: Kernel, related: number): number => kernel.word(related + Related.Relation)
