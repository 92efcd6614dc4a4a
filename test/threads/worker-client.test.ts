// A thread that answers questions: each its own, errors with all that they say; when it ends, whoever waits hears of it,
// and the next question starts another one.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { ZerohopError } from '../../src/model/errors.ts'
import { WorkerClient, type WorkerClientOptions } from '../../src/threads/worker-client.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { watchThreads } from '../support/started-threads.ts'

const watched = watchThreads()
afterEach(() => void watched.started.splice(0))
afterAll(() => watched.stop())

const running = () => watched.started.filter(({ threadId }) => threadId !== -1).length
const ENTRY = new URL('./asked-thread.mjs', import.meta.url)

const open = (options: Partial<WorkerClientOptions<unknown>> = {}) =>
  new WorkerClient<unknown, [unknown, number], unknown>({
    name: 'the test',
    entry: () => ENTRY,
    lives: 'until closed',
    ...options,
  })

describe.each(['one after the other', 'at once'])('a thread that answers %s', (how) => {
  const workerData = () => ({ isFast: how !== 'at once', closed: new Int32Array(new SharedArrayBuffer(4)) })

  it('answers each question', async () => {
    const thread = open({ workerData: workerData() })
    const asking = Promise.all([2, 1, 0].map((ms) => thread.ask(ms)))
    expect([thread.waiting, thread.isStarting]).toEqual([3, true])
    expect((await asking).map(([question]) => question)).toEqual([2, 1, 0])
    expect([thread.waiting, thread.isStarting]).toEqual([0, false])
    await thread.close()
    expect(thread.isClosed).toBe(true)
    await expect(thread.ask(0)).rejects.toMatchObject({ code: 'CLOSED', details: { what: 'the test' } })
  })

  it('answers before it is closed, and closes what it has open once', async () => {
    const data = workerData()
    const thread = open({ workerData: data })
    const answer = thread.ask(100)
    await Promise.all([thread.close(), thread.close()])
    expect((await answer)[0]).toBe(100)
    expect([running(), Atomics.load(data.closed, 0)]).toEqual([0, 1])
  })

  it('throws errors with code, details, path and cause', async () => {
    const thread = open({ workerData: workerData() })
    const error = await thread.ask('fail').catch((caught: unknown) => caught as ZerohopError)
    expect(error).toBeInstanceOf(ZerohopError)
    expect(error).toMatchObject({ code: 'DISK_FAILED', details: { reason: 'worn' }, path: ['body', 0] })
    expect(String((error as ZerohopError).cause)).toMatch(/of the disk\n\s+at .*asked-thread\.mjs/)
    const broken = await thread.ask('break').catch((caught: unknown) => caught as ZerohopError)
    expect(broken).toMatchObject({ code: 'INTERNAL', details: {} })
    expect(String((broken as ZerohopError).cause)).toMatch(/TypeError: .*\n\s+at .*asked-thread\.mjs/)
    await thread.close()
  })

  it.each(['fail without a clone', 'answer without a clone'])('goes on after what cannot be sent: %s', async (what) => {
    const thread = open({ workerData: workerData() })
    const [first, second] = await Promise.allSettled([thread.ask(what), thread.ask(0)])
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'INTERNAL' } })
    expect(second).toMatchObject({ status: 'fulfilled' })
    expect(watched.started).toHaveLength(1)
    await thread.close()
  })

  it('hands over what need not be copied', async () => {
    const thread = open({ workerData: workerData() })
    expect(await thread.ask('bytes')).toEqual(new Uint8Array(8))
    await thread.close()
  })
})

describe('a thread that is asked', () => {
  it('answers whichever is done first', async () => {
    const thread = open()
    const done: unknown[] = []
    const ask = async (ms: number) => done.push((await thread.ask(ms))[0])
    await Promise.all([ask(200), ask(100), ask(0)])
    expect(done).toEqual([0, 100, 200])
    await thread.close()
  })

  it.each([
    ['throw', /^a thread ended before it had answered: SyntaxError: .*on its own/],
    ['exit', /^a thread ended before it had answered: exit code 3$/],
    ['send another message', /^a thread ended before it had answered: its file is another one$/],
  ])('is another one after `%s`; who waited for the one before hears of its end', async (how, message) => {
    const thread = open()
    const [, first] = await thread.ask(0)
    const waiting = thread.ask(60_000).catch((error: unknown) => error)
    await expect(thread.ask(how)).rejects.toThrow(message)
    expect(await waiting).toMatchObject({ code: 'THREAD_LOST', message: expect.stringMatching(message) })
    const [, second] = await thread.ask(0)
    expect(second).not.toBe(first)
    expect(thread.waiting).toBe(0)
    await thread.close()
  })

  it.each([
    ['throw', /^it met SyntaxError: .*on its own/],
    ['exit', /^it met undefined$/],
  ])('says in the words of its owner what its end means: `%s`', async (how, message) => {
    const thread = open({ asError: (cause) => new Error(`it met ${cause}`) })
    await expect(thread.ask(how)).rejects.toThrow(message)
    await thread.close()
  })

  it('that cannot begin says so to each who asks, and is tried again', async () => {
    let attempts = 0
    const entry = () => {
      if (++attempts < 4) throw new Error('no room')
      return ENTRY
    }
    const thread = open({ entry })
    for (const asked of await Promise.allSettled([thread.ask(0), thread.ask(0)]))
      expect(asked).toMatchObject({ status: 'rejected', reason: { message: 'no room' } })
    await expect(thread.ask(0)).rejects.toThrow('no room')
    expect((await thread.ask(0))[0]).toBe(0)
    await thread.close()
  })

  it('is asked no more at once than it may be, and again when there is room', async () => {
    const thread = open({ waitingMax: 2 })
    const asking = Promise.all([thread.ask(1), thread.ask(2)])
    await expect(thread.ask(0)).rejects.toMatchObject({ code: 'OVERLOADED', details: { waiting: 2 } })
    await asking
    expect((await thread.ask(0))[0]).toBe(0)
    await thread.close()
  })

  it('is not asked what cannot be cloned', async () => {
    const thread = open({ waitingMax: 1 })
    await expect(thread.ask(() => 0)).rejects.toThrow(/could not be cloned/)
    expect((await thread.ask(0))[0]).toBe(0)
    await thread.close()
  })

  it('that was never asked anything closes at once', async () => {
    await open({ entry: () => expect.fail('it was started') }).close()
  })

  it('reports events', async () => {
    const events: unknown[] = []
    const thread = open({ onEvent: (event) => events.push(event) })
    await thread.ask('send an event')
    expect(events).toEqual([{ what: 'event' }])
    await thread.close()
  })

  it('ends when it was asked nothing for long, and begins again', async () => {
    const thread = open({ lives: { idleMs: 50 } })
    const [, first] = await thread.ask(0)
    await eventually(running, 0)
    const [, second] = await thread.ask(100)
    expect(second).not.toBe(first)
    expect(running()).toBe(1)
    await thread.close()
    expect([watched.started.length, running()]).toEqual([2, 0])
  })
})

describe('a thread that lives for one task', () => {
  it('is one for each, and ends with its answer', async () => {
    const thread = open({ lives: 'one task' })
    const answers = await Promise.all([thread.ask(0), thread.ask(0)])
    expect(new Set(answers.map(([, id]) => id)).size).toBe(2)
    await eventually(running, 0)
  })

  it('that takes too long is ended, and no other', async () => {
    const error = () => new ZerohopError('PAST_TOO_LARGE', { ms: 3_000 })
    const thread = open({ lives: 'one task', timeout: { ms: 3_000, error } })
    const whole = thread.ask(0)
    await expect(thread.ask('never answer')).rejects.toMatchObject({ code: 'PAST_TOO_LARGE', details: { ms: 3_000 } })
    expect((await whole)[0]).toBe(0)
    await eventually(running, 0)
  })

  it('is waited for when all is closed', async () => {
    const thread = open({ lives: 'one task' })
    const answer = thread.ask(100)
    await thread.close()
    expect([(await answer)[0], running()]).toEqual([100, 0])
  })
})

describe('a thread that cannot be used', () => {
  const post = (text: string): string =>
    `import { parentPort } from 'node:worker_threads'; parentPort.postMessage(${text}); setInterval(() => {}, 1000)`

  it.each([
    ['is empty', ''],
    ['is no code', 'no code'],
    ['ends at once', 'process.exit(0)'],
    ['throws', "throw new Error('broken')"],
    ['says something else', post('{ ready: true }')],
    ['says nothing', post('null')],
    ['says a word', post("'ready'")],
    ['fails in other words', post("{ kind: 'failure', id: 1, failure: { code: 'OTHER' } }")],
  ])('is told from a task that fails: its file %s', async (_, text) => {
    const file = join(temporaryFolder('thread'), 'thread.mjs')
    writeFileSync(file, text)
    const thread = open({ lives: 'one task', entry: () => pathToFileURL(file) })
    await expect(thread.ask({})).rejects.toMatchObject({ code: 'THREAD_LOST' })
    await Promise.all(watched.started.map((worker) => worker.terminate()))
  })

  it('is distinguished from a task that fails: Node does not start it', async () => {
    const thread = open({ entry: () => new URL('https://localhost/thread.mjs') })
    await expect(thread.ask({})).rejects.toMatchObject({ code: 'THREAD_LOST' })
  })
})
