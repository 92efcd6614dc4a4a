// `where` objects with many values, alone and beside the caller's own, asked of a real Prisma client, which sends several
// statements where one would have too many values: whatever it is asked, the rows found, counted, changed and deleted
// are those that the filter means, or it is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  FILTER_FORMAT,
  type Filter,
  type FilterNode,
  type Leaf,
  type Mapping,
  matches,
  toPrismaSql,
  toPrismaWhere,
  toResource,
} from '../../src/filters.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { pickSome } from '../support/sample.ts'
import { type Database, type FoundRow, openPostgres, openSqlite, type Provider, withoutClients } from './client.ts'

const ROWS = 1_200
const SIZES = [500, 899, 999, 1_000, 32_767, 40_000]
/** More values than one statement of Prisma has. */
const MANY = { postgresql: 33_000, sqlite: 1_200 }
const MAPPING: Mapping = {
  tenant: 'org',
  key: 'id',
  attributes: { status: { column: 'status', type: 'text' } },
  relations: { parent: { resource: 'folder', column: 'folder' } },
}

/** The first keys of the table, and on where it has no more. */
const keys = (count: number) => Array.from({ length: count }, (_, n) => `k${n}`)
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
const statusIn = (value: string[]): Leaf => ({
  op: 'in',
  left: { path: ['status'], type: 'string' },
  right: { value },
})

type Node = (count: number) => FilterNode
type Means = (n: number, count: number) => boolean

/** By name, the condition of so many values, and whether it means the row of a number. */
const FILTERS: Record<string, [Node, Means]> = {
  'a list of keys': [(count) => ({ key: { in: keys(count) } }), (n, count) => n < count],
  'all but a list': [
    (count) => ({ not: { related: 'parent', type: 'folder', in: keys(count) } }),
    (n, count) => n >= count,
  ],
  'a list or another': [
    (count) => ({ or: [{ key: { in: keys(count - 1) } }, statusIn(['s3'])] }),
    (n, count) => n < count - 1 || n % 5 === 3,
  ],
  'neither of two lists': [
    (count) => ({ and: [{ not: { key: { in: keys(count >> 1) } } }, { not: statusIn(keys(count >> 1)) }] }),
    (n, count) => n >= count >> 1,
  ],
}

/** By name, a condition of the caller's own, and whether it means the row. Of the last, Prisma itself makes too much. */
const OTHERS: Record<string, [(provider: Provider) => object, (n: number) => boolean]> = {
  alone: [() => ({}), () => true],
  'beside a list': [() => ({ n: { in: numbers(150) } }), (n) => n < 150],
  'beside many lists': [() => ({ AND: Array.from({ length: 12 }, () => ({ n: { in: numbers(90) } })) }), (n) => n < 90],
  'beside a list that is longer than a statement': [
    (provider) => ({ n: { in: numbers(MANY[provider]) } }),
    (n) => n < 1_200,
  ],
  'beside all but a list': [(provider) => ({ NOT: { n: { in: numbers(MANY[provider]) } } }), () => true],
}

/** What is asked for, and the numbers of the rows that it reached. Rows that come twice are there twice. */
const CALLS: Record<string, (database: Database, where: object) => Promise<number[]>> = {
  findMany: async ({ client }, where) => listNumbers(await client.row.findMany({ where, select: { n: true } })),
  'findMany of a page': async ({ client }, where) =>
    listNumbers(await client.row.findMany({ where, select: { n: true }, orderBy: { n: 'asc' }, take: ROWS })),
  'findMany of related rows': async ({ client }, where) => {
    const parents = await client.row.findMany({ where: { n: 0 }, select: { children: { where, select: { n: true } } } })
    return listNumbers(parents.flatMap(({ children }) => children as FoundRow[]))
  },
  updateMany: async ({ client, run }, where) => {
    const { count } = await client.row.updateMany({ where, data: { done: true } })
    const changed = listNumbers(await run('SELECT n FROM rows WHERE done'))
    await run('UPDATE rows SET done = NULL')
    return count < changed.length ? [Number.NaN, count] : changed
  },
  deleteMany: async ({ client, run }, where) => {
    const { count } = await client.row.deleteMany({ where })
    const left = new Set(listNumbers(await run('SELECT n FROM rows')))
    const deleted = numbers(ROWS).filter((n) => !left.has(n))
    await fill(run)
    return count < deleted.length ? [Number.NaN, count] : deleted
  },
}

const listNumbers = (rows: readonly FoundRow[]) => rows.map(({ n }) => Number(n)).toSorted((a, b) => a - b)

async function fill(run: Database['run']): Promise<void> {
  const rows = numbers(ROWS).map((n) => `(${n}, 'acme', 'k${n}', 'k${n}', 's${n % 5}', 'v', 0)`)
  await run(
    `INSERT INTO rows (n, org, id, folder, status, value, up) VALUES ${rows.join(', ')} ON CONFLICT (n) DO NOTHING`,
  )
}

function makeFilter(where: FilterNode): Filter {
  const reads = { attributes: ['status'], relations: ['parent'], key: true }
  return { format: FILTER_FORMAT, revision: 1, type: 'row', tenant: 'acme', kind: 'when', where, reads }
}

/** The condition, or undefined where it is refused with a way out. */
function findWhere(filter: Filter, provider: Provider): object | undefined {
  try {
    return toPrismaWhere(filter, MAPPING, { provider })
  } catch (error) {
    if (isZerohopError(error, 'FILTER_REFUSED') && error.message.includes('toPrismaSql')) return undefined
    throw error
  }
}

/** Too many values for one statement, which Prisma says where it cannot make several of it. */
const isTooMany = (error: unknown) => (error as { code?: unknown }).code === 'P2029'

async function askAll(provider: Provider, database: Database, node: Node, means: Means): Promise<void> {
  await database.run('DELETE FROM rows')
  await fill(database.run)
  let [exact, refused, refusedByPrisma, turn] = [0, 0, 0, 0]
  const largest = { alone: 0, beside: 0 }
  for (const size of SIZES) {
    const where = findWhere(makeFilter(node(size)), provider)
    if (where === undefined) {
      refused++
      continue
    }
    const allowed = numbers(ROWS).filter((n) => means(n, size))
    for (const [beside, [own, isMeant]] of Object.entries(OTHERS).slice(0, size === 500 ? 1 : undefined))
      for (const [call, ask] of pickSome(Object.entries(CALLS), turn++)) {
        let found: number[]
        try {
          found = await ask(database, { AND: [where, own(provider)] })
        } catch (error) {
          if (!isTooMany(error)) throw error
          expect(beside).not.toBe('alone')
          refusedByPrisma++
          continue
        }
        exact++
        largest[beside === 'alone' ? 'alone' : 'beside'] = size
        // of the caller's own negation Prisma sends parts that are none: what the filter denies is in none of them
        const isExact = beside !== 'beside all but a list'
        const reached = isExact ? found : found.filter((n) => !allowed.includes(n))
        const wanted = isExact ? allowed.filter((n) => isMeant(n)) : []
        expect({ size, beside, call, reached }).toEqual({ size, beside, call, reached: wanted })
      }
    expect(await database.client.row.count({ where })).toBe(allowed.length)
    // Prisma puts those of one tick together
    const some = [0, size - 1, size]
    const rows = await Promise.all(some.map((n) => database.client.row.findUnique({ where: { n, AND: [where] } })))
    expect(rows.map((row) => row !== null)).toEqual(some.map((n) => allowed.includes(n)))
  }
  process.stdout.write(
    `Prisma on ${provider}: ${exact} calls with lists of up to ${largest.alone} values, up to ${largest.beside} beside ` +
      `the caller's own, reach the rows that the filter means; ${refused} filters were refused, ${refusedByPrisma} calls by Prisma\n`,
  )
  expect(largest.alone).toBeGreaterThan(800)
  expect([refused, refusedByPrisma].includes(0)).toBe(false)
}

/** What is refused as an object finds its rows in SQL. */
async function askInSql(provider: Provider, { client, sql }: Database, node: Node, means: Means): Promise<void> {
  const dialect = provider === 'sqlite' ? 'sqlite' : 'postgres'
  for (const size of [1_000, 40_000]) {
    const condition = toPrismaSql(sql, makeFilter(node(size)), MAPPING, dialect, { table: 'r' })
    const found = await client.$queryRaw`SELECT n FROM rows r WHERE ${condition}`
    expect(listNumbers(found)).toEqual(numbers(ROWS).filter((n) => means(n, size)))
  }
}

/** Conditions of long lists, of values that no row has, and of fields that are null in some rows. */
const BELOW: Record<string, FilterNode> = {
  'a list of keys': { key: { in: keys(800) } },
  'all but a list': { not: { key: { in: keys(800) } } },
  'many conditions side by side': { and: keys(800).map((key) => ({ not: { key: { in: [key] } } })) },
  'a status': statusIn(['s1']),
  'another status': { op: 'not-equals', left: { path: ['status'], type: 'string' }, right: { value: 's1' } },
  'a list of values that no text can be': {
    or: [statusIn(['s1']), { ...statusIn([]), right: { value: numbers(40_000) } } as Leaf],
  },
}
type Rows = readonly FoundRow[]
/** By name, what the condition stands below, and whether a row with these children and this parent is then meant. */
const PLACES: Record<
  string,
  [
    (where: object) => object,
    (isMeant: (row: FoundRow) => boolean, row: FoundRow, children: Rows, up?: FoundRow) => boolean,
  ]
> = {
  NOT: [(NOT) => ({ NOT }), (isMeant, row) => !isMeant(row)],
  some: [(some) => ({ children: { some } }), (isMeant, _, children) => children.some(isMeant)],
  none: [(none) => ({ children: { none } }), (isMeant, _, children) => !children.some(isMeant)],
  every: [(every) => ({ children: { every } }), (isMeant, _, children) => children.every(isMeant)],
  'NOT below some': [(NOT) => ({ children: { some: { NOT } } }), (isMeant, _, children) => !children.every(isMeant)],
  is: [(is) => ({ parent: { is } }), (isMeant, _row, _children, up) => up !== undefined && isMeant(up)],
  isNot: [(isNot) => ({ parent: { isNot } }), (isMeant, _row, _children, up) => up === undefined || !isMeant(up)],
}

async function askBelow(provider: Provider, { client, run }: Database, node: FilterNode): Promise<void> {
  await run('DELETE FROM rows')
  await run(`INSERT INTO rows (n, org, id, folder, status, value, up) VALUES (1, 'acme', 'a', 'f', 's0', 'v', NULL),
    (2, 'acme', 'b', 'f', 's1', 'v', 1), (3, 'acme', 'c', 'f', NULL, 'v', 1), (4, 'acme', 'd', 'f', 's1', 'v', NULL),
    (5, NULL, 'e', 'f', 's1', 'v', 4), (6, 'acme', 'k5', 'f', 's1', 'v', 6), (7, 'acme', NULL, 'f', 's1', 'v', NULL),
    (8, 'acme', 'k7', 'f', 's1', 'v', 7), (9, 'acme', NULL, 'f', 's1', 'v', 7), (10, 'other', 'k8', 'f', 's1', 'v', 3)`)
  const filter = makeFilter(node)
  const rows = await client.row.findMany()
  const isMeant = (row: FoundRow) => {
    if (row.org === null) return false
    const { tenant, ...resource } = toResource(row, MAPPING)
    return matches(filter, { ...resource, tenant: tenant! })
  }
  const where = toPrismaWhere(filter, MAPPING, { provider, neverUnknown: true })
  for (const [place, [below, holds]] of Object.entries(PLACES)) {
    const found = listNumbers(await client.row.findMany({ where: below(where), select: { n: true } }))
    const wanted = rows.filter((row) =>
      holds(
        isMeant,
        row,
        rows.filter(({ up }) => up === row.n),
        rows.find(({ n }) => n === row.up),
      ),
    )
    expect({ place, found }).toEqual({ place, found: listNumbers(wanted) })
  }
}

// where `npm run test:prisma` has made no clients: that is printed
describe.skipIf(withoutClients())('where objects of many values', () => {
  describe.each<[string, Provider, () => Promise<Database>, boolean]>([
    ['PostgreSQL', 'postgresql', openPostgres, withoutPostgres()],
    ['SQLite', 'sqlite', openSqlite, false],
  ])('on %s', (_, provider, open, isMissing) => {
    let database: Database

    beforeAll(async () => {
      if (!isMissing) database = await open()
    })
    afterAll(() => database?.end())

    // where PostgreSQL cannot run: the reason is printed
    it.skipIf(isMissing).each(Object.entries(FILTERS))(
      'reach the rows that the filter means, or are refused: %s',
      async (_, [node, means]) => {
        await askAll(provider, database, node, means)
        await askInSql(provider, database, node, means)
      },
      300_000,
    )

    // where PostgreSQL cannot run: the reason is printed
    it.skipIf(isMissing).each(Object.entries(BELOW))(
      'mean the same below NOT and in conditions on related rows: %s',
      async (_, node) => askBelow(provider, database, node),
      120_000,
    )
  })
})
