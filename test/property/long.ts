// The law "the image and the definition agree", for as many questions as asked for: asked after every revision of
// images that follow by deltas, in the release and the debug build of the kernel, and of the image that is built from
// where a history ends; there the law "apply(delta) is build(next)" must hold, too, and of every eighth history each
// listing is what checks allow (D12). The normal run asks 300,000 (agreement.test.ts), scripts/test-long.mjs any
// number.
import fc from 'fast-check'
import { Image } from '../../src/image/image.ts'
import type { KernelSource } from '../../src/kernel/module.ts'
import { check } from '../reference/check.ts'
import { ENVIRONMENT } from '../support/deltas.ts'
import { findPool, mixedHistories } from './histories.ts'
import { ask, Disagreement, listsAsDefined, type Play, permitsAsDefined, play, Tally } from './laws.ts'
import { numbers } from './numbers.ts'
import { questions } from './questions.ts'
import { toCase } from './save.ts'
import { definedAt, makeInstants } from './times.ts'

const HISTORIES_AT_A_TIME = 200
const CHECKS_PER_REVISION = 40
const CHECKS_AT_THE_END = 60
/** The definition of a listing is a hundred checks and more: few histories, and one question of each. */
const LISTED_ONE_IN = 8

export interface LongRun {
  readonly cases: number
  readonly seed: number
  /** the debug build: every fourth history follows in it */
  readonly debug: KernelSource
  readonly progress?: (count: Count) => void
}

/** How many questions were asked in total, by kernel and kind of image. */
class Count extends Tally {
  inDebug = 0
  ofBuilt = 0
  /** questions about which everything was listed */
  listed = 0
}

export interface Failure {
  /** the shrunk counterexample, ready to print */
  readonly text: string
  /** the same as a case file; undefined when no single question shows it */
  readonly case: object | undefined
}

/** Undefined when every question was answered as defined. */
export function runLong({ cases, seed, debug, progress }: LongRun): { count: Count; failure: Failure | undefined } {
  const plays: fc.Arbitrary<Play> = fc.record({ history: mixedHistories, seed: fc.nat() })
  const count = new Count()
  const property = fc.property(plays, (drawn) => agrees(drawn, debug, count))
  for (let round = 0; count.checks < cases; round++) {
    const numRuns = Math.min(HISTORIES_AT_A_TIME, 1 + Math.ceil((cases - count.checks) / 400))
    const details = fc.check(property, { seed: (seed + round) | 0, numRuns })
    if (details.failed) {
      const { counterexample, errorInstance } = details
      const [drawn] = counterexample!
      const shown =
        errorInstance instanceof Disagreement ? toCase(drawn, errorInstance, kernelFor(drawn, debug)) : undefined
      return { count, failure: { text: `${errorInstance}\n${fc.defaultReportMessage(details)}`, case: shown } }
    }
    progress?.(count)
  }
  return { count, failure: undefined }
}

const kernelFor = ({ seed }: Play, debug: KernelSource) => (seed % 4 === 3 ? debug : 'release')

/**
 * @throws Disagreement, or an error when the image that followed is not the one that is built, or lists something else
 */
function agrees(drawn: Play, debug: KernelSource, count: Count): void {
  const kernel = kernelFor(drawn, debug)
  const before = count.checks
  const { image, world } = play(drawn, { checksPerRevision: CHECKS_PER_REVISION, tally: count, kernel })
  if (kernel === debug) count.inDebug += count.checks - before
  const built = Image.build(ENVIRONMENT, image.position, world.contents(), { kernel })
  const when = makeInstants(world.policy, numbers(drawn.seed))
  for (const request of questions(world, findPool(drawn.history), numbers(~drawn.seed), CHECKS_AT_THE_END)) {
    for (const t of when()) {
      const expected = definedAt(world.policy, request, t, check)
      count.checks++
      count.ofBuilt++
      if (t !== undefined) count.inTime++
      if (expected) count.allowed++
      if (ask(built, request, t) !== expected) throw new Disagreement(request, image.revision, expected, t)
    }
  }
  if (drawn.seed % LISTED_ONE_IN === 0) {
    const [request] = questions(world, findPool(drawn.history), numbers(drawn.seed), 1)
    for (const t of when()) {
      listsAsDefined([image], world.policy, request!, t)
      permitsAsDefined(built, world.policy, request!, t)
      count.listed++
    }
  }
  if (Buffer.compare(image.compact().save(), built.save()) !== 0) throw new Error('apply(delta) is not build(next)')
}
