// Writes for what was read: an object that is shown keeps the etag that it was read with, and what is written for it says
// so. Where someone else has changed it meanwhile nothing is written (412), and what is shown is read anew.
import { ApiError } from './api-error.ts'
import { read } from './client.ts'

interface Result {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

// not an interface: forms take objects of any members
/** Null where the API gives none. */
type Tagged = { readonly etag: string | null }

/** The headers of a write. */
export interface Precondition {
  readonly headers: { readonly 'if-match'?: string }
}
/** What a form sends. */
export interface Edit extends Precondition {
  readonly body: Readonly<Record<string, unknown>>
}

/** The object of a call that reads one, with its etag. @throws ApiError when the API refused it */
export async function readTagged<R extends Result>(call: Promise<R>): Promise<Exclude<R['data'], undefined> & Tagged> {
  const result = await call
  const object = await read(Promise.resolve(result))
  return { ...(object as object), etag: result.response.headers.get('etag') } as Exclude<R['data'], undefined> & Tagged
}

/** The same, or undefined where it does not exist any more. */
export async function readTaggedIfThere<R extends Result>(call: Promise<R>) {
  try {
    return await readTagged(call)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** Whatever it is about is still as it was read; says nothing where it has no etag. */
export const ifSame = (stored: { readonly etag?: unknown } | undefined): Precondition => ({
  headers: typeof stored?.etag === 'string' ? { 'if-match': stored.etag } : {},
})

/** Whether nothing was written because someone else has changed the object since it was read. */
export const isOvertaken = (error: unknown): boolean => error instanceof ApiError && error.status === 412
