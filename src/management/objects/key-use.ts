// On which day API keys were last used. A use is kept in memory, and noted some time later with all others, in one
// write: no request waits for it, and a key costs at most one write a day, whichever replica it reaches. What is not
// noted yet when the process ends is lost: it is the use of one minute.

import type { ApiKey } from '../../kinds/api-key.ts'
import { type Actor, type LogId, put, withoutRequest } from '../../log/change.ts'
import { contained, inBackground } from '../../model/contained.ts'
import { isEnded, startOfDay } from '../../model/key-end.ts'
import { AUTH_CACHE_MAX, KEY_ENDS_SOON_MS, KEY_USE_DELAY_MS, KEY_USE_KEYS_MAX } from '../../model/limits.ts'
import type { Decided, Mint, View } from '../../store/view.ts'

/** A key that was used and will end soon. */
export type EndingKey = Pick<ApiKey, 'id' | 'name'> & { readonly expires_at: number }

/** Notes the day of use of keys, where it is later than what is noted. Returns those that end soon. */
export function noteKeyUse(view: View, { ids }: { readonly ids: readonly string[] }, mint: Mint): Decided<EndingKey[]> {
  const day = startOfDay(mint.now)
  const keys = ids.flatMap((id) => view.find('api_key', id) ?? [])
  return {
    changes: keys
      .filter(({ last_used_at = 0 }) => last_used_at < day)
      .map((key) => put('api_key', { ...key, last_used_at: day })),
    result: keys.flatMap(({ id, name, expires_at }) =>
      expires_at != null && isEnded({ expires_at }, mint.now + KEY_ENDS_SOON_MS) ? [{ id, name, expires_at }] : [],
    ),
  }
}

/** The store, as far as it is needed here. */
export interface Noting {
  view(organization: LogId): Pick<View, 'get'>
  commit(
    organization: LogId,
    useCase: 'noteKeyUse',
    input: { readonly ids: readonly string[] },
    by: Actor,
  ): Promise<{ readonly result: readonly EndingKey[] }>
}

export class KeyUse {
  readonly #store: Noting
  readonly #onEnding: (key: EndingKey) => void
  readonly #now: () => number
  readonly #waiting = new Map<LogId, Set<string>>()
  /** the day that this process noted, or will, by the id of the key */
  readonly #noted = new Map<string, number>()
  /** the organization of each secret that was used here and ends soon, by its hash */
  readonly #ending = new Map<string, LogId>()
  #timer: NodeJS.Timeout | undefined

  /** @param onEnding called once a day with a key that is used and ends soon */
  constructor(store: Noting, now: () => number, onEnding: (key: EndingKey) => void = () => {}) {
    this.#store = store
    this.#now = now
    this.#onEnding = onEnding
  }

  /** Remembers that a key was used now. */
  readonly note = (organization: LogId, key: ApiKey): void => {
    const { id: own, secret_of: id = own, last_used_at = 0 } = key
    const day = startOfDay(this.#now())
    if (this.#endsSoon(key) && this.#ending.size < AUTH_CACHE_MAX) this.#ending.set(key.key, organization)
    if (last_used_at >= day || this.#noted.get(id) === day) return
    if (this.#noted.size >= AUTH_CACHE_MAX) this.#noted.clear()
    this.#noted.set(id, day)
    const waiting = this.#waiting.get(organization) ?? new Set()
    this.#waiting.set(organization, waiting.add(id))
    const flush = contained('noting the use of API keys', () =>
      inBackground('noting the use of API keys', this.flush()),
    )
    this.#timer ??= setTimeout(flush, KEY_USE_DELAY_MS).unref()
  }

  /** Notes what waits. Where it cannot be written, the next use is noted. */
  async flush(): Promise<void> {
    this.stop()
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const [organization, all] of waiting) {
      const ids = [...all]
      for (let at = 0; at < ids.length; at += KEY_USE_KEYS_MAX)
        await this.#write(organization, ids.slice(at, at + KEY_USE_KEYS_MAX))
    }
  }

  /** How many keys and old secrets that were used here since the start end soon: are valid now, but not in a week. */
  countEnding(): number {
    for (const [hash, organization] of this.#ending) {
      const key = this.#store.view(organization).get('api_key', hash)
      if (key === undefined || !this.#endsSoon(key)) this.#ending.delete(hash)
    }
    return this.#ending.size
  }

  #endsSoon({ expires_at }: ApiKey): boolean {
    if (expires_at == null) return false
    const now = this.#now()
    return !isEnded({ expires_at }, now) && isEnded({ expires_at }, now + KEY_ENDS_SOON_MS)
  }

  /** Nothing is noted any more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #write(organization: LogId, ids: readonly string[]): Promise<void> {
    const by = withoutRequest('noteKeyUse')
    const noted = await this.#store.commit(organization, 'noteKeyUse', { ids }, by).catch(() => undefined)
    if (noted === undefined) for (const id of ids) this.#noted.delete(id)
    for (const key of noted?.result ?? []) this.#onEnding(key)
  }
}
