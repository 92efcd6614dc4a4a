// Types from a policy: what `zerohop types` prints, and what compiles with it. `npm run typecheck` judges the types;
// test/golden/policy.d.ts is the printed text, by which they are held together. ZEROHOP_WRITE_DOCS=1 writes it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { Attributes, Pdp, PolicyTypes } from '../../src/index.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import type { RelationOf } from '../../src/pdp/policy-types.ts'
import { printTypes } from '../../src/pdp/print-types.ts'
import type { Policy } from '../golden/policy.d.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { outcome } from '../support/outcome.ts'
import { type Operation, World } from '../support/world.ts'
import { ROOT } from '../tidy/source.ts'

const GOLDEN = join(ROOT, 'test/golden/policy.d.ts')
const FOLDER = { type: 'folder', role: 'reader' }
const POLICY: Operation[] = [
  [
    'put',
    'resource',
    {
      key: 'invoice',
      actions: ['read', 'pay'],
      attributes: {
        total: 'number',
        paid: 'bool',
        owner: 'string',
        due: 'time',
        tags: 'array',
        address: 'object',
        items: 'object_array',
        'odd-name': 'json',
        "*/ it's\n\u2028": 'string',
      },
    },
  ],
  ['put', 'resource', { key: 'folder', actions: ['open'] }],
  ['put', 'resource', { key: '2-d', actions: [] }],
  ['put', 'resource', { key: '__user', actions: [], attributes: { level: 'number' } }],
  ['put', 'relation', { resource: 'invoice', relation: 'parent', subject_resource: 'folder' }],
  ['put', 'tenant', { key: 'acme' }],
  ['put', 'role', { key: 'clerk', permissions: ['invoice:read'] }],
  ['put', 'resource_role', { resource: FOLDER.type, role: FOLDER.role, permissions: ['folder:open'] }],
  [
    'put',
    'resource_role',
    {
      resource: 'invoice',
      role: 'reader',
      permissions: ['invoice:read'],
      granted_to: {
        users_with_role: [{ role: FOLDER.role, on_resource: FOLDER.type, linked_by_relation: 'parent' }],
      },
    },
  ],
  ['put', 'user', { key: 'ana' }],
  ['put', 'role_assignment', { user: 'ana', role: 'clerk', tenant: 'default' }],
]

function makeImage(operations: readonly Operation[]): Image {
  const world = new World()
  world.runAll(operations)
  return Image.build(ENVIRONMENT, makePosition(1), world.contents())
}
const image = makeImage(POLICY)

describe('the printed types', () => {
  it('have every name of the policy, quoted and escaped where it must be', () => {
    const text = printTypes(image.names, { tenants: false })
    if (process.env.ZEROHOP_WRITE_DOCS === '1') writeFileSync(GOLDEN, text)
    expect(text).toBe(readFileSync(GOLDEN, 'utf8'))
  })

  it('are the same whatever the order of the changes, the revision and the facts', () => {
    const facts: Operation[] = [
      ['put', 'user', { key: 'ben' }],
      ['put', 'resource_instance', { resource: 'invoice', instance: 'i1', tenant: 'acme' }],
    ]
    const other = makeImage([...POLICY.slice(1, 4).reverse(), ...POLICY.toSpliced(1, 3), ...facts])
    expect(printTypes(other.names, { tenants: false })).toBe(printTypes(image.names, { tenants: false }))
  })

  it('have the tenants only when they are asked for', () => {
    expect(printTypes(image.names, { tenants: true })).toContain("  tenants: 'acme' | 'default'\n")
  })

  it('of an empty policy name nothing', () => {
    const text = printTypes(makeImage([]).names, { tenants: false })
    expect(text).toContain('  resources: {}\n')
    expect(text).toContain('  roles: never\n')
  })
})

describe('a PDP with the types of its policy', () => {
  const pdp = loadImage<Policy>(image.save(), { strict: true })

  it('answers questions that name what the policy has', () => {
    expect(pdp.check('ana', 'read', 'invoice')).toBe(true)
    expect(pdp.check('ana', 'read', 'invoice:i1')).toBe(true)
    expect(pdp.check('ana', { key: 'open' }, { type: 'folder', tenant: 'acme' })).toBe(false)
    const attributes = { total: 3, paid: null, due: '2026-01-01T00:00:00Z', address: { city: 'Bern' }, tags: ['a'] }
    const user = { key: 'ana', attributes: { level: 3, undeclared: ['x'] } }
    expect(pdp.check(user, 'read', { type: 'invoice', key: 'i1', attributes }, { mfa: true })).toBe(true)
    expect(pdp.check(user, 'read', { type: 'invoice', relations: { parent: ['folder:f1'] } })).toBe(true)
    expect(pdp.filter('ana', 'read', 'invoice', { tenant: 'default' }).kind).toBe('always')
    expect(pdp.subject('ana').can('read', 'invoice')).toBe(true)
    expect(pdp.permission('read', 'invoice').allows('ana', { tenant: 'default', key: 'i1' })).toBe(true)
    expect(
      pdp.bulkCheck([
        { user: 'ana', action: 'read', resource: 'invoice' },
        { user: 'ana', action: 'open', resource: { type: 'folder', key: 'f1' } },
      ]),
    ).toEqual([true, false])
    expect(pdp.resources('ana', 'read', 'invoice', { attributes: { total: 1 } }).keys).toEqual([])
    expect([pdp.check(null, 'read', 'invoice'), pdp.actions(null, 'invoice')]).toEqual([false, []])
    const actions = pdp.actions('ana', 'invoice')
    expectTypeOf(actions).toEqualTypeOf<('read' | 'pay')[]>()
    expect(actions).toEqual(['read'])
  })

  it('does not compile a wrong action, type, tenant, relation or attribute', () => {
    const wrong = [
      // @ts-expect-error: no such action
      () => pdp.check('ana', 'raed', 'invoice'),
      // @ts-expect-error: no such type
      () => pdp.check('ana', 'read', 'invioce'),
      // @ts-expect-error: no such type
      () => pdp.check('ana', 'read', 'invioce:i1'),
      // @ts-expect-error: an action of another type
      () => pdp.check('ana', 'open', 'invoice'),
      // @ts-expect-error: an action of another type
      () => pdp.check('ana', 'read', { type: 'folder', key: 'f1' }),
      // @ts-expect-error: an action of another type
      () => pdp.explain('ana', 'open', 'invoice:i1'),
      // @ts-expect-error: an action of another type
      () => pdp.subject('ana').can('open', 'invoice:i1'),
      // @ts-expect-error: an action of another type
      () => pdp.permission('open', 'invoice').allows('ana'),
      // @ts-expect-error: an action of another type
      () => pdp.bulkCheck([{ user: 'ana', action: 'open', resource: 'invoice' }]),
      // @ts-expect-error: an action of another type
      () => pdp.resources('ana', 'open', 'invoice'),
      // @ts-expect-error: no such type
      () => pdp.actions('ana', 'invioce'),
      // @ts-expect-error: an action of another type
      () => pdp.authorizedUsers({ action: 'open', resource: 'invoice' }),
      // @ts-expect-error: no such type
      () => pdp.userPermissions('ana', { resourceTypes: ['invioce'] }),
      // @ts-expect-error: no such relation
      () => pdp.check('ana', 'read', { type: 'invoice', relations: { parnt: ['folder:f1'] } }),
      // @ts-expect-error: an action of another type
      () => pdp.filter('ana', 'open', 'invoice', { tenant: 'acme' }),
    ]
    for (const ask of wrong) expect(outcome(ask)).toBe('UNKNOWN_NAME')
    const without = [
      // @ts-expect-error: a session that is missing is not a visitor
      () => pdp.check(undefined, 'read', 'invoice'),
      // @ts-expect-error: nor is a key that is missing
      () => pdp.check({ key: null }, 'read', 'invoice'),
    ]
    for (const ask of without) expect(outcome(ask)).toBe('INPUT_INVALID')
    const illTyped = [
      // @ts-expect-error: an instance is named where it is asked about
      () => pdp.permission('read', 'invoice:i1').allows('ana'),
      // @ts-expect-error: no such attribute
      () => pdp.check('ana', 'read', { type: 'invoice', attributes: { totl: 3 } }),
      // @ts-expect-error: a number where text is declared
      () => pdp.check('ana', 'read', { type: 'invoice', attributes: { total: '3' } }),
      // @ts-expect-error: this type declares no attributes
      () => pdp.check('ana', 'open', { type: 'folder', attributes: { total: 3 } }),
      // @ts-expect-error: the level is a number
      () => pdp.check({ key: 'ana', attributes: { level: 'high' } }, 'read', 'invoice'),
    ]
    for (const ask of illTyped) expect(outcome(ask)).not.toBe('UNKNOWN_NAME')
  })

  it('has a type that functions over any policy take', () => {
    const any = (asked: Pdp): boolean => asked.check('ana', 'read', 'invoice')
    expect(any(pdp)).toBe(true)
    expectTypeOf<Policy>().toMatchTypeOf<PolicyTypes>()
    expectTypeOf<RelationOf<Policy, 'invoice'>>().toEqualTypeOf<'parent'>()
    expectTypeOf<RelationOf<Policy, 'folder'>>().toEqualTypeOf<never>()
    expectTypeOf<Policy['roles']>().toEqualTypeOf<'clerk'>()
    expectTypeOf<Policy['resources']['invoice']['roles']>().toEqualTypeOf<'reader'>()
  })
})

describe('a PDP without them', () => {
  it('takes any string, and variables of the published types', () => {
    const pdp = loadImage(image.save())
    const [user, action, resource]: string[] = ['ana', 'raed', 'invoice']
    expect(pdp.check(user!, action!, resource!)).toBe(false)
    const attributes: Attributes = { total: 3 }
    expect(pdp.check({ key: 'ana', attributes }, 'read', { type: resource!, attributes })).toBe(true)
    expectTypeOf(pdp.actions('ana', 'invoice')).toEqualTypeOf<string[]>()
    expectTypeOf(pdp).toEqualTypeOf<Pdp>()
  })
})
