// The times of roles and tuples (D15), and the instant at which they are compared: that of the question, which whoever
// answers it gives to the kernel (src/image/image.ts).
import { ASK_TIME } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isTimed, type TimesPolicy } from '../../kinds/times.ts'
import { ZerohopError } from '../../model/errors.ts'

/** As records have them: ms since 1970, infinite where it is unbounded. */
export interface RecordTimes {
  readonly from: number
  readonly until: number
}

/** As records have them; a zero has no sign, so that equal times are equal bytes. */
export const recordTimes = ({ valid_from: from, valid_until: until }: TimesPolicy): RecordTimes => ({
  from: (from ?? Number.NEGATIVE_INFINITY) + 0,
  until: (until ?? Number.POSITIVE_INFINITY) + 0,
})

/** As contents have them: nothing of those that are unbounded. */
export const timesOfRecord = ({ from, until }: RecordTimes): TimesPolicy => ({
  ...(from === Number.NEGATIVE_INFINITY ? {} : { valid_from: from }),
  ...(until === Number.POSITIVE_INFINITY ? {} : { valid_until: until }),
})

/** Why a record cannot have these times; undefined when it can, or there are none. */
export function timesFault(times: TimesPolicy): string | undefined {
  if (!isTimed(times)) return undefined
  for (const time of [times.valid_from, times.valid_until])
    if (time !== undefined && !Number.isSafeInteger(time)) return 'a time is not a whole number of milliseconds'
  const { from, until } = recordTimes(times)
  return from < until ? undefined : 'a time ends before it begins'
}

/** Whether it is in force at the instant of the question. @throws INTERNAL when none was given */
export function isInForce(kernel: Kernel, from: number, until: number): boolean {
  const { now } = kernel
  if (Number.isNaN(now)) throw noInstant()
  return from <= now && /* canary: end-of-times-in-the-host */ now < until
}

/**
 * The earliest instant after that of the question at which something with these times starts or ends; infinite when none
 * does. @throws INTERNAL when no instant was given
 */
export function nextChange(kernel: Kernel, { from, until }: RecordTimes): number {
  const { now } = kernel
  if (Number.isNaN(now)) throw noInstant()
  if (from > now) return from
  return until > now ? until : Number.POSITIVE_INFINITY
}

/** What the kernel answered at the instant of the question. @throws INTERNAL when none was given */
export function atInstant(answer: number): number {
  if (answer === ASK_TIME) throw noInstant()
  return answer
}

/** The error for a question that nobody gave an instant. */
export const noInstant = (): ZerohopError =>
  new ZerohopError('INTERNAL', {}, { cause: new Error('a question about what has times has no instant') })
