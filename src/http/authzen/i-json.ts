// The requirements of AuthZEN on a body beyond JSON (I-JSON, RFC 7493): no lone surrogates in texts, numbers within the
// range of a double. Duplicate members are found by the parser. The whole body is validated, also what no route reads,
// because no two readers may interpret it differently.
import { wrong } from './authzen-bodies.ts'

const LONE_SURROGATE = /\p{Surrogate}/u

/** Returns the value. Its depth is bounded by the parser. @throws INPUT_INVALID, which names the place */
export function interchangeable<T>(value: T, place = 'the body'): T {
  if (typeof value === 'string' && LONE_SURROGATE.test(value)) throw wrong(place, 'text without unpaired surrogates')
  if (typeof value === 'number' && !Number.isFinite(value)) throw wrong(place, 'a number that a double can hold')
  if (typeof value !== 'object' || value === null) return value
  const prefix = place === 'the body' ? '' : `${place}.`
  for (const [name, inner] of Object.entries(value)) {
    if (LONE_SURROGATE.test(name)) throw wrong(`each member name in ${place}`, 'text without unpaired surrogates')
    interchangeable(inner as unknown, prefix + name)
  }
  return value
}
