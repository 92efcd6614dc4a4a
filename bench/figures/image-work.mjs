// The processes behind the image rows; each job runs in a fresh one, so that no row pays for the garbage of another.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadImage } from '../../dist/src/index.js'
import { serveJob } from '../child.mjs'
import { countFacts, makeWorld, undo, userChanges } from '../workloads.mjs'
import { FIRST, Image, makeDelta, makeImage } from '../zerohop-image.mjs'

const WORKS = { build, load, hold, grow }

serveJob(async (job, loaded) => {
  loaded()
  return WORKS[job.work](job)
})

function build({ world: name, file }) {
  const world = makeWorld(name, { checks: 0 })
  const start = performance.now()
  const image = makeImage(world)
  const buildMs = performance.now() - start
  const bytes = image.save()
  writeFileSync(file, bytes)
  const userKeyBytes = world.users.reduce((sum, { key }) => sum + key.length, 0)
  const users = world.users.length
  return { facts: countFacts(world), users, assignments: world.assignments, bytes: bytes.length, userKeyBytes, buildMs }
}

/**
 * Interleaved: reading the file into memory that was never touched, as an image's memory is when it is loaded, then the
 * path that a PDP takes up to its first answer. Both pay for the page faults of that much new memory.
 */
async function load({ world: name, file, rounds }) {
  const world = makeWorld(name, { checks: 50 })
  const check = world.checks[world.expected.indexOf(true)]
  const bytes = readFileSync(file)
  const reads = []
  const loads = []
  const hashes = []
  for (let round = 0; round < rounds; round++) {
    globalThis.gc?.()
    reads.push(timed(() => read(file, freshMemory(bytes.length))))
    hashes.push(timed(() => createHash('sha256').update(bytes).digest()))
    globalThis.gc?.()
    const start = performance.now()
    const pdp = await loadImage(file, { verify: false })
    const allowed = pdp.check(check.user, check.action, { type: check.resource, tenant: check.tenant })
    loads.push(performance.now() - start)
    if (!allowed) throw new Error('the loaded image denies what the definition allows')
    pdp.close?.()
  }
  return { reads, loads, hashes }
}

/** Memory of the kind in which an image lies, never touched. */
function freshMemory(bytes) {
  return Buffer.from(new WebAssembly.Memory({ initial: Math.ceil(bytes / 65_536) }).buffer, 0, bytes)
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

/** In one more process, which has nothing but Node and the image. */
function hold({ file }) {
  const module = fileURLToPath(new URL('./hold-image.mjs', import.meta.url))
  return JSON.parse(execFileSync(process.execPath, [module, file], { encoding: 'utf8' }))
}

/** Half of the users go, with everything they hold, and come back; ten times, one delta for each. */
function grow({ world: name }) {
  const world = makeWorld(name, { checks: 0 })
  const image = makeImage(world)
  const half = world.users.filter((_, at) => at % 2 === 0).flatMap((user) => [...userChanges(user)])
  let revision = FIRST.revision
  for (let round = 0; round < 10; round++) {
    image.apply(makeDelta(revision++, undo(half)))
    image.apply(makeDelta(revision++, half))
  }
  return {
    facts: countFacts(world),
    after: image.stats().bytes,
    fresh: Image.load(image.compact().save()).stats().bytes,
  }
}
