// Cursors of lists over HTTP after the data folder went back in time: by a restore from a backup, which begins a new
// lineage, and by its files, which has the same lineage at an earlier revision and may be written to again. Each cursor
// of before is 400 with the reason, never a page; a new walk is whole.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { apiHere, type ServerHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

const E = 'default/development'
const LISTS = [
  ...[`/v2/facts/${E}/users?`, `/v2/facts/${E}/users?search=walk`, `/v2/facts/${E}/tenants?include_total_count=true`],
  ...[`/v2/facts/${E}/role_assignments?`, `/v2/schema/${E}/roles?`, '/v2/history?', `/v2/history?method=POST`],
]

const folder = temporaryFolder('restored-cursors')
const [data, backup, restored, copy] = ['data', 'backup', 'restored', 'copy'].map((name) => join(folder, name)) as [
  ...[string, string, string, string],
]
let port = 0
let key = ''
let server: ServerHere
beforeAll(async () => {
  port = await freePort()
  await start(data)
  key = readKeys(data)!.environments.development!
  await write('early')
})
afterAll(endServers)

const start = async (of: string): Promise<void> => {
  server = await apiHere(of, port)
}

async function ask(method: string, path: string, body?: unknown) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const answer = await fetch(url(port) + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, link: answer.headers.get('link'), body: await answer.json() }
}

/** Three of each kind. */
async function write(name: string): Promise<void> {
  for (const at of [1, 2, 3]) {
    const [user, role, tenant] = [`walk-${name}-${at}`, `role-${name}-${at}`, `tenant-${name}-${at}`]
    for (const [path, body] of [
      [`/v2/facts/${E}/users`, { key: user }],
      [`/v2/schema/${E}/roles`, { key: role, name: role }],
      [`/v2/facts/${E}/tenants`, { key: tenant, name: tenant }],
      [`/v2/facts/${E}/role_assignments`, { user, role, tenant }],
    ] as const)
      expect((await ask('POST', path, body)).status).toBeLessThan(300)
  }
}

/** A cursor near the end of each list. */
async function walkToTheEnd(): Promise<Map<string, string>> {
  const cursors = new Map<string, string>()
  for (const list of LISTS)
    for (let after = ''; ; ) {
      const { status, link } = await ask('GET', `${list}&per_page=2${after && `&after=${after}`}`)
      expect([list, status]).toEqual([list, 200])
      const next = /[?&]after=([\w-]+)/.exec(link ?? '')?.[1]
      if (next === undefined) break
      cursors.set(list, next)
      after = next
    }
  expect(cursors.size).toBe(LISTS.length)
  return cursors
}

async function expectRefused(cursors: ReadonlyMap<string, string>): Promise<void> {
  for (const [list, cursor] of cursors) {
    const { status, body } = await ask('GET', `${list}&per_page=2&after=${cursor}`)
    expect([list, status, body.error_code]).toEqual([list, 400, 'INVALID_INPUT'])
    expect(body.message).toContain('`after`')
  }
  await walkToTheEnd()
}

it('are refused after a restore', async () => {
  expect(await runHere(['backup', backup, '--data', data])).toMatchObject({ code: 0 })
  const cursors = await walkToTheEnd()
  await server.end()
  expect(await runHere(['restore', backup, '--data', restored])).toMatchObject({ code: 0 })
  await start(restored)
  await expectRefused(cursors)
  await server.end()
})

it('are refused when files were put back, also when others were written since', async () => {
  cpSync(data, copy, { recursive: true })
  await start(data)
  const before = await walkToTheEnd()
  await write('late')
  for (const [list, cursor] of before)
    expect([list, (await ask('GET', `${list}&per_page=2&after=${cursor}`)).status]).toEqual([list, 200])
  const cursors = await walkToTheEnd()
  await server.end()
  rmSync(data, { recursive: true })
  cpSync(copy, data, { recursive: true })
  await start(data)
  await expectRefused(cursors)
  for (const [list, cursor] of before)
    expect([list, (await ask('GET', `${list}&per_page=2&after=${cursor}`)).status]).toEqual([list, 200])
  await write('other')
  await write('more')
  await expectRefused(cursors)
  await server.end()
})
