// Fields of a tuple: a subject is related to an object. assembly/abi.ts draws the record.
import { Tuple } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

export const tupleNextOfObject = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.NextOfObject)
export const tupleObject = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.Object)
export const tupleRelation = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.Relation)
export const tupleSubject = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.Subject)
