// A command that waits for a server which does not answer says so each time, whoever repeats: the write client or the
// command. What is repeated by one of them is not repeated by the other one, too. Needs the build.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Management, managementServer, openManagement, readKeys } from '../../src/server.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'

const TIMES = 2
const folder = temporaryFolder('waiting')
let management: Management
let app: ReturnType<typeof managementServer>
let env: Readonly<Record<string, string>>
/** the idempotency keys of writes that were answered 503: the first ones of each command */
let refused: unknown[] = []

beforeAll(async () => {
  const data = join(folder, 'data')
  management = await openManagement({ data })
  app = managementServer(management)
  app.addHook('onRequest', async ({ method, headers }, reply) => {
    if (method === 'GET' || refused.length >= TIMES) return undefined
    refused.push(headers['idempotency-key'])
    return reply.code(503).header('retry-after', '0').send()
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  env = { ZEROHOP_API: url, PDP_API_KEY: readKeys(data)?.environments.development ?? '' }
  writeFileSync(join(folder, 'policy.yaml'), 'zerohop: 2\nroles:\n  - key: reader\n')
  writeFileSync(join(folder, 'facts.ndjson'), '{"zerohop_facts":1}\n{"user":{"key":"ana"}}\n')
  writeFileSync(join(folder, 'users.ndjson'), '{"key":"ben"}\n')
  writeFileSync(
    join(folder, 'sync.yaml'),
    'sync: 1\nsource: { ndjson: {} }\nowner: hr\nusers: { file: users.ndjson }\n',
  )
})
afterAll(async () => {
  await app.close()
  await management.store.close()
})
beforeEach(() => {
  refused = []
})

it.each<[command: string, pauses: readonly string[]]>([
  ['import facts.ndjson', ['0.5', '1']],
  ['apply policy.yaml --yes', ['0', '0']],
  ['grant ana reader', ['0', '0']],
  ['suspend ana --reason left', ['0', '0']],
  ['sync apply --yes', ['0', '0']],
])('%s says that it is sent again, with the same key', async (command, pauses) => {
  const { code, err } = await runHere(command.split(' '), env, folder)
  expect(code, err).toBe(0)
  expect([...err.matchAll(/^zerohop: .*\b503\b.*; trying again in (.+) s$/gm)].map(([, pause]) => pause)).toEqual(
    pauses,
  )
  expect([refused.length, new Set(refused).size]).toEqual([TIMES, 1])
  expect(refused[0]).toEqual(expect.any(String))
})
