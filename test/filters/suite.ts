// What every database must do with filters, whatever it is: the law, the mistakes that the law finds, indexes, long
// lists.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Dialect } from '../../src/filters/sql/dialect.ts'
import { type DialectName, toSql } from '../../src/filters/to-sql.ts'
import { situations } from '../property/filter-law.ts'
import { parameters, scaled } from '../property/seed.ts'
import { someOf } from '../support/sample.ts'
import { MISTAKES, ofTexts } from './canaries.ts'
import { type Engine, NOW, tryLaw } from './law.ts'
import { ASKED_PAGES, DOCUMENTS, filterOf, INDEXED, MANY_KEYS, PAGES } from './plans.ts'
import { noCounts, type PolicyDatabase, policyLaw } from './policy-law.ts'
import type { Table } from './random-rows.ts'

/** A database with the random rows as `rows r`, and the documents of ./plans.ts. */
export interface Database extends Pick<Engine, 'fill' | 'ask'> {
  readonly find: (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>
  /** The plan of a query, in which the names of indexes occur. */
  readonly explain: (text: string, values: readonly unknown[]) => Promise<string>
  readonly policies: PolicyDatabase
}

const OPTIONS = { table: 'r', now: NOW }

/** The tests; `of` is called when they run. */
export function filterTests(name: DialectName, dialect: Dialect, table: Table, of: () => Database): void {
  const { mapping } = table
  // each dialect finds others of them, where not all are asked
  const mistakes = someOf(Object.entries(MISTAKES), ['postgres', 'mysql', 'sqlite'].indexOf(name))

  it('the rows found are those for which the filter holds, whatever the filter and the rows', async () => {
    const compile: Engine['compile'] = (filter, firstPlaceholder) =>
      toSql(filter, mapping, name, { ...OPTIONS, firstPlaceholder })
    const { wrong, asked, telling, refused } = await tryLaw({ ...of(), table, compile }, scaled(400))
    expect(wrong).toBeUndefined()
    expect(telling).toBeGreaterThan(asked / 5)
    expect([...refused.keys()].filter((reason) => !/held as text or JSON|nested this deeply/.test(reason))).toEqual([])
  })

  it('the rows found by the filter of a policy are those that checks allow, in SQL and by each query builder', async () => {
    const counts = noCounts()
    const law = fc.asyncProperty(situations, (drawn) => policyLaw(of().policies, drawn, counts))
    const { seed, numRuns } = parameters(60)
    // what differs says all that there is to say, and to shrink it takes long
    await fc.assert(law, { seed, numRuns, endOnFailure: true })
    const { cases, rows, found, telling } = counts
    const ways = Object.keys(of().policies.ways)
    process.stdout.write(
      `${dialect.name}, seed ${seed}: ${cases} questions of random policies about ${rows} rows agree with checks, by ` +
        `${ways.join(', ')}; ${found} rows found, ${telling} questions find some and not all\n`,
    )
    expect(ways).toEqual(['SQL', 'Kysely', 'Drizzle', 'Knex'])
    expect(cases).toBeGreaterThan(numRuns / 2)
    expect(telling).toBeGreaterThan(cases / 6)
    expect(found).toBeGreaterThan(rows / 20)
  })

  it.each(mistakes)('the law finds a mistake: %s', async (_, mistake) => {
    const compile: Engine['compile'] = (filter, firstPlaceholder) =>
      mistake(filter, mapping, dialect, { ...OPTIONS, firstPlaceholder })
    const { wrong } = await tryLaw({ ...of(), table: ofTexts(table), compile }, 5_000)
    expect(wrong).toBeDefined()
  })

  it.each(INDEXED)('an index finds the rows: %s', async (index, filter, count) => {
    const { text, values } = toSql(filter, DOCUMENTS, name)
    const query = `SELECT id FROM documents WHERE ${text}`
    expect(await of().explain(query, values)).toContain(index)
    expect(await of().find(query, values)).toHaveLength(count)
  })

  it.each(ASKED_PAGES)('beside a condition of the application: %s', async (_, where, keys) => {
    const { text, values } = toSql(filterOf(where), PAGES, name, { table: 'p' })
    const from = 'FROM pages p LEFT JOIN owners o ON o.id = p.owner_id'
    const found = await of().find(`SELECT p.id ${from} WHERE deleted_at IS NULL AND ${text} ORDER BY p.id`, values)
    expect(found.map((row) => (row as { id: string }).id).join(' ')).toBe(keys)
  })

  it('10,000 keys are a parameter or two', async () => {
    const { text, values } = toSql(MANY_KEYS, DOCUMENTS, name)
    expect(values.length).toBeLessThan(4)
    expect(await of().find(`SELECT id FROM documents WHERE ${text}`, values)).toHaveLength(5000)
  })
}
