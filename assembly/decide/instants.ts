// How a value of type `time` is read (D9): one strict form, the same as src/model/instant.ts.
//
//   YYYY-MM-DD [ T hh:mm [ :ss [ .f{1,9} ] ] [ Z | ±hh:mm ] ]
import { Cell } from '../abi'
import { Kind } from '../limits'
import { isText, textLength, textStart } from '../memory/values'

/** Milliseconds since 1970, or NaN when the cell is not an instant. A number counts as milliseconds. */
export function parseInstant(cell: u32): f64 {
  if (load<u32>(cell, Cell.Kind) === Kind.Number) return load<f64>(cell, Cell.Value)
  return isText(cell) ? parse(textStart(cell), textLength(cell)) : NaN
}

function parse(at: u32, length: u32): f64 {
  if (length < 10 || !isByte(at + 4, 0x2d) || !isByte(at + 7, 0x2d)) return NaN
  const year = digits(at, 4)
  const month = digits(at + 5, 2)
  const day = digits(at + 8, 2)
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return NaN
  const midnight = (daysSince1970(year, month, day) as f64) * 86400000
  if (length === 10) return midnight
  const inDay = parseTime(at + 10, at + length)
  return midnight + inDay // NaN stays NaN
}

/** Milliseconds of `Thh:mm…` up to `end`, minus its offset; NaN when it is not a time. */
function parseTime(at: u32, end: u32): f64 {
  if (end - at < 6 || !isByte(at, 0x54) || !isByte(at + 3, 0x3a)) return NaN
  const hour = digits(at + 1, 2)
  const minute = digits(at + 4, 2)
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return NaN
  let milliseconds = (hour * 60 + minute) * 60000
  let rest = at + 6
  if (rest < end && isByte(rest, 0x3a)) {
    if (end - rest < 3) return NaN
    const second = digits(rest + 1, 2)
    if (second < 0 || second > 59) return NaN
    milliseconds += second * 1000
    rest += 3
    if (rest < end && isByte(rest, 0x2e)) {
      let count: u32 = 0
      let weight: i32 = 100
      for (rest++; rest < end && isDigit(rest); rest++) {
        milliseconds += ((load<u8>(rest) as i32) - 0x30) * weight
        weight /= 10
        count++
      }
      if (count < 1 || count > 9) return NaN
    }
  }
  const offset = parseOffset(rest, end)
  return offset === NO_OFFSET ? NaN : ((milliseconds - offset * 60000) as f64)
}

const NO_OFFSET: i32 = 0x7fffffff

/** Minutes of `Z`, `±hh:mm` or nothing; NO_OFFSET for anything else. */
function parseOffset(at: u32, end: u32): i32 {
  if (at === end) return 0
  if (isByte(at, 0x5a)) return at + 1 === end ? 0 : NO_OFFSET
  const minus = isByte(at, 0x2d)
  if ((!minus && !isByte(at, 0x2b)) || end - at !== 6 || !isByte(at + 3, 0x3a)) return NO_OFFSET
  const hours = digits(at + 1, 2)
  const minutes = digits(at + 4, 2)
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return NO_OFFSET
  const offset = hours * 60 + minutes
  return minus ? -offset : offset
}

function isByte(at: u32, byte: u8): bool {
  return load<u8>(at) === byte
}

function isDigit(at: u32): bool {
  return load<u8>(at) >= 0x30 && load<u8>(at) <= 0x39
}

/** The number of `count` digits, or -1. */
function digits(at: u32, count: u32): i32 {
  let number: i32 = 0
  for (let index: u32 = 0; index < count; index++) {
    if (!isDigit(at + index)) return -1
    number = number * 10 + ((load<u8>(at + index) as i32) - 0x30)
  }
  return number
}

function daysIn(year: i32, month: i32): i32 {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/**
 * Days of the Gregorian calendar, counted from a year that begins in March, so that a leap day is the last of its year.
 */
function daysSince1970(year: i32, month: i32, day: i32): i32 {
  // A whole era of 400 years is added, so that every division is of a positive number.
  const shifted = (month > 2 ? year : year - 1) + 400
  const era = shifted / 400
  const ofEra = shifted - era * 400
  const ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  return (era - 1) * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719468
}
