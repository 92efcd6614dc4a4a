// docs/filters-in-databases.md: its table of operators is what the code does, and its examples name what there is.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COLUMN_TYPES, type ColumnType } from '../../src/filters/meaning/mapping.ts'
import * as filters from '../../src/filters.ts'
import { OPERATORS, type Operator } from '../../src/model/condition.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import type { Json } from '../../src/model/objects.ts'
import { ROOT } from '../tidy/source.ts'
import { UUIDS } from './random-rows.ts'

const PAGE = join(ROOT, 'docs/filters-in-databases.md')
const [BEGIN, END] = ['<!-- operators -->\n', '<!-- /operators -->']
const WRITERS: Readonly<Record<string, (filter: filters.Filter, mapping: filters.Mapping) => string>> = {
  PostgreSQL: (...of) => filters.toSql(...of, 'postgres', { table: 't' }).text,
  MySQL: (...of) => filters.toSql(...of, 'mysql', { table: 't' }).text,
  SQLite: (...of) => filters.toSql(...of, 'sqlite', { table: 't' }).text,
  'Prisma, as an object': (...of) => JSON.stringify(filters.toPrismaWhere(...of, { provider: 'postgresql' })),
}

/** The where object of no row. */
const NONE = '{"id":{"in":[]}}'

const SAMPLES: Readonly<Record<string, Json>> = { text: 'a', json: 'a', uuid: UUIDS[0], boolean: true }

/** Of a value of the type, what the operator takes on its right. */
function rightOperand(op: Operator, type: ColumnType): Json {
  const value = SAMPLES[type.replace('[]', '')] ?? 1
  if (op === 'between') return [value, value]
  return op === 'in' || (op.startsWith('array_') && op !== 'array_contains') ? [value] : value
}

/** The types of columns that are compared exactly; a column of another type is refused, or has no such values. */
function formatTypes(op: Operator, write: (typeof WRITERS)[string]): string {
  const types = COLUMN_TYPES.filter((type) => {
    const mapping: filters.Mapping = { tenant: null, key: 'id', attributes: { x: { column: 'x', type } } }
    const where = { op, left: { path: ['x'], type: 'json' as const }, right: { value: rightOperand(op, type) } }
    const reads = { attributes: ['x'], relations: [], key: false }
    try {
      const text = write({ format: 2, revision: 1, type: 't', tenant: 'a', kind: 'when', where, reads }, mapping)
      return text !== '1 = 0' && !text.replaceAll(`{"NOT":${NONE}}`, '').includes(NONE)
    } catch (error) {
      if (isZerohopError(error, 'FILTER_REFUSED')) return false
      throw error
    }
  })
  return types.length === 0 ? '–' : types.join(', ')
}

function table(): string {
  const names = Object.keys(WRITERS)
  const rows = (Object.keys(OPERATORS) as Operator[]).map(
    (op) => `| \`${op}\` | ${names.map((name) => formatTypes(op, WRITERS[name]!)).join(' | ')} |`,
  )
  return [`| operator | ${names.join(' | ')} |`, `|---|${names.map(() => '---|').join('')}`, ...rows, ''].join('\n')
}

describe('docs/filters-in-databases.md', () => {
  it('has the table that the code makes; ZEROHOP_WRITE_DOCS=1 writes it', () => {
    const page = readFileSync(PAGE, 'utf8')
    const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)]
    const wanted = page.slice(0, from) + table() + page.slice(to)
    if (process.env.ZEROHOP_WRITE_DOCS === '1') writeFileSync(PAGE, wanted)
    expect(readFileSync(PAGE, 'utf8')).toBe(wanted)
  })

  it('imports what the package exports', () => {
    const names = [...readFileSync(PAGE, 'utf8').matchAll(/import \{([^}]*)\} from 'zerohop\/filters'/g)]
    expect(names.length).toBeGreaterThan(0)
    for (const name of names.flatMap(([, list = '']) => list.split(',')))
      expect(filters).toHaveProperty(name.replace(/ as .*/, '').trim())
  })
})
