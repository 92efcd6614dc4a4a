/** An instant in a sentence: in ISO 8601, or the milliseconds where no date can say them. */
export const formatInstant = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms))

/** An instant (ms since 1970) in RFC 3339, with the offset that the clients know. */
export function printTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00')
}

interface Times {
  readonly valid_from?: number
  readonly valid_until?: number
}

/** The same with its times (ms since 1970) as text; those that it does not have stay away. */
export function withInstants<T extends Times>(
  of: T,
): Omit<T, keyof Times> & { valid_from?: string; valid_until?: string } {
  const { valid_from: from, valid_until: until, ...rest } = of
  return {
    ...rest,
    ...(from === undefined ? {} : { valid_from: formatInstant(from) }),
    ...(until === undefined ? {} : { valid_until: formatInstant(until) }),
  }
}
