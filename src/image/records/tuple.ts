// A tuple: a subject is related to an object, and both are instances. assembly/abi.ts draws the record. What is given is
// what is in force at the instant of the question (D15); functions whose names end in `Stored` give everything, and only
// the files that a test of test/tidy lists may use them.
import { Instance, TIMED, TimedTuple, Tuple } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { hasTimedTuples } from './header.ts'
import { isInForce, nextChange, type RecordTimes } from './times.ts'

export const tupleRelation = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.Relation) & ~TIMED
export const tupleSubject = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.Subject)
export const tupleObject = (kernel: Kernel, tuple: number): number => kernel.word(tuple + Tuple.Object)

/** The times of a tuple, unbounded for one without. */
export function tupleTimesStored(kernel: Kernel, tuple: number): RecordTimes {
  if (!isTimed(kernel, tuple)) return { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
  return { from: kernel.float(tuple + TimedTuple.From), until: kernel.float(tuple + TimedTuple.Until) }
}

/** When a tuple that is in force ends; infinite when it does not. */
export const tupleUntil = (kernel: Kernel, tuple: number): number => tupleTimesStored(kernel, tuple).until

const isTimed = (kernel: Kernel, tuple: number): boolean => (kernel.word(tuple + Tuple.Relation) & TIMED) !== 0

export function isTupleInForce(kernel: Kernel, tuple: number): boolean {
  if (!isTimed(kernel, tuple)) return true
  const { from, until } = tupleTimesStored(kernel, tuple)
  return isInForce(kernel, from, until)
}

/** The earliest instant after that of the question at which the tuple starts or ends; infinite when it does not. */
export const nextChangeOfTuple = (kernel: Kernel, tuple: number): number =>
  isTimed(kernel, tuple) ? nextChange(kernel, tupleTimesStored(kernel, tuple)) : Number.POSITIVE_INFINITY

function inForce(kernel: Kernel, tuples: Iterable<number>): Iterable<number> {
  return hasTimedTuples(kernel) ? eachInForce(kernel, tuples) : tuples
}

function* eachInForce(kernel: Kernel, tuples: Iterable<number>): Iterable<number> {
  for (const tuple of tuples) if (isTupleInForce(kernel, tuple)) yield tuple
}

/** The tuples whose object an instance is. */
export const eachTupleToObject = (kernel: Kernel, instance: number): Iterable<number> =>
  /* canary: tuples-to-objects */ inForce(kernel, eachTupleToObjectStored(kernel, instance))
export const eachTupleToObjectStored = (kernel: Kernel, instance: number): Iterable<number> =>
  kernel.chain(kernel.word(instance + Instance.Objects), Tuple.NextOfObject)

/**
 * The first of the same that passes, 0 when none of the first `steps` that are stored does: the list of a forged image
 * may not end.
 */
export function findTupleToObject(
  kernel: Kernel,
  instance: number,
  steps: number,
  passes: (tuple: number) => boolean,
): number {
  let left = steps
  let tuple = kernel.word(instance + Instance.Objects)
  for (; tuple !== 0 && left-- > 0; tuple = kernel.word(tuple + Tuple.NextOfObject))
    if (passes(tuple) && /* canary: found-tuples */ isTupleInForce(kernel, tuple)) return tuple
  return 0
}

/** The tuples whose subject an instance is. */
export const eachTupleFromSubject = (kernel: Kernel, instance: number): Iterable<number> =>
  /* canary: tuples-from-subjects */ inForce(kernel, eachTupleFromSubjectStored(kernel, instance))
export const eachTupleFromSubjectStored = (kernel: Kernel, instance: number): Iterable<number> =>
  kernel.chain(kernel.word(instance + Instance.Subjects), Tuple.NextOfSubject)
