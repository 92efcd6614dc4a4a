// Curves: one generated world at several sizes, and how each figure grows from one size to the next. What is judged is
// the exponent of the growth between the two largest sizes, 0 when the size does not matter and 1 when twice the facts
// take twice as much: another machine is slower, but its exponents are the same.
import { once } from 'node:events'
import { createWriteStream, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { connect } from '../../dist/src/index.js'
import {
  FACTS_PER_TENANT,
  factLines,
  makeGuests,
  makeKeepers,
  makeQuestions,
  makeViewers,
  POLICY,
  RARE,
} from '../curve-world.mjs'
import { rounded } from '../results.mjs'
import { median } from '../sampling.mjs'
import { pieces, using } from './api-million.mjs'
import { findMemory, freePort, withServers } from './servers.mjs'

/** Of what must not grow: a factor of 2.2 for ten times the facts, which is what caches of the processor take. */
const FLAT = 0.35
/** Of what reads or writes everything. */
const LINEAR = 1.1
const ANSWER_MS_MAX = 120_000
const PAGE = 100
const BULK = 1_000

export async function measureCurves(results, { effort, progress, facts }) {
  const plan = {
    full: { sizes: [10_000, 100_000, 1_000_000], rounds: 9, questions: 4_000 },
    quick: { sizes: [10_000, 100_000], rounds: 5, questions: 2_000 },
    tiny: { sizes: [1_000, 2_000], rounds: 1, questions: 20 },
  }[effort]
  const sizes = facts ?? plan.sizes
  const curves = new Map()
  for (const size of sizes) {
    progress(`curves: ${count(size)} facts`)
    await withServers(async (servers) => {
      const add = (name, value, unit, most) => {
        if (!curves.has(name)) curves.set(name, { name, unit, most, points: [] })
        curves.get(name).points.push({ facts: size, value })
      }
      const tenants = size / FACTS_PER_TENANT
      // Each round deletes a user of another tenant.
      await measureSize(servers, tenants, { ...plan, rounds: Math.min(plan.rounds, tenants) }, add)
    })
  }
  results.curves = [...curves.values()].filter(({ points }) => points.length === sizes.length)
  for (const curve of results.curves) addCurve(results, curve)
}

/** The growth between the two largest sizes. */
function findExponent(points) {
  const [before, last] = points.slice(-2)
  return Math.log(last.value / before.value) / Math.log(last.facts / before.facts)
}

function addCurve(results, { name, unit, most, points }) {
  results.addFigure({
    name: `curve of ${name}`,
    value: findExponent(points),
    unit: 'exponent',
    peer: points.map(({ facts, value }) => `${count(facts)}: ${rounded(value)} ${unit}`).join(', '),
    most,
  })
}

async function measureSize(servers, tenants, plan, add) {
  const first = await servers.api()
  await measureImport(servers, first, tenants, add)
  await measureExport(first, tenants, add)
  await first.stop()
  rmSync(join(first.data, 'snapshots'), { recursive: true, force: true })
  const api = await servers.api(first.data)
  const image = await measureImage(servers, api, add)
  add('the start of a PDP from an image', await startPdp(servers, api, image, tenants, plan), 'ms', LINEAR)
  await measureMemory(servers, api, add)
  const pdp = await connect({ url: `http://127.0.0.1:${api.api}`, apiKey: api.key })
  try {
    measureDecisions(pdp, tenants, plan, add)
    measurePages(pdp, tenants, plan, add)
    await using(api, (caller) => measureCalls(caller, pdp, tenants, plan, add))
  } finally {
    await pdp.close()
  }
  add('the data folder', findBytes(api.data) / 1e6, 'MB', LINEAR)
}

/** As an operator does it: two files, two commands. */
async function measureImport(servers, api, tenants, add) {
  const folder = servers.folder()
  const [policy, facts] = [join(folder, 'policy.json'), join(folder, 'facts.ndjson')]
  writeFileSync(policy, JSON.stringify(POLICY))
  await pipeline(Readable.from(factLines(tenants)), createWriteStream(facts))
  await servers.command(api, ['import', policy])
  const start = performance.now()
  await servers.command(api, ['import', facts])
  add('an import of all facts', (performance.now() - start) / 1000, 's', LINEAR)
}

async function measureExport(api, tenants, add) {
  const start = performance.now()
  const response = await fetch(`http://127.0.0.1:${api.api}${api.facts}/export`, { headers: authorized(api) })
  let [lines, last] = [0, '']
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) lines++
    last = (last + chunk).slice(-100)
  }
  const ms = performance.now() - start
  const { end } = JSON.parse(last.trimEnd().split('\n').at(-1))
  const least = tenants * FACTS_PER_TENANT
  // The folder of a new server has some facts of its own.
  if (end.facts !== lines - 2 || end.facts < least || end.facts > least + 100)
    throw new Error(`an export of ${least} facts has ${lines} lines and says ${end.facts}`)
  add('an export of all facts', ms / 1000, 's', LINEAR)
}

/** The image is built anew, because none is kept, and downloaded. */
async function measureImage(servers, api, add) {
  const file = join(servers.folder(), 'policy.image')
  const path = api.facts.replace('/facts/', '/feed/')
  const start = performance.now()
  const response = await fetch(`http://127.0.0.1:${api.api}${path}/image`, { headers: authorized(api) })
  if (response.status !== 200) throw new Error(`the image was answered ${response.status}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  add('building an image and downloading it', (performance.now() - start) / 1000, 's', LINEAR)
  add('the image', bytes.length / 1e6, 'MB', LINEAR)
  writeFileSync(file, bytes)
  return file
}

/** From the start of the process to its first right answer; the best of some. */
async function startPdp(servers, { key }, image, tenants, { rounds }) {
  const { user, action, resource } = makeQuestions(tenants, 50)[0].questions.find(({ expected }) => expected)
  const body = JSON.stringify({ user: { key: user }, action, resource })
  const times = []
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const port = await freePort()
    const start = performance.now()
    const child = servers.zerohop(['pdp', '--image', image], { PDP_PORT: port, PDP_API_KEY: key })
    await waitUntil(async () => (await askPdp(port, key, body))?.allow === true)
    times.push(performance.now() - start)
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return Math.min(...times)
}

async function askPdp(port, key, body) {
  try {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return await (await fetch(`http://127.0.0.1:${port}/allowed`, { method: 'POST', headers, body })).json()
  } catch {
    return undefined
  }
}

/** Of both processes, once a PDP follows; only Linux tells it. */
async function measureMemory(servers, api, add) {
  const pdp = await servers.pdp(api)
  const [management, decider] = [findMemory(api), findMemory(pdp)]
  pdp.stop()
  if (management === undefined || decider === undefined) return
  add('the memory of zerohop pdp', decider.all, 'MB', LINEAR)
  add('the memory of zerohop api', management.all, 'MB', LINEAR)
  add('the memory of zerohop api without its mapped data file', management.own, 'MB', LINEAR)
}

/** In this process, which follows the API. Everything that is timed was compared with its right answer before. */
function measureDecisions(pdp, tenants, { rounds, questions: many }, add) {
  for (const { way, questions } of makeQuestions(tenants, many)) {
    const decide = ({ user, action, resource }) => pdp.check(user, action, resource)
    const wrong = questions.find((question) => decide(question) !== question.expected)
    if (wrong) throw new Error(`a check ${way} is wrong: ${JSON.stringify(wrong)}`)
    const ms = timeBest(rounds * 5, () => questions.forEach(decide))
    add(`a check ${way}`, (ms / many) * 1e6, 'ns', FLAT)
  }
  const keepers = makeKeepers(tenants, 200)
  const filter = ({ user, tenant }) => pdp.filter(user, 'edit', 'document', { tenant })
  const list = ({ user }) => pdp.userPermissions(user)
  for (const keeper of keepers) {
    if (!JSON.stringify(filter(keeper).where).includes(`"in":["${keeper.document}"]`))
      throw new Error(`the filter of ${keeper.user} is ${JSON.stringify(filter(keeper))}`)
    const entries = Object.keys(list(keeper)).sort()
    if (!isDeepStrictEqual(entries, keeper.entries)) throw new Error(`${keeper.user} has permissions on ${entries}`)
  }
  // As many calls at each size, or a small one would be measured before its code is compiled.
  const asked = Array.from({ length: 200 }, (_, at) => keepers[at % keepers.length])
  const perKeeper = (work) => (timeBest(rounds * 5, () => asked.forEach(work)) / asked.length) * 1000
  add('a filter', perKeeper(filter), 'µs', FLAT)
  add('the permissions of a user with three roles', perKeeper(list), 'µs', FLAT)
}

/** First pages of listings, of 100 keys. */
function measurePages(pdp, tenants, { rounds }, add) {
  const viewers = makeViewers(tenants, 200, PAGE)
  const measure = (name, ask, answer) => {
    for (const viewer of viewers) {
      const { keys } = ask(viewer)
      if (!isDeepStrictEqual(keys, answer(viewer))) throw new Error(`${name} for ${viewer.user} has ${keys}`)
    }
    add(name, (timeBest(rounds * 5, () => viewers.forEach(ask)) / viewers.length) * 1000, 'µs', FLAT)
  }
  const readable = (user, query) => pdp.resources(user, 'read', 'document', { ...query, limit: PAGE })
  const documents = ({ documents }) => documents
  measure('a page of the instances of a user', ({ user, tenant }) => readable(user, { tenant }), documents)
  measure('a page of the instances of a user in all tenants', ({ user }) => readable(user, {}), documents)
  const listUsers = ({ tenant }) => pdp.users('read', { type: 'document', tenant }, { limit: PAGE })
  measure('a page of the users of an action', listUsers, ({ viewers }) => viewers)
}

/** Calls of the management API over one connection; medians. */
async function measureCalls(caller, pdp, tenants, { rounds }, add) {
  const measure = async (name, work) => add(name, await timeMedian(rounds, work), 'ms', FLAT)
  await measure('a search of instances that finds one', async () => {
    const found = await caller.ask('GET', `$F/resource_instances?search=${RARE}`)
    if (found.length !== 1 || !found[0].key.includes(RARE)) throw new Error(`a search found ${found.length}`)
  })
  const middle = Math.max(1, Math.floor((tenants * 160) / PAGE / 2))
  await measure(`a page of ${PAGE} users, in the middle`, async () => {
    const page = await caller.ask('GET', `$F/users?page=${middle}&per_page=${PAGE}`)
    if ((page.data ?? page).length !== PAGE) throw new Error(`page ${middle} is not full`)
  })
  await measure('a single write, on disk', (at) => caller.ask('POST', '$F/users', { key: `one-${at}` }))
  const bulks = [...pieces(rounds * BULK, BULK, (at) => ({ key: `bulk-${at}` }))]
  await measure(`a bulk of ${count(BULK)} users, on disk`, (at) =>
    caller.ask('POST', '$F/bulk/users', { operations: bulks[at] }),
  )
  const guests = makeGuests(tenants, rounds)
  await measure('a write until a PDP of another process sees it', async (at) => {
    const { user, tenant } = guests[at]
    const resource = { type: 'document', tenant }
    if (pdp.check(user, 'read', resource)) throw new Error(`${user} reads without a role`)
    await caller.ask('POST', '$F/role_assignments', { user, role: 'viewer', tenant })
    await waitUntil(() => pdp.check(user, 'read', resource), 0)
  })
  const leaving = makeKeepers(tenants, rounds, 2)
  await measure('deleting a user with three roles', async (at) => {
    await caller.ask('DELETE', `$F/users/${leaving[at].user}`)
  })
}

/** Processor time of this process in ms: what else the machine does lengthens every other time. */
function timeBest(rounds, work) {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}

async function timeMedian(rounds, work) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    await work(round)
    times.push(performance.now() - start)
  }
  return median(times)
}

async function waitUntil(isSo, everyMs = 2) {
  const end = performance.now() + ANSWER_MS_MAX
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`no right answer within ${ANSWER_MS_MAX / 1000} s`)
    await new Promise((resolve) => (everyMs === 0 ? setImmediate(resolve) : setTimeout(resolve, everyMs)))
  }
}

/** What the files of a folder take on the disk. */
function findBytes(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce(
    (sum, { parentPath, path, name }) => sum + statSync(join(parentPath ?? path, name)).blocks * 512,
    0,
  )
}

const authorized = ({ key }) => ({ authorization: `Bearer ${key}` })
const count = (number) => number.toLocaleString('en-US')
