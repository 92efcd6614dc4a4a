// Explanations for people, word for word: test/golden/why.txt has a question of each kind. Names of the machinery never
// show, a hostile name cannot write to a terminal, and everything is bounded.
import Schema from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { whyTree } from '../../src/image/explain/why-tree.ts'
import { Image } from '../../src/image/image.ts'
import { EXPLAIN_MISSES_MAX, EXPLAIN_NAMES_MAX } from '../../src/model/limits.ts'
import type { WhyNode } from '../../src/model/why.ts'
import { WHY_LEVELS, WhySchema } from '../../src/model/why-schema.ts'
import { loadImage, type Pdp } from '../../src/pdp/pdp.ts'
import type { Resource, User } from '../../src/pdp/request.ts'
import { whyLines, whyTreeLines } from '../../src/pdp/why-text.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type Operation, World } from '../support/world.ts'

const BASE: Operation[] = [
  ['put', 'resource', { key: '__user', actions: [], attributes: { department: 'string' } }],
  [
    'put',
    'resource',
    {
      key: 'invoice',
      actions: ['read', 'write', 'approve', 'burn'],
      attributes: { amount: 'number', department: 'string' },
    },
  ],
  ['put', 'resource', { key: 'folder', actions: ['list'] }],
  ['put', 'role', { key: 'viewer', permissions: ['invoice:read'] }],
  ['put', 'role', { key: 'editor', permissions: ['invoice:write'], extends: ['viewer'] }],
  ['put', 'role', { key: 'admin', permissions: ['invoice:approve', 'invoice:write'], extends: ['editor'] }],
  ['put', 'resource_role', { resource: 'folder', role: 'owner', permissions: ['folder:list'] }],
  ['put', 'relation', { resource: 'invoice', relation: 'parent', subject_resource: 'folder' }],
  ['put', 'resource_role', { resource: 'invoice', role: 'reader', permissions: ['invoice:read'] }],
  ['put', 'resource_role', { resource: 'invoice', role: 'seer' }],
  [
    'put',
    'resource_role',
    {
      resource: 'invoice',
      role: 'keeper',
      extends: ['reader'],
      permissions: ['invoice:write'],
      granted_to: {
        when: { no_direct_roles_on_object: true },
        users_with_role: [{ role: 'owner', on_resource: 'folder', linked_by_relation: 'parent' }],
      },
    },
  ],
  ['put', 'condition_set', { key: 'staff', type: 'userset', conditions: { 'user.department': { equals: 'finance' } } }],
  [
    'put',
    'condition_set',
    {
      key: 'small',
      type: 'resourceset',
      resource: 'invoice',
      conditions: { 'resource.amount': { 'less-than': 1000 } },
    },
  ],
  ['put', 'set_rule', { user_set: 'staff', permission: 'invoice:approve', resource_set: 'small' }],
  ['put', 'set_rule', { user_set: 'editor', permission: 'invoice:approve', resource_set: 'invoice' }],
  ['put', 'tenant', { key: 'acme' }],
  ['put', 'tenant', { key: 'globex' }],
  ['put', 'user', { key: 'ana', attributes: { department: 'finance' } }],
  ['put', 'user', { key: 'ben' }],
  ['put', 'user', { key: 'eve' }],
  ['put', 'role_assignment', { user: 'ana', role: 'editor', tenant: 'acme' }],
  ['put', 'role_assignment', { user: 'ben', role: 'viewer', tenant: 'acme' }],
  ['put', 'role_assignment', { user: 'ben', role: 'admin', tenant: 'globex' }],
  ['put', 'resource_instance', { resource: 'folder', instance: 'f1', tenant: 'acme' }],
  ['put', 'resource_instance', { resource: 'invoice', instance: '17', tenant: 'acme', attributes: { amount: 5000 } }],
  ['put', 'resource_instance', { resource: 'invoice', instance: '18', tenant: 'acme', attributes: { amount: 500 } }],
  ['put', 'relationship_tuple', { subject: 'folder:f1', relation: 'parent', object: 'invoice:17' }],
  ['put', 'role_assignment', { user: 'eve', role: 'owner', tenant: 'acme', resource_instance: 'folder:f1' }],
  ['put', 'user', { key: 'dan' }],
  ['put', 'user', { key: 'kim', attributes: { department: 'finance' } }],
  ['put', 'resource_instance', { resource: 'folder', instance: 'g1', tenant: 'globex' }],
  ['put', 'role_assignment', { user: 'dan', role: 'owner', tenant: 'acme', resource_instance: 'folder:f1' }],
  ['put', 'role_assignment', { user: 'dan', role: 'seer', tenant: 'acme', resource_instance: 'invoice:17' }],
]

function makePdp(...more: Operation[]): Pdp {
  const world = new World()
  world.runAll([...BASE, ...more])
  return loadImage(Image.build(ENVIRONMENT, makePosition(1), world.contents()).save())
}
const pdp = makePdp()

const acme = (type: string, key?: string): Resource => ({ type, tenant: 'acme', ...(key === undefined ? {} : { key }) })
const sent = (key: string, attributes: { [name: string]: string | number }) => ({ type: 'invoice', key, attributes })
const related = (key: string, relations: { [name: string]: string[] }) => ({
  type: 'invoice',
  key,
  tenant: 'acme',
  relations,
})

const QUESTIONS: readonly [what: string, User, action: string, Resource][] = [
  ['a role in the tenant, over extends', 'ana', 'read', acme('invoice')],
  ['set rules', 'ana', 'approve', 'invoice:18'],
  ['a role on a related instance', 'eve', 'read', 'invoice:17'],
  ['over a relation that is sent', 'eve', 'read', related('new', { parent: ['folder:f1'] })],
  ['roles are missing; there is one in another tenant', 'ben', 'write', 'invoice:17'],
  ['a set rule nearly matches', 'ben', 'approve', 'invoice:18'],
  ['a set rule whose resource set is false, on a stored value', 'kim', 'approve', 'invoice:17'],
  ['the same on a value that is sent', 'kim', 'approve', sent('18', { amount: 3000 })],
  ['a value of another type', 'kim', 'approve', sent('18', { amount: 'x' })],
  ['an unknown user', 'bne', 'approve', 'invoice:17'],
  ['an unknown action', 'ben', 'aprove', 'invoice:17'],
  ['an unknown tenant', 'ben', 'approve', { type: 'invoice', tenant: 'acm' }],
  ['an unknown resource type', 'ben', 'approve', 'invoce:17'],
  ['an unknown resource type, and none is near', 'ben', 'approve', 'x'],
  ['an unknown instance', 'eve', 'write', acme('invoice', '19')],
  ['the resource is in another tenant', 'eve', 'write', { type: 'invoice', key: '17', tenant: 'globex' }],
  ['no instance is named', 'eve', 'write', acme('invoice')],
  ['nothing gives the permission', 'ana', 'burn', acme('invoice')],
  ['a direct role stops the derivation', 'dan', 'write', 'invoice:17'],
  [
    'relations that are sent give nothing',
    'ana',
    'list',
    { type: 'folder', key: 'new', tenant: 'acme', relations: { parent: ['folder:f1'] } },
  ],
  [
    'relations that are sent give nothing, one by one',
    'ben',
    'write',
    related('new', { parent: ['folder:f1', 'folder:f2', 'folder:g1', 'invoice:17'], parnet: ['folder:f1'] }),
  ],
]

describe('an explanation for people', () => {
  it('says what allows, or the nearest ways and what is missing on each', async () => {
    const explanations = QUESTIONS.map(([what, user, action, resource]) =>
      [`# ${what}`, ...whyLines(pdp.why(user, action, resource))].join('\n'),
    )
    const tree = ['# as a tree', ...whyTreeLines(pdp.why('ben', 'approve', 'invoice:18'))].join('\n')
    await expect(`${[...explanations, tree].join('\n\n')}\n`).toMatchFileSnapshot('../golden/why.txt')
  })

  it('agrees with the check, is of the published form, and never shows internal names', () => {
    for (const [what, user, action, resource] of QUESTIONS) {
      const why = pdp.why(user, action, resource)
      expect([what, why.allow]).toEqual([what, pdp.check(user, action, resource)])
      expect(why.tree.outcome).toBe(why.allow ? 'allow' : 'deny')
      expect(Schema.Check(WhySchema, JSON.parse(JSON.stringify(why)))).toBe(true)
      expect(JSON.stringify(why)).not.toMatch(/__autogen|no_permission|undefined/)
      expect(why.tree.children).not.toEqual([])
    }
  })

  it('never lets a name or a value write to a terminal', () => {
    const hostile = 'ana\u001b[2J\nallow: all\u202e\u0007'
    for (const [user, action, resource] of [
      [hostile, 'read', 'invoice'],
      ['ana', hostile, 'invoice'],
      ['ana', 'read', hostile],
      ['ana', 'read', { type: 'invoice', tenant: hostile }],
      ['kim', 'approve', sent('18', { amount: hostile })],
      ['ana', 'write', related(hostile, { [hostile]: [`folder:${hostile}`] })],
    ] as const) {
      const lines = whyLines(pdp.why(user, action, resource))
      expect(lines.join('')).not.toMatch(/\p{C}/u)
    }
  })

  it('is bounded: of many roles, rules and instances it names the first and counts the rest', () => {
    const many = Array.from({ length: 40 }, (_, index): Operation[] => [
      ['put', 'role', { key: `r${index}`, permissions: ['invoice:burn'] }],
      ['put', 'tenant', { key: `t${index}` }],
      ['put', 'role_assignment', { user: 'ana', role: `r${index}`, tenant: `t${index}` }],
      ['put', 'condition_set', { key: `s${index}`, type: 'userset', conditions: { 'user.x': { equals: index } } }],
      ['put', 'set_rule', { user_set: `s${index}`, permission: 'invoice:burn', resource_set: 'invoice' }],
    ])
    const { tree } = makePdp(...many.flat()).why('ana', 'burn', acme('invoice'))
    const roles = tree.children.find(({ text }) => text.includes(' in tenant acme would allow this'))
    expect(roles?.text).toContain(`and ${40 - EXPLAIN_NAMES_MAX} more`)
    expect(tree.children.filter(({ text }) => text.startsWith('a set rule')).length).toBe(EXPLAIN_MISSES_MAX)
    expect(
      tree.children.some(
        ({ text }) => text.includes(`and ${40 - EXPLAIN_NAMES_MAX} more`) && text.includes('other tenants'),
      ),
    ).toBe(true)
    expect(levels(tree)).toBe(WHY_LEVELS)
  })
})

describe('an explanation in time', () => {
  const [nine, noon, five] = [9, 12, 17].map((hour) => Date.UTC(2026, 10, 20, hour)) as [number, number, number]
  const world = new World()
  world.runAll([
    ...BASE,
    ['put', 'user', { key: 'tim' }],
    ['put', 'user', { key: 'tom' }],
    ['put', 'role_assignment', { user: 'tim', role: 'editor', tenant: 'acme', valid_from: nine, valid_until: five }],
    [
      'put',
      'role_assignment',
      { user: 'tom', role: 'owner', tenant: 'acme', resource_instance: 'folder:f1', valid_from: noon },
    ],
    [
      'put',
      'relationship_tuple',
      { subject: 'folder:f1', relation: 'parent', object: 'invoice:18', valid_until: five },
    ],
    ['put', 'set_rule', { user_set: '__autogen_invoice#keeper', permission: 'invoice:burn', resource_set: 'invoice' }],
    ['put', 'resource_instance', { resource: 'invoice', instance: '20', tenant: 'acme' }],
    [
      'put',
      'relationship_tuple',
      { subject: 'folder:f1', relation: 'parent', object: 'invoice:20', valid_until: five },
    ],
    ['put', 'role_assignment', { user: '*', role: 'keeper', tenant: 'acme', resource_instance: 'invoice:20' }],
  ])
  const image = Image.build(ENVIRONMENT, makePosition(1), world.contents())
  const why = (at: number, user: string, action: string, key?: string) =>
    image.guardAt(at, () => whyTree(image.explainWays(user, action, 'invoice', 'acme', key)))

  it('[D15] says until when what allows is in force, and what would allow, were it in force', async () => {
    const asked: readonly [what: string, at: number, user: string, action: string, key?: string][] = [
      ['a role for a time', noon, 'tim', 'read'],
      ['a set rule for a role for a time', noon, 'tim', 'approve'],
      ['before its start', nine - 1, 'tim', 'read'],
      ['at its end', five, 'tim', 'read'],
      ['over a relation for a time', noon, 'tom', 'write', '18'],
      ['before the start of the role on the folder', nine, 'tom', 'write', '18'],
      ['after the end of the relation', five, 'tom', 'write', '18'],
      ['a set rule for a role on the invoice, over a relation for a time', noon, 'tom', 'burn', '20'],
      ['the same where everyone has the role', noon, 'tim', 'burn', '20'],
      ['what everyone has there', five, 'tim', 'write', '20'],
    ]
    const texts = asked.map(([what, ...of]) => [`# ${what}`, ...whyLines(why(...of))].join('\n'))
    await expect(`${texts.join('\n\n')}\n`).toMatchFileSnapshot('../golden/why-in-time.txt')
  })

  it('is of the published form, and says a time that no date can say', () => {
    expect(Schema.Check(WhySchema, JSON.parse(JSON.stringify(why(five, 'tom', 'write', '18'))))).toBe(true)
    const put = { user: 'ana', role: 'admin', tenant: 'acme', valid_until: Number.MAX_SAFE_INTEGER }
    world.run(['put', 'role_assignment', put])
    const far = Image.build(ENVIRONMENT, makePosition(1), world.contents())
    const { tree } = far.guardAt(nine, () => whyTree(far.explainWays('ana', 'approve', 'invoice', 'acme')))
    expect(tree.children[0]?.text).toContain(`(in force until ${Number.MAX_SAFE_INTEGER})`)
  })
})

const levels = ({ children }: WhyNode): number => 1 + Math.max(0, ...children.map(levels))
