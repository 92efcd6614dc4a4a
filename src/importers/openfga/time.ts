// Instants and durations of OpenFGA's conditions, in nanoseconds: RFC 3339, and what Go reads as a duration.

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(?:Z|[+-]\d\d:\d\d)$/

/** Nanoseconds since 1970; undefined for other texts. */
export function parseTimestamp(text: string): bigint | undefined {
  const found = TIMESTAMP.exec(text)
  const seconds = found === null ? Number.NaN : Date.parse(text.replace(/\.\d+/, ''))
  // the platform takes the 31st of a month of 30 days for the 1st of the next
  if (Number.isNaN(seconds) || Number(text.slice(8, 10)) > daysIn(text)) return undefined
  return BigInt(seconds) * 1_000_000n + BigInt((found?.[1] ?? '').padEnd(9, '0'))
}

const daysIn = (text: string): number =>
  new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()

const UNITS: Readonly<Record<string, bigint>> = {
  ...{ ns: 1n, us: 1_000n, µs: 1_000n, μs: 1_000n, ms: 1_000_000n, s: 1_000_000_000n },
  ...{ m: 60_000_000_000n, h: 3_600_000_000_000n },
}
const DURATION = /^([+-]?)((?:\d{1,15}(?:\.\d{0,9})?(?:ns|us|µs|μs|ms|s|m|h))+)$/
const PART = /(\d+)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g

/** Nanoseconds; undefined for other texts. */
export function parseDuration(text: string): bigint | undefined {
  if (/^[+-]?0$/.test(text)) return 0n
  const [, sign, parts = ''] = DURATION.exec(text) ?? []
  if (sign === undefined) return undefined
  let sum = 0n
  for (const [, whole = '0', fraction = '', unit = ''] of parts.matchAll(PART)) {
    const size = UNITS[unit] ?? 0n
    sum += BigInt(whole) * size + (BigInt(fraction.padEnd(9, '0')) * size) / 1_000_000_000n
  }
  return sign === '-' ? -sum : sum
}
