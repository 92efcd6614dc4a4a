// The requirements of AuthZEN on a body beyond JSON (I-JSON, RFC 7493): no lone surrogates in texts, numbers within the
// range of a double. Duplicate members are found by the parser. The whole body is validated, also what no route reads,
// because no two readers may interpret it differently.
import { wrong } from './authzen-bodies.ts'

/** Returns the value. Its depth is bounded by the parser. @throws INPUT_INVALID, which names the place */
export function interchangeable<T>(value: T): T {
  if (!isInterchangeable(value)) requireInterchangeable(value, '')
  return value
}

function isInterchangeable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isInterchangeable)
  // what JSON.parse made has own members alone
  for (const name in value) {
    if (!name.isWellFormed() || !isInterchangeable((value as Record<string, unknown>)[name])) return false
  }
  return true
}

/** Finds the place: `place` is empty for the body. */
function requireInterchangeable(value: unknown, place: string): void {
  const what = place === '' ? 'the body' : place
  if (typeof value === 'string' && !value.isWellFormed()) throw wrong(what, 'text without unpaired surrogates')
  if (typeof value === 'number' && !Number.isFinite(value)) throw wrong(what, 'a number that a double can hold')
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (!name.isWellFormed()) throw wrong(`each member name in ${what}`, 'text without unpaired surrogates')
    requireInterchangeable(inner, place === '' ? name : `${place}.${name}`)
  }
}
