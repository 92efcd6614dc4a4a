// Rows about the one writer of all organizations: how long a write of one of them waits behind the delete of another one
// that takes very many objects along. Held against LMDB alone, which removes as many entries.
import { runChild } from '../child.mjs'

/** A user in 20,000 tenants has as many assignments and memberships, and each of those its entries. */
const ENTRIES_PER_DEPENDENT = 13

export async function measureWait(results, { effort, progress }) {
  const { dependents, rounds } = {
    full: { dependents: 20_000, rounds: 7 },
    quick: { dependents: 20_000, rounds: 3 },
    tiny: { dependents: 200, rounds: 1 },
  }[effort]
  const count = dependents.toLocaleString('en-US')
  progress(`api: writes behind a delete with ${count} dependents`)
  const { result, failure } = await runChild('./figures/wait-work.mjs', { dependents, rounds })
  if (failure) throw new Error(`writes behind a delete: ${failure}`)
  const { bare, alone, ...waits } = result
  const entries = (dependents * ENTRIES_PER_DEPENDENT).toLocaleString('en-US')
  const least = (times, of) => Math.min(...times.map((time) => time[of]))
  const peer = `LMDB alone removes ${entries} entries, ${Math.round(least(bare, 'ms'))} ms; by processor time`
  const names = {
    user: `a user in ${count} tenants`,
    tenant: `a tenant with ${count} users`,
    folders: `${count} folders`,
  }
  for (const [kind, wait] of Object.entries(waits)) {
    const ratio = least(wait, 'cpuMs') / least(bare, 'cpuMs')
    const name = `wait of another organization's write behind DELETE of ${names[kind]}`
    results.addFigure({ name, value: least(wait, 'ms'), unit: 'ms', peer, ratio, most: 2 })
  }
  results.addFigure({ name: 'that write alone', value: least(alone, 'ms'), unit: 'ms' })
}
