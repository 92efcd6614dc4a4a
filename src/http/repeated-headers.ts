// A request has each of these headers once, at every server that we listen with. Of two `Host` or `Authorization` headers
// Node keeps the first one, and a proxy in front may keep the last: one would check a name or a key, and the other would
// use another one. Two that say how long the body is let two readers disagree on where the next request begins; Node
// refuses most of these itself.
import { ZerohopError } from '../model/errors.ts'

const SINGLE: readonly string[] = ['host', 'authorization', 'content-length', 'transfer-encoding']
const LENGTHS: ReadonlySet<number> = new Set(SINGLE.map(({ length }) => length))

/** The header that a request may have once and has twice, or undefined. */
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
export function refuseRepeatedHeaders(message: { readonly rawHeaders: readonly string[] }): void {
  const name = repeatedHeader(message)
  if (name !== undefined) throw new ZerohopError('HEADER_REPEATED', { name }, { path: ['header', name] })
}
