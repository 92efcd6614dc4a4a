// Rows about the permissions of a user: how they grow with the environment for a user with three roles, and what they
// take of a user who has a role on very many instances.
import { runChild } from '../child.mjs'
import { RULES } from '../permission-world.mjs'

const SIZES = {
  full: { facts: [10_000, 100_000, 1_000_000], held: 20_000, rounds: 15 },
  quick: { facts: [10_000, 100_000], held: 20_000, rounds: 5 },
  tiny: { facts: [3_000, 6_000], held: 50, rounds: 2 },
}
const FOR_WHOM = {
  others: 'a set rule for other users',
  members: 'a set rule for members, about instances',
  everybody: 'a set rule for everybody, about instances',
}

/** What takes a fraction of a millisecond, beside what may do so too. */
const GROWTH_MAX = 2
const print = (count) => count.toLocaleString('en-US')

export async function measurePermissions(results, { effort, progress }) {
  const { facts: sizes, held, rounds } = SIZES[effort]
  const [smallest] = sizes
  const largest = sizes.at(-1)
  for (const rules of RULES) {
    let first
    for (const facts of sizes) {
      progress(`permissions: ${print(facts)} facts, ${FOR_WHOM[rules]}`)
      const isLast = facts === largest
      const users = rules === 'others' && isLast ? ['ana', 'holder', 'root'] : ['ana']
      const { ana, holder, root } = await work({ facts, rules, held, users, rounds })
      first ??= ana.ms
      const bound = rules !== 'everybody' && effort !== 'tiny' ? { most: GROWTH_MAX } : {}
      results.addFigure({
        name: `permissions of a user with three roles, ${print(facts)} facts, ${FOR_WHOM[rules]}`,
        value: ana.ms,
        unit: 'ms',
        ...(isLast ? { peer: `${print(smallest)} facts`, ratio: ana.ms / first, ...bound } : {}),
      })
      if (isLast) addLongest(results, `of ${print(ana.entries)} entries, ${FOR_WHOM[rules]}`, ana, effort)
      if (holder) addHeld(results, 'with a role on each', held, holder, effort)
      if (root) addHeld(results, 'with a role on a folder above', held, root, effort)
    }
  }
}

function addHeld(results, how, held, { entries, ms, turnMs }, effort) {
  if (entries < held) throw new Error(`${entries} entries of ${held} instances`)
  const of = `of ${print(held)} instances, ${how}`
  results.addFigure({ name: `permissions of a user ${of}`, value: ms, unit: 'ms' })
  addLongest(results, of, { turnMs }, effort)
}

function addLongest(results, of, { turnMs }, effort) {
  const bound = effort === 'tiny' ? {} : { most: 50 }
  results.addFigure({ name: `longest event-loop block: permissions ${of}`, value: turnMs, unit: 'ms', ...bound })
}

async function work(job) {
  const { result, failure } = await runChild('./figures/permissions-work.mjs', job)
  if (failure) throw new Error(`permissions: ${failure}`)
  return result
}
