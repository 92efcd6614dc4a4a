// The proof of an import: the old engine and a PDP over the written files are asked the same questions, and each one
// that they answer differently is listed.
import type { FactLists } from '../../management/policy-file/export.ts'
import { IMPORT_DIFFERENCES_MAX } from '../../model/limits.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import type { Check, Difference, Imported, Proof } from './importer.ts'
import { sampleIndexes } from './universe.ts'

export interface ProofOptions {
  /** asks at most so many questions */
  readonly questions: number
  /** chooses among them where there are more */
  readonly seed: number
  /** PDPs with the facts of tests, by their keys */
  readonly tests?: ReadonlyMap<string, Pdp>
  /** the facts that were written, for importers that compare them */
  readonly written?: () => Partial<FactLists>
  /** called with how many were asked */
  readonly onAsked?: (asked: number) => void
}

/** Asks both. @throws PACKAGE_MISSING when the old engine is not there */
export async function prove(imported: Imported, pdp: Pdp, options: ProofOptions): Promise<Proof> {
  const { questions, compare } = imported
  const { seed } = options
  if (compare !== undefined) return compare(options.written?.() ?? {}, seed)
  const differences: Difference[] = []
  const sums = { asked: 0, allowed: 0, different: 0, wider: 0 }
  const engine = await imported.open()
  try {
    for (const index of sampleIndexes(questions.total, questions.always, options.questions, seed)) {
      const { text, old, check } = questions.at(index)
      const is = ask(check, pdp, options.tests) ? 'allow' : 'deny'
      const before = await engine.ask(old).then(toAnswer, toFailure)
      sums.asked++
      options.onAsked?.(sums.asked)
      if (is === before.old) {
        if (is === 'allow') sums.allowed++
        continue
      }
      sums.different++
      if (is === 'allow') sums.wider++
      if (differences.length < IMPORT_DIFFERENCES_MAX) differences.push({ question: text, ...before, new: is })
    }
    return { engine: engine.name, universe: questions.stated, questions: questions.total, seed, ...sums, differences }
  } finally {
    await engine.close()
  }
}

function ask({ user, action, resource, context, now, test }: Check, pdp: Pdp, tests: ProofOptions['tests']): boolean {
  const asked = test === undefined ? pdp : tests?.get(test)
  if (asked === undefined) throw new Error(`there is no test \`${test}\``)
  return (now === undefined ? asked : asked.at(now)).check(user, action, resource, context)
}

type Before = Pick<Difference, 'old' | 'reason'>

const toAnswer = (allows: boolean): Before => ({ old: allows ? 'allow' : 'deny' })
const toFailure = (error: unknown): Before => ({ old: 'failed', reason: String((error as Error).message ?? error) })
