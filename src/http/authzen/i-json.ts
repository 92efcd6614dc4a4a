// What AuthZEN asks of a body beyond JSON (RFC 7493): text without half of a surrogate pair, numbers within a double. Members that appear
// twice are found by the parser. The whole body is looked at, also what no route reads: two readers must not understand it differently.
import { wrong } from './bodies.ts'

const LONE_SURROGATE = /\p{Surrogate}/u

/** The value itself. Its depth is bounded by the parser. @throws INPUT_INVALID, which names the place */
export function interchangeable<T>(value: T, place = 'the body'): T {
  if (typeof value === 'string' && LONE_SURROGATE.test(value))
    throw wrong(place, 'text in which no half of a surrogate pair stands alone')
  if (typeof value === 'number' && !Number.isFinite(value)) throw wrong(place, 'a number that a double can hold')
  if (typeof value !== 'object' || value === null) return value
  const prefix = place === 'the body' ? '' : `${place}.`
  for (const [name, inner] of Object.entries(value)) {
    if (LONE_SURROGATE.test(name))
      throw wrong(`each member name in ${place}`, 'text in which no half of a surrogate pair stands alone')
    interchangeable(inner as unknown, prefix + name)
  }
  return value
}
