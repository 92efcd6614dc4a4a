// Defects are planted in copies of a sync, and each must change what a test of it sees.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as SYNCS from '../../src/management/objects/syncs.ts'
import type { Mint } from '../../src/store/view.ts'
import { readSyncFile } from '../../src/sync/file/sync-file.ts'
import * as GUARDS from '../../src/sync/guards.ts'
import * as PLANS from '../../src/sync/plan-file.ts'
import * as READING from '../../src/sync/read-source.ts'
import * as ASKING from '../../src/sync/server.ts'
import { openManagementData } from '../management/harness.ts'
import { importWith } from '../support/canary-module.ts'
import { temporaryFolder } from '../support/folders.ts'
import { OF_SLICES, OF_SYNC } from './canaries.ts'

const folder = temporaryFolder('sync-canaries')
type Sync = typeof READING & typeof GUARDS & typeof PLANS & typeof ASKING
const ENTRIES = ['read-source', 'guards', 'plan-file', 'server'].map((name) => `src/sync/${name}.ts`)
const right: Sync = { ...READING, ...GUARDS, ...PLANS, ...ASKING }

let runs = 0
async function read({ readSource }: Sync, rows: readonly object[]) {
  const text = 'sync: 1\nsource: { ndjson: {} }\nowner: app\nusers: { file: rows.ndjson }'
  writeFileSync(join(folder, 'rows.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const temporary = join(folder, `run-${++runs}`)
  mkdirSync(temporary)
  const { file } = readSyncFile({ name: 'sync.yaml', text })
  const { sections, problems } = await readSource(file!, { folder, temporary, variable: () => undefined })
  return {
    problems: problems.length,
    identities: sections.flatMap(({ lines }) => [...lines()].map(({ identity }) => identity)),
  }
}

/** What it takes for all facts of a server whose first answer is cut between two lines. */
async function readCut({ SyncServer }: Sync): Promise<string[]> {
  const answers = ['{"key":"ana"}\n', '{"key":"ben"}\n{"complete":true,"revision":1,"rows":1}\n']
  const http = createServer((_request, response) => response.end(answers.shift()))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    const options = { url, apiKey: 'x', path: { p: 'p', e: 'e' }, name: 'app', firstPauseMs: 1 }
    const keys: string[] = []
    const stored = new SyncServer({ ...options, client: undefined as never }).stored('user')
    for await (const facts of stored.facts()) keys.push(...facts.map((fact) => fact.key))
    return keys
  } finally {
    http.close()
  }
}

const SECTIONS = [{ name: 'role_assignments', held: 100, creates: 0, changes: 0, drops: 0 }] as const
const PLAN = {
  zerohop_sync_plan: 1,
  owner: 'app',
  environment: 'e',
  revision: 1,
  rows: 'a',
  changes: 'b',
  access: 'c',
} as const
const FINDS: { readonly [T in keyof typeof OF_SYNC]: (sync: Sync) => unknown } = {
  'order-of-bytes': async (sync) => (await read(sync, [{ key: 'ana' }, { key: 'Ben' }, { key: 'ana-b' }])).identities,
  'empty-results': async (sync) => (await read(sync, [])).problems,
  'deletes-that-cascade': ({ findRefusals }) =>
    findRefusals({ sync: 1, source: {}, owner: 'app' }, SECTIONS, new Map([['role_assignments', 50]]), undefined)
      .length,
  'whole-answers': readCut,
  'plans-of-other-rows': ({ findPlanChange }) => findPlanChange(PLAN, { ...PLAN, rows: 'z' }),
}

describe('a sync', () => {
  it.each(Object.entries(OF_SYNC))('without %s is found', async (tag, replacement) => {
    const wrong = await importWith<Sync>({ [tag]: replacement }, ENTRIES, folder)
    const find = FINDS[tag as keyof typeof OF_SYNC]
    expect(await find(wrong)).not.toEqual(await find(right))
  })

  it.each(Object.entries(OF_SLICES))('whose slices are without %s is found', async (tag, replacement) => {
    const wrong = await importWith<typeof SYNCS>({ [tag]: replacement }, 'src/management/objects/syncs.ts', folder)
    const management = await openManagementData()
    try {
      const [source, run] = ['a'.repeat(32), 'b'.repeat(32)]
      await management.run('createRole', { key: 'reader' })
      await management.run('leaseSync', { ref: 'app', source, run })
      const item = { op: 'put', kind: 'user', item: { key: 'ana' } } as const
      await management.run('writeSyncSlice', { ref: 'app', run, items: [item] })
      await management.run('assign', { user: 'ana', role: 'reader', tenant: 'default' })
      const mint: Mint = { now: Date.now(), id: () => 'f'.repeat(32), secret: () => '' }
      const items = [{ op: 'drop', kind: 'user', key: 'ana' }] as const
      const write = ({ writeSyncSlice }: typeof SYNCS, by: string) => {
        try {
          return writeSyncSlice(management.view(), { ref: 'app', run: by, items }, mint).result.removed
        } catch (error) {
          return String(error)
        }
      }
      const asked = [run, 'c'.repeat(32)]
      expect(asked.map((by) => write(wrong, by))).not.toEqual(asked.map((by) => write(SYNCS, by)))
      expect(asked.map((by) => write(SYNCS, by))).toEqual([{}, expect.stringContaining('does not hold sync')])
    } finally {
      await management.close()
    }
  })
})
