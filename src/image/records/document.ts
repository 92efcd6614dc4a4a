// A document: what the image carries for the host. assembly/abi.ts draws the record.
import { Document } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** `kind/key` */
export const documentKey = (kernel: Kernel, document: number): string => kernel.key(document, Document.Key)
/** A composite, or 0. */
export const documentValue = (kernel: Kernel, document: number): number => kernel.word(document + Document.Value)
