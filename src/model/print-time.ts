/** An instant (ms since 1970) in RFC 3339, with the offset that the clients know. */
export function printTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00')
}
