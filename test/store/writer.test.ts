// Group commit: what waits commits together, in order, each against what the earlier ones left. src/store/writer.ts,
// batch.ts.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WRITER_QUEUE_MAX } from '../../src/model/limits.ts'
import { BY, error, LOG, listKeys, OTHER_LOG, openTestStore, seed, temporaryFolder } from './support.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a batch', () => {
  it('runs each use case against what the earlier ones left', async () => {
    const store = await openTestStore(temporaryFolder())
    const counted = await Promise.all(Array.from({ length: 300 }, () => store.commit(LOG, 'countUp', null, BY)))
    expect(counted.map(({ result }) => result)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1))
    expect(counted.map(({ revision }) => revision)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1))
    expect(store.view(LOG).get('user', 'counter')?.first_name).toBe('300')
  })

  it('takes out just the one that breaks a rule, and answers it with its own error', async () => {
    const store = await openTestStore(temporaryFolder())
    const settled = await Promise.allSettled([
      store.commit(LOG, 'createUser', { key: 'a' }, BY),
      store.commit(LOG, 'createUser', { key: 'a' }, BY),
      store.commit(LOG, 'refuseAll', { field: 'key' }, BY),
      store.commit(LOG, 'createUser', { key: 'b' }, BY),
      store.commit(LOG, 'break', null, BY),
      store.commit(LOG, 'createUser', { key: 'c' }, BY),
    ])
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    const reasons = settled.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined))
    expect(reasons[1]).toMatchObject({ ...error('OBJECT_EXISTS'), details: { kind: 'user', key: 'a' } })
    expect(reasons[2]).toMatchObject({ ...error('KEY_INVALID'), path: ['body', 'key'] })
    expect(reasons[4]).toMatchObject(error('INTERNAL'))
    expect(String(reasons[4].cause)).toContain('a defect of a use case')
    expect(listKeys(store.view(LOG).list('user'))).toEqual(['a', 'b', 'c'])
    expect(store.head(LOG).revision).toBe(3)
  })

  it('keeps the others when the changes of one cannot be written', async () => {
    const store = await openTestStore(temporaryFolder())
    const settled = await Promise.allSettled([
      store.commit(LOG, 'createUser', { key: 'a' }, BY),
      store.commit(LOG, 'breakState', null, BY),
      store.commit(LOG, 'createUser', { key: 'b' }, BY),
    ])
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(settled[1]).toMatchObject({ reason: error('INTERNAL') })
    expect(listKeys(store.view(LOG).list('user'))).toEqual(['a', 'b'])
    expect(store.view(LOG).count('user')).toBe(2)
    expect(store.entries(LOG, 0).map(({ revision }) => revision)).toEqual([1, 2])
  })

  it('answers an unknown use case, an input and a result that cannot cross the thread with an error of their own', async () => {
    const store = await openTestStore(temporaryFolder())
    const input = { key: 'x', first_name: (() => 'x') as unknown as string }
    const settled = await Promise.allSettled([
      store.commit(LOG, 'createUser', { key: 'a' }, BY),
      store.commit(LOG, 'toString' as 'nothing', null, BY),
      store.commit(LOG, 'createUser', input, BY),
      store.commit(LOG, 'uncloneable', { key: 'u' }, BY),
      store.commit(LOG, 'createUser', { key: 'b' }, BY),
    ])
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'])
    for (const at of [1, 2, 3]) expect(settled[at]).toMatchObject({ reason: error('INTERNAL') })
    expect(listKeys(store.view(LOG).list('user'))).toEqual(['a', 'u', 'b'])
  })
})

describe('many writers at once', () => {
  it('get contiguous revisions, each its own, and find their write in the view', async () => {
    const store = await openTestStore(temporaryFolder())
    await seed(store)
    const start = store.head(LOG).revision
    const revisions: number[] = []
    const heard: number[] = []
    store.listen((event) => {
      if (event.event === 'committed') heard.push(event.head.revision)
    })
    const write = async (writer: number) => {
      for (let round = 0; round < 5; round++) {
        const key = `w${writer}-${round}`
        const { revision } = await store.commit(LOG, 'createMember', { key }, BY)
        revisions.push(revision)
        expect(store.view(LOG).get('user', key)).toBeDefined()
        expect(store.view(LOG).position.revision).toBeGreaterThanOrEqual(revision)
      }
    }
    await Promise.all(Array.from({ length: 200 }, (_, writer) => write(writer)))
    const expected = Array.from({ length: 1_000 }, (_, at) => start + at + 1)
    expect(revisions.sort((a, b) => a - b)).toEqual(expected)
    expect(store.entries(LOG, start).map(({ revision }) => revision)).toEqual(expected)
    expect(heard.at(-1)).toBe(start + 1_000)
    expect(heard.length).toBeLessThan(1_000)
    expect(store.view(LOG).count('role_assignment')).toBe(2_000)
  })

  it('to several logs leave each log contiguous', async () => {
    const store = await openTestStore(temporaryFolder())
    const logs = [LOG, OTHER_LOG, '3'.repeat(32)]
    await Promise.all(
      Array.from({ length: 150 }, (_, at) => store.commit(logs[at % 3] ?? LOG, 'createUser', { key: `u${at}` }, BY)),
    )
    for (const log of logs) {
      const entries = store.entries(log, 0)
      expect(entries.map(({ revision }) => revision)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
      expect(entries.slice(1).map(({ previous }) => previous)).toEqual(entries.slice(0, -1).map(({ chain }) => chain))
    }
  })

  it('are asked to try later when too many wait', async () => {
    const store = await openTestStore(temporaryFolder())
    const waiting = Array.from({ length: WRITER_QUEUE_MAX }, () => store.commit(LOG, 'nothing', null, BY))
    await expect(store.commit(LOG, 'nothing', null, BY)).rejects.toMatchObject(error('OVERLOADED'))
    expect(await Promise.all(waiting)).toHaveLength(WRITER_QUEUE_MAX)
    await expect(store.commit(LOG, 'nothing', null, BY)).resolves.toMatchObject({ result: 'nothing' })
  })

  it('are all answered when the store is closed over them', async () => {
    const data = temporaryFolder()
    const store = await openTestStore(data)
    const writes = Array.from({ length: 500 }, (_, at) => store.commit(LOG, 'createUser', { key: `u${at}` }, BY))
    await store.close()
    expect(await Promise.all(writes)).toHaveLength(500)
    const again = await openTestStore(data)
    expect(again.view(LOG).count('user')).toBe(500)
  })
})

describe('a writer thread that dies', () => {
  it('fails every write that waits and every later one, while reads go on, and gives the folder back', async () => {
    const data = temporaryFolder()
    const store = await openTestStore(data)
    await store.commit(LOG, 'createUser', { key: 'ana' }, BY)
    const hit = store.commit(LOG, 'die', null, BY)
    await new Promise((resolve) => setImmediate(resolve)) // the batch is on its way, what follows is in the next ones
    const waiting = ['lost', 'lost too'].map((key) => store.commit(LOG, 'createUser', { key }, BY))
    // On a busy machine the thread may be gone before its last answer has arrived.
    const [last, ...lost] = await Promise.allSettled([hit, ...waiting])
    if (last.status === 'rejected') expect(last.reason).toMatchObject(error('WRITER_DEAD'))
    for (const one of lost) {
      expect(one).toMatchObject({ status: 'rejected', reason: error('WRITER_DEAD') })
      expect(one).toMatchObject({ reason: { cause: { message: 'the thread is hit' } } })
    }
    await expect(store.commit(LOG, 'nothing', null, BY)).rejects.toMatchObject(error('WRITER_DEAD'))
    expect(listKeys(store.view(LOG).list('user'))).toEqual(['ana'])
    await store.close()
    const again = await openTestStore(data)
    expect(listKeys(again.view(LOG).list('user'))).toEqual(['ana'])
    await again.commit(LOG, 'createUser', { key: 'ben' }, BY)
  })

  it('at its start makes the opening fail', async () => {
    const data = temporaryFolder()
    const writerThread = new URL('./no-such-file.mjs', import.meta.url)
    await expect(openTestStore(data, { writerThread })).rejects.toMatchObject(error('WRITER_DEAD'))
    await expect(openTestStore(data)).resolves.toBeDefined()
  })
})
