// Instants: how a value of type `time` is read (D9). One strict form, because what a date parser of the platform
// accepts differs from one platform to the next, and a decision must not (D10).
import type { Json } from './objects.ts'

//                year    month   day       hour    minute     second   fraction      offset
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?$/

/**
 * Milliseconds since 1970 of a number (which is that already) or of an ISO 8601 text: `2026-11-20`,
 * `2026-11-20T08:30Z`, `2026-11-20T08:30:00.250+01:00`. Without an offset it is UTC; digits after the millisecond are
 * dropped. Undefined for anything else, also for a day or an hour that does not exist.
 */
export function parseInstant(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value
  const parts = typeof value === 'string' ? INSTANT.exec(value) : null
  if (parts === null) return undefined
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((index) => Number(parts[index] ?? 0)) as Six
  const [fraction = '', offset = 'Z'] = [parts[7], parts[8]]
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const away = offset === 'Z' ? 0 : parseOffset(offset)
  if (away === undefined) return undefined
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3))
  return (
    daysSince1970(year, month, day) * 86_400_000 + ((hour * 60 + minute - away) * 60 + second) * 1000 + milliseconds
  )
}

type Six = [number, number, number, number, number, number]

function parseOffset(offset: string): number | undefined {
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4))]
  if (hours > 23 || minutes > 59) return undefined
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!
}

/**
 * Days of the Gregorian calendar, counted from a year that begins in March, so that a leap day is the last of its year.
 */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1
  const era = Math.floor(shifted / 400)
  const ofEra = shifted - era * 400
  const ofYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468
}

/** The last millisecond of the year 9999: later ones cannot be written in ISO 8601 as it is read here. */
export const INSTANT_MAX = 253_402_300_799_999
/** Of the same form, with an offset, and no finer than a millisecond. */
const EXACT = /T.*(?:Z|[+-]\d\d:\d\d)$/
const FINER = /\.\d{4}/

/**
 * An instant that says exactly when (D15): whole milliseconds since 1970, or ISO 8601 with an offset and at most three
 * digits of a second. Undefined for anything else: a guess could prolong a grant by hours.
 */
export function parseExactInstant(value: string | number): number | undefined {
  const text = typeof value === 'string'
  const ms = text && (!EXACT.test(value) || FINER.test(value)) ? undefined : parseInstant(value)
  return ms !== undefined && Number.isSafeInteger(ms) && ms >= 0 && ms <= INSTANT_MAX ? ms : undefined
}
