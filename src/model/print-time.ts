/** An instant in a sentence: in ISO 8601, or the milliseconds where no date can say them. */
export const formatInstant = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms))

/** An instant (ms since 1970) in RFC 3339, with the offset that the clients know. */
export function printTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00')
}
