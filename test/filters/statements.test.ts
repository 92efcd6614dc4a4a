// What `toSql` takes and refuses, rows in memory and the question for one row: without a database.
import { describe, expect, it } from 'vitest'
import { holds, type RowReader } from '../../src/filters/evaluate.ts'
import { compare } from '../../src/filters/meaning/operators.ts'
import {
  defineMapping,
  type Filter,
  type FilterNode,
  type Mapping,
  matches,
  type RelationColumn,
  type Row,
  type SqlExpression,
  sql,
  toKysely,
  toResource,
  toSql,
} from '../../src/filters.ts'

const ABOUT = { format: 2, revision: 1, type: 'invoice', tenant: 'acme' } as const
const ALWAYS: Filter = { ...ABOUT, kind: 'always' }
const STATUS = { path: ['status'], type: 'string' } as const
const OPEN: FilterNode = { op: 'equals', left: STATUS, right: { value: 'open' } }
const MAPPING: Mapping = {
  tenant: 'org_id',
  key: { column: 'id', type: 'uuid' },
  attributes: { status: { column: 'status', type: 'text' } },
  relations: { parent: { resource: 'folder', column: 'folder_id' } },
}
const when = (where: FilterNode, reads: Partial<Extract<Filter, { reads: unknown }>['reads']> = {}): Filter =>
  ({ ...ABOUT, kind: 'when', where, reads: { attributes: ['status'], relations: [], key: false, ...reads } }) as Filter
const ORG = '("t"."org_id" IS NOT NULL AND "t"."org_id" = $1::text)'
const TABLE = { table: 't' }

const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen))
const nothing = (): never => {
  throw new Error('not read')
}
const NOTHING: RowReader = { attribute: nothing, key: nothing, related: nothing, now: nothing }

describe('the condition', () => {
  it('has the tenant, whatever the filter', () => {
    expect(toSql(ALWAYS, MAPPING, 'postgres', TABLE)).toEqual({ text: ORG, values: ['acme'] })
    expect(toSql(when(OPEN), MAPPING, 'postgres', TABLE)).toEqual({
      text: `(${ORG} AND ("t"."status" IS NOT NULL AND "t"."status" = $2::text))`,
      values: ['acme', 'open'],
    })
    expect(toSql({ ...ABOUT, kind: 'never' }, MAPPING, 'postgres')).toEqual({ text: '1 = 0', values: [] })
  })

  it('has none for a table of one tenant, which says so', () => {
    expect(toSql(ALWAYS, { ...MAPPING, tenant: null }, 'sqlite').text).toBe('1 = 1')
    expect(() => toSql(ALWAYS, { key: 'id' } as never, 'sqlite')).toThrow('`mapping.tenant` is missing')
    expect(() => toSql([ALWAYS, { ...ALWAYS, tenant: 'b' }], { ...MAPPING, tenant: null }, 'sqlite')).toThrow(
      'one tenant',
    )
  })

  it('is that of the mapping and the filter as they are now', () => {
    const mapping: { tenant: string | null; key: string } = { tenant: null, key: 'id' }
    expect(toSql(ALWAYS, mapping, 'sqlite').text).toBe('1 = 1')
    mapping.tenant = 'org_id'
    expect(toSql(ALWAYS, mapping, 'sqlite').text).toContain('`org_id`')
    const filter = when({ and: [{ key: { in: ['a'] } }, { op: 'in', left: STATUS, right: { value: ['a', ['b']] } }] })
    toSql(filter, MAPPING, 'postgres')
    expect(isDeepFrozen(filter)).toBe(true)
    const keys = ['a']
    const row: RowReader = { ...NOTHING, key: () => 'b' }
    expect(holds({ key: { in: keys } }, row)).toBe(false)
    expect(() => keys.push('b')).toThrow()
  })

  it('is an OR of several tenants', () => {
    const { text, values } = toSql([ALWAYS, { ...ALWAYS, tenant: 'beta' }], MAPPING, 'postgres', TABLE)
    expect(text).toBe(`(${ORG} OR ${ORG.replace('$1', '$2')})`)
    expect(values).toEqual(['acme', 'beta'])
    expect(() => toSql([ALWAYS, { ...ALWAYS, type: 'other' }], MAPPING, 'postgres')).toThrow('about different rows')
    expect(toSql([], MAPPING, 'postgres').text).toBe('1 = 0')
  })

  it('begins its placeholders where the query says', () => {
    expect(toSql(ALWAYS, MAPPING, 'postgres', { firstPlaceholder: 4 }).text).toContain('$4')
    expect(() => toSql(ALWAYS, MAPPING, 'postgres', { firstPlaceholder: 0 })).toThrow('firstPlaceholder')
  })

  it('takes expressions from code, and never from JSON', () => {
    const lower: Mapping = { ...MAPPING, attributes: { status: { column: sql('lower(status)'), type: 'text' } } }
    expect(toSql(when(OPEN), lower, 'postgres', TABLE).text).toContain('(lower(status)) = $2::text')
    expect(() => toSql(ALWAYS, JSON.parse(JSON.stringify(lower)), 'postgres')).toThrow(
      '`mapping.attributes.status.column` must be a name',
    )
  })
})

describe('what is refused', () => {
  it('names that the mapping has not are named', () => {
    const where: FilterNode = {
      or: [
        OPEN,
        { not: { op: 'equals', left: { path: ['amount', 'x'], type: 'json' }, right: { value: 1 } } },
        { related: 'team', type: 'team', in: ['a'] },
      ],
    }
    expect(() => toSql(when(where), MAPPING, 'mysql')).toThrow(
      'the mapping has no attribute `amount`, no relation `team`',
    )
  })

  it.each<[string, 'postgres' | 'mysql' | 'sqlite', string]>([
    ['a\0b', 'sqlite', 'SQLite has no such names'],
    ['a'.repeat(64), 'postgres', 'cuts names after 63 bytes'],
    ['ä'.repeat(32), 'postgres', 'cuts names after 63 bytes'],
    ['a ', 'mysql', 'MySQL has no such names'],
    ['😀', 'mysql', 'MySQL has no such names'],
  ])('a name that cannot be quoted: %j in %s', (column, dialect, reason) => {
    expect(() => toSql(ALWAYS, { ...MAPPING, tenant: column }, dialect)).toThrow(reason)
  })

  it.each(['postgres', 'mysql', 'sqlite'] as const)(
    'a table with a name that the condition may have too, in %s',
    (of) => {
      expect(() => toSql(ALWAYS, MAPPING, of, { table: 'Zerohop_1' })).toThrow('begins with `zerohop_`')
    },
  )

  it.each([
    ['postgres', 65_535],
    ['mysql', 65_535],
    ['sqlite', 32_766],
  ] as const)('more values than a statement of %s takes, with those before: %i', (dialect, most) => {
    const text = { tenant: 'org_id', key: 'id' }
    const { length } = toSql(ALWAYS, text, dialect).values
    const firstPlaceholder = most - length + 1
    expect(toSql(ALWAYS, text, dialect, { firstPlaceholder }).values).toHaveLength(length)
    expect(() => toSql(ALWAYS, text, dialect, { firstPlaceholder: firstPlaceholder + 1 })).toThrow(
      `a condition of ${most + 1} values cannot be part of a filter: a statement of`,
    )
  })

  it('more values than a statement takes, in SQL and for builders', () => {
    const score = { path: ['status'], type: 'number' } as const
    const mapping: Mapping = { tenant: null, key: 'id', attributes: { status: { column: 'score', type: 'double' } } }
    const half = (_: unknown, n: number) => n + 0.5 // SQLite reads whole numbers only exactly from a list
    const of = (length: number) => when({ op: 'in', left: score, right: { value: Array.from({ length }, half) } })
    const tag = (_: unknown, ...values: unknown[]) => values
    const count = 32_765 // the list of whole numbers, which is empty here, is a value too
    expect(toSql(of(count), mapping, 'sqlite').values).toHaveLength(count + 1)
    expect(toKysely(tag, of(count), mapping, 'sqlite')).toHaveLength(count + 1)
    expect(() => toSql(of(count + 1), mapping, 'sqlite')).toThrow('a statement of SQLite has at most 32766')
    expect(() => toKysely(tag, of(count + 1), mapping, 'sqlite')).toThrow('a condition of 32767 values')
  })

  it('a value that would have to be read from text as a time', () => {
    const where: FilterNode = {
      op: 'less-than',
      left: { path: ['status'], type: 'time' },
      right: { value: 5, time: true },
    }
    expect(() => toSql(when(where), MAPPING, 'postgres')).toThrow(
      '`status` cannot be part of a filter: it is a time, and held as text',
    )
  })

  it('a column that holds another type than the attribute is declared as', () => {
    const where: FilterNode = { op: 'equals', left: { path: ['status'], type: 'number' }, right: { value: 5 } }
    expect(() => toSql(when(where), MAPPING, 'postgres')).toThrow(
      'takes `status` for number, and the mapping has another type',
    )
  })

  it.each([
    ['decimal', 'sqlite'],
    ['timestamptz', 'sqlite'],
    ['text[]', 'sqlite'],
    ['text[]', 'mysql'],
    ['uuid', 'mysql'],
  ] as const)('a column of type %s in %s', (type, dialect) => {
    const mapping: Mapping = { ...MAPPING, key: 'id', attributes: { status: { column: 'status', type } } }
    const where: FilterNode = { op: 'array_contains', left: { path: ['status'], type: 'json' }, right: { value: 1 } }
    expect(() => toSql(when(where), mapping, dialect)).toThrow('`status` cannot be part of a filter')
  })

  it('a subquery whose columns could be taken for those of another table', () => {
    const mapping: Mapping = { ...MAPPING, attributes: { status: { column: 'tags', type: 'text[]' } } }
    const where: FilterNode = { op: 'array_contains', left: { path: ['status'], type: 'array' }, right: { key: true } }
    expect(() => toSql(when(where), mapping, 'postgres')).toThrow('give the name of the table')
    expect(toSql(when(where), mapping, 'postgres', TABLE).text).toContain('EXISTS')
  })

  it('an expression of text inside a subquery, where a name could be one of the list', () => {
    const tags = { column: 'tags', type: 'json' } as const
    const where: FilterNode = { op: 'in', left: STATUS, right: { path: ['tags'], type: 'array' } }
    const of = (column: SqlExpression): Mapping => ({
      ...MAPPING,
      attributes: { status: { column, type: 'text' }, tags },
    })
    // `type` is a column of json_each
    expect(() => toSql(when(where), of(sql('lower(type)')), 'sqlite', TABLE)).toThrow(
      'a subquery with (lower(type)), which could be a name of another table there: write it as sql((column) =>',
    )
    const written = of(sql((column) => `lower(${column('type')})`))
    expect(toSql(when(where), written, 'sqlite', TABLE).text).toContain('(lower(`t`.`type`))')
    expect(() => toSql(when(where), written, 'sqlite')).toThrow('give the name of the table, as `table`')
    expect(() => toSql(when(OPEN), of(sql((() => 5) as never)), 'sqlite')).toThrow('must give text')
  })

  it.each<[string, unknown]>([
    ['an older format', { ...ALWAYS, format: 1 }],
    ['a newer format', { ...ALWAYS, format: 3 }],
    ['a node of a form that is not known', when({ xor: [OPEN] } as never)],
    ['a condition beside the known ones', when({ ...OPEN, unless: OPEN } as never)],
    ['an operator that is not known', when({ ...OPEN, op: 'matches' } as never)],
    ['negation of more than a leaf', when({ not: { and: [OPEN] } } as never)],
    ['no filter at all', undefined],
  ])('%s', (_, filter) => {
    expect(() => toSql(filter as Filter, MAPPING, 'postgres')).toThrow('is not of the form of a filter')
  })
})

describe('a mapping', () => {
  const links = { table: 'links', from: 'invoice_id', to: 'folder_id' }
  const through = (part: object): Mapping =>
    ({ ...MAPPING, relations: { parent: { resource: 'folder', through: { ...links, ...part } } } }) as Mapping

  it('is checked where it is defined, and cannot be changed', () => {
    const where = {
      deleted_at: null,
      kind: ['a', 'b'],
      active: true,
      level: { is: 3 },
      approved: { not: null },
    } as const
    const mapping = defineMapping(through({ tenant: 'org_id', where }))
    expect(mapping).toEqual(through({ tenant: 'org_id', where }))
    expect(isDeepFrozen(mapping)).toBe(true)
    expect(toSql(ALWAYS, mapping, 'postgres', TABLE).text).toBe(ORG)
  })

  it.each<[string, object, string]>([
    ['a misspelt part', { wher: {} }, 'parent.through.wher` is not known'],
    ['a where that is text', { where: 'deleted_at IS NULL' }, 'through.where` must be an object'],
    ['a where that is a Map', { where: new Map([['deleted_at', null]]) }, 'through.where` must be a plain object'],
    ['inherited tests', { where: Object.create({ deleted_at: null }) }, 'through.where` must be a plain object'],
    ['values of different types', { where: { kind: ['a', 5] } }, 'through.where.kind` has values of different types'],
    ['no value', { where: { kind: [] } }, 'through.where.kind` must be null, a text,'],
    ['a fraction', { where: { kind: 0.5 } }, 'through.where.kind` must be null, a text,'],
    ['a date', { where: { deleted_at: new Date(5) } }, 'through.where.deleted_at` must be null, a text,'],
    ['not of a value', { where: { kind: { not: 'a' } } }, 'can be negated with null only'],
    ['is and not', { where: { kind: { is: 'a', not: null } } }, 'can be negated with null only'],
    ['another test', { where: { level: { gt: 3 } } }, 'through.where.level.gt` is not known'],
    ['no columns', { from: [] }, 'through.from` must name a column'],
    ['a column without one of the row', { from: [{ column: 'a' }] }, 'through.from[0].row` must be the name'],
    ['a tenant of a type', { tenant: { column: 'org', type: 'json' } }, 'through.tenant.type` must be one of'],
  ])('with %s in a link table is refused', (_, part, reason) => {
    expect(() => defineMapping(through(part))).toThrow(reason)
    expect(() => toSql(ALWAYS, through(part), 'sqlite')).toThrow(reason)
  })

  it('of a table of one tenant has no tenant of links', () => {
    expect(() => defineMapping({ ...through({ tenant: 'org_id' }), tenant: null })).toThrow('`mapping.tenant` is null')
  })

  it('has no link table that the dialect cannot compare', () => {
    const where: FilterNode = { related: 'parent', type: 'folder', in: ['a'] }
    const mapping = { ...through({ to: { column: 'folder_id', type: 'uuid' } }), key: 'id' }
    expect(() => toSql(when(where), mapping, 'mysql', TABLE)).toThrow('MySQL has no type for it')
  })
})

describe('a row in memory', () => {
  const row: Row = { key: 'k', tenant: 'acme', attributes: { status: 'open' } }

  it('is one that the filter means, or not', () => {
    expect(matches(when(OPEN), row)).toBe(true)
    expect(matches(when({ not: OPEN }), row)).toBe(false)
    expect(matches(ALWAYS, { tenant: 'acme' })).toBe(true)
    expect(matches({ ...ABOUT, kind: 'never' }, row)).toBe(false)
  })

  it('of another tenant is none', () => {
    expect(matches(ALWAYS, { ...row, tenant: 'other' })).toBe(false)
  })

  it('that does not say what the filter reads is an error that names it', () => {
    expect(() => matches(when({ not: OPEN }), { tenant: 'acme', key: 'k' })).toThrow('does not say attribute `status`')
    expect(matches(when({ not: OPEN }), { ...row, attributes: { status: null } })).toBe(true)
    expect(() => matches(when(OPEN, { key: true }), { tenant: 'acme', attributes: { status: 'open' } })).toThrow(
      'does not say its key',
    )
    expect(matches(when({ key: { in: ['a'] } }, { key: true }), { ...row, key: null })).toBe(false)
    expect(() => matches(when(OPEN, { relations: ['parent'] }), row)).toThrow('does not say relation `parent`')
  })

  it.each<[string, Partial<Row>, string]>([
    ['NaN', { attributes: { status: Number.NaN } }, 'attribute `status` of the row is not a JSON value'],
    ['a date inside', { attributes: { status: { at: new Date() } as never } }, 'is not a JSON value'],
    ['a key that is a number', { key: 5 as never }, 'the key of the row is not text'],
    ['a relation that is text', { relations: { parent: 'folder:a' as never } }, 'is not a list of `type:key`'],
    ['a relation to a number', { relations: { parent: [5 as never] } }, 'is not a list of `type:key`'],
  ])('that says it by %s is an error', (_, part, reason) => {
    const filter = when({ not: OPEN }, { key: true, relations: ['parent'] })
    const whole: Row = { ...row, relations: { parent: [] } }
    expect(matches(filter, whole)).toBe(false)
    expect(() => matches(filter, { ...whole, ...part })).toThrow(reason)
  })

  it('has an order of numbers only where both are numbers', () => {
    const value = (of: number) => ({ value: of, time: false })
    const orders = ['less-than-equals', 'greater-than-equals'] as const
    expect(orders.map((op) => compare(op, value(Number.NaN), value(5)))).toEqual([false, false])
    expect(orders.map((op) => compare(op, value(-0), value(0)))).toEqual([true, true])
  })

  it.each([Number.NaN, '5' as never])('and a time of asking that is %s are an error', (now) => {
    expect(() => matches(ALWAYS, row, { now })).toThrow('`now` must be milliseconds')
    expect(() => toSql(ALWAYS, MAPPING, 'postgres', { now })).toThrow('`now` must be milliseconds')
  })

  it('is asked for with the time of asking', () => {
    const where: FilterNode = { op: 'less-than', left: { now: true }, right: { value: 5 } }
    expect(() => matches(when(where), row)).toThrow('give `now`')
    expect(matches(when(where), row, { now: 4 })).toBe(true)
  })
})

const links = (mapping: Mapping) => (mapping.relations!.parent as Extract<RelationColumn, { through: unknown }>).through

describe('the question for one row', () => {
  it('has what the mapping names', () => {
    const found = { id: 'k', org_id: 'acme', status: 'open', folder_id: 'f1', other: 1 }
    expect(toResource(found, MAPPING)).toEqual({
      key: 'k',
      tenant: 'acme',
      attributes: { status: 'open' },
      relations: { parent: ['folder:f1'] },
    })
    expect(toResource({ ...found, id: null, folder_id: null, status: null }, MAPPING)).toEqual({
      key: null,
      tenant: 'acme',
      attributes: { status: null },
      relations: { parent: [] },
    })
  })

  it('has the links that count, of those that were loaded', () => {
    const mapping: Mapping = {
      tenant: 'org_id',
      key: { column: 'no', type: 'integer' },
      relations: {
        parent: {
          resource: 'folder',
          through: {
            table: 'links',
            from: { column: 'invoice_no', type: 'integer', property: 'invoiceNo' },
            to: 'folder_id',
            tenant: 'org_id',
            where: { deleted_at: { is: null, property: 'deletedAt' } },
          },
        },
      },
    }
    const link = { invoiceNo: 7, folder_id: 'f1', org_id: 'acme', deletedAt: null }
    const linked = (...parent: unknown[]) => toResource({ no: 7n, org_id: 'acme', parent }, mapping).relations.parent
    expect(linked(link, { ...link, folder_id: 'f2' })).toEqual(['folder:f1', 'folder:f2'])
    const others = [
      { invoiceNo: '8' },
      { org_id: 'beta' },
      { org_id: null },
      { deletedAt: new Date(5) },
      { folder_id: null },
    ]
    expect(linked(...others.map((each) => ({ ...link, ...each })))).toEqual([])
    expect(linked('f1', 'f2')).toEqual(['folder:f1', 'folder:f2'])
    for (const name of Object.keys(link)) {
      const { [name as 'invoiceNo']: _, ...rest } = link
      expect(() => linked(rest)).toThrow(`a link of the row has no \`${name}\`: select it`)
    }
    const narrowed = {
      ...mapping.relations!.parent!,
      through: { ...links(mapping), where: sql('level > 1') },
    } as RelationColumn
    const row = { no: 7, org_id: 'acme', parent: [link] }
    expect(() => toResource(row, { ...mapping, relations: { parent: narrowed } })).toThrow('give the keys of the links')
    expect(() => toResource({ ...row, parent: null }, mapping)).toThrow('must be a list of keys, or of links')
  })

  it('needs every column, and a tenant', () => {
    expect(() => toResource({ id: 'k', org_id: 'acme', folder_id: 'f' }, MAPPING)).toThrow('the row has no `status`')
    expect(() => toResource({ id: 'k', org_id: null, folder_id: 'f', status: 'a' }, MAPPING)).toThrow('no tenant')
  })

  it.each<[string, unknown, unknown]>([
    ['double', Number.NaN, null],
    ['double', Number.POSITIVE_INFINITY, null],
    ['integer', '9007199254740993', 9007199254740992],
    ['integer', 5n, 5],
    ['decimal', '0.10', 0.1],
    ['decimal', 'NaN', null],
    ['boolean', 1, true],
    ['boolean', 2, null],
    ['timestamptz', new Date(5), 5],
    ['timestamptz', '2026-11-20 01:00:00.123999+01', 1795132800123],
    ['timestamptz', 'infinity', null],
    ['text', 5, null],
    ['text[]', ['a', null], ['a', null]],
    ['text[]', [['a']], null],
    ['json', { a: [Number.POSITIVE_INFINITY, 1] }, { a: [null, 1] }],
  ])('reads %s: %s', (type, value, read) => {
    const mapping: Mapping = { tenant: null, key: 'id', attributes: { x: { column: 'x', type: type as 'text' } } }
    expect(toResource({ id: 'k', x: value }, mapping).attributes).toEqual({ x: read })
  })

  it.each<[string, unknown, string | undefined]>([
    ['text', 5, undefined],
    ['uuid', 5n, undefined],
    ['text', new Date(5), undefined],
    ['integer', 5, '5'],
    ['integer', 5n, '5'],
    ['integer', '9223372036854775807', '9223372036854775807'],
    ['integer', '5.0', undefined],
    ['integer', 2 ** 53, undefined],
    ['integer', null, null as never],
  ])('reads a key of %s: %s', (type, value, key) => {
    const column = { column: 'id', type: type as 'text' }
    const mapping: Mapping = { tenant: null, key: column, relations: { up: { resource: 'folder', ...column } } }
    const read = () => toResource({ id: value }, mapping)
    if (key === undefined) expect(read).toThrow(type === 'integer' ? 'not a whole number' : "has `type: 'integer'`")
    else expect(read()).toEqual({ key, attributes: {}, relations: { up: key === null ? [] : [`folder:${key}`] } })
  })

  it('takes text for a number, except in SQLite', () => {
    const mapping: Mapping = {
      tenant: null,
      key: { column: 'id', type: 'integer' },
      attributes: { x: { column: 'x', type: 'integer' }, meta: { column: 'meta', type: 'json' } },
    }
    const found = { id: 1, x: '5', meta: '{"a":1}' }
    expect(toResource(found, mapping).attributes).toEqual({ x: 5, meta: '{"a":1}' })
    expect(toResource(found, mapping, { dialect: 'sqlite' }).attributes).toEqual({ x: null, meta: { a: 1 } })
    expect(() => toResource({ ...found, id: '1' }, mapping, { dialect: 'sqlite' })).toThrow('not a whole number')
  })

  it('reads JSON that the driver gives as text', () => {
    const mapping: Mapping = { tenant: null, key: 'id', attributes: { x: { column: 'x', type: 'json' } } }
    expect(toResource({ id: 'k', x: '{"a":1}' }, mapping, { json: 'text' }).attributes).toEqual({ x: { a: 1 } })
    expect(() => toResource({ id: 'k', x: '{' }, mapping, { json: 'text' })).toThrow('text that is not JSON')
  })
})
