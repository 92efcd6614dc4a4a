// What a view sees, what the log holds, and that both survive a close. src/store/store.ts, lmdb-view.ts, state.ts,
// log.ts.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { LogEntry } from '../../src/log/change.ts'
import { LOG_READ_BYTES_MAX, LOG_READ_MAX } from '../../src/model/limits.ts'
import { BY, error, LOG, listKeys, OTHER_LOG, openTestStore, seed, temporaryFolder } from './support.ts'

/** The chain, made again from nothing but the entries. */
function computeChain({ log, revision, at, by, status, changes, previous }: LogEntry): string {
  const body = JSON.stringify({ log, revision, at, by, status, changes })
  return createHash('sha256').update(Buffer.from(previous, 'hex')).update(body).digest('hex')
}

describe('a view', () => {
  it('finds an object by key, by id, and by dashed id in any case', async () => {
    const store = await openTestStore(temporaryFolder())
    const { result: ana } = await store.commit(LOG, 'createUser', { key: 'ana' }, BY)
    const dashed = ana.id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase()
    const view = store.view(LOG)
    expect(view.get('user', 'ana')).toEqual(ana)
    expect(view.find('user', ana.id)).toEqual(ana)
    expect(view.find('user', dashed)).toEqual(ana)
    expect(view.get('user', ana.id)).toBeUndefined()
    expect(view.find('role', 'ana')).toBeUndefined()
    expect(view.find('user', 'f'.repeat(32))).toBeUndefined()
    expect(() => view.require('user', 'ben', ['body', 'user'])).toThrow(
      expect.objectContaining({ ...error('OBJECT_NOT_FOUND'), path: ['body', 'user'] }),
    )
  })

  it('refuses a key that is taken and one that reads as the id of an object of the kind', async () => {
    const store = await openTestStore(temporaryFolder())
    const { result: ana } = await store.commit(LOG, 'createUser', { key: 'ana' }, BY)
    await expect(store.commit(LOG, 'createUser', { key: 'ana' }, BY)).rejects.toMatchObject(error('OBJECT_EXISTS'))
    await expect(store.commit(LOG, 'createUser', { key: ana.id }, BY)).rejects.toMatchObject(error('KEY_IS_ID'))
    await expect(store.commit(LOG, 'createRole', { key: ana.id }, BY)).resolves.toMatchObject({ revision: 2 })
  })

  it('answers nothing for text that no key can be', async () => {
    const store = await openTestStore(temporaryFolder())
    await seed(store)
    const view = store.view(LOG)
    for (const text of ['', '\0', 'default\0', '\ud800', 'x'.repeat(5_000), 'ä'.repeat(1_500)]) {
      expect(view.find('tenant', text)).toBeUndefined()
      expect([...view.by('assignments_of_tenant', text)]).toEqual([])
      expect(view.countBy('assignments_of_tenant', text)).toBe(0)
    }
  })

  it('takes __proto__ and constructor as keys and as names of attributes', async () => {
    const data = temporaryFolder()
    const store = await openTestStore(data)
    const attributes = JSON.parse('{"__proto__":{"admin":true},"constructor":1}')
    for (const key of ['__proto__', 'constructor', 'toString']) {
      await store.commit(LOG, 'createUser', { key, attributes } as { key: string }, BY)
    }
    const stored = store.view(LOG).require('user', '__proto__').attributes
    expect(Object.keys(stored)).toEqual(['__proto__', 'constructor'])
    expect(JSON.stringify(stored)).toBe(JSON.stringify(attributes))
    expect(store.view(LOG).count('user')).toBe(3)
  })

  it('lists in creation order, and pages by skipping rows', async () => {
    const store = await openTestStore(temporaryFolder())
    for (const key of ['c', 'a', 'd', 'b']) await store.commit(LOG, 'createUser', { key }, BY)
    const view = store.view(LOG)
    expect(listKeys(view.list('user'))).toEqual(['c', 'a', 'd', 'b'])
    expect(listKeys(view.list('user', { offset: 1, limit: 2 }))).toEqual(['a', 'd'])
    expect(listKeys(view.list('user', { offset: 3, limit: 9 }))).toEqual(['b'])
    expect(listKeys(view.list('user', { offset: 4 }))).toEqual([])
    expect(listKeys(view.list('user', { limit: 0 }))).toEqual([])
    expect(view.count('user')).toBe(4)
    expect(view.count('role')).toBe(0)
  })

  it('keeps the place of an object that is updated and gives a new one to an object that is made again', async () => {
    const store = await openTestStore(temporaryFolder())
    for (const key of ['a', 'b', 'c']) await store.commit(LOG, 'createUser', { key }, BY)
    const { id } = store.view(LOG).require('user', 'a')
    await store.commit(LOG, 'renameUser', { key: 'a', first_name: 'Ana' }, BY)
    expect(listKeys(store.view(LOG).list('user'))).toEqual(['a', 'b', 'c'])
    expect(store.view(LOG).find('user', id)?.first_name).toBe('Ana')
    await store.commit(LOG, 'deleteUser', { key: 'a' }, BY)
    expect(store.view(LOG).find('user', id)).toBeUndefined()
    expect(store.view(LOG).count('user')).toBe(2)
    await store.commit(LOG, 'createUser', { key: 'a' }, BY)
    expect(listKeys(store.view(LOG).list('user'))).toEqual(['b', 'c', 'a'])
  })

  it('holds objects under every value of an index, in creation order, and no longer after an update or a delete', async () => {
    const store = await openTestStore(temporaryFolder())
    await seed(store)
    for (const key of ['ana', 'ben']) await store.commit(LOG, 'createUser', { key }, BY)
    for (const [user, role] of [
      ['ben', 'viewer'],
      ['ana', 'viewer'],
      ['ana', 'admin'],
    ] as const) {
      await store.commit(LOG, 'assign', { user, role, tenant: 'default' }, BY)
    }
    const ofTenant = (range = {}) => listKeys(store.view(LOG).by('assignments_of_tenant', 'default', range))
    expect(ofTenant()).toEqual(['ben/viewer/default', 'ana/viewer/default', 'ana/admin/default'])
    expect(ofTenant({ offset: 1, limit: 1 })).toEqual(['ana/viewer/default'])
    expect(listKeys(store.view(LOG).by('assignments_of_user', 'an'))).toEqual([])
    expect(store.view(LOG).countBy('assignments_of_user', 'ana')).toBe(2)
    await store.commit(LOG, 'deleteUser', { key: 'ana' }, BY)
    expect(ofTenant()).toEqual(['ben/viewer/default'])
    expect(store.view(LOG).countBy('assignments_of_user', 'ana')).toBe(0)

    await store.commit(LOG, 'createRole', { key: 'lead', extends: ['admin', 'viewer'] }, BY)
    expect(listKeys(store.view(LOG).by('roles_with_parent', 'viewer'))).toEqual(['lead'])
    await store.commit(LOG, 'setExtends', { key: 'lead', extends: ['admin'] }, BY)
    expect(listKeys(store.view(LOG).by('roles_with_parent', 'viewer'))).toEqual([])
    expect(listKeys(store.view(LOG).by('roles_with_parent', 'admin'))).toEqual(['lead'])
  })

  it('pages through many objects without missing or repeating one', async () => {
    const store = await openTestStore(temporaryFolder())
    await seed(store)
    const keys = Array.from({ length: 700 }, (_, n) => `user-${n}`)
    await Promise.all(keys.map((key) => store.commit(LOG, 'createMember', { key }, BY)))
    const paged: string[] = []
    for (let offset = 0; offset < 1_400; offset += 90) {
      paged.push(...listKeys(store.view(LOG).by('assignments_of_tenant', 'default', { offset, limit: 90 })))
    }
    expect(paged).toEqual(keys.flatMap((key) => [`${key}/admin/default`, `${key}/viewer/default`]))
    expect(store.view(LOG).countBy('assignments_of_role', 'admin')).toBe(700)
  })
})

describe('a log', () => {
  it('begins with its first change, and moves by exactly one for each use case that changes something', async () => {
    const store = await openTestStore(temporaryFolder())
    expect(store.exists(LOG)).toBe(false)
    expect(() => store.view(LOG)).toThrow(expect.objectContaining(error('OBJECT_NOT_FOUND')))
    expect(await store.commit(LOG, 'nothing', null, BY)).toEqual({ result: 'nothing', revision: 0 })
    expect(store.exists(LOG)).toBe(false)
    expect((await store.commit(LOG, 'createUser', { key: 'ana' }, BY)).revision).toBe(1)
    expect((await store.commit(LOG, 'createMember', { key: 'ben' }, BY)).revision).toBe(2)
    expect((await store.commit(LOG, 'nothing', null, BY)).revision).toBe(2)
    await expect(store.commit(LOG, 'createUser', { key: 'ana' }, BY)).rejects.toMatchObject(error('OBJECT_EXISTS'))
    expect(store.head(LOG).revision).toBe(2)
    expect(store.view(LOG).position).toEqual(store.head(LOG))
  })

  it('holds who, when, which status and every change, each entry bound to the one before', async () => {
    const store = await openTestStore(temporaryFolder())
    const before = Date.now()
    const { result: ana } = await store.commit(LOG, 'createUser', { key: 'ana' }, BY)
    await store.commit(LOG, 'deleteUser', { key: 'ana' }, { ...BY, request_id: 'r-2' })
    const entries = store.entries(LOG, 0)
    expect(entries.map(({ revision, status }) => [revision, status])).toEqual([
      [1, 201],
      [2, 200],
    ])
    expect(entries[0]?.changes).toEqual([{ op: 'put', kind: 'user', key: 'ana', value: ana }])
    expect(entries[1]?.changes).toEqual([{ op: 'delete', kind: 'user', key: 'ana' }])
    expect(entries.map(({ by }) => by.request_id)).toEqual(['r-1', 'r-2'])
    expect(entries[0]?.at).toBeGreaterThanOrEqual(before)
    expect(entries[0]?.log).toBe(LOG)
    expect(entries.map(computeChain)).toEqual(entries.map(({ chain }) => chain))
    expect(entries[1]?.previous).toBe(entries[0]?.chain)
    expect(store.head(LOG)).toEqual({ revision: 2, chain: entries[1]?.chain })
  })

  it('starts each history from its own random lineage', async () => {
    const chains = new Set<string | undefined>()
    for (const folder of [temporaryFolder(), temporaryFolder()]) {
      const store = await openTestStore(folder)
      await store.commit(LOG, 'createUser', { key: 'ana' }, BY)
      await store.commit(OTHER_LOG, 'createUser', { key: 'ana' }, BY)
      for (const log of [LOG, OTHER_LOG]) chains.add(store.entries(log, 0)[0]?.previous)
      await store.close()
    }
    expect(chains.size).toBe(4)
    for (const chain of chains) expect(chain).toMatch(/^[0-9a-f]{64}$/)
  })

  it('reads entries after a revision, in order, at most as many as asked', async () => {
    const store = await openTestStore(temporaryFolder())
    for (const key of ['a', 'b', 'c', 'd']) await store.commit(LOG, 'createUser', { key }, BY)
    await store.commit(OTHER_LOG, 'createUser', { key: 'z' }, BY)
    const revisions = (after: number, limit?: number) =>
      store.entries(LOG, after, limit).map(({ revision }) => revision)
    expect(revisions(0)).toEqual([1, 2, 3, 4])
    expect(revisions(2)).toEqual([3, 4])
    expect(revisions(1, 2)).toEqual([2, 3])
    expect(revisions(4)).toEqual([])
    for (const after of [5, -1, 1.5, Number.NaN]) expect(revisions(after)).toEqual([])
    expect(revisions(0, 0)).toEqual([])
    expect(store.entries(LOG, 2)[0]?.previous).toBe(store.entries(LOG, 1)[0]?.chain)
  })

  it('hands out at most a thousand entries and 16 MiB at once, but always one', async () => {
    const store = await openTestStore(temporaryFolder())
    const many = Array.from({ length: LOG_READ_MAX + 1 }, () => store.commit(LOG, 'countUp', null, BY))
    await Promise.all(many)
    expect(store.entries(LOG, 0, 5_000)).toHaveLength(LOG_READ_MAX)
    expect(store.entries(LOG, LOG_READ_MAX)).toHaveLength(1)
    const half = LOG_READ_BYTES_MAX / 2 - 2_000
    for (const bytes of [half, half, half, 2 * LOG_READ_BYTES_MAX]) await store.commit(OTHER_LOG, 'fill', { bytes }, BY)
    expect([0, 1, 2, 3].map((after) => store.entries(OTHER_LOG, after).length)).toEqual([2, 2, 1, 1])
  })

  it('leaves every other log as it was', async () => {
    const store = await openTestStore(temporaryFolder())
    await store.commit(LOG, 'createUser', { key: 'ana' }, BY)
    await store.commit(OTHER_LOG, 'createUser', { key: 'ana' }, BY)
    const before = store.head(OTHER_LOG)
    await store.commit(LOG, 'createUser', { key: 'ben' }, BY)
    await store.commit(LOG, 'deleteUser', { key: 'ana' }, BY)
    expect(store.head(OTHER_LOG)).toEqual(before)
    expect(listKeys(store.view(OTHER_LOG).list('user'))).toEqual(['ana'])
    expect(store.view(OTHER_LOG).other(LOG).count('user')).toBe(1)
    expect(() => store.view(LOG).other('9'.repeat(32))).toThrow(expect.objectContaining(error('OBJECT_NOT_FOUND')))
  })

  it('begins another log in the same transaction', async () => {
    const store = await openTestStore(temporaryFolder())
    const made = await store.commit(LOG, 'createEnvironment', { log: OTHER_LOG, key: 'staging' }, BY)
    expect(made.revision).toBe(1)
    expect(store.logs()).toEqual([LOG, OTHER_LOG])
    expect(store.head(OTHER_LOG).revision).toBe(1)
    expect(listKeys(store.view(OTHER_LOG).list('tenant'))).toEqual(['default'])
    const { result } = await store.commit(LOG, 'readOther', { log: OTHER_LOG }, BY)
    expect(result).toBe(1)
  })

  it('acknowledges a write when the followers of every log that it moved have it, and counts what came before', async () => {
    const store = await openTestStore(temporaryFolder())
    const asked = new Map<string, (inTime: boolean) => void>()
    const stop = store.acknowledgeAfter({
      notBefore: (log, revision) => new Promise((resolve) => asked.set(`${log}@${revision}`, resolve)),
    })
    const [first, second] = [`${LOG}@1`, `${OTHER_LOG}@1`]
    let acknowledged = false
    const write = store.commit(LOG, 'createEnvironment', { log: OTHER_LOG, key: 'staging' }, BY).then(() => {
      acknowledged = true
    })
    await store.waitBeyond(OTHER_LOG, 0)
    expect([...asked.keys()].sort()).toEqual([first, second].sort())
    asked.get(first)?.(true)
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect(acknowledged).toBe(false)
    asked.get(second)?.(false)
    await write
    expect([acknowledged, store.acknowledgedEarly]).toEqual([true, 1])
    stop()
    await store.commit(LOG, 'createUser', { key: 'a' }, BY)
    expect([asked.size, store.acknowledgedEarly]).toEqual([2, 1])
  })

  it('tells those who wait and those who listen', async () => {
    const store = await openTestStore(temporaryFolder())
    const heard: number[] = []
    const stop = store.listen((event) => {
      if (event.event !== 'committed') return
      const { log, head } = event
      expect(store.view(log).position).toEqual(head)
      heard.push(head.revision)
    })
    const waiting = store.waitBeyond(LOG, 1)
    const aborted = new AbortController()
    const given = store.waitBeyond(LOG, 5, aborted.signal)
    aborted.abort(new Error('enough'))
    await expect(given).rejects.toThrow('enough')
    await expect(store.waitBeyond(LOG, 5, aborted.signal)).rejects.toThrow('enough')
    await store.commit(LOG, 'createUser', { key: 'a' }, BY)
    await store.commit(LOG, 'createUser', { key: 'b' }, BY)
    await waiting
    await store.waitBeyond(LOG, 1)
    stop()
    await store.commit(LOG, 'createUser', { key: 'c' }, BY)
    expect(heard).toEqual([1, 2])
    const forever = store.waitBeyond(LOG, 9)
    const closing = store.close()
    await expect(forever).rejects.toMatchObject(error('CLOSED'))
    await closing
    await expect(store.waitBeyond(LOG, 9)).rejects.toMatchObject(error('CLOSED'))
    await expect(store.commit(LOG, 'nothing', null, BY)).rejects.toMatchObject(error('CLOSED'))
    for (const read of [() => store.view(LOG), () => store.findApiKey('ab'.repeat(32)), () => store.readSecret('x')]) {
      expect(read).toThrow(expect.objectContaining(error('CLOSED')))
    }
  })
})

describe('API keys and secrets', () => {
  it('finds a key by the hash of its secret until it is deleted, and reads its secret back', async () => {
    const store = await openTestStore(temporaryFolder())
    const hash = 'ab'.repeat(32)
    const { result } = await store.commit(LOG, 'createApiKey', { hash }, BY)
    expect(result.secret).toMatch(/^permit_key_[0-9A-Za-z]{65}$/)
    expect(store.findApiKey(hash)).toMatchObject({ organization: LOG, key: { id: result.id, key: hash } })
    expect(store.readSecret(result.id)).toBe(result.secret)
    for (const unknown of ['cd'.repeat(32), '', 'x', hash.toUpperCase()])
      expect(store.findApiKey(unknown)).toBeUndefined()
    for (const unknown of ['', 'x', 'y'.repeat(9_999)]) expect(store.readSecret(unknown)).toBeUndefined()
    await store.commit(LOG, 'deleteApiKey', { hash }, BY)
    expect(store.findApiKey(hash)).toBeUndefined()
    expect(store.readSecret(result.id)).toBeUndefined()
  })

  it('writes no secret in the clear, neither into the log nor anywhere else in the folder', async () => {
    const data = temporaryFolder()
    const store = await openTestStore(data)
    const { result } = await store.commit(LOG, 'createApiKey', { hash: 'ab'.repeat(32) }, BY)
    expect(JSON.stringify(store.entries(LOG, 0))).not.toContain(result.secret)
    await store.close()
    for (const file of readdirSync(data)) {
      expect(readFileSync(join(data, file)).includes(result.secret), file).toBe(false)
    }
  })

  it('makes the key file for its owner alone and warns that it lies in the same folder as the data', async () => {
    const data = temporaryFolder()
    const store = await openTestStore(data)
    const file = join(data, 'secrets.key')
    for (const name of [file, join(data, 'data.mdb')]) expect(statSync(name).mode & 0o777, name).toBe(0o600)
    expect(readFileSync(file)).toHaveLength(32)
    expect(store.secretsKeyWarning).toContain(file)
  })

  it('takes a key file from elsewhere without a warning and refuses one that is missing or of a wrong length', async () => {
    const [data, elsewhere] = [temporaryFolder(), temporaryFolder()]
    const secretsKeyFile = join(elsewhere, 'key')
    await expect(openTestStore(data, { secretsKeyFile })).rejects.toMatchObject(error('CONFIG_INVALID'))
    writeFileSync(secretsKeyFile, Buffer.alloc(31, 7))
    await expect(openTestStore(data, { secretsKeyFile })).rejects.toMatchObject(error('CONFIG_INVALID'))
    writeFileSync(secretsKeyFile, Buffer.alloc(32, 7))
    const store = await openTestStore(data, { secretsKeyFile })
    expect(store.secretsKeyWarning).toBeUndefined()
    const { result } = await store.commit(LOG, 'createApiKey', { hash: 'ab'.repeat(32) }, BY)
    await store.close()
    writeFileSync(secretsKeyFile, Buffer.alloc(32, 8))
    const other = await openTestStore(data, { secretsKeyFile })
    expect(other.readSecret(result.id)).toBeUndefined()
    expect(other.findApiKey('ab'.repeat(32))).toBeDefined()
  })
})

describe('a store that is opened again', () => {
  it('has everything: objects, order, indexes, counts, log, positions, secrets', async () => {
    const data = temporaryFolder()
    const first = await openTestStore(data)
    await seed(first)
    for (const key of ['zoe', 'ana']) await first.commit(LOG, 'createMember', { key }, BY)
    await first.commit(OTHER_LOG, 'createTenant', { key: 'acme' }, BY)
    const { result } = await first.commit(LOG, 'createApiKey', { hash: 'ab'.repeat(32) }, BY)
    const [logs, head, entries] = [first.logs(), first.head(LOG), first.entries(LOG, 0)]
    await first.close()

    const store = await openTestStore(data)
    expect(store.logs()).toEqual(logs)
    expect(store.head(LOG)).toEqual(head)
    expect(store.entries(LOG, 0)).toEqual(entries)
    expect(listKeys(store.view(LOG).list('user'))).toEqual(['zoe', 'ana'])
    expect(store.view(LOG).count('role_assignment')).toBe(4)
    expect(store.view(LOG).countBy('assignments_of_user', 'ana')).toBe(2)
    expect(store.readSecret(result.id)).toBe(result.secret)
    const next = await store.commit(LOG, 'createUser', { key: 'new' }, BY)
    expect(next.revision).toBe(head.revision + 1)
    expect(store.entries(LOG, head.revision)[0]?.previous).toBe(head.chain)
    expect(listKeys(store.view(LOG).list('user'))).toEqual(['zoe', 'ana', 'new'])
  })

  it('opens and closes many times in one process', async () => {
    const data = temporaryFolder()
    for (let round = 1; round <= 15; round++) {
      const store = await openTestStore(data)
      expect((await store.commit(LOG, 'countUp', null, BY)).result).toBe(round)
      await store.close()
      await store.close()
    }
  })
})
