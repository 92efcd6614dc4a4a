// PDP rows: how soon a write is seen in another process, how soon a PDP with a million facts answers, and what blocks
// an event loop.
import { once } from 'node:events'
import { runChild } from '../child.mjs'
import { median, quantile } from '../sampling.mjs'
import { measureFleet } from './fleet.mjs'
import { imageFile } from './image.mjs'
import { openLine, requestFor } from './load.mjs'
import { withServers } from './servers.mjs'
import { measureWorkers } from './workers.mjs'

const WRITES_PER_SECOND = 100
const POLL_MS = 1
const FOLLOWERS = 10

export async function measurePdp(results, { effort, progress }) {
  const seconds = { full: 20, quick: 2, tiny: 0.2 }[effort]
  await withServers(async (servers) => {
    progress('pdp: write → visible in a PDP of another process')
    await measureVisible(results, servers, seconds)
  })
  const world = effort === 'tiny' ? 'tiny' : 'million'
  const built = await imageFile(world, progress)
  await withServers(async (servers) => {
    const feed = await servers.module('./feed-server.mjs', [built.file])
    progress('pdp: start to ready')
    await measureStart(results, servers, feed, built, { full: 5, quick: 2, tiny: 1 }[effort])
    progress('pdp: longest block of the event loop')
    await measureBlocks(results, servers, feed, world, effort)
  })
  await measureWorkers(results, { effort, progress })
  await measureFleet(results, { effort, progress })
  await measureCascade(results, { full: 20_000, quick: 2_000, tiny: 50 }[effort])
}

/** 100 times a second a user gets a role; each is asked for until the PDP allows. Counted from sending the write. */
async function measureVisible(results, servers, seconds) {
  const api = await servers.api()
  const { pdp } = await servers.pdp(api)
  await servers.module('./followers.mjs', [String(api.api), api.key, String(FOLLOWERS - 1)])
  const count = Math.round(seconds * WRITES_PER_SECOND)
  const users = Array.from({ length: count }, (_, at) => `seen-${at}`)
  await prepare(api, users)
  const lines = await Promise.all(Array.from({ length: 32 }, () => openLine(pdp)))
  const writers = await Promise.all(Array.from({ length: 8 }, () => openLine(api.api)))
  const start = performance.now() + 50
  const delays = await Promise.all(
    users.map(async (user, at) => {
      await sleepUntil(start + (at * 1000) / WRITES_PER_SECOND)
      const sent = performance.now()
      const role = JSON.stringify({ user, role: 'seer', tenant: 'default' })
      await ask(writers, requestFor('POST', `${api.facts}/role_assignments`, api.key, role))
      const question = JSON.stringify({
        user: { key: user },
        action: 'see',
        resource: { type: 'thing', tenant: 'default' },
      })
      for (;;) {
        const text = await ask(lines, requestFor('POST', '/allowed', api.key, question))
        if (text.includes('"allow":true')) return performance.now() - sent
        if (performance.now() - sent > 10_000)
          throw new Error(`a write was not visible after 10 s: ${text.slice(0, 200)}`)
        await sleepUntil(performance.now() + POLL_MS)
      }
    }),
  )
  for (const { socket } of [...lines, ...writers]) socket.destroy()
  const name = `write → visible in one of ${FOLLOWERS} PDPs of other processes, ${WRITES_PER_SECOND} writes/s`
  results.addFigure({ name: `${name}, median`, value: median(delays), unit: 'ms' })
  results.addFigure({ name: `${name}, p99`, value: quantile(delays, 0.99), unit: 'ms', below: 50 })
}

async function prepare(api, users) {
  const lines = await Promise.all(Array.from({ length: 16 }, () => openLine(api.api)))
  const post = (path, body) => ask(lines, requestFor('POST', path, api.key, JSON.stringify(body)))
  await post(`${api.schema}/resources`, { key: 'thing', name: 'thing', actions: { see: {} } })
  await post(`${api.schema}/roles`, { key: 'seer', name: 'seer', permissions: ['thing:see'] })
  await Promise.all(users.map((key) => post(`${api.facts}/users`, { key })))
  for (const { socket } of lines) socket.destroy()
}

/** The next free line asks; the answer's status must be 2xx. */
async function ask(lines, request) {
  while (lines.length === 0) await sleepUntil(performance.now() + 0.5)
  const line = lines.pop()
  const [status, text] = await new Promise((resolve) => line.ask(request, (...answer) => resolve(answer)))
  lines.push(line)
  if (status < 200 || status > 299) throw new Error(`answered ${status}: ${text.slice(0, 200)}`)
  return text
}

function sleepUntil(moment) {
  const wait = moment - performance.now()
  return wait > 0 ? new Promise((resolve) => setTimeout(resolve, wait)) : undefined
}

async function measureStart(results, servers, feed, built, rounds) {
  const starts = []
  for (let round = 0; round < rounds; round++) {
    const { startMs, stop } = await servers.pdp({ api: feed.port, key: 'bench' })
    starts.push(startMs)
    stop()
  }
  const name = `PDP start to ready, ${built.facts.toLocaleString('en-US')} facts (${(built.bytes / 1e6).toFixed(1)} MB over HTTP)`
  results.addFigure({ name, value: Math.min(...starts) / 1000, unit: 's', below: 1.5 })
}

async function measureBlocks(results, servers, feed, world, effort) {
  const { child } = await servers.module('./follow.mjs', [String(feed.port)])
  const longest = async (text, deltas, changes) => {
    feed.child.send({ deltas, changes, world })
    const [{ revision }] = await once(feed.child, 'message')
    child.send({ revision })
    const [{ longestMs }] = await once(child, 'message')
    results.addFigure({
      name: `longest event-loop block: ${text}`,
      value: Math.max(longestMs, 0),
      unit: 'ms',
      most: 50,
    })
  }
  const tiny = effort === 'tiny'
  const many = tiny ? 100 : 1_000
  await longest(`${(200 * many).toLocaleString('en-US')} changes in 200 deltas, with compaction`, 200, many)
  const big = tiny ? 200 : 1_000_000
  await longest(`one delta of ${big.toLocaleString('en-US')} changes`, 1, big)
}

async function measureCascade(results, assignments) {
  const { result, failure } = await runChild('./figures/cascade.mjs', { assignments })
  if (failure) throw new Error(`cascade: ${failure}`)
  const name = `delete of a tenant with ${assignments.toLocaleString('en-US')} assignments, embedded`
  results.addFigure({ name: `longest event-loop block: ${name}`, value: result.longestMs, unit: 'ms', most: 50 })
}
