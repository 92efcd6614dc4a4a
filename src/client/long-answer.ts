// A long answer of a management API, read as it comes: it may take any time as a whole, but goes on.
import { contained } from '../model/contained.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { FACTS_IDLE_MS } from '../model/limits.ts'
import { fetchSendable, formatReason, readBody, readBytes } from './ask.ts'
import { dataOf } from './management-client.ts'

/**
 * The bytes of the answer. Whoever stops reading ends the request.
 * @throws API_REFUSED; FEED_UNREACHABLE, also when no byte comes for FACTS_IDLE_MS
 */
export async function* readLongAnswer(address: string, apiKey: string): AsyncGenerator<Uint8Array, void, undefined> {
  const controller = new AbortController()
  const { signal } = controller
  const late = (): void => controller.abort(new Error(`no byte within ${FACTS_IDLE_MS} ms`))
  // the time that whoever reads takes for a part does not count
  const wait = () => setTimeout(contained('the end of a long answer', late), FACTS_IDLE_MS)
  let idle = wait()
  try {
    const headers = { authorization: `Bearer ${apiKey}` }
    const response = await fetchSendable(address, { headers, redirect: 'error', signal })
    if (!response.ok) dataOf({ response, error: await readBody(response, signal) })
    for await (const chunk of readBytes(response, signal)) {
      clearTimeout(idle)
      yield chunk
      idle = wait()
    }
  } catch (error) {
    if (isZerohopError(error)) throw error
    throw new ZerohopError('FEED_UNREACHABLE', { reason: formatReason(error) }, { cause: error })
  } finally {
    clearTimeout(idle)
    controller.abort()
  }
}
