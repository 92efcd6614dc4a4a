// The outcome of a question as one value that can be compared.
import { isZerohopError } from '../../src/model/errors.ts'

/** What is answered, or the code of the typed error. Anything else fails. */
export function outcome(ask: () => unknown): unknown {
  try {
    return ask()
  } catch (error) {
    if (isZerohopError(error)) return error.code
    throw error
  }
}
