// The law of filters of random policies, asked of a real Prisma client: `npm run test:prisma`. The rows found by `where`
// objects, below `NOT` too, are those that checks allow, and so are those found by SQL where SQL says the filter.
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Filter } from '../../src/filters.ts'
import { type Mapping, toPrismaSql, toPrismaWhere } from '../../src/filters.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { type Find, type PolicyDatabase, tryPolicies } from '../filters/policy-law.ts'
import { createTables, listColumns, TABLES } from '../filters/policy-tables.ts'
import type { Instant } from '../support/instants.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { type Database, openPostgres, openSqlite, type Provider, withoutClients } from './client.ts'

const NAMES = { postgresql: 'prismaPostgres', sqlite: 'prismaSqlite' } as const
const ORDER = { select: { n: true }, orderBy: { n: 'asc' } } as const

/** The database as the law asks it. */
function makePolicies(provider: Provider, { client, sql }: Database): PolicyDatabase {
  const name = NAMES[provider]
  const { dialect } = TABLES[name]
  const columns = listColumns(name)
  const fields = columns.filter((column) => !column.startsWith('json'))
  /** no where object reads JSON, so the model has no such fields */
  const unread = Object.fromEntries(columns.filter((column) => !fields.includes(column)).map((field) => [field, null]))
  const at = (now: Instant) => (now === undefined ? {} : { now })
  const where = (filter: Filter, mapping: Mapping, now: Instant, neverUnknown = false) =>
    toPrismaWhere(filter, mapping, { provider, neverUnknown, ...at(now) })
  const find = async (condition: object) => (await client.fact.findMany({ where: condition, ...ORDER })).map(toNumber)
  const findBySql: Find = async (question, filter, mapping, now) => {
    const condition = toPrismaSql(sql, filter, mapping, dialect, { table: 'facts', ...at(now) })
    const found = await client.$queryRaw`SELECT n FROM facts WHERE question = ${question} AND ${condition} ORDER BY n`
    return found.map(toNumber)
  }
  /** the rows of each question */
  const listedNumbers: number[][] = []
  return {
    name,
    say: where,
    all: async (table) => {
      if (table !== 'facts') return []
      return (await client.fact.findMany({ orderBy: { n: 'asc' } })).map((row) => ({ ...unread, ...row }))
    },
    put: async (tables) => {
      const facts = tables.get('facts')!
      listedNumbers.length = 0
      for (const row of facts) {
        const [n, question] = ['n', 'question'].map((column) => Number(row[columns.indexOf(column)]))
        listedNumbers[question!] = [...(listedNumbers[question!] ?? []), n!]
      }
      await client.fact.deleteMany()
      const data = facts.map((row) => Object.fromEntries(fields.map((field) => [field, row[columns.indexOf(field)]])))
      await client.fact.createMany({ data })
    },
    ways: {
      where: async (question, filter, mapping, now) => await find({ AND: [{ question }, where(filter, mapping, now)] }),
      'the rows without those of NOT': async (question, filter, mapping, now) => {
        const others = await find({ question, NOT: where(filter, mapping, now, true) })
        return listedNumbers[question]!.filter((n) => !others.includes(n))
      },
      'SQL where it says the filter': async (question, filter, mapping, now) => {
        try {
          return await findBySql(question, filter, mapping, now)
        } catch (error) {
          if (!isZerohopError(error, 'FILTER_REFUSED')) throw error
          return await find({ AND: [{ question }, where(filter, mapping, now)] })
        }
      },
    },
  }
}

const toNumber = ({ n }: { readonly n?: unknown }) => Number(n)

// where `npm run test:prisma` has made no clients: that is printed
describe.skipIf(withoutClients())('Prisma with the filters of random policies', () => {
  describe.each([
    ['postgresql', openPostgres],
    ['sqlite', openSqlite],
  ] as const)('on %s', (provider, open) => {
    // where PostgreSQL cannot run: the reason is printed
    const isMissing = provider === 'postgresql' && withoutPostgres()
    let database: Database

    beforeAll(async () => {
      if (isMissing) return
      database = await open()
      await database.run(createTables(NAMES[provider])[0]!)
    })
    afterAll(() => database?.end())

    // where PostgreSQL cannot run: the reason is printed
    it.skipIf(isMissing)('finds the rows that checks allow', async () => {
      await tryPolicies(`Prisma on ${provider}`, makePolicies(provider, database), 60)
    })
  })
})
