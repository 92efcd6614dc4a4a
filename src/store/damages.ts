// What this process knows to be damaged. Nothing is written into a damaged log, because a use case could miss objects
// that it must change too. The control log of an organization holds its access rights, so a damaged one stops the
// organization: nothing is read from it either.
import type { LogId } from '../log/change.ts'
import type { ZerohopError } from '../model/errors.ts'
import type { Head } from './heads.ts'
import type { Tables } from './tables.ts'
import { verifyLog } from './verify-folder.ts'
import type { Damage } from './verify-part.ts'

export class Damages {
  readonly #byLog = new Map<LogId, ZerohopError>()
  readonly #stopped = new Set<LogId>()

  /** The first damage of a log; undefined when none is known. */
  of(log: LogId): ZerohopError | undefined {
    return this.#byLog.get(log)
  }

  /** @throws DATA_DAMAGED when nothing may be read from the log */
  requireReadable(log: LogId): void {
    if (this.#stopped.has(log)) throw this.#byLog.get(log)
  }

  /** @param stops whether nothing may be read from the log from now on: it is a control log */
  add({ log, error }: Damage, stops: boolean): void {
    if (log === undefined) return
    if (!this.#byLog.has(log)) this.#byLog.set(log, error)
    if (stops) this.#stopped.add(log)
  }

  /** Verifies the control logs: they are small, and every key of a request leads through them. */
  addControlLogs(tables: Tables, heads: readonly (readonly [LogId, Head])[]): void {
    for (const [log, head] of heads) {
      if (!isControl(head)) continue
      const heard = { damage: (damage: Damage) => this.add(damage, true), checked: () => undefined }
      for (const _ of verifyLog(tables, log, heard));
    }
  }
}

/** Whether it is the head of a control log. */
export const isControl = (head: Head | undefined): boolean => (head?.counts.organization ?? 0) > 0
