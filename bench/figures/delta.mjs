// Delta rows: facts per second into an image of a million facts, and one change at a time.
import { runChild } from '../child.mjs'
import { median, quantile } from '../sampling.mjs'
import { imageFile } from './image.mjs'

export async function measureDeltas(results, { effort, progress }) {
  const world = effort === 'tiny' ? 'tiny' : 'million'
  const built = await imageFile(world, progress)
  const work = async (text, job) => {
    progress(`delta: ${text}`)
    const { result, failure } = await runChild('./figures/delta-work.mjs', { world, file: built.file, ...job })
    if (failure) throw new Error(`delta: ${failure}`)
    return result
  }
  const facts = `${built.facts.toLocaleString('en-US')} facts`
  const changes = effort === 'tiny' ? 20 : 1_000
  const deltas = { full: 200, quick: 100, tiny: 4 }[effort]
  const rates = await work('many changes at a time', {
    work: 'stream',
    deltas,
    changes,
    repeats: effort === 'tiny' ? 1 : 5,
  })
  results.addFigure({
    name: `deltas of ${changes.toLocaleString('en-US')} changes into ${facts}, half puts, half deletes`,
    value: Math.max(...rates),
    unit: 'facts/s',
    least: 200_000,
  })
  const count = effort === 'tiny' ? 50 : 20_000
  const runs = await work('one change at a time', { work: 'single', count, repeats: effort === 'tiny' ? 1 : 5 })
  const name = `one change into ${facts}`
  results.addFigure({ name: `${name}, median`, value: Math.min(...runs.map(median)), unit: 'µs', below: 50 })
  const worst = Math.min(...runs.map((run) => quantile(run, 1)))
  results.addFigure({
    name: `${name}, worst of ${count.toLocaleString('en-US')}`,
    value: worst,
    unit: 'µs',
    below: 1_000,
  })
}
