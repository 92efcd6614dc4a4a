// `where` objects of filters find the rows that the filter means, asked of a real Prisma client: `npm run test:prisma`,
// which installs it. What the objects should mean is in test/filters/prisma.test.ts, without a client.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Filter,
  type Mapping,
  matches,
  type ResourceOptions,
  toPrismaWhere,
  toResource,
} from '../../src/filters.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { generator, NOW } from '../filters/law.ts'
import { REQUIRED, TYPES } from '../filters/prisma-columns.ts'
import { randomFilter, TENANT } from '../filters/random-filters.ts'
import { KEYS, makeTable, type Next, pick, type Table, TEXTS, UUIDS } from '../filters/random-rows.ts'
import { parameters } from '../property/seed.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { type Client, type Database, openPostgres, openSqlite, withoutClients } from './client.ts'

const AMOUNTS = ['0', '1', '-1', '2', '9007199254740991', '-9007199254740991', '1795132800000']
const SCORES = ['0', '-0', '1', '1.5', '0.1', '0.30000000000000004', '9007199254740992', '1e300', '5e-324']
const TIMES = [
  '2026-11-20T00:00:00.000Z',
  '2026-11-20T00:00:00.001Z',
  '2026-11-19T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
]

/** A database with a client, filled with rows as the driver reads them. */
interface Prisma {
  readonly client: Client
  readonly fill: (next: Next) => Promise<readonly Record<string, unknown>[]>
}

const { mapping } = makeTable(TYPES)
const MAPPING: Mapping = {
  ...mapping,
  tenant: 'org',
  attributes: Object.fromEntries(
    Object.entries(mapping.attributes!).map(([name, each]) => [name, { ...each, column: name }]),
  ),
  relations: { ...mapping.relations, parent: { resource: 'folder', column: 'folder' } },
}
const TABLE: Table = { ...makeTable(TYPES), mapping: MAPPING }

function randomRow(next: Next, n: number): Record<string, unknown> {
  const maybe = <T>(from: readonly T[]) => (next(5) === 0 ? null : pick(next, from))
  const due = maybe(TIMES)
  const [amount, score] = [maybe(AMOUNTS), maybe(SCORES)]
  return {
    n,
    org: pick(next, [TENANT, TENANT, TENANT, 'other', TENANT.toUpperCase(), null]),
    id: maybe(KEYS),
    folder: maybe(KEYS),
    status: maybe(TEXTS),
    value: pick(next, TEXTS),
    owner: maybe(UUIDS),
    amount: amount === null ? null : BigInt(amount),
    score: score === null ? null : Number(score),
    done: maybe([true, false]),
    due: due === null ? null : new Date(due),
  }
}

/** Random filters of a number of random tables find what they mean. */
async function asked(provider: 'postgresql' | 'sqlite', { client, fill }: Prisma, options: ResourceOptions) {
  const { seed, numRuns } = parameters(40)
  const next = generator(seed)
  let [count, telling, refused] = [0, 0, 0]
  for (let table = 0; table < numRuns; table++) {
    const rows = await fill(next)
    const own = rows.filter(({ org }) => org !== null)
    for (let each = 0; each < 20; ) {
      const filter = randomFilter(next, TABLE)
      const where = findWhere(filter, provider)
      if (where === undefined) {
        refused++
        continue
      }
      each++
      count++
      const found = (await client.row.findMany({ where, select: { n: true }, orderBy: { n: 'asc' } })).map(({ n }) => n)
      const resources = own.map((row) => ({ n: row.n, row: toResource({ ...row, team: [] }, MAPPING, options) }))
      const meant = resources.filter(({ row }) => matches(filter, { ...row, tenant: row.tenant! }, { now: NOW }))
      const expected = meant.map(({ n }) => n)
      const differing = rows.find(({ n }) => found.includes(n) !== expected.includes(n))
      expect(differing && { filter, where, differing, found, expected }).toBeUndefined()
      if (found.length > 0 && found.length < rows.filter(({ org }) => org === TENANT).length) telling++
    }
  }
  process.stdout.write(
    `Prisma on ${provider}, seed ${seed}: ${count} random filters find the rows that they mean, ${telling} of them ` +
      `some and not all; ${refused} were refused\n`,
  )
  expect(telling).toBeGreaterThan(count / 5)
}

function findWhere(filter: Filter, provider: 'postgresql' | 'sqlite') {
  try {
    return toPrismaWhere(filter, MAPPING, { provider, required: REQUIRED })
  } catch (error) {
    if (isZerohopError(error, 'FILTER_REFUSED')) return undefined
    throw error
  }
}

// where `npm run test:prisma` has made no clients: that is printed
describe.skipIf(withoutClients())('where objects of Prisma', () => {
  // where PostgreSQL cannot run: the reason is printed
  describe.skipIf(withoutPostgres())('on PostgreSQL', () => {
    let database: Database

    beforeAll(async () => {
      database = await openPostgres()
    })
    afterAll(() => database?.end())

    it('find the rows of random filters', async () => {
      const { client, run } = database
      const fill: Prisma['fill'] = async (next) => {
        await client.row.deleteMany()
        await client.row.createMany({ data: Array.from({ length: 30 }, (_, n) => randomRow(next, n)) })
        // what only the database has
        await run(`UPDATE rows SET score = (ARRAY['NaN', 'Infinity', '-Infinity'])[1 + n % 3]::float8
          WHERE n % 7 = 0`)
        await run(`UPDATE rows SET due = (ARRAY['infinity', '-infinity', '2026-11-20 00:00:00.000999+00',
          '2026-11-19 23:59:59.9995+00'])[1 + n % 4]::timestamptz WHERE n % 3 = 0`)
        return await run('SELECT * FROM rows ORDER BY n')
      }
      await asked('postgresql', { client, fill }, {})
    })
  })

  describe('on SQLite', () => {
    let database: Database

    beforeAll(async () => {
      database = await openSqlite()
    })
    afterAll(() => database?.end())

    it('find the rows of random filters', async () => {
      const { client } = database
      const fill: Prisma['fill'] = async (next) => {
        await client.row.deleteMany()
        await client.row.createMany({ data: Array.from({ length: 30 }, (_, n) => randomRow(next, n)) })
        return await client.row.findMany({ orderBy: { n: 'asc' } })
      }
      await asked('sqlite', { client, fill }, {})
    })
  })
})
