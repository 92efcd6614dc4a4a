// What of a control log may change what an API key is and may do. Servers keep what they found of keys until then: sign-ins
// to the routes of members are written to the same log, many in a second, and change nothing of any key.
import { isSession } from '../kinds/api-key.ts'
import type { LogEntry, LogId } from '../log/change.ts'
import { KEY_CHANGES_MAX } from '../model/limits.ts'
import type { Store } from '../store/store.ts'
import type { UseCases } from '../store/view.ts'

type Logs = Pick<Store<UseCases>, 'head' | 'entries'>

interface Seen {
  /** so far it was read */
  readonly revision: number
  /** the last revision that changed something of keys */
  readonly changed: number
}

export class KeyChanges {
  readonly #store: Logs
  readonly #isKept: (hash: string) => boolean
  readonly #seen = new Map<LogId, Seen>()

  /** @param isKept whether something is kept of a key, by its hash: else it may be deleted */
  constructor(store: Logs, isKept: (hash: string) => boolean) {
    this.#store = store
    this.#isKept = isKept
  }

  /**
   * A revision of the control log since which nothing of what is kept has changed. When there is more to read than
   * KEY_CHANGES_MAX it is the last one.
   */
  last(organization: LogId): number {
    const { revision } = this.#store.head(organization)
    const seen = this.#seen.get(organization)
    if (seen?.revision === revision) return seen.changed
    const changed = seen === undefined ? revision : this.#readOn(organization, seen, revision)
    this.#seen.set(organization, { revision, changed })
    return changed
  }

  #readOn(organization: LogId, { revision: from, changed }: Seen, to: number): number {
    const count = to - from
    if (count < 0 || count > KEY_CHANGES_MAX) return to
    const entries = this.#store.entries(organization, from, count)
    if (entries.at(-1)?.revision !== to || entries.length !== count) return to
    return entries.findLast((entry) => !this.#isOfSessions(entry))?.revision ?? changed
  }

  /** Whether an entry begins and ends sessions, and does nothing else. */
  #isOfSessions({ changes }: LogEntry): boolean {
    return (
      changes.length > 0 && // those of an entry that was trimmed are not known
      changes.every((change) => {
        if (change.kind !== 'api_key') return false
        return change.op === 'put' ? isSession(change.value) && !this.#isKept(change.key) : !this.#isKept(change.key)
      })
    )
  }
}
