// Node may be told to make no functions from text (--disallow-code-generation-from-strings). Fastify and LMDB make some,
// for routes, bodies and records, so no server and no data folder works then; the library has no need of it.
import { ZerohopError } from './errors.ts'

/** @throws CODE_GENERATION_OFF */
export function requireCodeGeneration(): void {
  try {
    new Function('')
  } catch (cause) {
    throw new ZerohopError('CODE_GENERATION_OFF', {}, { cause })
  }
}
