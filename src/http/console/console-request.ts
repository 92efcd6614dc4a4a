// Which requests come from the console. The routes of the API exist once: a request below `/console/api/v2/` is marked
// and then routed as `/v2/…`. Only a marked request may be authenticated by the session cookie, and a marked request is
// never authenticated by a bearer key (src/http/management/auth.ts). The mark is made before routing, from the path as
// it was sent, so no other spelling of a path has it.
import type { IncomingMessage } from 'node:http'

/** Where the console calls the API. */
export const CONSOLE_API = '/console/api'

/** Where a user begins to sign in at the identity provider, and where the provider leads back to. */
export const SIGN_IN_START = `${CONSOLE_API}/session/provider`
export const SIGN_IN_CALLBACK = `${SIGN_IN_START}/callback`

const BELOW = /^\/console\/api(?=[/?]|$)/
const marked = new WeakSet<IncomingMessage>()

/** Marks a request of the console; returns the path under which it is routed. Called once for each request. */
export function markConsole(request: IncomingMessage): string {
  const url = request.url ?? '/'
  if (!BELOW.test(url)) return url
  marked.add(request)
  return url.startsWith(`${CONSOLE_API}/v2/`) ? url.slice(CONSOLE_API.length) : url
}

/** True for a request that was sent to a path below `/console/api`. */
export const isConsole = (request: IncomingMessage): boolean => marked.has(request)
