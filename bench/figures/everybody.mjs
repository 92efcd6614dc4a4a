// Rows about roles of everyone (D16): what a check costs where everyone has a role somewhere, and how large the image and answers are
// where everyone has a role on each document.
import { runChild } from '../child.mjs'

const SIZES = {
  full: { users: 1_000, documents: 10_000, questions: 2_000, rounds: 60 },
  quick: { users: 1_000, documents: 10_000, questions: 2_000, rounds: 20 },
  tiny: { users: 20, documents: 30, questions: 40, rounds: 2 },
}

export async function measureEverybody(results, { effort, progress }) {
  const sizes = SIZES[effort]
  progress('everybody: checks, and answers about public documents')
  const { result, failure } = await runChild('./figures/everybody-work.mjs', sizes)
  if (failure) throw new Error(`everybody: ${failure}`)
  if (!result.hasRefused) throw new Error('everybody: a filter over too many keys was not refused by its number')
  for (const { name, ns, ratio } of result.checks)
    results.addFigure({ name, value: ns, unit: 'ns', peer: 'where everyone has nothing', ratio })
  const among = `where everyone may read ${sizes.documents.toLocaleString('en-US')} documents`
  results.addFigure({ name: 'bytes of an image for each role of everyone', value: result.bytes, unit: 'bytes' })
  for (const [what, ms] of Object.entries(result.lists))
    results.addFigure({ name: `${what}, ${among}`, value: ms, unit: 'ms' })
}
