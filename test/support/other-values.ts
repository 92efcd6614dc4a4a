// Something else in every place of a value: for tests of what nobody checked.
import { KEY_BYTES_MAX } from '../../src/model/limits.ts'

type Place = readonly (string | number)[]

export const OTHERS: readonly unknown[] = [
  null,
  true,
  5,
  -0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'a b',
  'text',
  '__proto__',
  '\ud800',
  'x'.repeat(KEY_BYTES_MAX + 1),
  [],
  [5],
  [null],
  [['text']],
  {},
  { text: 5 },
  { text: null },
  { key: 'text' },
]

/** Every place in a value, with what stands there. */
export function* placesOf(value: unknown, at: Place = []): Generator<Place> {
  yield at
  if (typeof value !== 'object' || value === null) return
  for (const [name, inside] of Object.entries(value))
    yield* placesOf(inside, [...at, Array.isArray(value) ? Number(name) : name])
}

/** The value with something else at the place. */
export function withAt(value: unknown, [first, ...rest]: Place, other: unknown): unknown {
  if (first === undefined) return other
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>
  copy[first] = withAt(copy[first], rest, other)
  return copy
}
