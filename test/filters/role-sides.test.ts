// A role under a condition (D17) as part of a filter: what a way of asking a database cannot say of the role, or of the
// condition next to it, is refused by its name, and never left out.
import { describe, expect, it } from 'vitest'
import { type Mapping, type PrismaOptions, toPrismaWhere, toSql } from '../../src/filters.ts'
import { Image } from '../../src/image/image.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { World } from '../support/world.ts'

const KEYS = { tenant: 'org', key: 'id' } as const
const FOLDER = { folder: { resource: 'folder', column: 'folder' } } as const
const THROUGH = { folder: { resource: 'folder', through: { table: 'links', from: 'id', to: 'folder' } } } as const
const PRISMA: PrismaOptions = { provider: 'sqlite' }

/** The filter of who is editor of a document, assigned and by its folder, and may read it where a condition holds. */
function makeFilter(conditions: JsonObject, time: 'string' | 'time' = 'string') {
  const world = new World()
  const rule = { role: 'keeper', on_resource: 'folder', linked_by_relation: 'folder' }
  world.runAll([
    ['put', 'tenant', { key: 'acme' }],
    ['put', 'user', { key: 'ana' }],
    ['put', 'resource', { key: 'folder', actions: [] }],
    ['put', 'resource', { key: 'doc', actions: ['read'], attributes: { title: time } }],
    ['put', 'relation', { resource: 'doc', relation: 'folder', subject_resource: 'folder' }],
    ['put', 'resource_role', { resource: 'folder', role: 'keeper' }],
    ['put', 'resource_role', { resource: 'doc', role: 'editor', granted_to: { users_with_role: [rule] } }],
    ['put', 'resource_instance', { resource: 'folder', instance: 'f', tenant: 'acme' }],
    ['put', 'resource_instance', { resource: 'doc', instance: '1', tenant: 'acme' }],
    ['put', 'role_assignment', { user: 'ana', role: 'keeper', tenant: 'acme', resource_instance: 'folder:f' }],
    ['put', 'role_assignment', { user: 'ana', role: 'editor', tenant: 'acme', resource_instance: 'doc:1' }],
    ['put', 'condition_set', { key: 'some', type: 'resourceset', resource: 'doc', conditions }],
    ['put', 'set_rule', { user_set: 'doc#editor', permission: 'doc:read', resource_set: 'some' }],
  ])
  const image = Image.build(ENVIRONMENT, makePosition(1), world.contents())
  return image.filter({ user: 'ana', action: 'read', type: 'doc', tenant: 'acme' })
}

const isTitle = (test: JsonObject): JsonObject => ({ 'resource.title': test })
const mapped = (type: 'text' | 'uuid' | 'timestamptz', relations: NonNullable<Mapping['relations']>): Mapping => ({
  ...{ ...KEYS, relations },
  attributes: { title: { column: 'title', type } },
})

describe('[D17] the filter of a role under a condition', () => {
  const filter = makeFilter(isTitle({ equals: 'a' }))

  it('has the role and the condition, in every database and for Prisma', () => {
    const mapping = mapped('text', FOLDER)
    for (const dialect of ['postgres', 'mysql', 'sqlite'] as const) {
      const { text } = toSql(filter, mapping, dialect)
      for (const part of ['org', 'id', 'folder', 'title']) expect(text).toMatch(new RegExp(`["\`]${part}["\`]`))
    }
    const where = JSON.stringify(toPrismaWhere(filter, mapping, PRISMA))
    for (const part of ['{"org":"acme"}', '{"id":"1"}', '{"folder":"f"}', '{"title":"a"}'])
      expect(where).toContain(part)
  })

  it.each([
    [
      'the table through which the role comes, for Prisma',
      () => toPrismaWhere(filter, mapped('text', THROUGH), PRISMA),
      'relation `folder` cannot be part of a filter: it is held in another table',
    ],
    [
      'the operator of the condition, for Prisma',
      () => toPrismaWhere(makeFilter(isTitle({ contains: 'a' })), mapped('text', FOLDER), PRISMA),
      '`contains` cannot be part of a filter: a where object does not say it exactly',
    ],
    [
      'a column that MySQL has not',
      () => toSql(filter, mapped('uuid', FOLDER), 'mysql'),
      '`title` cannot be part of a filter',
    ],
    [
      'a column that SQLite has not',
      () => toSql(makeFilter(isTitle({ equals: 0 }), 'time'), mapped('timestamptz', FOLDER), 'sqlite'),
      '`title` cannot be part of a filter',
    ],
    [
      'a time that is held as text, in PostgreSQL',
      () => toSql(makeFilter(isTitle({ equals: 0 }), 'time'), mapped('text', FOLDER), 'postgres'),
      '`title` cannot be part of a filter',
    ],
  ])('is refused by name for %s', (_, say, message) => {
    expect(say).toThrow(message)
  })

  it('without a column for the relation by which the role comes is an error that names it', () => {
    for (const say of [
      () => toSql(filter, mapped('text', {}), 'postgres'),
      () => toPrismaWhere(filter, mapped('text', {}), PRISMA),
    ])
      expect(say).toThrow('`folder`')
  })
})
