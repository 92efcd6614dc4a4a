// Rows about a role under a condition (D17): what a check costs that is allowed by it, beside the same role that has the
// permission itself, and beside the same condition for a role in the tenant.
import { runChild } from '../child.mjs'

const SIZES = {
  full: { users: 2_000, questions: 2_000, rounds: 60 },
  quick: { users: 2_000, questions: 2_000, rounds: 20 },
  tiny: { users: 50, questions: 60, rounds: 2 },
}

export async function measureConditional(results, { effort, progress }) {
  progress('conditional: checks by a role under a condition')
  const { result, failure } = await runChild('./figures/conditional-work.mjs', SIZES[effort])
  if (failure) throw new Error(`conditional: ${failure}`)
  for (const [by, { ns, plain, tenantRole }] of Object.entries(result)) {
    const name = `a check by a role under a condition, ${by}`
    results.addFigure({ name, value: ns, unit: 'ns', peer: 'a plain role', ratio: plain })
    const peer = 'the condition for a role in the tenant'
    results.addFigure({ name: `${name}, beside a set rule`, value: ns, unit: 'ns', peer, ratio: tenantRole })
  }
}
