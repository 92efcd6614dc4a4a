// An attribute path: what conditions read. assembly/abi.ts draws the record.
import { AttributePath } from '../../../assembly/abi.ts'
import type { Source } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** `root.name.name` */
export const attributePathKey = (kernel: Kernel, path: number): string => kernel.key(path, AttributePath.Key)
/** Dense, from 1: its place in the area of what was sent. */
export const attributePathNumber = (kernel: Kernel, path: number): number => kernel.word(path + AttributePath.Number)
export const attributePathSource = (kernel: Kernel, path: number): Source => kernel.word(path + AttributePath.Source)
