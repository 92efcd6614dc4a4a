// Fields of an attribute path: what conditions read. assembly/abi.ts draws the record.
import { AttributePath } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** Its place in the area of what was sent. */
export const attributePathNumber = (kernel: Kernel, path: number): number => kernel.word(path + AttributePath.Number)
export const attributePathSource = (kernel: Kernel, path: number): number => kernel.word(path + AttributePath.Source)
