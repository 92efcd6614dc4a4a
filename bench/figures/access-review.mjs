// Rows of access reviews: the first page about one action, about one instance, and the counts of all actions, in
// environments of three sizes, and how their time grows with the facts.
import { ReviewCounts } from '../../dist/src/image/access-review/counts.js'
import { AccessReview } from '../../dist/src/image/access-review/review.js'
import { FACTS, worldChanges } from '../access-world.mjs'
import { median } from '../sampling.mjs'
import { ENVIRONMENT, FIRST, Image } from '../zerohop-image.mjs'

const NOW = Date.UTC(2026, 0, 1)
/** The work of a page of the API, REVIEW_WORK_MAX. */
const WORK = 4_000_000
const LINES = 100

const PAGES = [
  ['document:read, which all have', { resource: 'document', action: 'read' }, LINES],
  ['document:write, by rules on the attributes of both', { resource: 'document', action: 'write' }, LINES],
  ['document:share, which nothing gives', { resource: 'document', action: 'share' }, 0],
  ['document:write on one document', { resource: 'document', instance: 'a5', action: 'write' }, LINES],
]

export async function measureAccessReview(results, { effort, progress }) {
  const { sizes, rounds } = {
    full: { sizes: [1_000, 10_000, 100_000], rounds: 5 },
    quick: { sizes: [1_000, 10_000], rounds: 3 },
    tiny: { sizes: [100, 200], rounds: 1 },
  }[effort]
  const measured = []
  for (const users of sizes) {
    const changes = worldChanges(users)
    const facts = changes.filter(({ kind }) => FACTS.has(kind)).length
    progress(`access-review: ${facts.toLocaleString('en-US')} facts`)
    const image = Image.build(ENVIRONMENT, FIRST, changes)
    const pages = PAGES.map(([name, filter, lines]) => [name, measure(rounds, () => readPage(image, filter, lines))])
    const counts = ['role', 'resource'].map((by) => [
      `counts of users by ${by}`,
      measure(rounds, () => count(image, by, users)),
    ])
    measured.push({ facts, rows: [...pages.map(([name, ms]) => [`first page of ${name}`, ms]), ...counts] })
  }
  addRows(results, measured)
}

function measure(rounds, work) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    work()
    times.push(performance.now() - start)
  }
  return median(times)
}

/** A review begun anew: nothing of an earlier one is kept. */
function readPage(image, filter, expected) {
  const review = image.inside((inside) => new AccessReview(inside, undefined, { filter, changed: false }), NOW)
  const { lines } = image.guardAt(NOW, () => review.page(undefined, LINES, WORK))
  if (lines.length < Math.min(expected, 1)) throw new Error(`${JSON.stringify(filter)}: ${lines.length} lines`)
}

function count(image, by, users) {
  const counts = image.inside((inside) => new ReviewCounts(inside, by), NOW)
  let isMore = true
  while (isMore) isMore = image.guardAt(NOW, () => counts.step(WORK))
  const [most] = counts.groups.map((group) => group.users).sort((left, right) => right - left)
  if (!counts.complete || most !== users) throw new Error(`${most} of ${users} users are counted by ${by}`)
}

function addRows(results, measured) {
  const last = measured.at(-1)
  const before = measured.at(-2)
  for (const [at, [name, value]] of last.rows.entries()) {
    const exponent = Math.log(value / before.rows[at][1]) / Math.log(last.facts / before.facts)
    const others = measured
      .slice(0, -1)
      .map(({ facts, rows }) => `${facts.toLocaleString('en-US')}: ${rows[at][1].toPrecision(2)} ms`)
    results.addFigure({
      name: `access review, ${name}, ${last.facts.toLocaleString('en-US')} facts`,
      value,
      unit: 'ms',
      most: 300,
      peer: `${others.join(', ')}; exponent ${exponent.toFixed(2)}`,
    })
  }
}
