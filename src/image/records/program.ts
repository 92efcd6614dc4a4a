// Fields of a condition program and of its steps. assembly/abi.ts draws the records.
import { Program, Step } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** A composite: the constants, by number; or 0. */
export const programConstants = (kernel: Kernel, program: number): number => kernel.word(program + Program.Constants)
export const programCount = (kernel: Kernel, program: number): number => kernel.word(program + Program.Count)
/** A path. */
export const stepLeft = (kernel: Kernel, step: number): number => kernel.word(step + Step.Left)
/** The operation, and above its 16 bits the flags. */
export const stepOp = (kernel: Kernel, step: number): number => kernel.word(step + Step.Op)
/** The number of a constant, or a path. */
export const stepRight = (kernel: Kernel, step: number): number => kernel.word(step + Step.Right)
