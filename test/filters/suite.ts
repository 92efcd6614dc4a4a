// What every database must do with filters, whatever it is: the law, the mistakes that the law finds, indexes, long
// lists.
import { expect, it } from 'vitest'
import { type Mapping, sql } from '../../src/filters/meaning/mapping.ts'
import type { Dialect } from '../../src/filters/sql/dialect.ts'
import { type DialectName, toSql } from '../../src/filters/to-sql.ts'
import type { Filter } from '../../src/model/filter.ts'
import { scaled } from '../property/seed.ts'
import { pickSome } from '../support/sample.ts'
import { MISTAKES, ofTexts } from './canaries.ts'
import { type Engine, NOW, tryLaw } from './law.ts'
import { LINK_FILTERS, LINK_LAWS, type Loaded, listIds, makeMapping, numbered, OF_ACME } from './links.ts'
import { ASKED_PAGES, DOCUMENTS, INDEXED, makeFilter, PAGES } from './plans.ts'
import { type PolicyDatabase, tryPolicies } from './policy-law.ts'
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
  const mistakes = pickSome(Object.entries(MISTAKES), ['postgres', 'mysql', 'sqlite'].indexOf(name))

  it('the rows found are those for which the filter holds, whatever the filter and the rows', async () => {
    const compile: Engine['compile'] = (filter, firstPlaceholder) =>
      toSql(filter, mapping, name, { ...OPTIONS, firstPlaceholder })
    const { wrong, asked, telling, refused } = await tryLaw({ ...of(), table, compile }, scaled(400))
    expect(wrong).toBeUndefined()
    expect(telling).toBeGreaterThan(asked / 5)
    expect([...refused.keys()].filter((reason) => !/held as text or JSON|nested this deeply/.test(reason))).toEqual([])
  })

  it('the rows found by the filter of a policy are those that checks allow, in SQL and by each query builder', async () => {
    await tryPolicies(dialect.name, of().policies, 120)
    expect(Object.keys(of().policies.ways)).toEqual(['SQL', 'Kysely', 'Drizzle', 'Knex'])
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
    const { text, values } = toSql(makeFilter(where), PAGES, name, { table: 'p' })
    const from = 'FROM pages p LEFT JOIN owners o ON o.id = p.owner_id'
    const found = await of().find(`SELECT p.id ${from} WHERE deleted_at IS NULL AND ${text} ORDER BY p.id`, values)
    expect(found.map((row) => (row as { id: string }).id).join(' ')).toBe(keys)
  })

  // what a database takes one by one, as a list, or in another way from some length on
  it.each([999, 1_000, 1_001, 10_000, 40_000])('%i keys are found, also where they are excluded', async (count) => {
    const key = { key: { in: Array.from({ length: count }, (_, n) => `k${n}`) } }
    for (const where of [key, { not: key }]) {
      const { text, values } = toSql(makeFilter(where), DOCUMENTS, name)
      expect(values.length).toBeLessThan(count > 1_000 ? 4 : 2 * count)
      const listed = Math.min(count, 5_000)
      const found = await of().find(`SELECT id FROM documents WHERE ${text}`, values)
      expect(found).toHaveLength('not' in where ? 5_000 - listed : listed)
    }
  })

  it.each(Object.entries(LINK_LAWS))('a list has the rows that checks allow: %s', async (_, law) => {
    const find = async (text: string, values: readonly unknown[] = []) => (await of().find(text, values)) as Loaded[]
    const read = async (source: string) => (await find(`SELECT * FROM ${source}`)).map(numbered)
    const [articles, links] = [await read('articles'), await read('article_links')]
    const { from, to, table } = law.through
    const unmarked = makeMapping({ key: law.key, through: { table: 'article_links', from, to } })
    const leaks: boolean[] = []
    for (const [filter, holds] of LINK_FILTERS) {
      const ofOther: Filter = { ...filter, tenant: 'other' }
      const listed = async (mapping: Mapping, filters: readonly Filter[] = [filter]) => {
        const { text, values } = toSql(filters, mapping, name, { table: 'a' })
        const found = await find(`SELECT a.id FROM articles a WHERE ${text}`, values)
        return found.map(({ id }) => id).toSorted()
      }
      const idsBy = (each: Filter) =>
        listIds(law, each, holds, articles, links, name === 'sqlite' ? { dialect: name } : {})
      const { byHand, byCheck } = idsBy(filter)
      const list = await listed(makeMapping(law))
      expect({ list, byCheck: byCheck.toSorted() }).toEqual({ list: byHand.toSorted(), byCheck: byHand.toSorted() })
      expect(list.length).toBeGreaterThan(0)
      expect(await listed(makeMapping(law), [filter, ofOther])).toEqual(
        [...byHand, ...idsBy(ofOther).byHand].toSorted(),
      )
      if (typeof table === 'string' && !Array.isArray(from)) leaks.push((await listed(unmarked)).join() !== list.join())
    }
    // the hazard: without the conditions of the mapping on links, the lists differ
    expect(leaks).not.toEqual([false, false])
  })

  it('a condition on one of two rows of a self join is about that row', async () => {
    const { text, values } = toSql(OF_ACME, makeMapping(LINK_LAWS['links with a number']!), name, { table: 'c' })
    const query = `SELECT c.id, c.org FROM articles a JOIN articles c ON c.no = a.no WHERE a.org = 'other' AND ${text}`
    const found = (await of().find(query, values)) as Loaded[]
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found.map(({ org }) => org))).toEqual(new Set(['acme']))
  })

  it('an expression names the columns of its own table, in a query of another one and of lists', async () => {
    const status = { column: sql((column) => `lower(${column('status')})`), type: 'text' } as const
    const mapping: Mapping = { tenant: null, key: 'id', attributes: { status, amount: DOCUMENTS.attributes!.amount! } }
    const left = { path: ['status'], type: 'string' } as const
    const where = { op: 'in', left, right: { value: ['s1', 's2', 'S3'] } } as const
    const { text, values } = toSql(makeFilter(where), mapping, name, { table: 'd' })
    const query = `SELECT d.id FROM documents e JOIN documents d ON d.amount = e.amount + 1 WHERE e.id = 'k1' AND ${text}`
    expect((await of().find(query, values)) as Loaded[]).toEqual([{ id: 'k2' }])
  })
}
