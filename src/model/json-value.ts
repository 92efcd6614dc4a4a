// Values of a program that JSON has. Runs in browsers too: nothing of Node.js, and no dependency.

/** A date, NaN or a map is not: a condition would take it for a missing value. */
export function isJsonValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean'
  if (value === null) return true
  if (Array.isArray(value)) return value.every(isJsonValue)
  const of: unknown = Object.getPrototypeOf(value)
  return (
    (of === null || Object.getPrototypeOf(of) === null) &&
    Object.values(value).every((each) => each === undefined || isJsonValue(each))
  )
}
