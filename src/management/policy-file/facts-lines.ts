// Facts as lines of JSON, so that an environment of any size can leave and enter: one line that says what the file is,
// one line for each fact, `{"user":{"key":"ana"}}`, and one that says that the file is whole. A fact has the fields that
// a policy file has in the list of its kind, and names only facts of lines before it. facts-reader.ts reads them.
import type { View } from '../../store/view.ts'
import { eachFact } from './export.ts'

/** Version of the format. */
export const FACTS_VERSION = 1

/** The first line. */
export interface FactsHeader {
  readonly zerohop_facts: typeof FACTS_VERSION
  /** as which the facts were read; absent in a file that was not exported */
  readonly revision?: number
  /** number of facts that were left out before the first one; absent for none */
  readonly skipped?: number
}

/** The last line: the number of facts, with those that were left out. */
export interface FactsEnd {
  readonly end: { readonly facts: number }
}

export interface WantedFacts {
  /** that of the view */
  readonly revision: number
  /** number of facts to leave out at the start */
  readonly skip: number
}

/** The facts of an environment as lines, without their line ends. */
export function* printFacts(view: View, { revision, skip }: WantedFacts): Iterable<string> {
  const header: FactsHeader = { zerohop_facts: FACTS_VERSION, revision, ...(skip > 0 && { skipped: skip }) }
  yield JSON.stringify(header)
  let facts = 0
  for (const [kind, fact] of eachFact(view)) if (++facts > skip) yield JSON.stringify({ [kind]: fact })
  const end: FactsEnd = { end: { facts } }
  yield JSON.stringify(end)
}
