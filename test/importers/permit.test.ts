// The importer of Permit, with a running server of Zerohop in its place, which has the same API: every object, the proof,
// planted faults, pages, a server that is asked too often, and a key that is shown nowhere.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Imported } from '../../src/importers/frame/importer.ts'
import { prove } from '../../src/importers/frame/proof.ts'
import { loadWritten } from '../../src/importers/frame/written.ts'
import { importer } from '../../src/importers/permit/importer.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort, type Ports, readKeys, url } from '../support/server.ts'
import { ROOT } from '../tidy/source.ts'

const POLICY = `zerohop: 2
user_attributes: { level: { type: number } }
resources:
  - { key: folder, actions: { open: {} }, roles: { owner: { permissions: [open] } } }
  - key: document
    actions: { read: {}, write: {} }
    attributes: { secret: { type: bool } }
    relations: { parent: folder }
    roles:
      reader: { permissions: [read] }
      editor:
        permissions: [write]
        extends: [reader]
        granted_to: { users_with_role: [{ role: owner, on_resource: folder, linked_by_relation: parent }] }
roles:
  - { key: admin, extends: [clerk], permissions: [document:write] }
  - { key: clerk, permissions: [document:read] }
condition_sets:
  - { key: seniors, type: userset, conditions: { user.level: { greater-than: 3 } } }
  - { key: open, type: resourceset, resource: document, conditions: { resource.secret: { equals: false } } }
set_rules:
  - { user_set: seniors, permission: document:read, resource_set: open }
tenants: [{ key: acme, name: Acme }, { key: other }]
users: [{ key: ana, attributes: { level: 5 } }, { key: ben }, { key: cleo, email: cleo@x.org }]
memberships: [{ user: ben, tenant: other }]
resource_instances:
  - { resource: folder, key: f1, tenant: acme }
  - { resource: document, key: d1, tenant: acme, attributes: { secret: true } }
  - { resource: document, key: d2, tenant: other, attributes: { secret: false } }
relationship_tuples: [{ subject: 'folder:f1', relation: parent, object: 'document:d1' }]
role_assignments:
  - { user: ben, role: admin, tenant: acme }
  - { user: cleo, role: owner, resource_instance: 'folder:f1' }
`
/** More than a page of them. */
const MANY = 130

let [ports, key]: [Ports, string] = [{ api: 0, pdp: 0 }, '']
const asked: { readonly path: string }[] = []
let busy: Server | undefined

beforeAll(async () => {
  const data = temporaryFolder('permit')
  ports = { api: await freePort(), pdp: await freePort() }
  await serveHere(data, ports)
  key = readKeys(data).environments.development
  const file = join(temporaryFolder('policy'), 'policy.yaml')
  writeFileSync(file, POLICY)
  const facts = join(temporaryFolder('facts'), 'facts.ndjson')
  writeFileSync(
    facts,
    `{"zerohop_facts":1}\n${Array.from({ length: MANY }, (_, at) => `{"user":{"key":"user-${at}"}}`).join('\n')}\n`,
  )
  const to = ['--api', url(ports.api)]
  const env = { ZEROHOP_DATA: temporaryFolder('none'), PDP_API_KEY: key }
  for (const each of [file, facts]) {
    const ran = await runHere(['import', each, ...to], env, data)
    expect([ran.code, ran.err]).toEqual([0, expect.any(String)])
  }
  // answers the first request for each page with 429
  busy = createServer((request, response) => {
    const path = request.url ?? ''
    const isFirst = !asked.some((one) => one.path === path)
    asked.push({ path })
    if (isFirst) response.writeHead(429, { 'retry-after': '0' }).end()
    else
      void fetch(`${url(ports.api)}${path}`, { headers: { authorization: request.headers.authorization ?? '' } }).then(
        async (answer) =>
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
      )
  }).listen(0, '127.0.0.1')
  await once(busy, 'listening')
})
afterAll(async () => {
  busy?.close()
  await endServers()
})

const [COMMAND = ''] =
  /^npx zerohop import --from permit .*$/m.exec(readFileSync(join(ROOT, 'docs/moving.md'), 'utf8')) ?? []

it('reads every object, over pages and a server that is asked too often, and the answers are the same', async () => {
  const folder = temporaryFolder('reader')
  const server = `http://127.0.0.1:${(busy?.address() as AddressInfo | undefined)?.port}`
  const options = { pdpUrl: url(ports.pdp) }
  const command = COMMAND.replace('https://api.permit.io', server).replace('http://localhost:7766', options.pdpUrl)
  const ran = await runHere(command.split(' ').slice(2), { PDP_API_KEY: key }, folder)
  expect([ran.code, ran.err]).toEqual([0, expect.stringContaining(`${server} answered 429; trying again in 0 s\n`)])
  expect(ran.out).toMatch(
    /asked the PDP at .* 300 questions of .*\n0 differences, 0 allow more than before; both allow [1-9]/,
  )
  const read = (name: string): string => readFileSync(join(folder, 'converted', name), 'utf8')
  expect(parse(read('policy.yaml'))).toMatchObject({
    user_attributes: { level: { type: 'number' } },
    condition_sets: [{ key: 'seniors' }, { key: 'open', resource: 'document' }],
    set_rules: [{ user_set: 'seniors', permission: 'document:read', resource_set: 'open' }],
  })
  for (const text of [
    '{"membership":{"user":"ben","tenant":"other"}}',
    '"subject":"folder:f1"',
    '"resource_instance":"folder:f1"',
    '"key":"user-129"',
  ])
    expect(read('facts.ndjson')).toContain(text)
  expect(asked.filter(({ path }) => path.includes('/users?page=2'))).toHaveLength(2)
  for (const name of ['policy.yaml', 'facts.ndjson', 'questions.mjs', 'report.json'])
    expect(read(name)).not.toContain(key)

  // a fault that is planted is found
  const { imported } = await importer.read([url(ports.api)], { ...options, apiKey: key })
  for (const [name, text, other] of [
    ['policy.yaml', '- document:write', '- document:read'],
    ['facts.ndjson', '"user":"ben","role":"admin"', '"user":"cleo","role":"admin"'],
  ] as const) {
    const written = read(name)
    expect(written).toContain(text)
    writeFileSync(join(folder, 'converted', name), written.replaceAll(text, other))
    const pdp = loadWritten(join(folder, 'converted')) as Pdp
    const proof = await prove(imported as Imported, pdp, { questions: 60, seed: 1 })
    expect(proof.different, text).toBeGreaterThan(0)
    writeFileSync(join(folder, 'converted', name), written)
  }
})

describe('refuses, and shows no key', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['ftp://x', {}, '--pdp-url names a PDP'],
    ['ftp://x', { pdpUrl: 'http://127.0.0.1:1' }, 'a server is an address'],
    ['http://user:pass@x', { pdpUrl: 'http://127.0.0.1:1' }, 'a server is an address'],
    ['http://127.0.0.1:1', { pdpUrl: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1/v2/api-key/scope: '],
  ])('%s %j', async (server, options, reason) => {
    await expect(importer.read([server], { ...options, apiKey: key })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(reason),
    })
  })

  it('a key that may not read, and none', async () => {
    const options = { pdpUrl: url(ports.pdp) }
    const error = await importer
      .read([url(ports.api)], { ...options, apiKey: 'permit_key_secret' })
      .catch((thrown: unknown) => thrown as Error)
    expect((error as Error).message).toContain('/v2/api-key/scope: 401: the key may not read it')
    expect((error as Error).message).not.toContain('permit_key_secret')
    await expect(importer.read([url(ports.api)], options)).rejects.toThrow('PDP_API_KEY is the key of an environment')
  })
})
