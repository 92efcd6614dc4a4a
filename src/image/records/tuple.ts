// A tuple: a subject is related to an object, and both are instances. assembly/abi.ts draws the record.
import { Instance, Tuple } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

export const tupleRelation = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.Relation)
export const tupleSubject = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.Subject)
export const tupleObject = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.Object)

/** The tuples whose object an instance is. */
export const eachTupleToObject = (kernel: Kernel, instance: number): Iterable<number> =>
  kernel.chain(kernel.word(instance + Instance.Objects), Tuple.NextOfObject)

/** The same one by one, 0 at the end: for loops that count their steps, because the list of a forged image may not end. */
export const firstTupleToObject = (kernel: Kernel, instance: number): number => kernel.word(instance + Instance.Objects)
export const nextTupleToObject = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.NextOfObject)

/** The tuples whose subject an instance is. */
export const eachTupleFromSubject = (kernel: Kernel, instance: number): Iterable<number> =>
  kernel.chain(kernel.word(instance + Instance.Subjects), Tuple.NextOfSubject)
