// Writes a data folder as version 0.1 did (format 1): the same rows without checksums, heads without digests. For tests
// of the upgrade.
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import { PLACE_ENCODER } from '../../src/store/places.ts'
import { openTables } from '../../src/store/tables.ts'

/** Rewrites a closed folder of this version as one of format 1. */
export async function asFormat1(data: string): Promise<void> {
  const tables = openTables(data, 'read')
  const folder = join(data, 'old')
  mkdirSync(folder)
  const old = open({ path: folder, noSubdir: false, encoding: 'json', maxDbs: 32 })
  const keyed = { keyEncoding: 'binary', encoding: 'binary' } as const
  old.transactionSync(() => {
    const meta = old.openDB<number, string>({ name: 'meta', encoding: 'json' })
    void meta.put('format', 1)
    void meta.put('next_log', tables.totals.read().next_log)
    const heads = old.openDB<object, string>({ name: 'heads', encoding: 'json' })
    for (const [log, { sums: _, log: _log, ...head }] of tables.heads.all()) void heads.put(log, head)
    for (const table of tables.objectTables) {
      const objects = old.openDB<string, Uint8Array>({ name: table.name, keyEncoding: 'binary', encoding: 'string' })
      for (const { key, content } of table.range()) void objects.put(key, content)
    }
    for (const table of [tables.keys, tables.ids, tables.indexes]) {
      const dupSort = table.name === 'indexes'
      const places = old.openDB<number, Uint8Array>({
        name: table.name,
        ...keyed,
        encoder: PLACE_ENCODER,
        dupSort,
      } as never)
      for (const { key, place } of table.rows({})) void places.put(key, place)
    }
    const log = old.openDB<Uint8Array, Uint8Array>({ name: 'log', ...keyed, compression: { threshold: 4_096 } })
    for (const { key, content } of tables.log.range()) void log.put(key, content)
    const hashes = old.openDB<string, string>({ name: 'hashes', encoding: 'string' })
    for (const { key, content } of tables.hashes.all()) void hashes.put(Buffer.from(key).toString(), content)
    const secrets = old.openDB<Uint8Array, Uint8Array>({ name: 'secrets', ...keyed })
    for (const { key, content } of tables.secrets.all()) void secrets.put(key, content)
  })
  await Promise.all([old.close(), tables.root.close()])
  renameSync(join(folder, 'data.mdb'), join(data, 'data.mdb'))
  rmSync(folder, { recursive: true })
}

/** Makes a closed folder of this version one of format 2, which has no search texts. */
export async function asFormat2(data: string): Promise<void> {
  const root = open({ path: data, noSubdir: false, encoding: 'json', maxDbs: 32 })
  await root.openDB({ name: 'search', keyEncoding: 'binary', encoding: 'binary' }).drop()
  await sayFormat2(root)
}

/** The same with an upgrade behind it that was interrupted, and an older version after that: its texts are those of others. */
export async function asInterruptedFormat2(data: string): Promise<void> {
  const root = open({ path: data, noSubdir: false, encoding: 'json', maxDbs: 32 })
  const texts = root.openDB<Buffer, Uint8Array>({ name: 'search', keyEncoding: 'binary', encoding: 'binary' })
  const [first] = [...texts.getRange({ limit: 1 })]
  const stray = Buffer.from(first!.key)
  stray.writeUInt8(stray.readUInt8(stray.length - 1) + 9, stray.length - 1)
  await texts.put(stray, first!.value)
  await texts.remove(first!.key)
  await sayFormat2(root)
}

async function sayFormat2(root: ReturnType<typeof open>): Promise<void> {
  const options = { name: 'meta', keyEncoding: 'binary', encoding: 'json' } as const
  await root.openDB<number, Uint8Array>(options).put(Buffer.from('format'), 2)
  await root.close()
}
