// Rows about attributes, relations and listings: checks over a forest of folders, bytes of a tuple, documents of one
// reader, memory of a process with many instances, and what roles cost when the environment also has all that on other
// types.
import { runChild } from '../child.mjs'
import { median } from '../sampling.mjs'

const SIZES = {
  full: {
    instances: 1_000_000,
    checks: 20_000,
    rounds: 9,
    besides: { world: 'W2', checks: 20_000, rounds: 41 },
    crowd: 1,
  },
  quick: {
    instances: 100_000,
    checks: 8_000,
    rounds: 5,
    besides: { world: 'W1', checks: 20_000, rounds: 41 },
    crowd: 0.1,
  },
  tiny: { instances: 6_000, checks: 160, rounds: 3, besides: { world: 'tiny', checks: 200, rounds: 3 }, crowd: 0.001 },
}

export async function measureFacts(results, { effort, progress }) {
  const size = SIZES[effort]
  const work = async (text, job) => {
    progress(`facts: ${text}`)
    const { result, failure } = await runChild('./figures/facts-work.mjs', { tiny: effort === 'tiny', ...job })
    if (failure) throw new Error(`facts: ${failure}`)
    return result
  }
  const { ratios } = await work('roles beside conditions and relations', { work: 'besides', ...size.besides })
  results.addFigure({
    name: 'check of roles while other types have 500 set rules and 20,000 tuples',
    value: median(ratios),
    unit: 'of its speed',
    peer: 'the same roles alone',
    ratio: median(ratios),
    least: 0.9,
  })
  const { instances, checks, rounds } = size
  addForest(results, await work('a forest of folders', { work: 'forest', instances, checks, rounds }), instances)
  for (const [attributes, below] of [
    [true, 250],
    [false, 150],
  ]) {
    const people = { users: 100_000 * size.crowd, instances: 500_000 * size.crowd, assignments: 600_000 * size.crowd }
    const { rss, before } = await work('memory of many instances', { work: 'crowd', ...people, attributes })
    const [users, number, assignments] = Object.values(people).map((count) => count.toLocaleString('en-US'))
    const which = attributes ? ', three attributes each' : ''
    const name = `RSS of a process with ${users} users, ${number} instances and ${assignments} assignments${which}`
    // For smaller sizes only the whole process can be measured, which is not conclusive.
    results.addFigure({ name, value: rss / 1e6, unit: 'MB', ...(size.crowd === 1 ? { below } : {}) })
    if (attributes) results.addFigure({ name: 'of that: the process before loading', value: before / 1e6, unit: 'MB' })
  }
}

function addForest(results, { tuples, perTuple, p50s, p99s, sentBesideStored, listings, listed }, instances) {
  const size = `${instances.toLocaleString('en-US')} instances`
  const name = `check of a document under eight folders, ${size}`
  results.addFigure({ name: `${name}, p50`, value: Math.min(...p50s), unit: 'ns' })
  results.addFigure({ name: `${name}, p99`, value: Math.min(...p99s), unit: 'ns', below: 10_000 })
  results.addFigure({
    name: `${name}, with its folder sent instead of stored`,
    value: sentBesideStored,
    unit: 'of its time',
    most: 1.3,
  })
  results.addFigure({
    name: `image bytes per tuple, keys apart, ${tuples.toLocaleString('en-US')} tuples`,
    value: perTuple,
    unit: 'bytes',
    most: 48,
  })
  results.addFigure({
    name: `listing ${listed.toLocaleString('en-US')} readable documents of ${size}, through ten folders`,
    value: Math.min(...listings),
    unit: 'ms',
    below: 20,
  })
}
