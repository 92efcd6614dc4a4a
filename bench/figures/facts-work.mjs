// The processes behind the rows about relations, attributes and listings; each job runs in a fresh one.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadImage } from '../../dist/src/index.js'
import { serveJob } from '../child.mjs'
import {
  besidesChanges,
  crowdChanges,
  documentKey,
  forestChanges,
  holderKey,
  makeForest,
  READER,
  rootOf,
  tuplesOf,
} from '../forest.mjs'
import { loadSampler, quantile } from '../sampling.mjs'
import { makeWorld, policyChanges, randomOf } from '../workloads.mjs'
import { ENVIRONMENT, FIRST, Image } from '../zerohop-image.mjs'

const BATCH = 16
const WORKS = { forest, crowd, besides }

serveJob(async (job, loaded) => {
  loaded()
  return WORKS[job.work](job)
})

const build = (changes) => Image.build(ENVIRONMENT, FIRST, changes)

/** Checks of documents at the bottom, bytes of a tuple, and the documents of one reader. */
async function forest({ instances, checks, rounds, tiny }) {
  const made = makeForest(instances)
  const bytes = build(forestChanges(made)).save()
  const without = build(forestChanges(made, { tuples: false })).stats().bytes
  const pdp = await loadImage(bytes)
  const random = randomOf(88)
  const below = (limit) => Math.floor(random() * limit)
  const questions = Array.from({ length: checks }, () => {
    const document = below(made.documents)
    const root = rootOf(made, document)
    const wanted = below(2) === 0
    let holder = below(made.roots.length)
    for (let tries = 0; tries < 10_000 && (made.roots[holder] === root) !== wanted; tries++)
      holder = below(made.roots.length)
    const resource = { type: 'document', key: documentKey(document).slice('document:'.length) }
    return { user: holderKey(holder), resource, expected: made.roots[holder] === root }
  })
  const ask = ({ user, resource }) => pdp.check(user, 'read', resource)
  for (const question of questions) {
    if (ask(question) !== question.expected)
      throw new Error(`${question.user} ${question.resource.key}: not as defined`)
  }
  const sample = await loadSampler({ tiny })
  const p50s = []
  const p99s = []
  for (let round = 0; round < rounds; round++) {
    let from = -BATCH
    const batch = () => {
      for (let at = from; at < from + BATCH; at++) ask(questions[at])
    }
    const before = () => {
      from += BATCH
    }
    const batches = await sample(batch, { iterations: Math.floor(checks / BATCH), before })
    p50s.push((quantile(batches, 0.5) / BATCH) * 1e6)
    p99s.push((quantile(batches, 0.99) / BATCH) * 1e6)
  }
  const listings = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    const { keys, next } = pdp.resources(READER, 'read', 'document')
    listings.push(performance.now() - start)
    if (keys.length !== made.beside || next !== undefined) throw new Error(`${keys.length} documents are listed`)
  }
  const tuples = tuplesOf(made)
  return { tuples, perTuple: (bytes.length - without) / tuples, p50s, p99s, listings, listed: made.beside }
}

/** The memory of a process with only an image of that many users and instances. */
function crowd(job) {
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-bench-'))
  try {
    const file = join(folder, 'crowd.image')
    const bytes = build(crowdChanges(job)).save()
    writeFileSync(file, bytes)
    const module = fileURLToPath(new URL('./hold-image.mjs', import.meta.url))
    return { bytes: bytes.length, ...JSON.parse(execFileSync(process.execPath, [module, file], { encoding: 'utf8' })) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The same checks of roles on two images, in turn: roles alone, and roles beside relations and rules on other types.
 */
async function besides({ world: name, checks, rounds }) {
  const world = makeWorld(name, { checks })
  const pdps = await Promise.all(
    [policyChanges(world), besidesChanges(world)].map((changes) => loadImage(build(changes).save())),
  )
  const pass = (pdp) => {
    let allowed = 0
    for (const { user, action, resource: type, tenant } of world.checks) {
      if (pdp.check(user, action, { type, tenant })) allowed++
    }
    return allowed
  }
  const expected = world.expected.filter(Boolean).length
  for (const pdp of pdps) {
    for (const [at, { user, action, resource: type, tenant }] of world.checks.entries()) {
      if (pdp.check(user, action, { type, tenant }) !== world.expected[at]) throw new Error(`${user} ${action} ${type}`)
    }
  }
  const ratios = []
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? pdps : pdps.toReversed()
    const times = order.map((pdp) => {
      const start = performance.now()
      if (pass(pdp) !== expected) throw new Error('other checks are allowed than before')
      return performance.now() - start
    })
    const [alone, beside] = round % 2 === 0 ? times : times.toReversed()
    ratios.push(alone / beside)
  }
  return { ratios }
}
