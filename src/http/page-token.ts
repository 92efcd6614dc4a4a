// Tokens of pages: where the next page begins, with a digest of the question, so that a token that comes back with
// another one is refused. A token has no secret and grants nothing, so it needs neither a signature nor server state.
import { hash } from 'node:crypto'

const TOKEN = /^[\w-]{1,4096}$/

export const makeToken = (parts: readonly unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url')

/** The parts of a token; undefined for any other text. */
export function readToken(token: string): unknown[] | undefined {
  if (!TOKEN.test(token)) return undefined
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    return Array.isArray(parts) ? (parts as unknown[]) : undefined
  } catch {
    return undefined
  }
}

/** The digest of a value, independent of the order of members. */
export function digest(value: unknown): string {
  const text = JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? sortEntries(inner) : inner,
  )
  return hash('sha256', text, 'base64url').slice(0, 22)
}

function sortEntries(value: object): [string, unknown][] {
  return Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
}
