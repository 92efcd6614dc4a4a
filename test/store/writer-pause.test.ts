// A step during which nobody writes to the data file. src/store/writer.ts.
import { expect, it } from 'vitest'
import { Writer } from '../../src/store/writer.ts'
import { BY, error, LOG, openTestStore, temporaryFolder } from './support.ts'

/** A writer of its own over the folder of a store that is open, as the store starts one. */
async function startWriter(): Promise<Writer> {
  const folder = temporaryFolder()
  await (await openTestStore(folder)).close()
  const entry = new URL('./writer-thread.mjs', import.meta.url)
  return Writer.start(entry, { folder, secretsKey: new Uint8Array(32) }, () => undefined)
}

const createUser = (key: string) => ({ log: LOG, name: 'createUser', input: { key }, by: BY })

it('a pause keeps writes back until it ends, and loses none', async () => {
  const writer = await startWriter()
  const order: string[] = []
  let written: Promise<unknown> | undefined
  const result = await writer.whilePaused(async () => {
    written = writer.commit(createUser('ana')).then(() => order.push('written'))
    await new Promise((resolve) => setTimeout(resolve, 300))
    order.push('step')
    return 7
  })
  await written
  expect(result).toBe(7)
  expect(order).toEqual(['step', 'written'])
  await writer.close()
})

it('a pause begins when the writes before it are on disk', async () => {
  const writer = await startWriter()
  let written = 0
  for (let at = 0; at < 200; at++) void writer.commit(createUser(`u${at}`)).then(() => written++)
  await new Promise((resolve) => setImmediate(resolve)) // they are on their way
  await writer.whilePaused(() => Promise.resolve())
  expect(written).toBeGreaterThan(0)
  await writer.close()
  expect(written).toBe(200)
})

it('a pause ends when its step throws, and the error is passed on', async () => {
  const writer = await startWriter()
  await expect(writer.whilePaused(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(writer.commit(createUser('ana'))).resolves.toBeDefined()
  await writer.close()
  await expect(writer.whilePaused(() => Promise.resolve())).rejects.toMatchObject(error('CLOSED'))
})

it('closing the writer waits for a pause', async () => {
  const writer = await startWriter()
  let isDone = false
  const step = writer.whilePaused(async () => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    isDone = true
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  await writer.close()
  expect(isDone).toBe(true)
  await step
})

it('a pause fails when the thread dies before it begins', async () => {
  const writer = await startWriter()
  const died = Promise.allSettled([writer.commit({ ...createUser('x'), name: 'die', input: null })])
  await new Promise((resolve) => setImmediate(resolve)) // it is on its way
  const step = expect(writer.whilePaused(() => Promise.resolve())).rejects.toMatchObject(error('WRITER_DEAD'))
  await step
  // its answer may have come before the thread was gone
  const [last] = await died
  if (last.status === 'rejected') expect(last.reason).toMatchObject(error('WRITER_DEAD'))
})
