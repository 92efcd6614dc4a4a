// Loads one list of the routes of members, and changes what is in it: one load at a time, the last one counts, and
// none is heard of after the end. Knows nothing of React.
import { SNAPSHOT_LOAD_TIMEOUT_MS } from '../../model/limits/snapshot-limits.ts'
import { MEMBERS_MARK } from '../../model/members.ts'
import { MembersError } from './members-error.ts'

export interface Loaded<A> {
  /** the last answer, also while the next one is loading or after a failure; undefined before the first one */
  readonly answer: A | undefined
  /** why the last attempt failed; undefined when it did not */
  readonly error: MembersError | undefined
  readonly isLoading: boolean
}

/** What is known before the first answer. */
export const NOT_LOADED: Loaded<never> = { answer: undefined, error: undefined, isLoading: true }

export class ListLoader<A> {
  readonly #url: string
  readonly #tell: (loaded: (before: Loaded<A>) => Loaded<A>) => void
  #loading: AbortController | undefined
  #isEnded = false

  /** `tell` hears what is known from now on, made of what was known before. */
  constructor(url: string, tell: (loaded: (before: Loaded<A>) => Loaded<A>) => void) {
    this.#url = url
    this.#tell = tell
  }

  /** Loads now; a load that is under way is given up. Never rejects. */
  async load(): Promise<void> {
    if (this.#isEnded) return
    this.#loading?.abort()
    const loading = new AbortController()
    this.#loading = loading
    this.#tell((before) => ({ ...before, isLoading: true }))
    try {
      const answer = (await send('GET', this.#url, { signal: loading.signal })) as A
      if (this.#loading === loading) this.#tell(() => ({ answer, error: undefined, isLoading: false }))
    } catch (error) {
      if (this.#loading === loading)
        this.#tell(({ answer }) => ({ answer, error: error as MembersError, isLoading: false }))
    }
  }

  /** Ends it: what is loading is aborted, and nothing more is heard of it. */
  end(): void {
    this.#isEnded = true
    this.#loading?.abort()
    this.#loading = undefined
  }
}

/** One request to the routes of members. @throws MembersError */
export async function send(
  method: string,
  url: string,
  { body, signal }: { readonly body?: object; readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  const controller = new AbortController()
  const end = () => controller.abort()
  const late = setTimeout(end, SNAPSHOT_LOAD_TIMEOUT_MS)
  signal?.addEventListener('abort', end, { once: true })
  try {
    const response = await fetch(url, {
      method,
      headers: {
        [MEMBERS_MARK.name]: MEMBERS_MARK.value,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      cache: 'no-store',
      signal: controller.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw refusal(response.status, text)
    return text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    if (error instanceof MembersError) throw error
    throw new MembersError('unavailable', 'there was no answer that can be read', undefined, { cause: error })
  } finally {
    clearTimeout(late)
    signal?.removeEventListener('abort', end)
  }
}

function refusal(status: number, text: string): MembersError {
  try {
    const { error, message, reason } = JSON.parse(text) as Record<string, unknown>
    if (typeof error === 'string' && typeof message === 'string')
      return new MembersError(error, message, status, { reason: typeof reason === 'string' ? reason : undefined })
  } catch {
    // not an answer of the routes: a proxy before them, say
  }
  return new MembersError('unavailable', `the answer has status ${status}`, status)
}
