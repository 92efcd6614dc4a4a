// One request that is not in the OpenAPI document of the API: those of the session, and those that are sent again.

/** No answer came. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

/** @throws UnreachableError when no answer comes, whatever the reason */
export async function send(request: Request | string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(request, { cache: 'no-store', redirect: 'error', ...init })
  } catch (cause) {
    throw new UnreachableError('the server did not answer', { cause })
  }
}
