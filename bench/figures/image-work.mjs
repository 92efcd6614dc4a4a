// The processes behind the image rows; each job runs in a fresh one, so that no row pays for the garbage of another.
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { loadImage } from '../../dist/src/index.js'
import { serveJob } from '../child.mjs'
import { factsOf, makeWorld, undo, userChanges } from '../workloads.mjs'
import { deltaOf, FIRST, Image, imageOf } from '../zerohop-image.mjs'

const WORKS = { build, load, hold, grow }

serveJob(async (job, loaded) => {
  loaded()
  return WORKS[job.work](job)
})

function build({ world: name, file }) {
  const world = makeWorld(name, { checks: 0 })
  const start = performance.now()
  const image = imageOf(world)
  const buildMs = performance.now() - start
  const bytes = image.save()
  writeFileSync(file, bytes)
  const userKeyBytes = world.users.reduce((sum, { key }) => sum + key.length, 0)
  return { facts: factsOf(world), assignments: world.assignments, bytes: bytes.length, userKeyBytes, buildMs }
}

/** Interleaved: a warm read into a buffer whose pages are there, then the path that a PDP takes up to its first answer. */
async function load({ world: name, file, rounds }) {
  const world = makeWorld(name, { checks: 50 })
  const check = world.checks[world.expected.indexOf(true)]
  const ready = Buffer.alloc(readFileSync(file).length, 1)
  const reads = []
  const loads = []
  const hashes = []
  for (let round = 0; round < rounds; round++) {
    reads.push(timed(() => read(file, ready)))
    hashes.push(timed(() => createHash('sha256').update(ready).digest()))
    globalThis.gc?.()
    const start = performance.now()
    const pdp = await loadImage(file)
    const allowed = pdp.check(check.user, check.action, { type: check.resource, tenant: check.tenant })
    loads.push(performance.now() - start)
    if (!allowed) throw new Error('the loaded image denies what the definition allows')
    pdp.close?.()
  }
  return { reads, loads, hashes }
}

function read(file, buffer) {
  const descriptor = openSync(file)
  let at = 0
  while (at < fstatSync(descriptor).size) at += readSync(descriptor, buffer, at, buffer.length - at, at)
  closeSync(descriptor)
}

function timed(work) {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** The world is made here, the image is held by one more process that has nothing but Node and the image. */
async function hold({ world: name, file }) {
  const held = `${file}.held`
  const { execFileSync } = await import('node:child_process')
  const module = new URL('./hold-image.mjs', import.meta.url).pathname
  const world = makeWorld(name, { checks: 0 })
  writeFileSync(held, imageOf(world).save())
  const answer = execFileSync(process.execPath, [module, held], { encoding: 'utf8' })
  return { users: world.users.length, assignments: world.assignments, ...JSON.parse(answer) }
}

/** Half of the users go, with everything they hold, and come back; ten times, one delta for each. */
function grow({ world: name }) {
  const world = makeWorld(name, { checks: 0 })
  const image = imageOf(world)
  const half = world.users.filter((_, at) => at % 2 === 0).flatMap((user) => [...userChanges(user)])
  let revision = FIRST.revision
  for (let round = 0; round < 10; round++) {
    image.apply(deltaOf(revision++, undo(half)))
    image.apply(deltaOf(revision++, half))
  }
  return { facts: factsOf(world), after: image.stats().bytes, fresh: Image.load(image.compact().save()).stats().bytes }
}
