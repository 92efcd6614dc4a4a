// Times on a command line: `90d`, `24h`, `15m`, `30s`, or a plain number of seconds.

/** The error for a text that is not a duration. */
export const DURATION = 'a time such as 24h, 30d or 90m is needed'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Seconds of a text; undefined for anything else. */
export function parseSeconds(text: string): number | undefined {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * SECONDS[unit]!
}

/** The instant that is so much later, as ISO 8601; a text that is not a duration is returned as it is. */
export function instantIn(text: string, now: number): string {
  const seconds = parseSeconds(text)
  const at = seconds === undefined ? Number.NaN : now + seconds * 1000
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : text
}
