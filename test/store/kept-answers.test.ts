// What is kept of answers to requests with an idempotency key: the newest, for a time, and no more bytes than allowed.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { Once } from '../../src/store/job.ts'
import { type KeepLimits, KeptAnswers } from '../../src/store/kept-answers.ts'
import { abort } from '../../src/store/lmdb.ts'
import { openTables, readFormat, type Tables } from '../../src/store/tables.ts'
import { memoryFolder } from '../support/folders.ts'

const KEY = Buffer.alloc(32, 7)
const LIMITS: KeepLimits = { answers: 5, bytes: 1024 * 1024, ms: 1_000 }
const once = (key: string, body = key): Once => ({
  caller: 'caller',
  key,
  fingerprint: createHash('sha256').update(body).digest('hex'),
})
const done = (result: unknown) => ({ result, revision: 7, also: [] })

const SCALE = Number(process.env.ZEROHOP_TEST_SCALE ?? 1)
/** A few that come again, or so many that pages and bounds are passed. */
const keys = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.nat({ max: 12 }), { maxLength: 6 }) },
  { weight: 1, arbitrary: fc.nat({ max: 900 }).map((from) => Array.from({ length: 120 }, (_, at) => from + at)) },
)

let tables: Tables
const open = (limits = LIMITS, secretsKey = KEY, folder = memoryFolder('answers')) => {
  tables = openTables(folder, 'create')
  return new KeptAnswers(tables, secretsKey, limits)
}
afterEach(() => tables.root.close())

const keep = (answers: KeptAnswers, now: number, ...kept: readonly (readonly [string, unknown])[]) => {
  answers.begin(true)
  tables.root.transactionSync(() => {
    for (const [key, result] of kept) answers.put(once(key), done(result), now)
    answers.end(now)
  })
}
const found = (answers: KeptAnswers, keys: readonly string[], now = 1) => {
  answers.begin(true)
  return keys.filter((key) => answers.find(once(key), now) !== undefined)
}
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `k${from + at}`)
/** answers, a page of names for 256 of them, and the record of their number */
const rows = () => tables.answers('open')?.walk()

describe('answers', () => {
  it('are those of the newest requests', () => {
    const answers = open()
    for (const key of names(0, 8)) keep(answers, 1, [key, key])
    expect(found(answers, names(0, 8))).toEqual(names(3, 8))
    expect(rows()).toBe(5 + 1 + 1)
  })

  it('are kept for a time, and again from when a key is used anew', () => {
    const answers = open()
    keep(answers, 1_000, ['a', 1], ['b', 2])
    expect(found(answers, ['a', 'b'], 1_999)).toEqual(['a', 'b'])
    expect(found(answers, ['a', 'b'], 2_000)).toEqual([])
    keep(answers, 2_500, ['a', 3])
    expect(found(answers, ['a', 'b'], 2_600)).toEqual(['a'])
    expect(answers.find(once('a'), 2_600)).toEqual(done(3))
    tables.root.transactionSync(() => expect(answers.trim(9_000, 100)).toBe(1))
    expect(rows()).toBe(1 + 1)
  })

  it('have no more bytes than allowed', () => {
    const answers = open({ ...LIMITS, bytes: 4_000 })
    // not to be deflated
    const random = (key: string) => Array.from({ length: 20 }, (_, n) => once(`${key}${n}`).fingerprint).join('')
    for (const key of names(0, 5)) keep(answers, 1, [key, random(key)])
    expect(found(answers, names(0, 5))).toEqual(names(3, 5))
  })

  it('that are long are deflated; one that is too long is not given again', () => {
    const answers = open()
    const items = Array.from({ length: 3_000 }, (_, at) => ({ key: `user-${at}`, outcome: 'created' }))
    const unpacked = Array.from({ length: 60_000 }, (_, at) => once(String(at)).fingerprint)
    keep(answers, 1, ['bulk', { items }], ['long', unpacked])
    expect(answers.find(once('bulk'), 1)).toEqual(done({ items }))
    const bytes = [...(tables.answers('open')?.range() ?? [])].map(({ content }) => content.length)
    expect(Math.max(...bytes)).toBeLessThan(JSON.stringify(items).length / 4)
    expect(answers.find(once('long'), 1)).toMatchObject({ failure: { code: 'IDEMPOTENCY_UNREADABLE' } })
  })

  it('are sealed, for their caller and key, and are of one request', () => {
    const answers = open()
    keep(answers, 1, ['a', 'a secret'])
    for (const { content } of tables.answers('open')?.range() ?? [])
      expect(Buffer.from(content).includes('a secret')).toBe(false)
    expect(answers.find(once('a', 'another body'), 1)).toMatchObject({ failure: { code: 'IDEMPOTENCY_MISMATCH' } })
    expect(answers.find({ ...once('a'), caller: 'another' }, 1)).toBeUndefined()
    const other = new KeptAnswers(tables, Buffer.alloc(32, 8), LIMITS)
    other.begin(true)
    expect(other.find(once('a'), 1)).toMatchObject({ failure: { code: 'IDEMPOTENCY_UNREADABLE' } })
  })

  it('are those of the definition, over batches that are aborted, restarts and pages that are lost', () => {
    const limits = { answers: 300, bytes: 1024 * 1024, ms: 50 }
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('keep', 'keep', 'abort'), keys }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('restart', 'lose a page', 'trim', 'wait') }) },
    ) as fc.Arbitrary<{ readonly do: string; readonly keys?: readonly number[] }>
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 20 }), (steps) => {
        void tables?.root.close()
        let answers = open(limits)
        let kept: { readonly key: string; readonly at: number }[] = []
        let now = 1_000
        const isKept = ({ at }: { at: number }) => at > now - limits.ms
        for (const { do: what, keys = [] } of steps) {
          now++
          const names = [...new Set(keys)].map((each) => `k${each}`)
          const fresh = names.filter((key) => !kept.some((each) => each.key === key && isKept(each)))
          answers.begin(true)
          if (what === 'keep' || what === 'abort')
            tables.root.transactionSync(() => {
              for (const key of fresh)
                if (answers.find(once(key), now) === undefined) answers.put(once(key), done(key), now)
              answers.end(now)
              return what === 'abort' ? abort() : undefined
            })
          if (what === 'keep') {
            kept = kept.filter(({ key }) => !fresh.includes(key)).concat(fresh.map((key) => ({ key, at: now })))
            kept = kept.slice(-limits.answers)
          }
          if (what === 'restart') answers = new KeptAnswers(tables, KEY, limits)
          if (what === 'trim') tables.root.transactionSync(() => answers.trim(now, 5))
          if (what === 'wait') now += 30
          if (what === 'lose a page')
            tables.root.transactionSync(() => {
              const [page] = tables.answers('open')?.keys({ start: Buffer.of(1), end: Buffer.of(2), limit: 1 }) ?? []
              if (page !== undefined) tables.answers('open')?.remove(page)
              answers = new KeptAnswers(tables, KEY, limits)
            })
          answers.begin(true)
          for (const key of names.concat(kept.slice(0, 3).map((each) => each.key))) {
            const expected = kept.some((each) => each.key === key && isKept(each)) ? done(key) : undefined
            expect([what, key, answers.find(once(key), now)]).toEqual([what, key, expected])
          }
        }
      }),
      { numRuns: Math.ceil(40 * SCALE), seed: 61, endOnFailure: true },
    )
  })

  it('have a table from the first of them on, in a folder of the same format', async () => {
    const folder = memoryFolder('answers')
    const answers = open(LIMITS, KEY, folder)
    const format = readFormat(tables.root)
    answers.begin(false)
    expect(tables.answers('open')).toBeUndefined()
    keep(answers, 1, ['a', 1])
    expect(readFormat(tables.root)).toBe(format)
    await tables.root.close()
    // who opens the folder finds it again
    tables = openTables(folder, 'write')
    const again = new KeptAnswers(tables, KEY, LIMITS)
    expect(found(again, ['a'])).toEqual(['a'])
  })
})
