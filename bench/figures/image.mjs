// Image rows: loading a million facts, hashing them, bytes per assignment, growth under edits, memory of the process
// that holds it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChild } from '../child.mjs'
import { median } from '../sampling.mjs'

const WORK = './figures/image-work.mjs'

const made = new Map()
const folders = []
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** The image file of a world, made in a process of its own, once in a run. */
export function imageFile(world, progress) {
  if (!made.has(world)) made.set(world, build(world, progress))
  return made.get(world)
}

async function build(world, progress) {
  progress(`building the image of ${world === 'million' ? '1,000,000 facts' : world}`)
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-bench-'))
  folders.push(folder)
  const file = join(folder, 'world.image')
  const { result, failure } = await runChild(WORK, { work: 'build', world, file })
  if (failure) throw new Error(`image: ${failure}`)
  return { file, ...result }
}

export async function measureImage(results, { effort, progress }) {
  const tiny = effort === 'tiny'
  const world = tiny ? 'tiny' : 'million'
  const built = await imageFile(world, progress)
  const work = async (text, job) => {
    progress(`image: ${text}`)
    const { result, failure } = await runChild(WORK, { ...job, file: built.file })
    if (failure) throw new Error(`image: ${failure}`)
    return result
  }
  const facts = built.facts.toLocaleString('en-US')
  const loaded = await work('load', { work: 'load', world, rounds: { full: 11, quick: 5, tiny: 3 }[effort] })
  const held = await work('memory of a process that holds it', { work: 'hold' })
  const growth = await work('ten rounds of edits', {
    work: 'grow',
    world: { full: 'W3', quick: 'W2', tiny: 'tiny' }[effort],
  })

  const peer = `readSync of the same ${(built.bytes / 1e6).toFixed(1)} MB into fresh WASM memory`
  results.addFigure({
    name: `image load to first check, ${facts} facts`,
    value: median(loaded.loads),
    unit: 'ms',
    peer,
    ratio: median(loaded.loads.map((ms, round) => ms / loaded.reads[round])),
    most: 2,
  })
  results.addFigure({ name: `SHA-256 of that image`, value: Math.min(...loaded.hashes), unit: 'ms' })
  results.addFigure({ name: `building that image from changes`, value: built.buildMs, unit: 'ms' })
  const perAssignment = (built.bytes - built.userKeyBytes) / built.assignments
  results.addFigure({
    name: 'image bytes per role assignment, keys of users apart',
    value: perAssignment,
    unit: 'bytes',
    most: 48,
  })
  results.addFigure({
    name: `image after 10 rounds of deleting and re-creating half of ${growth.facts.toLocaleString('en-US')} facts`,
    value: growth.after / 1e6,
    unit: 'MB',
    peer: 'the same contents fresh',
    ratio: growth.after / growth.fresh,
    most: 1.5,
  })
  const name = `RSS of a process with ${built.users.toLocaleString('en-US')} users and ${built.assignments.toLocaleString('en-US')} assignments`
  results.addFigure({ name, value: held.rss / 1e6, unit: 'MB', below: 150 })
  results.addFigure({ name: 'of that: the process before loading', value: held.before / 1e6, unit: 'MB' })
}
