// Facts of a server whose answers are cut, at any byte, with the end of an answer or without, and by a server that ends:
// what came until then is never taken for all of it, and what follows has each fact once.
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/management-client.ts'
import type { SyncedKind } from '../../src/management/schemas/syncs.ts'
import { SyncServer } from '../../src/sync/server.ts'
import { parameters } from '../property/seed.ts'
import { temporaryFolder } from '../support/folders.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'
import { runSync } from './server.ts'

const folder = temporaryFolder('sync-cuts')
const data = join(folder, 'data')
const environment = 'development'
const KEYS = ['ana', 'ana-b', 'ana.b', 'Ana', 'ben', '10', '9', 'z@z']

/** Where an answer ends, and whether its end is sent. */
interface Cut {
  readonly at: number
  readonly ends: boolean
}
/** What is left to cut, by the name of a run; `always` is cut again and again. */
const cuts = new Map<string, Cut[]>()
let proxy: Server
let base = ''
let key = ''

beforeAll(async () => {
  const port = await freePort()
  await apiHere(data, port)
  base = url(port)
  key = readKeys(data).environments.development!
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const role = { method: 'POST', headers, body: JSON.stringify({ key: 'reader', name: 'Reader' }) }
  expect((await fetch(`${base}/v2/schema/default/${environment}/roles`, role)).status).toBe(200)
  await sync('app', KEYS)
  proxy = createServer((request, response) => {
    const [, run = '', ...rest] = request.url!.split('/')
    const pass = async (): Promise<void> => {
      const answer = await fetch(`${base}/${rest.join('/')}`, {
        headers: { authorization: request.headers.authorization! },
      })
      const body = Buffer.from(await answer.arrayBuffer())
      const cut = run === 'always' ? { at: 10, ends: true } : cuts.get(run)?.shift()
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! })
      if (cut === undefined) return void response.end(body)
      const part = body.subarray(0, cut.at % body.length)
      if (cut.ends) response.end(part)
      else response.write(part, () => setImmediate(() => response.destroy()))
    }
    pass().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  proxy.close()
  await endServers()
})

/** Writes users, and a role for each. */
async function sync(owner: string, keys: readonly string[], note = 'Zoë 漢字 🙂'): Promise<void> {
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  writeFileSync(join(folder, 'users.ndjson'), lines(keys.map((one) => ({ key: one, 'attributes.note': note }))))
  const roles = keys.map((user) => ({ user, role: 'reader', tenant: 'default' }))
  writeFileSync(join(folder, 'roles.ndjson'), lines(roles))
  const file = `sync: 1\nsource: { ndjson: {} }\nowner: ${owner}\nusers: { file: users.ndjson }\nrole_assignments: { file: roles.ndjson }\n`
  const { written } = await runSync({ url: base, key, folder, environment }, file)
  expect(written?.counts.created).toBe(2 * keys.length)
}

const serverAt = (address: string, name = 'app') =>
  new SyncServer({
    client: createClient({ url: base, apiKey: key }),
    ...{ url: address, apiKey: key, path: { p: 'default', e: environment }, name, firstPauseMs: 1 },
  })

async function readAll(kind: SyncedKind, run?: string): Promise<unknown> {
  const address = run === undefined ? base : `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/${run}`
  const stored = serverAt(address).stored(kind)
  const all: unknown[] = []
  for await (const facts of stored.facts()) all.push(...facts)
  return { all, revision: stored.revision }
}

let runs = 0
async function holds(kind: SyncedKind, wanted: unknown, ...some: readonly Cut[]): Promise<void> {
  const run = `r${++runs}`
  cuts.set(run, [...some])
  expect(await readAll(kind, run)).toEqual(wanted)
  expect(cuts.get(run)).toEqual([])
}

it('has each fact once with a cut at each end of a line, and next to it', async () => {
  const wanted = await readAll('user')
  const headers = { authorization: `Bearer ${key}` }
  const address = `${base}/v2/facts/default/${environment}/stream?kind=user&claim=app`
  const body = Buffer.from(await (await fetch(address, { headers })).arrayBuffer())
  const ends = [...body].flatMap((byte, at) => (byte === 0x0a ? [at, at + 1] : []))
  expect(ends).toHaveLength(2 * (KEYS.length + 1))
  const places = [0, ...ends].filter((at) => at < body.length)
  await Promise.all(places.flatMap((at) => [true, false].map((isEnd) => holds('user', wanted, { at, ends: isEnd }))))
})

it('has each fact once with any cuts', async () => {
  const kinds = ['user', 'role_assignment'] as const
  const wanted = { user: await readAll('user'), role_assignment: await readAll('role_assignment') }
  const cut = fc.record({ at: fc.nat(5_000), ends: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...kinds), fc.array(cut, { minLength: 1, maxLength: 4 }), (kind, some) =>
      holds(kind, wanted[kind], ...some),
    ),
    parameters(20),
  )
})

it('of answers that are always cut, none is taken for all facts', async () => {
  await expect(readAll('user', 'always')).rejects.toMatchObject({ code: 'FEED_UNREACHABLE' })
})

it('goes on with the server that comes after one that has ended in the middle', async () => {
  const keys = Array.from({ length: 400 }, (_, at) => `user-${String(at).padStart(4, '0')}`)
  await sync('wide', keys, 'x'.repeat(15_000))
  const found: string[] = []
  for await (const facts of serverAt(base, 'wide').stored('user').facts()) {
    const isFirst = found.length === 0
    found.push(...facts.map((fact) => fact.key))
    if (!isFirst) continue
    expect(found.length).toBeLessThan(keys.length)
    await endServers()
    await apiHere(data, Number(new URL(base).port))
  }
  expect(found).toEqual(keys)
})
