// Conditions with one of their tests turned around: true where it was false. The rest stays as it is.
import type { Json, JsonObject } from '../model/objects.ts'

type Path = readonly (string | number)[]

/** `path` leads to a test, in the form of `testsOfConditions`. */
export function invertTest(conditions: Json, path: Path): Json {
  const [name, ...rest] = path
  if (name === undefined) return conditions
  if (Array.isArray(conditions))
    return conditions.map((item: Json, index) => (index === name ? invertTest(item, rest) : item))
  const object = conditions as JsonObject
  const inside = object[name]!
  if (rest.length === 0) return withInverted(object, String(name))
  // a value in a list under `not` stands for `equals`
  if (name === 'not' && rest.length === 1 && Array.isArray(inside) && isScalar(inside[0])) {
    const tests = inside.map(
      (value: Json, index): JsonObject => (index === rest[0] ? { not: { equals: value } } : { equals: value }),
    )
    return { ...object, not: { anyOf: tests } }
  }
  return { ...object, [name]: invertTest(inside, rest) }
}

/** The members of an object are ANDed; one of them is a test. */
function withInverted(object: JsonObject, name: string): Json {
  const { [name]: test, ...others } = object
  const inverted: Json = name === 'not' && isScalar(test!) ? { equals: test! } : { not: { [name]: test! } }
  return Object.keys(others).length === 0 ? inverted : { allOf: [inverted, others] }
}

const isScalar = (value: Json | undefined): boolean => ['string', 'number', 'boolean'].includes(typeof value)
