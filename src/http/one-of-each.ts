// Requests with two `Host` or two `Authorization` headers are refused. Node keeps the first one, a proxy in front may
// keep the last: one would check a name or a key, and the other would use another one.
import { ZerohopError } from '../model/errors.ts'

const SINGLE: readonly string[] = ['host', 'authorization']
const LENGTHS: ReadonlySet<number> = new Set(SINGLE.map(({ length }) => length))

/** The header that a request may have once and has twice; undefined when there is none. */
export function repeatedHeader({ rawHeaders }: { readonly rawHeaders: readonly string[] }): string | undefined {
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]!
    if (!LENGTHS.has(sent.length)) continue // most headers: nothing is made of them
    const index = SINGLE.indexOf(sent.toLowerCase())
    if (index < 0) continue
    if ((seen & (1 << index)) !== 0) return SINGLE[index]
    seen |= 1 << index
  }
  return undefined
}

/** @throws HEADER_REPEATED */
export function requireOneOfEach(message: { readonly rawHeaders: readonly string[] }): void {
  const name = repeatedHeader(message)
  if (name !== undefined) throw new ZerohopError('HEADER_REPEATED', { name }, { path: ['header', name] })
}
