// The decision log in a folder that something else changed: a power cut, an operator who makes room, files that are
// gone. What is left is kept and sent, nothing else is, and the numbers say what is missing.
import { appendFileSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { listFiles, open, readLines, record, Taker } from './support.ts'

const firstFile = (folder: string) => join(folder, '0', listFiles(folder)[0] ?? '')

describe('a journal that was damaged while nobody held it', () => {
  it.each([
    ['zeros, as a power cut leaves them', Buffer.alloc(100_000)],
    ['zeros and half a line', Buffer.concat([Buffer.alloc(5_000), Buffer.from('r":"ana","tenant":"default"}\n')])],
    ['lines that are no records', Buffer.from('{}\nnull\n[1]\n{"seq":"9"}\n')],
    ['half a record', Buffer.from('{"instance":"abab","seq":4,"user":"c')],
  ])('loses no record that stands before %s', async (_, garbage) => {
    const folder = temporaryFolder('decisions')
    const first = await open(folder)
    for (const user of ['a', 'b', 'c']) await record(first, user)
    await first.close()
    appendFileSync(firstFile(folder), garbage)
    const second = await open(folder)
    await record(second, 'd')
    await second.close()
    expect(readLines(folder).map(({ seq, user }) => [seq, user])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
    ])
  })

  it('whose files were removed begins another series, and sends all of it', async () => {
    const folder = temporaryFolder('decisions')
    const ids = ['aa'.repeat(16), 'bb'.repeat(16)]
    const sink = new Taker()
    const options = { sinks: [sink], keepFiles: undefined, newId: () => ids.shift() ?? '' }
    const first = await open(folder, options)
    for (const user of ['a', 'b', 'c']) await record(first, user)
    await eventually(async () => sink.taken.length, 3)
    await first.close()
    rmSync(firstFile(folder))
    sink.down = true
    const second = await open(folder, options)
    await record(second, 'd')
    await second.close()
    sink.down = false
    const third = await open(folder, options)
    await record(third, 'e')
    await eventually(async () => sink.taken.length, 5)
    expect(sink.taken.map(({ instance, seq, user }) => `${instance.slice(0, 2)} ${seq} ${user}`)).toEqual([
      'aa 1 a',
      'aa 2 b',
      'aa 3 c',
      'bb 1 d',
      'bb 2 e',
    ])
    await third.close()
  })
})

it('a journal that lost its end in a power cut, after a sink had it, sends what comes in its place', async () => {
  const folder = temporaryFolder('decisions')
  const sink = new Taker()
  const options = { sinks: [sink], keepFiles: undefined }
  const first = await open(folder, options)
  for (const user of ['a', 'b', 'c']) await record(first, user)
  await eventually(async () => sink.taken.length, 3)
  await first.close()
  const [line = ''] = readFileSync(firstFile(folder), 'utf8').split('\n')
  truncateSync(firstFile(folder), line.length + 1)
  const second = await open(folder, options)
  for (const user of ['d', 'e', 'f', 'g']) await record(second, user)
  await eventually(async () => sink.taken.map(({ user }) => user).join(''), 'abcdefg')
  await second.close()
})

it('a journal that lost whole files so, sends again what is left, and what comes', async () => {
  const folder = temporaryFolder('decisions')
  const sink = new Taker()
  const options = { sinks: [sink], fileBytes: 300 }
  const first = await open(folder, options)
  for (const user of ['a', 'b', 'c', 'd']) await record(first, user)
  await eventually(async () => sink.taken.length, 4)
  await first.close()
  for (const name of listFiles(folder).slice(1)) rmSync(join(folder, '0', name))
  const second = await open(folder, options)
  for (const user of ['e', 'f']) await record(second, user)
  await eventually(async () => sink.taken.map(({ user }) => user).join(''), 'abcdaef')
  await second.close()
})

describe('a journal whose file is emptied while records wait in it', () => {
  it('sends nothing but its records, and goes on with new ones', async () => {
    const folder = temporaryFolder('decisions')
    const sink = new Taker()
    sink.down = true
    const log = await open(folder, { sinks: [sink], keepFiles: undefined, bufferBytes: 8_000 })
    for (let at = 1; at <= 5; at++) await record(log, `u${at}`)
    truncateSync(firstFile(folder), 0)
    sink.down = false
    await eventually(async () => log.waitingBytes, 0)
    expect(sink.raw).toMatch(/^(\{.*\}\n)*$/) // what was read before, or nothing; never what stood elsewhere in memory
    for (let at = 6; at <= 9; at++) await record(log, `u${at}`)
    await eventually(async () => sink.taken.at(-1)?.user, 'u9')
    expect(sink.taken.map(({ user }) => user).slice(-4)).toEqual(['u6', 'u7', 'u8', 'u9'])
    await log.close()
  })
})

it('what is counted, and where a sink stands, is written over in place: a full disk needs no room for it', async () => {
  const folder = temporaryFolder('decisions')
  const sink = new Taker()
  const log = await open(folder, { policy: 'drop', sinks: [sink], keepFiles: undefined, bufferBytes: 2_000 })
  const sizes = () => ['lost', 'api.position'].map((name) => statSync(join(folder, '0', name)).size)
  const before = sizes()
  expect(Math.min(...before)).toBeGreaterThan(0)
  await record(log, 'a')
  await eventually(async () => sink.taken.length, 1)
  sink.down = true
  for (let at = 0; at < 20; at++) await record(log, `u${at}`)
  expect(log.lost).toBeGreaterThan(0)
  expect(readFileSync(join(folder, '0', 'lost'), 'latin1')).toContain(String(log.lost))
  expect(sizes()).toEqual(before)
  await log.close()
})
