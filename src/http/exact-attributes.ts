// D9 (when two values are equal): numbers beyond a double and halves of surrogate pairs are refused in attributes and
// context, also where no rule reads them. A key with such a half cannot be stored, and is unknown. A text that can hold
// neither, as nearly every one, is only looked through for the few characters that they need.
import { ZerohopError } from '../model/errors.ts'

type Path = readonly (string | number)[]

/** An escaped surrogate, an exponent of three digits, or a number so long that a shorter exponent is enough. */
const SUSPECT = /\\u[dD][89a-fA-F]|\d\.?[eE]\+?\d{3}|\d{200}/
const ATTRIBUTES: ReadonlySet<string> = new Set(['attributes', 'context'])

/**
 * @param text the JSON that the value was read from, whose depth is bounded
 * @throws NUMBER_INVALID, TEXT_INVALID with the place
 */
export function requireExactAttributes(text: string, value: unknown): void {
  if (SUSPECT.test(text)) requireExactIn(value)
}

/** The same of a body whose text is not at hand. @throws NUMBER_INVALID, TEXT_INVALID with the place */
export function requireExactIn(body: unknown): void {
  walk(body, ['body'], false)
}

function walk(value: unknown, path: Path, isInside: boolean): void {
  if (typeof value === 'number') {
    if (isInside && !Number.isFinite(value))
      throw new ZerohopError('NUMBER_INVALID', { number: String(value) }, { path })
  } else if (typeof value === 'string') {
    if (isInside && !value.isWellFormed()) throw new ZerohopError('TEXT_INVALID', {}, { path })
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) walk(item, [...path, at], isInside)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (isInside && !name.isWellFormed()) throw new ZerohopError('TEXT_INVALID', {}, { path })
      walk(inner, [...path, name], isInside || ATTRIBUTES.has(name))
    }
  }
}
