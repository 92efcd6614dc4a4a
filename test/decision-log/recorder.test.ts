// The decision log on disk: what is written before an answer goes out, what a damaged or full journal does, and how
// sinks get everything once.

import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DecisionLogEvent } from '../../src/decision-log/part-events.ts'
import { ENGINE } from '../../src/model/engine.ts'
import type { ZerohopError } from '../../src/model/errors.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { listFiles, open, parse, RECORD, readLines, record, Taker } from './support.ts'

const findCode = (event: DecisionLogEvent) => (event.event === 'failing' ? event.error.code : undefined)

describe('the journal', () => {
  it('has a record on disk before its answer may go out, in the fields that the docs name', async () => {
    const folder = temporaryFolder('decisions')
    const log = await open(folder)
    expect(await record(log, 'ana "the first"\n')).toBe(undefined)
    expect(readLines(folder)).toEqual([
      {
        instance: 'ab'.repeat(16),
        seq: 1,
        time: '2026-11-20T12:00:00.000Z',
        request_id: 'r-1',
        environment: 'e'.repeat(32),
        revision: 7,
        api_key: 'k'.repeat(32),
        user: 'ana "the first"\n',
        tenant: 'default',
        action: 'say',
        resource_type: 'hello',
        resource_key: null,
        decision: true,
        reason: 'allow',
        latency_us: 12,
        engine: ENGINE,
      },
    ])
    await log.close()
  })

  it('goes on with the next number after a restart, and after a line that was cut off', async () => {
    const folder = temporaryFolder('decisions')
    const first = await open(folder)
    await record(first, 'a')
    await record(first, 'b')
    await first.close()
    appendFileSync(join(folder, '0', listFiles(folder)[0]!), '{"instance":"abab","seq":3,"user":"c')
    const second = await open(folder)
    await record(second, 'd')
    await second.close()
    expect(readLines(folder).map(({ seq, user }) => [seq, user])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'd'],
    ])
  })

  it('keeps so many files as it should, and never two processes in one journal', async () => {
    const folder = temporaryFolder('decisions')
    const log = await open(folder, { fileBytes: 700, keepFiles: 3 })
    const beside = await open(folder, { newId: () => 'cd'.repeat(16) })
    for (let at = 0; at < 20; at++) await record(log, `user-${at}`)
    await record(beside, 'another')
    expect(listFiles(folder).length).toBe(3)
    expect(readLines(folder).at(-1)).toMatchObject({ seq: 20, user: 'user-19' })
    expect(parse(readFileSync(join(folder, '1', '0000000000000001.jsonl'), 'utf8'))[0]?.instance).toBe('cd'.repeat(16))
    await log.close()
    await beside.close()
  })

  it('does not start in a folder that it cannot write', async () => {
    const folder = temporaryFolder('decisions')
    writeFileSync(join(folder, 'file'), '')
    await expect(open(join(folder, 'file'))).rejects.toMatchObject({ code: 'DATA_READ_ONLY' })
  })

  it('bounds a record, whatever was asked', async () => {
    const folder = temporaryFolder('decisions')
    const log = await open(folder)
    const long = 'x'.repeat(100_000)
    await new Promise((resolve) => log.recorder.add({ ...RECORD, user: long, sent: { long } }).settled(resolve))
    expect(readFileSync(join(folder, '0', listFiles(folder)[0]!)).length).toBeLessThan(2_000)
    expect(readLines(folder)[0]).toMatchObject({ user: `${'x'.repeat(512)}…`, sent: 'too long' })
    await log.close()
  })
})

it('a batch whose records all hold the same attributes is bounded: numbers and decisions are there, attributes are not', async () => {
  const folder = temporaryFolder('decisions')
  const log = await open(folder, { fileBytes: 100_000_000 })
  const sent = { user: { a: 'x'.repeat(15_000) } }
  const written = Array.from(
    { length: 2_000 },
    () => new Promise((resolve) => log.recorder.add({ ...RECORD, sent }).settled(resolve)),
  )
  expect(new Set(await Promise.all(written))).toEqual(new Set([undefined]))
  const lines = readLines(folder)
  expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 2_000 }, (_, at) => at + 1))
  expect(lines[0]).toMatchObject({ sent })
  expect(lines.at(-1)).toMatchObject({ sent: 'too long', user: 'ana' })
  expect(readFileSync(join(folder, '0', listFiles(folder)[0]!)).length).toBeLessThan(10_000_000)
  await log.close()
})

describe('a sink', () => {
  it('gets every record once and in order, and what it has leaves the disk', async () => {
    const folder = temporaryFolder('decisions')
    const sink = new Taker()
    const log = await open(folder, { sinks: [sink], keepFiles: undefined, bufferBytes: 8_000 })
    for (let at = 1; at <= 200; at++) {
      while ((await record(log, `u${at}`)) !== undefined) await eventually(async () => log.waitingBytes < 4_000, true)
    }
    await eventually(async () => sink.taken.length, 200)
    expect(sink.taken.map(({ seq }) => seq)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1))
    expect(listFiles(folder).length).toBeLessThan(4)
    await log.close()
  })

  it('that is down: `block` refuses answers when the buffer is full, and a restart sends what waits', async () => {
    const folder = temporaryFolder('decisions')
    const sink = new Taker()
    sink.down = true
    const troubles: unknown[] = []
    const options = { sinks: [sink], keepFiles: undefined, bufferBytes: 2_000 }
    const onEvent = (event: DecisionLogEvent) => troubles.push([event.part, findCode(event)])
    const log = await open(folder, { ...options, onEvent })
    let answered = 0
    let refused: ZerohopError | undefined
    while (refused === undefined) {
      refused = await record(log, `u${answered + 1}`)
      if (refused === undefined) answered++
    }
    expect(refused).toMatchObject({ code: 'DECISION_UNRECORDED', class: 'unavailable' })
    expect(answered).toBeGreaterThan(2)
    expect(log.recorder.stats).toEqual({ written: answered, refused: 1, lost: 0 })
    await eventually(
      () => [...troubles].sort(),
      [
        ['api', 'FEED_UNREACHABLE'],
        ['journal', 'DECISION_LOG_FULL'],
      ],
    )
    await log.close()
    sink.down = false
    const again = await open(folder, options)
    await eventually(async () => sink.taken.length, answered)
    expect(await record(again, 'after')).toBe(undefined)
    await eventually(async () => sink.taken.at(-1)?.user, 'after')
    expect(sink.taken.map(({ seq }) => seq)).toEqual(Array.from({ length: answered + 1 }, (_, at) => at + 1))
    await again.close()
  })

  it('that is down: `drop` answers, and the count of what is lost is exact, in the numbers and after a restart', async () => {
    const folder = temporaryFolder('decisions')
    const sink = new Taker()
    sink.down = true
    const options = { policy: 'drop', sinks: [sink], keepFiles: undefined, bufferBytes: 2_000 } as const
    const log = await open(folder, options)
    for (let at = 1; at <= 50; at++) expect(await record(log, `u${at}`)).toBe(undefined)
    const { written, lost } = log.recorder.stats
    expect(written + lost).toBe(50)
    expect(lost).toBeGreaterThan(0)
    await log.close()
    sink.down = false
    const again = await open(folder, options)
    expect(again.lost).toBe(lost)
    await eventually(async () => sink.taken.length, written)
    await record(again, 'after')
    await eventually(async () => sink.taken.length, written + 1)
    expect(sink.taken.at(-1)).toMatchObject({ seq: 51, user: 'after', dropped_before: lost })
    await again.close()
  })

  it('gets a batch again that it took without saying so, and nothing is left out', async () => {
    const folder = temporaryFolder('decisions')
    const sink = new Taker()
    const log = await open(folder, { sinks: [sink], keepFiles: undefined })
    for (let at = 1; at <= 5; at++) await record(log, `u${at}`)
    await eventually(async () => sink.taken.length, 5)
    await log.close()
    writeFileSync(join(folder, '0', 'api.position'), 'damaged')
    const again = await open(folder, { sinks: [sink], keepFiles: undefined })
    await eventually(async () => sink.taken.length, 10)
    expect(new Set(sink.taken.map(({ seq }) => seq)).size).toBe(5)
    await again.close()
  })
})

// /dev/full is a disk without room that needs no rights to make; only Linux has it
describe.skipIf(process.platform !== 'linux')('a disk without room', () => {
  const full = (folder: string) => symlinkSync('/dev/full', join(folder, '0', '0000000000000001.jsonl'))

  it('under `block` nothing is answered, and after the next start numbers go on without a gap', async () => {
    const folder = temporaryFolder('decisions')
    const troubles: unknown[] = []
    const log = await open(folder, { onEvent: (event) => troubles.push(findCode(event)) })
    full(folder)
    expect(await record(log, 'a')).toMatchObject({ code: 'DECISION_UNRECORDED' })
    expect(await record(log, 'b')).toMatchObject({ code: 'DECISION_UNRECORDED' })
    expect(troubles).toEqual(['DISK_FULL'])
    await log.close()
    const again = await open(folder)
    expect(await record(again, 'c')).toBe(undefined)
    expect(readLines(folder)).toMatchObject([{ seq: 1, user: 'c' }])
    await again.close()
  })

  it('under `drop` everything is answered, and the next record says how many are missing', async () => {
    const folder = temporaryFolder('decisions')
    const log = await open(folder, { policy: 'drop' })
    full(folder)
    for (let at = 0; at < 3; at++) expect(await record(log, 'a')).toBe(undefined)
    expect(log.recorder.stats).toEqual({ written: 0, refused: 0, lost: 3 })
    await log.close()
    const again = await open(folder, { policy: 'drop' })
    await record(again, 'd')
    expect(again.lost).toBe(3)
    expect(readLines(folder)).toMatchObject([{ seq: 4, user: 'd', dropped_before: 3 }])
    await again.close()
  })
})
