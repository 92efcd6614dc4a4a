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
  countTuples,
  crowdChanges,
  documentFolder,
  documentKey,
  documentRoot,
  forestChanges,
  holderKey,
  makeForest,
  READER,
} from '../forest.mjs'
import { loadSampler, median, quantile } from '../sampling.mjs'
import { makeRandom, makeWorld, policyChanges } from '../workloads.mjs'
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
  const pdp = await loadImage(bytes, { verify: false })
  const random = makeRandom(88)
  const below = (limit) => Math.floor(random() * limit)
  const questions = Array.from({ length: checks }, () => {
    const document = below(made.documents)
    const root = documentRoot(made, document)
    const wanted = below(2) === 0
    let holder = below(made.roots.length)
    for (let tries = 0; tries < 10_000 && (made.roots[holder] === root) !== wanted; tries++)
      holder = below(made.roots.length)
    const resource = { type: 'document', key: documentKey(document).slice('document:'.length) }
    // The same document as if only the application knew it, with its folder sent.
    const related = {
      type: 'document',
      key: `new-${resource.key}`,
      relations: { parent: [documentFolder(made, document)] },
    }
    return { user: holderKey(holder), resource, related, expected: made.roots[holder] === root }
  })
  const ask = ({ user, resource }) => pdp.check(user, 'read', resource)
  const askRelated = ({ user, related }) => pdp.check(user, 'read', related)
  for (const question of questions) {
    const answers = [ask(question), askRelated(question)]
    if (answers.some((answer) => answer !== question.expected))
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
  const sentBesideStored = []
  for (let round = 0; round < rounds * 2 + 1; round++) {
    const order = round % 2 === 0 ? [ask, askRelated] : [askRelated, ask]
    const times = order.map((each) => measureMs(() => questions.forEach(each)))
    sentBesideStored.push(round % 2 === 0 ? times[1] / times[0] : times[0] / times[1])
  }
  const tuples = countTuples(made)
  const perTuple = (bytes.length - without) / tuples
  return { tuples, perTuple, p50s, p99s, sentBesideStored: median(sentBesideStored), listings, listed: made.beside }
}

function measureMs(run) {
  const start = performance.now()
  run()
  return performance.now() - start
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
