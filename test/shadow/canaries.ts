// Faults of shadow runs that the tests must find.
import type { Canary } from '../support/canary.ts'

/** The answer of the engine that does not decide; answers that are never compared. */
export const OF_RUNS = {
  'shadow-answer': 'attempt(() => this.#askNew(args)) as boolean',
  'shadow-comparison': 'true',
} as const satisfies Canary

/** Access that would be gained stands at the end of a report. */
export const OF_REPORTS = { 'shadow-direction': "found ? 'lost' : 'gained'" } as const satisfies Canary
