// The reports of a PDP while its stream of deltas is open: which revision it applied. One goes out soon after that
// changes, but not too often, and now and then when it does not. A report may fail: another one follows.

import { contained, inBackground } from '../model/contained.ts'
import { PDP_ALIVE_MS, PDP_REPORT_CHECK_MS, PDP_REPORT_MS } from '../model/limits.ts'

export interface ReportTimes {
  /** milliseconds between two looks */
  readonly checkMs: number
  /** between two reports while the revision changes */
  readonly reportMs: number
  /** while it does not */
  readonly aliveMs: number
}

const TIMES: ReportTimes = { checkMs: PDP_REPORT_CHECK_MS, reportMs: PDP_REPORT_MS, aliveMs: PDP_ALIVE_MS }

export interface ReportsOptions {
  /** the revision that answers; undefined before there is one */
  readonly applied: () => number | undefined
  /** the revision that was reported when the stream was opened */
  readonly reported: number | undefined
  /** resolves with false when the other side does not know reports: then it gets no more of them */
  readonly send: (revision: number) => Promise<boolean>
  readonly times?: Partial<ReportTimes> | undefined
}

export class RevisionReports {
  readonly #options: ReportsOptions
  readonly #times: ReportTimes
  readonly #timer: NodeJS.Timeout
  #reported: number | undefined
  /** of performance.now() */
  #reportedAt: number
  #isSending = false

  constructor(options: ReportsOptions) {
    this.#options = options
    this.#times = { ...TIMES, ...options.times }
    this.#reported = options.reported
    // the first revision is reported at once
    this.#reportedAt = options.reported === undefined ? Number.NEGATIVE_INFINITY : performance.now()
    this.#timer = setInterval(
      contained('the report of a PDP', () => inBackground('the report of a PDP', this.#report())),
      this.#times.checkMs,
    )
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #report(): Promise<void> {
    const revision = this.#options.applied()
    const waitMs = revision === this.#reported ? this.#times.aliveMs : this.#times.reportMs
    if (revision === undefined || this.#isSending || performance.now() - this.#reportedAt < waitMs) return
    this.#isSending = true
    this.#reportedAt = performance.now()
    try {
      if (!(await this.#options.send(revision))) this.stop()
      this.#reported = revision
    } catch {
      // the connection shows what is wrong, and the next report says the same
    } finally {
      this.#isSending = false
    }
  }
}
