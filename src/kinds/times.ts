// The times of a role assignment and of a relationship tuple (D15): from when and until when it gives something.
import { fields, type StoredFields } from './fields.ts'
import { invalid } from './wire-values.ts'

export const timeFields = fields({
  valid_from: {
    form: 'instant',
    about: 'from when on it gives something, in ISO 8601 with an offset or in ms since 1970; default: at once',
  },
  valid_until: { form: 'instant', about: 'until when it gives something, exclusive; default: without an end' },
})

/** How long a role is given for. */
export const durationFields = fields({
  default_duration: {
    form: 'seconds',
    about: 'seconds for which the role is given where no end is sent; default: the most, or without an end',
  },
  max_duration: {
    form: 'seconds',
    about:
      'seconds for which the role is given at most, from its beginning or else from the write; default: without a bound',
  },
})
export type Durations = StoredFields<typeof durationFields>

/** As decisions read them: ms since 1970, absent where it is unbounded. */
export interface TimesPolicy {
  readonly valid_from?: number
  readonly valid_until?: number
}

/** The times of a stored object, which lacks them when it is older than they are. */
export interface StoredTimes {
  readonly valid_from?: number | null
  readonly valid_until?: number | null
}

/** What decisions read of the times: nothing of those that are unbounded. */
export function projectTimes({ valid_from: from, valid_until: until }: StoredTimes): TimesPolicy {
  return {
    ...(from === undefined || from === null ? {} : { valid_from: from }),
    ...(until === undefined || until === null ? {} : { valid_until: until }),
  }
}

export const isTimed = ({ valid_from: from, valid_until: until }: TimesPolicy): boolean =>
  from !== undefined || until !== undefined

/** D15: in force from `valid_from` on and before `valid_until`. */
export const isInForce = ({ valid_from: from, valid_until: until }: StoredTimes, now: number): boolean =>
  (from ?? Number.NEGATIVE_INFINITY) <= now && now < (until ?? Number.POSITIVE_INFINITY)

/** D15: it gave something once, or could have, and never will again. */
export const isEnded = ({ valid_until: until }: StoredTimes, now: number): boolean =>
  (until ?? Number.POSITIVE_INFINITY) <= now

export type TimeState = 'scheduled' | 'in_force' | 'ended'

/** Where an instant stands in the life of what is granted. */
export function stateAt(times: StoredTimes, now: number): TimeState {
  if (isInForce(times, now)) return 'in_force'
  return isEnded(times, now) ? 'ended' : 'scheduled'
}

/** The end that upkeep has announced: an end is announced once, and another one again. */
export interface Announced {
  readonly end_announced?: number
}

const INSTANT_DIGITS = 15

/** An instant as a value of an index, in whose order the values are. */
export const instantValue = (ms: number): string => String(ms).padStart(INSTANT_DIGITS, '0')

/** The value under which an index lists what has that time; nothing for what lacks it. */
export const instantValues = (time: number | null | undefined, prefix = ''): readonly string[] =>
  time === undefined || time === null ? [] : [prefix + instantValue(time)]

/** The same of an end that is not announced. */
export const unannouncedValues = ({ valid_until: until, end_announced: announced }: StoredTimes & Announced) =>
  until === announced ? [] : instantValues(until)

export const writeTimes = ({ valid_from: from, valid_until: until }: TimesPolicy): (number | null)[] => [
  from ?? null,
  until ?? null,
]

/** @throws FRAME_INVALID unless one of them is given, in whole milliseconds, and they are in their order */
export function readTimes(from: unknown, until: unknown): TimesPolicy {
  const times = projectTimes({ valid_from: readInstant(from), valid_until: readInstant(until) })
  if (!isTimed(times)) throw invalid('a change with times has none')
  if ((times.valid_from ?? Number.NEGATIVE_INFINITY) >= (times.valid_until ?? Number.POSITIVE_INFINITY))
    throw invalid('a time ends before it begins')
  return times
}

function readInstant(value: unknown): number | null {
  if (value === undefined || value === null) return null
  if (!Number.isSafeInteger(value)) throw invalid('a time is not a whole number of milliseconds')
  return value as number
}
