// Times as people write them on a command line and in forms: `90d`, `24h`, `15m`, `30s`, or a plain number of seconds.

import { DURATION_SECONDS_MAX } from './limits/policy-limits.ts'

/** The error for a text that is not a duration. */
export const DURATION = 'a time such as 24h, 30d or 90m is needed'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Seconds of a text; undefined for anything else. */
export function parseSeconds(text: string): number | undefined {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * SECONDS[unit]!
}

/** What a field for a duration takes, for people. */
export const DURATION_FORM = 'Enter a time such as 90m, 8h or 7d'

/** Seconds of a text within the bounds of a duration; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const seconds = parseSeconds(text.trim())
  return seconds !== undefined && seconds >= 1 && seconds <= DURATION_SECONDS_MAX ? seconds : undefined
}

/** `7d`: in the largest unit in which it is a whole number. */
export function formatSeconds(seconds: number): string {
  const [unit, size] = Object.entries(SECONDS).findLast(([, each]) => seconds % each === 0)!
  return `${seconds / size}${unit}`
}

/** The instant that is so much later, as ISO 8601; a text that is not a duration is returned as it is. */
export function instantIn(text: string, now: number): string {
  const seconds = parseSeconds(text)
  const at = seconds === undefined ? Number.NaN : now + seconds * 1000
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : text
}
