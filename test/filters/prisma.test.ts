// `where` objects of Prisma mean the rows of the filter. Prisma itself (`npm run test:prisma`) needs a generated client;
// what its objects mean is written down here: a comparison with null is unknown, NOT of unknown is unknown, and such rows are not found.
import { describe, expect, it } from 'vitest'
import {
  FILTER_FORMAT,
  type Filter,
  type Mapping,
  matches,
  type PrismaOptions,
  type Row,
  toPrismaWhere,
} from '../../src/filters.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import type { Json } from '../../src/model/objects.ts'
import { scaled } from '../property/seed.ts'
import { generator, NOW } from './law.ts'
import { REQUIRED, TYPES } from './prisma-columns.ts'
import { randomFilter, TENANT } from './random-filters.ts'
import { INSTANTS, KEYS, makeTable, type Next, NUMBERS, pick, TEXTS, UUIDS } from './random-rows.ts'

const OPTIONS = { provider: 'postgresql', required: REQUIRED } as const

function plainMapping(): Mapping {
  const { mapping } = makeTable(TYPES)
  const attributes = Object.fromEntries(
    Object.entries(mapping.attributes!).map(([name, each]) => [name, { ...each, column: name }]),
  )
  return {
    ...mapping,
    tenant: 'org',
    attributes,
    relations: { ...mapping.relations, parent: { resource: 'folder', column: 'folder' } },
  }
}

const TABLE = { ...makeTable(TYPES), mapping: plainMapping() }
const POOLS: Record<string, readonly Json[]> = {
  status: TEXTS,
  value: TEXTS,
  owner: UUIDS,
  done: [true, false],
  score: NUMBERS,
  amount: NUMBERS.filter((each) => Number.isSafeInteger(each)),
  due: [...INSTANTS.filter((each) => Number.isInteger(each) && each < Date.UTC(9999, 0, 1)), Number.POSITIVE_INFINITY],
}

/** A row as the model has it, with times as dates. */
function randomRow(next: Next): { fields: Record<string, unknown>; row: Row } {
  const attributes = Object.fromEntries(
    Object.entries(POOLS).map(([name, pool]) => [
      name,
      !REQUIRED.includes(name) && next(5) === 0 ? null : pick(next, pool),
    ]),
  )
  const [id, folder] = [next(5) === 0 ? null : pick(next, KEYS), next(5) === 0 ? null : pick(next, KEYS)]
  const tenant = pick(next, [TENANT, TENANT, TENANT, 'other'])
  const { due } = attributes
  if (due === Number.POSITIVE_INFINITY) attributes.due = null // as `toResource` reads it
  const relations = { parent: folder === null ? [] : [`folder:${folder}`], team: [] }
  return { fields: { ...attributes, due, id, folder, org: tenant }, row: { key: id, tenant, attributes, relations } }
}

/** True, false, or undefined for unknown. */
function means(where: Record<string, unknown>, fields: Record<string, unknown>): boolean | undefined {
  return every(
    Object.entries(where).map(([name, test]) => {
      // Prisma leaves a list out that is empty
      if (Array.isArray(test) && test.length === 0) throw new Error(`${name} of nothing`)
      if (name === 'AND') return every((test as Record<string, unknown>[]).map((each) => means(each, fields)))
      if (name === 'OR') return not(every((test as Record<string, unknown>[]).map((each) => not(means(each, fields)))))
      if (name === 'NOT') return not(means(test as Record<string, unknown>, fields))
      if (!(name in fields)) throw new Error(`no field ${name}`)
      return fieldMeans(name, fields[name], test)
    }),
  )
}

function fieldMeans(name: string, field: unknown, test: unknown): boolean | undefined {
  if (test === null || (test as { not?: null }).not === null) {
    if (REQUIRED.includes(name)) throw new Error(`${name} cannot be null`)
    return (test === null) === (field === null)
  }
  if (Array.isArray((test as { in?: unknown[] }).in) && (test as { in: unknown[] }).in.length === 0) return false
  if (field === null) return undefined
  const order = (bound: unknown) => Number(field) - Number(bound)
  if (typeof test !== 'object') return field === test
  return Object.entries(test as object).every(([word, bound]) => {
    if (word === 'in') return (bound as unknown[]).includes(field)
    return { lt: order(bound) < 0, lte: order(bound) <= 0, gt: order(bound) > 0, gte: order(bound) >= 0 }[word]
  })
}

const not = (value: boolean | undefined) => (value === undefined ? undefined : !value)
const every = (values: readonly (boolean | undefined)[]) =>
  values.includes(false) ? false : values.includes(undefined) ? undefined : true

describe('where objects of Prisma', () => {
  it('mean the rows of the filter, or are refused', () => {
    const next = generator(11)
    const refused = new Set<string>()
    let asked = 0
    while (asked < scaled(400)) {
      const filter = randomFilter(next, TABLE)
      let where: Record<string, unknown>
      try {
        where = toPrismaWhere(filter, TABLE.mapping, OPTIONS)
      } catch (error) {
        if (!isZerohopError(error, 'FILTER_REFUSED')) throw error
        refused.add(error.message)
        continue
      }
      asked++
      for (let count = 0; count < 20; count++) {
        const { fields, row } = randomRow(next)
        const found = means(where, fields) === true
        expect({ filter, where, row, found }).toEqual({ filter, where, row, found: matches(filter, row, { now: NOW }) })
      }
    }
    expect([...refused].some((reason) => reason.includes('`contains`'))).toBe(true)
    expect([...refused].some((reason) => reason.includes('the order of text depends'))).toBe(true)
  })

  it('that are never unknown are false for rows that the filter does not mean', () => {
    const next = generator(12)
    for (let asked = 0; asked < scaled(200); ) {
      const filter = randomFilter(next, TABLE)
      let where: Record<string, unknown>
      try {
        where = toPrismaWhere(filter, TABLE.mapping, { ...OPTIONS, neverUnknown: true })
      } catch (error) {
        if (!isZerohopError(error, 'FILTER_REFUSED')) throw error
        continue
      }
      asked++
      for (let count = 0; count < 20; count++) {
        const { fields, row } = randomRow(next)
        const found = means(where, fields)
        expect({ filter, where, row, found }).toEqual({ filter, where, row, found: matches(filter, row, { now: NOW }) })
      }
      expect(means(where, { ...randomRow(next).fields, org: null })).toBe(false)
    }
  })

  it('have the tenant, whatever the filter', () => {
    const about = { format: 2, revision: 1, type: 'row', tenant: 'acme' } as const
    const always: Filter = { ...about, kind: 'always' }
    expect(toPrismaWhere(always, TABLE.mapping, OPTIONS)).toEqual({ org: 'acme' })
    expect(toPrismaWhere({ ...about, kind: 'never' }, TABLE.mapping, OPTIONS)).toEqual({ id: { in: [] } })
  })

  it('are refused for an integer key, and for another database', () => {
    const about = { format: 2, revision: 1, type: 'row', tenant: 'acme' } as const
    const reads = { attributes: [], relations: [], key: true }
    const where = { op: 'equals', left: { key: true }, right: { value: '5' } } as const
    const mapping = { tenant: null, key: { column: 'id', type: 'integer' } } as const
    expect(() => toPrismaWhere({ ...about, kind: 'when', where, reads }, mapping, { provider: 'sqlite' })).toThrow(
      '`key` cannot be part of a filter: its keys are numbers',
    )
    for (const options of [{ provider: 'mysql' }, {}])
      expect(() => toPrismaWhere({ ...about, kind: 'always' }, mapping, options as never)).toThrow(
        '`provider` must be one of postgresql, sqlite',
      )
  })

  describe('of many values', () => {
    const keys = (count: number): Filter => ({
      ...{ format: FILTER_FORMAT, revision: 1, type: 'row', tenant: 'acme', kind: 'when' },
      where: { key: { in: Array.from({ length: count }, (_, n) => `k${n}`) } },
      reads: { attributes: [], relations: [], key: true },
    })
    const write = (filter: Filter | readonly Filter[], options: Partial<PrismaOptions>) =>
      toPrismaWhere(filter, TABLE.mapping, { ...OPTIONS, ...options })

    it.each<[string, Partial<PrismaOptions>, number]>([
      ['PostgreSQL', {}, 1000],
      ['PostgreSQL, beside many others', { otherValues: 32_000 }, 766],
      ['SQLite', { provider: 'sqlite' }, 900],
      ['SQLite, beside a few others', { provider: 'sqlite', otherValues: 2 }, 997],
    ])('have no list that Prisma could send in parts, and end where it would: %s', (_, options, most) => {
      const where = write(keys(most - 1), options) // the tenant is a value too
      expect(JSON.stringify(where)).not.toContain('"in"')
      for (const count of [most, 40_000]) {
        const refused = () => write(keys(count), options)
        expect(refused).toThrow(`a condition of ${count + 1} values cannot be part of a filter`)
        expect(refused).toThrow('use `toPrismaSql`')
      }
      const half = Math.floor(most / 2)
      expect(() => write([keys(half), keys(half + 1)], options)).toThrow(`a condition of ${2 * half + 3} values`)
    })

    it.each([-1, 1.5, Number.NaN])('beside %s others are an error', (otherValues) => {
      expect(() => write(keys(1), { otherValues })).toThrow('`otherValues` must be a whole number')
    })
  })

  it('with a required field that the mapping has not are an error', () => {
    const always: Filter = { format: FILTER_FORMAT, revision: 1, type: 'row', tenant: 'acme', kind: 'always' }
    for (const required of [['nope'], [...REQUIRED, 'statu']])
      expect(() => toPrismaWhere(always, TABLE.mapping, { ...OPTIONS, required })).toThrow(
        `\`required\`: the mapping has no field \`${required.at(-1)}\``,
      )
    const required = ['org', 'id', 'folder', ...REQUIRED]
    expect(toPrismaWhere(always, TABLE.mapping, { ...OPTIONS, required })).toEqual({ org: 'acme' })
  })
})
