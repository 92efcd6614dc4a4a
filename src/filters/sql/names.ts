// Names that cannot be quoted.
import { ZerohopError } from '../../model/errors.ts'

export function unquotable(name: string, reason: string): ZerohopError {
  return new ZerohopError('FILTER_REFUSED', { what: `the name \`${name.replaceAll('\0', '\\0')}\``, reason })
}
