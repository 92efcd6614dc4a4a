// The process behind the delta rows. It holds an image of a million facts and nothing else of size, as a PDP does: the
// world was made in another process, the deltas are made one by one outside of the timed part.
import { readFileSync } from 'node:fs'
import { serveJob } from '../child.mjs'
import { assignmentMaker, undo, WORKLOADS } from '../workloads.mjs'
import { FIRST, Image, makeDelta } from '../zerohop-image.mjs'

serveJob((job, loaded) => {
  const image = Image.load(readFileSync(job.file), { verified: true })
  loaded()
  const state = { image, revision: FIRST.revision, newAssignment: assignmentMaker(WORKLOADS[job.world]) }
  return job.work === 'stream' ? stream(state, job) : single(state, job)
})

/** New assignments come and go again, so that the image keeps its size. Gives facts per second, for each repeat. */
function stream(state, { deltas, changes, repeats }) {
  const rates = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    let ms = 0
    for (let i = 0; i < deltas; i += 2) {
      const puts = distinct(Array.from({ length: changes }, state.newAssignment))
      ms += applyTimed(state, puts) + applyTimed(state, undo(puts))
    }
    rates.push((deltas * changes) / (ms / 1000))
  }
  return rates
}

/** Gives microseconds for each change, for each repeat. */
function single(state, { count, repeats }) {
  const runs = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    const durations = []
    for (let i = 0; i < count; i += 2) {
      const puts = [state.newAssignment()]
      durations.push(applyTimed(state, puts) * 1000, applyTimed(state, undo(puts)) * 1000)
    }
    runs.push(durations)
  }
  return runs
}

function applyTimed(state, changes) {
  const delta = makeDelta(state.revision++, changes)
  const start = performance.now()
  state.image.apply(delta)
  return performance.now() - start
}

const distinct = (puts) => [...new Map(puts.map((put) => [put.key, put])).values()]
