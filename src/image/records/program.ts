// A condition program: its steps and its constants. assembly/abi.ts draws the records.
import { CELL_BYTES, Composite, Program, STEP_BYTES, Step } from '../../../assembly/abi.ts'
import { FOREIGN, type Op, RIGHT_PATH } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** Bytes of so many steps. */
export const stepBytes = (steps: number): number => steps * STEP_BYTES

/** The number of steps; 0 for program 0. */
export const countSteps = (kernel: Kernel, program: number): number =>
  program === 0 ? 0 : kernel.word(program + Program.Count)
/** A step of a program, counted from 0. */
export const programStep = (program: number, index: number): number => program + Program.Steps + index * STEP_BYTES
/** The cell of a constant of a program. */
export const programConstant = (kernel: Kernel, program: number, number: number): number =>
  kernel.word(program + Program.Constants) + Composite.Cells + number * CELL_BYTES

const stepFlags = (kernel: Kernel, step: number): number => kernel.word(step + Step.Op) >>> 16

export const stepOperation = (kernel: Kernel, step: number): Op => kernel.word(step + Step.Op) & 0xffff
/** Whether the right side is a path, not the number of a constant. */
export const isRightPath = (kernel: Kernel, step: number): boolean => (stepFlags(kernel, step) & RIGHT_PATH) !== 0
/** Whether the items of a match are keys of instances of the type that the constant names. */
export const isForeignMatch = (kernel: Kernel, step: number): boolean => (stepFlags(kernel, step) & FOREIGN) !== 0
/** A path. */
export const stepLeft = (kernel: Kernel, step: number): number => kernel.word(step + Step.Left)
/** The number of a constant, or a path. */
export const stepRight = (kernel: Kernel, step: number): number => kernel.word(step + Step.Right)
