// The one way in which a variable is refused: a line that names it and says what it may be.
import { ZerohopError } from '../../../model/errors.ts'

export function invalid(name: string, expected: string, value: string): ZerohopError {
  return new ZerohopError('CONFIG_INVALID', { reason: `${name} must be ${expected}, not \`${value.slice(0, 100)}\`` })
}
