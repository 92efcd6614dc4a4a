// One organization deletes an object on which very many others hang, and another organization writes while the writer is
// at it: how long that write waits. Beside it, LMDB alone removes as many entries, one at a time in one transaction.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { open } from '../../dist/src/store/lmdb.js'
import { openStore } from '../../dist/src/store/store.js'
import { serveJob } from '../child.mjs'
import { pieces } from './api-million.mjs'

const WRITER = new URL('../../dist/src/management/host/writer-thread.js', import.meta.url)
const [LARGE, OTHER] = ['1'.repeat(32), '2'.repeat(32)]
const BY = {
  ...{ api_key_id: null, request_id: null, address: null, method: null, path: null },
  operation: 'bench',
}
const [PER_CALL, TUPLES_PER_CALL, CHILDREN] = [2_000, 1_000, 10]

serveJob(async ({ dependents, rounds }, loaded) => {
  const data = mkdtempSync(join(tmpdir(), 'zerohop-bench-'))
  const store = await openStore({ data, writerThread: WRITER })
  try {
    loaded()
    const write = (name, input, log = LARGE) => store.commit(log, name, input, BY)
    await prepare(write, dependents)
    const bare = new Bare(join(data, 'bare'))
    const measured = { bare: [], alone: [], user: [], tenant: [], folders: [] }
    for (let round = 0; round < rounds; round++) {
      measured.bare.push(await bare.remove(dependents))
      measured.alone.push(
        await timed(() => write('updateUser', { ref: 'other', fields: { first_name: `a${round}` } }, OTHER)),
      )
      for (const [kind, make] of Object.entries(LARGE_OBJECTS)) {
        const [name, input] = await make(write, dependents, `${kind}-${round}`)
        const used = process.cpuUsage()
        const deleted = write(name, input)
        await pause(1) // the writer is at it
        const wait = () => write('updateUser', { ref: 'other', fields: { first_name: `${kind}${round}` } }, OTHER)
        measured[kind].push(await timed(wait, used))
        await deleted
      }
    }
    await bare.close()
    return measured
  } finally {
    await store.close()
    rmSync(data, { recursive: true, force: true })
  }
})

/** Milliseconds, and those of processor time of this process. */
async function timed(work, used = process.cpuUsage()) {
  const begun = performance.now()
  await work()
  const ms = performance.now() - begun
  const { user, system } = process.cpuUsage(used)
  return { ms, cpuMs: (user + system) / 1000 }
}

async function inPieces(write, count, most, name, make, bodyOf) {
  for (const piece of pieces(count, most, make)) await write(name, bodyOf(piece))
}
const operations = (piece) => ({ operations: piece })
const assignments = (piece) => ({ assignments: piece, missing_user_policy: 'fail' })

async function prepare(write, count) {
  await write('createUser', { key: 'other' }, OTHER)
  await write('createRole', { key: 'guest' })
  await write('createResource', { key: 'folder', actions: { see: {} } })
  await write('createRelation', { resource: 'folder', relation: { key: 'parent', subject_resource: 'folder' } })
  await inPieces(write, count, PER_CALL, 'createTenants', (at) => ({ key: `t-${at}`, name: `T ${at}` }), operations)
  await inPieces(write, count, PER_CALL, 'createUsers', (at) => ({ key: `u-${at}` }), operations)
}

/** What makes an object with so many dependents; answers with the use case that deletes it. */
const LARGE_OBJECTS = {
  async user(write, count, key) {
    await write('createUser', { key })
    const give = (at) => ({ user: key, role: 'guest', tenant: `t-${at}` })
    await inPieces(write, count, PER_CALL, 'assignMany', give, assignments)
    return ['deleteUser', { ref: key }]
  },
  async tenant(write, count, key) {
    await write('createTenant', { key, name: key })
    const give = (at) => ({ user: `u-${at}`, role: 'guest', tenant: key })
    await inPieces(write, count, PER_CALL, 'assignMany', give, assignments)
    return ['deleteTenant', { ref: key }]
  },
  async folders(write, count, key) {
    await write('createTenant', { key, name: key })
    const folder = (at) => `folder:${key}-${at}`
    const make = (at) => ({ resource: 'folder', key: `${key}-${at}`, tenant: key })
    await inPieces(write, count, PER_CALL, 'putInstances', make, operations)
    const within = (at) => ({ subject: folder(Math.floor(at / CHILDREN)), relation: 'parent', object: folder(at + 1) })
    await inPieces(write, count - 1, TUPLES_PER_CALL, 'createTuples', within, operations)
    return ['deleteTenant', { ref: key }]
  },
}

/**
 * LMDB with entries as those of assignments and memberships: for each dependent two records, their keys, five places
 * that share a value with all others, and four that have a value of their own.
 */
class Bare {
  #root
  #records
  #keys
  #indexes

  constructor(path) {
    this.#root = open({ path, noSubdir: false, maxDbs: 4 })
    const table = (name, dupSort) =>
      this.#root.openDB({ name, dupSort, keyEncoding: 'binary', encoding: 'binary', encoder: AS_IT_IS })
    this.#records = table('records', false)
    this.#keys = table('keys', false)
    this.#indexes = table('indexes', true)
  }

  /** The time that it takes to remove what hangs on so many dependents. */
  async remove(count) {
    const rows = Array.from({ length: count }, (_, at) => makeRow(at))
    this.#root.transactionSync(() => {
      for (const { places, keys, indexes } of rows) {
        for (const place of places) void this.#records.put(place, RECORD)
        for (const [at, key] of keys.entries()) void this.#keys.put(key, places[at])
        for (const key of indexes) void this.#indexes.put(key, places[0])
      }
    })
    const removeAll = () => {
      for (const { places, keys, indexes } of rows) {
        for (const key of indexes) void this.#indexes.remove(key, places[0])
        for (const key of keys) void this.#keys.remove(key)
        for (const place of places) void this.#records.remove(place)
      }
    }
    return timed(() => this.#root.transactionSync(removeAll))
  }

  close() {
    return this.#root.close()
  }
}

const RECORD = Buffer.alloc(250, 'r')
const AS_IT_IS = { encode: (bytes) => bytes, decode: (bytes) => Buffer.from(bytes) }

function makeRow(at) {
  const place = (table) => {
    const bytes = Buffer.alloc(6)
    bytes.writeUIntBE(2 * at + table + 1, 0, 6)
    return bytes
  }
  const own = (index) => Buffer.from(`index-of-places-${index}/tenant-${at}/user`)
  const shared = (index) => Buffer.from(`index-of-places-${index}/user`)
  return {
    places: [place(0), place(1)],
    keys: [Buffer.from(`assignments/user/guest/tenant-${at}`), Buffer.from(`memberships/tenant-${at}/user`)],
    indexes: [...[0, 1, 2, 3].map(own), ...[4, 5, 6, 7, 8].map(shared)],
  }
}
