// A thread that answers questions: in any order, each its own; when it ends, whoever waits hears of it, and the next
// question starts another one.
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { AskedThread } from '../../src/decision-log/asked-thread.ts'
import { ZerohopError } from '../../src/model/errors.ts'

/** Answers a number after so many milliseconds with itself and the name of the thread; a word is what it does. */
const CODE = `
  const { parentPort, threadId } = require('node:worker_threads')
  parentPort.on('message', (message) => {
    if (message.close) return parentPort.close()
    const { asked: told, question } = message
    if (question === 'throw') throw new Error('on its own')
    if (question === 'exit') process.exit(0)
    if (question === 'fail') parentPort.postMessage({ told, failure: { code: 'DISK_FULL', details: { path: '/x' } } })
    else setTimeout(() => parentPort.postMessage({ told, answer: [question, threadId] }), question)
  })
  parentPort.postMessage({ ready: true })`

const open = (begin = () => new Worker(CODE, { eval: true })) =>
  new AskedThread<number | string, [number, number]>({
    begin,
    asError: (error) => new Error(`it ended: ${error.message}`),
    closed: () => new ZerohopError('CLOSED', { what: 'the test' }),
  })

describe('a thread that is asked', () => {
  it('answers each question, whichever is done first', async () => {
    const thread = open()
    const done: number[] = []
    const ask = async (ms: number) => {
      const [answer] = await thread.ask(ms)
      done.push(answer)
      return answer
    }
    const asking = Promise.all([ask(200), ask(100), ask(0)])
    expect(thread.waiting).toBe(3)
    expect(await asking).toEqual([200, 100, 0])
    expect(done).toEqual([0, 100, 200])
    expect(thread.waiting).toBe(0)
    await expect(thread.ask('fail')).rejects.toMatchObject({ code: 'DISK_FULL' })
    await thread.close()
    await expect(thread.ask(0)).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it.each([
    ['throw', 'it ended: on its own'],
    ['exit', 'the test is closed'],
  ])('is another one after `%s`; who waited for the one before hears of its end', async (how, message) => {
    const thread = open()
    const [, first] = await thread.ask(0)
    const waiting = thread.ask(60_000)
    await expect(thread.ask(how)).rejects.toThrow(message)
    await expect(waiting).rejects.toThrow(message)
    const [, second] = await thread.ask(0)
    expect(second).not.toBe(first)
    expect(thread.waiting).toBe(0)
    await thread.close()
  })

  it('that cannot begin says so to each who asks, and is tried again', async () => {
    let attempts = 0
    const thread = open(() => {
      if (++attempts < 3) throw new Error('no room')
      return new Worker(CODE, { eval: true })
    })
    await expect(Promise.all([thread.ask(0), thread.ask(0)])).rejects.toThrow('no room')
    await expect(thread.ask(0)).rejects.toThrow('no room')
    expect((await thread.ask(0))[0]).toBe(0)
    expect(attempts).toBe(3)
    await thread.close()
  })

  it('that was never asked anything closes at once', async () => {
    await open(() => expect.fail('it was started')).close()
  })
})
