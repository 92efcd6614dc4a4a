// Management rows about searches among resource instances of three sizes, and how the time of the first page grows with
// their number.
import { median } from '../sampling.mjs'
import { measureLongestWait, pieces, using } from './api-million.mjs'
import { withServers } from './servers.mjs'

const INSTANCES_PER_CALL = 3_000

const SEARCHES = [
  ['that finds one', 'search=-0004242'],
  ['that finds none', 'search=no-such-instance'],
  ['of one letter, which all have', 'search=e'],
  ['of two digits', 'search=42'],
  ['of one letter, in a tenant with half of them', 'search=e&tenant=half'],
]

export async function measureInstanceSearch(results, { effort, progress }) {
  const { sizes, rounds } = {
    full: { sizes: [10_000, 100_000, 1_000_000], rounds: 9 },
    quick: { sizes: [10_000, 100_000], rounds: 5 },
    tiny: { sizes: [300, 600], rounds: 2 },
  }[effort]
  await withServers(async (servers) => {
    await using(await servers.api(), async (api) => {
      await api.ask('POST', '$S/resources', { key: 'document', name: 'document', actions: { see: {} } })
      for (const key of ['half', 'rest']) await api.ask('POST', '$F/tenants', { key, name: key })
      const times = []
      let [there, longest] = [0, 0]
      for (const size of sizes) {
        progress(`api: search among ${size.toLocaleString('en-US')} instances`)
        await addInstances(api, there, size)
        there = size
        const measured = []
        for (const [, query] of SEARCHES) measured.push(await measurePages(api, query, rounds))
        times.push(measured.map(({ ms }) => ms))
        longest = Math.max(...measured.map(({ wait }) => wait))
      }
      addSearches(results, sizes, times)
      const most = there.toLocaleString('en-US')
      const name = `longest wait of another request during searches among ${most} instances`
      results.addFigure({ name, value: longest, unit: 'ms', most: 20 })
    })
  })
}

async function addInstances(api, from, to) {
  const instance = (at) => ({
    resource: 'document',
    key: `file-${String(from + at).padStart(7, '0')}`,
    tenant: at % 2 === 0 ? 'half' : 'rest',
  })
  const operations = function* () {
    for (const piece of pieces(to - from, INSTANCES_PER_CALL, instance)) yield { operations: piece }
  }
  await api.askAll('PUT', '$F/bulk/resource_instances', operations())
}

/** The median of the rounds, and the shortest of their longest waits: whatever else the machine does makes one longer. */
async function measurePages(api, query, rounds) {
  const taken = []
  const waits = []
  for (let round = 0; round < rounds; round++) {
    const ask = async () => {
      const start = performance.now()
      await api.ask('GET', `$F/resource_instances?include_total_count=true&${query}`)
      taken.push(performance.now() - start)
    }
    waits.push(await measureLongestWait(api, ask))
  }
  return { ms: median(taken), wait: Math.min(...waits) }
}

function addSearches(results, sizes, times) {
  const [before, most] = sizes.slice(-2)
  for (const [at, [what]] of SEARCHES.entries()) {
    const [small, large] = times.slice(-2).map((taken) => taken[at])
    const exponent = Math.log(large / small) / Math.log(most / before)
    const others = sizes
      .slice(0, -1)
      .map((size, index) => `${size.toLocaleString('en-US')}: ${times[index][at].toPrecision(2)} ms`)
    results.addFigure({
      name: `search ${what}, among ${most.toLocaleString('en-US')} instances`,
      value: large,
      unit: 'ms',
      most: 300,
      peer: `${others.join(', ')}; exponent ${exponent.toFixed(2)}`,
    })
  }
}
