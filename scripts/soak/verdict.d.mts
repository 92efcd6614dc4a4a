// Types of verdict.mjs.
export interface Sample {
  readonly checks: number
  readonly deltas: number
  /** bytes by part */
  readonly pdp: Readonly<Record<string, number>>
  readonly api: Readonly<Record<string, number>>
}

export interface Judged {
  readonly side: 'pdp' | 'api'
  readonly part: string
}

export const JUDGED: readonly Judged[]
export const CREEP_BYTES: number
export const SAMPLES_MIN: number

/**
 * Bytes; `perMillionChecks` and `perDeltas` (of 100,000) each hold the checks, or the deltas, to account for all of the
 * rise.
 */
export interface Verdict extends Judged {
  readonly rise: number
  readonly noise: number
  readonly perMillionChecks: number
  readonly perDeltas: number
  readonly verdict: 'steady' | 'grows' | 'too short'
}

/** `samples` in the order of time. */
export function verdictOn(what: Judged, samples: readonly Sample[]): Verdict
