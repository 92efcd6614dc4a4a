// A file of facts by `zerohop import` beside bulk calls of the very same facts: which is sooner done. Both write into a
// new server of their own, and afterwards both servers export the same lines.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  BULK_ASSIGNMENTS_MAX,
  BULK_INSTANCES_MAX,
  BULK_TENANTS_MAX,
  BULK_TUPLES_MAX,
  BULK_USERS_MAX,
} from '../../dist/src/model/limits.js'
import { FACTS_PER_TENANT, factLines, POLICY } from '../curve-world.mjs'
import { using } from './api-million.mjs'
import { withServers } from './servers.mjs'

/** What a million facts may take on a quiet machine. */
const MILLION_SECONDS_MAX = 30
const MILLION = 1_000_000

const operations = (items) => ({ operations: items })
/** By kind: the call that creates most at once. Tenants need a name there; a line has its key for one. */
const CALLS = {
  tenant: [
    'POST',
    '$F/bulk/tenants',
    BULK_TENANTS_MAX,
    (items) => operations(items.map((of) => ({ name: of.key, ...of }))),
  ],
  user: ['POST', '$F/bulk/users', BULK_USERS_MAX, operations],
  resource_instance: ['PUT', '$F/bulk/resource_instances', BULK_INSTANCES_MAX, operations],
  relationship_tuple: ['POST', '$F/relationship_tuples/bulk', BULK_TUPLES_MAX, operations],
  role_assignment: ['POST', '$F/role_assignments/bulk', BULK_ASSIGNMENTS_MAX, (items) => items],
}

export async function measureImports(results, { effort, progress, facts: sizes }) {
  const { facts: usualFacts, rounds } = {
    full: { facts: MILLION, rounds: 1 },
    quick: { facts: 30_000, rounds: 2 },
    tiny: { facts: 1_000, rounds: 1 },
  }[effort]
  const facts = sizes?.[0] ?? usualFacts
  const lines = listLines(facts / FACTS_PER_TENANT)
  const seconds = { file: [], calls: [] }
  const exported = new Set()
  for (let round = 0; round < rounds; round++) {
    for (const way of round % 2 === 0 ? ['calls', 'file'] : ['file', 'calls']) {
      progress(`imports: ${count(facts)} facts by ${way === 'file' ? 'a file' : 'bulk calls'}`)
      await withServers(async (servers) => {
        const server = await servers.api()
        seconds[way].push(await (way === 'file' ? importFile : callAll)(servers, server, lines))
        exported.add(await findDigest(server))
      })
    }
  }
  if (exported.size !== 1) throw new Error('a file and bulk calls did not lead to the same facts')
  const [byFile, byCalls] = [Math.min(...seconds.file), Math.min(...seconds.calls)]
  results.addFigure({
    name: `import of ${count(facts)} facts by zerohop import`,
    value: byFile,
    unit: 's',
    ...(facts === MILLION ? { most: MILLION_SECONDS_MAX } : {}),
  })
  results.addFigure({
    name: `import of ${count(facts)} facts by zerohop import, beside bulk calls`,
    value: byFile / byCalls,
    unit: 'of their time',
    peer: `bulk calls over 4 connections: ${byCalls.toPrecision(3)} s`,
    ratio: byFile / byCalls,
    ...(effort === 'tiny' ? {} : { most: 1 }),
  })
}

/** Memberships are left out: no bulk call takes them, and each of this world follows from a role. */
function listLines(tenants) {
  return [...factLines(tenants)].filter((line) => !line.startsWith('{"membership"'))
}

/** By kind, in the order of the lines, without the first one. */
function groupLines(lines) {
  const byKind = new Map(Object.keys(CALLS).map((kind) => [kind, []]))
  for (const line of lines.slice(1)) byKind.get(/^\{"(\w+)"/.exec(line)[1]).push(line)
  return byKind
}

/** The same facts as bodies of calls, each made when it is sent. */
function* eachBody(kind, lines) {
  const [, , size, wrap] = CALLS[kind]
  for (let at = 0; at < lines.length; at += size)
    yield wrap(lines.slice(at, at + size).map((line) => JSON.parse(line)[kind]))
}

/** As an operator does it. */
async function importFile(servers, server, lines) {
  const facts = join(servers.folder(), 'facts.ndjson')
  writeFileSync(facts, lines.join(''))
  await importPolicy(servers, server)
  return timeSeconds(() => servers.command(server, ['import', facts]))
}

async function callAll(servers, server, lines) {
  const groups = groupLines(lines)
  await importPolicy(servers, server)
  let seconds
  await using(server, async (caller) => {
    seconds = await timeSeconds(async () => {
      for (const [kind, some] of groups) {
        const [method, path] = CALLS[kind]
        await caller.askAll(method, path, eachBody(kind, some))
      }
    })
  })
  return seconds
}

async function importPolicy(servers, server) {
  const policy = join(servers.folder(), 'policy.json')
  writeFileSync(policy, JSON.stringify(POLICY))
  await servers.command(server, ['import', policy])
}

/** Of the facts that the server exports in any order, without the first line, which names its revision. */
async function findDigest({ api, key, facts }) {
  const response = await fetch(`http://127.0.0.1:${api}${facts}/export`, {
    headers: { authorization: `Bearer ${key}` },
  })
  if (response.status !== 200) throw new Error(`an export was answered ${response.status}`)
  const lines = Buffer.from(await response.arrayBuffer())
    .toString()
    .split('\n')
    .slice(1)
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex')
}

async function timeSeconds(work) {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

const count = (number) => number.toLocaleString('en-US')
