// The law "the image and the definition agree", for as many questions as asked for; each history ends with the law "apply(delta) is
// build(next)". scripts/test-long.mjs compiles and starts it.
import fc from 'fast-check'
import { Image } from '../../src/image/image.ts'
import { ENVIRONMENT } from '../support/deltas.ts'
import { mixedHistories } from './histories.ts'
import { Disagreement, type Play, play, Tally } from './laws.ts'
import { caseOf } from './save.ts'

const HISTORIES_AT_A_TIME = 200
const CHECKS_PER_REVISION = 40

export interface LongRun {
  readonly cases: number
  readonly seed: number
  readonly progress: (tally: Tally) => void
}

export interface Failure {
  /** the shrunk counterexample, ready to print */
  readonly text: string
  /** the same as a case file; undefined when no single question shows it */
  readonly case: object | undefined
}

/** Undefined when every question was answered as defined. */
export function runLong({ cases, seed, progress }: LongRun): Failure | undefined {
  const plays: fc.Arbitrary<Play> = fc.record({ history: mixedHistories, seed: fc.nat() })
  const tally = new Tally()
  const property = fc.property(plays, (drawn) => {
    const { image, world } = play(drawn, { checksPerRevision: CHECKS_PER_REVISION, tally })
    const built = Image.build(ENVIRONMENT, image.position, world.contents())
    if (Buffer.compare(image.compact().save(), built.save()) !== 0) throw new Error('apply(delta) is not build(next)')
  })
  for (let round = 0; tally.checks < cases; round++) {
    const details = fc.check(property, { seed: (seed + round) | 0, numRuns: HISTORIES_AT_A_TIME })
    if (details.failed) {
      const { counterexample, errorInstance } = details
      const shown = errorInstance instanceof Disagreement ? caseOf(counterexample![0], errorInstance) : undefined
      return { text: `${errorInstance}\n${fc.defaultReportMessage(details)}`, case: shown }
    }
    progress(tally)
  }
  return undefined
}
