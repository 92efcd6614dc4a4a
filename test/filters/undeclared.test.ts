// Conditions on attributes of a resource type that declares none: of rows whose column is absent, null or of any type, a
// query with the filter finds those that a check of the row allows, for every operator and every column that can hold
// the attribute.
import Database from 'libsql'
import { afterAll, describe, expect, it } from 'vitest'
import type { AttributeColumn, Mapping } from '../../src/filters/meaning/mapping.ts'
import { toResource } from '../../src/filters/rows.ts'
import { type DialectName, toSql } from '../../src/filters/to-sql.ts'
import { OPERATORS } from '../../src/model/condition-operators.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import type { Json } from '../../src/model/objects.ts'
import { loadPolicy } from '../../src/policy-test/load-policy.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'

/** What a test compares with, by operator. */
const OPERANDS: Readonly<Record<string, readonly Json[]>> = {
  scalar: ['a', '', '1', 1, 0, true, false, '2030-01-01T00:00:00Z'],
  ordered: ['a', '1', 1, '2030-01-01T00:00:00Z'],
  range: [
    ['a', 'b'],
    [0, 1],
  ],
  string: ['a', ''],
  list: [['a', 1], [], [true], ['1']],
}

/** Values of the attribute; undefined is a column without a value. */
const VALUES: readonly (Json | undefined)[] = [
  undefined,
  null,
  'a',
  'ab',
  '',
  '1',
  'true',
  'null',
  '2029-12-31T23:59:59.999Z',
  1,
  0,
  -0.5,
  1e15,
  true,
  false,
  [],
  ['a'],
  ['a', 1],
  [true],
  [null],
  {},
  { in: 'a' },
  { in: 1 },
  { in: null },
]

type Test = Readonly<Record<string, unknown>>
const tests: readonly Test[] = Object.entries(OPERATORS).flatMap(([operator, { right }]) =>
  OPERANDS[right]!.flatMap((operand) => [
    { 'resource.what': { [operator]: operand } },
    { 'resource.what.in': { [operator]: operand } },
  ]),
)
const and = (...allOf: readonly Test[]): Test => ({ allOf })
const CONDITIONS: readonly Test[] = [
  ...tests.map((test) => and(test)),
  ...tests.filter((_, at) => at % 9 === 0).map((test, at) => ({ anyOf: [test, tests[(at * 7) % tests.length]] })),
  and({ 'resource.what': { equals: { ref: 'user.what' } } }),
  and({ 'resource.what': { 'not-equals': { ref: 'user.what' } } }),
  and({ 'resource.what': { equals: { ref: 'context.what' } } }),
]

const pdp = loadPolicy(
  {
    zerohop: 2,
    resources: [{ key: 'doc', actions: Object.fromEntries(CONDITIONS.map((_, at) => [`a${at}`, {}])) }],
    roles: [{ key: 'reader' }],
    condition_sets: CONDITIONS.map((conditions, at) => ({
      key: `s${at}`,
      type: 'resourceset',
      resource: 'doc',
      conditions,
    })),
    set_rules: CONDITIONS.map((_, at) => ({
      user_set: 'reader',
      is_role: true,
      permission: `doc:a${at}`,
      resource_set: `s${at}`,
    })),
  },
  {
    strict: false,
    facts: {
      tenants: [{ key: 'acme' }],
      users: [{ key: 'ana', attributes: { what: 'a' } }],
      role_assignments: [{ user: 'ana', role: 'reader', tenant: 'acme' }],
    },
  },
)

type Column = Pick<AttributeColumn, 'type'> & { readonly name: string; readonly sql: string }
type Find = (text: string, values: readonly unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** What a column is given; undefined when it cannot hold the value. */
function written({ type }: Column, value: Json | undefined, isBit: boolean): unknown {
  if (value === undefined) return null
  if (type === 'json') return JSON.stringify(value)
  const name = typeof value
  if (name !== { text: 'string', double: 'number', boolean: 'boolean' }[type as string]) return undefined
  return isBit && typeof value === 'boolean' ? Number(value) : value
}

/** Asks each condition of each column. Returns where the query and the check differ, and how many were compared. */
async function compare(dialect: DialectName, columns: readonly Column[], put: Find, find: Find) {
  const names = columns.map(({ name }) => name).join(', ')
  let n = 0
  for (const column of columns)
    for (const value of VALUES) {
      const stored = written(column, value, dialect === 'sqlite')
      if (stored === undefined) continue
      const values = [n++, 'acme', ...columns.map((each) => (each === column ? stored : null))]
      await put(`INSERT INTO docs (n, org, ${names}) VALUES`, values)
    }
  const rows = await find('SELECT * FROM docs ORDER BY n', [])
  const differences: unknown[] = []
  let [compared, found] = [0, 0]
  for (const column of columns)
    for (const [at, condition] of CONDITIONS.entries()) {
      const mapping: Mapping = {
        tenant: 'org',
        key: 'org',
        attributes: { what: { column: column.name, type: column.type } },
      }
      const context = { what: 'a' }
      const allowed = rows.filter((row) =>
        pdp.check('ana', `a${at}`, toResource(row, mapping, { type: 'doc', dialect }), context),
      )
      try {
        const filter = pdp.filter('ana', `a${at}`, 'doc', { tenant: 'acme', context })
        const { text, values } = toSql(filter, mapping, dialect, { table: 'docs' })
        const got = await find(`SELECT n FROM docs WHERE ${text} ORDER BY n`, values)
        const [want, have] = [allowed, got].map((each) => each.map((row) => Number(row.n)).join())
        if (want !== have) differences.push({ column: column.name, condition, want, have })
        compared++
        found += got.length
      } catch (error) {
        // a column of this type has no members
        if (!isZerohopError(error, 'INPUT_INVALID') || column.type === 'json') throw error
      }
    }
  return { differences, compared, found }
}

const COLUMNS: readonly Column[] = [
  { name: 'held', type: 'json', sql: 'TEXT' },
  { name: 'words', type: 'text', sql: 'TEXT' },
  { name: 'amount', type: 'double', sql: 'REAL' },
  { name: 'flag', type: 'boolean', sql: 'BOOLEAN' },
]

describe('attributes that their type does not declare', () => {
  afterAll(async () => {
    await pdp.close()
    await endPostgres()
  })

  it('are filtered in SQLite as a check decides', async () => {
    const database = new Database(':memory:')
    database.exec(`CREATE TABLE docs (n INTEGER, org TEXT, ${COLUMNS.map(({ name, sql }) => `${name} ${sql}`)})`)
    const run: Find = async (text, values) => {
      const places = text.endsWith('VALUES') ? `(${values.map(() => '?')})` : ''
      const statement = database.prepare(text + places)
      if (places !== '') statement.run(...values)
      return places === '' ? (statement.all(...values) as Record<string, unknown>[]) : []
    }
    const { differences, compared, found } = await compare('sqlite', COLUMNS, run, run)
    expect(differences).toEqual([])
    expect([compared > 200, found > 200]).toEqual([true, true])
    database.close()
  })

  // skipped where the binaries of PostgreSQL cannot run: the reason is printed
  describe.skipIf(withoutPostgres())('in PostgreSQL', () => {
    it('are filtered as a check decides', async () => {
      const types: Readonly<Record<string, string>> = { json: 'jsonb', double: 'double precision' }
      const server = await startPostgres()
      const url = await server.database()
      const columns = COLUMNS.map((column) => ({ ...column, sql: types[column.type] ?? column.sql }))
      await server.query(
        url,
        `CREATE TABLE docs (n int, org text, ${columns.map(({ name, sql }) => `${name} ${sql}`)})`,
      )
      const run: Find = (text, values) => {
        const places = text.endsWith('VALUES') ? `(${values.map((_, at) => `$${at + 1}`)})` : ''
        return server.query(url, text + places, [...values])
      }
      const { differences, compared, found } = await compare('postgres', columns, run, run)
      expect(differences).toEqual([])
      expect([compared > 200, found > 200]).toEqual([true, true])
    })
  })
})
