// Worlds of unusual shape beside the ordinary one of as many facts: what their import, image, checks, filter and listings
// cost, as ratios of processor time and bytes for each fact, in this process.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Image } from '../../dist/src/image/image.js'
import { withoutRequest } from '../../dist/src/log/change.js'
import { openManagementData } from '../../dist/src/management/host/open.js'
import { buildSnapshot } from '../../dist/src/management/snapshot/snapshot.js'
import { ORDINARY, SHAPES } from '../shape-worlds.mjs'

const PART = 1_000
const PAGE = { limit: 100 }

export async function measureShapes(results, { effort, progress, facts: sizes }) {
  const { facts: usualFacts, rounds } = {
    full: { facts: 100_000, rounds: 9 },
    quick: { facts: 20_000, rounds: 5 },
    tiny: { facts: 300, rounds: 1 },
  }[effort]
  const facts = sizes?.[0] ?? usualFacts
  progress('shapes: the ordinary world')
  const usual = await measureShape(ORDINARY(facts), rounds)
  for (const [name, make] of Object.entries(SHAPES)) {
    progress(`shapes: ${name}`)
    const shape = await measureShape(make(facts), rounds)
    for (const [what, { value, unit }] of Object.entries(shape)) {
      if (value === undefined) results.note(`shapes: ${name}: ${what} is refused, because there is too much of it`)
      else
        results.addFigure({
          name: `${name}, ${facts.toLocaleString('en-US')} facts: ${what}`,
          value,
          unit,
          peer: `ordinary world: ${usual[what].value.toPrecision(3)} ${unit}`,
          ratio: value / usual[what].value,
        })
    }
  }
}

async function measureShape({ policy, lists, asked }, rounds) {
  const data = mkdtempSync(join(tmpdir(), 'zerohop-shapes-'))
  const management = await openManagementData({ data, noExample: true, newId: () => randomBytes(16).toString('hex') })
  const { store, organization } = management
  const environment = store.view(organization).require('environment', 'default/development').id
  try {
    const write = (name, input) => store.commit(environment, name, input, withoutRequest('bench'))
    const schema = await processorTime(() => write('importBundle', { bundle: policy, dryRun: false }))
    let facts = 0
    const imported = await processorTime(async () => {
      for (const [section, list] of Object.entries(lists))
        for (let at = 0; at < list.length; at += PART) {
          const part = list.slice(at, at + PART)
          await write('importFacts', { [section]: part })
          facts += part.length
        }
    })
    let bytes
    const built = await processorTime(() => {
      bytes = buildSnapshot(store.view(environment)).bytes
    })
    const image = Image.load(bytes, { verified: true })
    return {
      'import of the schema': { value: schema / 1000, unit: 'ms' },
      'import of a fact': { value: imported / facts, unit: 'µs' },
      'building an image, of a fact': { value: built / facts, unit: 'µs' },
      'image, of a fact': { value: bytes.length / facts, unit: 'bytes' },
      ...measureQuestions(image, asked, rounds),
    }
  } finally {
    await store.close()
    rmSync(data, { recursive: true, force: true })
  }
}

/** Best of several rounds; undefined where a question is refused because its answer is too large. */
function measureQuestions(image, asked, rounds) {
  const each = (what, run) => {
    try {
      return [what, { value: measureRounds(run), unit: 'µs' }]
    } catch (error) {
      if (error.code !== 'LISTING_TOO_LARGE') throw error
      return [what, { value: undefined }]
    }
  }
  const measureRounds = (run) => {
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < rounds; round++) {
      const start = performance.now()
      for (const question of asked) run(question)
      best = Math.min(best, ((performance.now() - start) * 1000) / asked.length)
    }
    return best
  }
  return Object.fromEntries([
    each('a check', ({ user, action, type, tenant, key, expected }) => {
      if (image.check(user, action, type, tenant, key) !== expected)
        throw new Error(`${user} ${action} ${type}:${key} in ${tenant} is not ${expected}`)
    }),
    each('a filter', ({ user, action, type, tenant }) => image.filter({ user, action, type, tenant })),
    each('a page of the instances of a user', ({ user, action, type, tenant }) =>
      image.listings.resources(user, action, { type, tenant }, PAGE),
    ),
    each('a page of the users of an action', ({ action, type, tenant, key }) =>
      image.listings.users(action, { type, tenant, key }, PAGE),
    ),
    each('a page of the permissions of a user', ({ user }) => {
      const { listings } = image
      const list = listings.permissions(user, {}, undefined)
      listings.permissionPart(list, PAGE.limit)
    }),
  ])
}

/** Microseconds of all threads of this process. */
async function processorTime(work) {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return user + system
}
