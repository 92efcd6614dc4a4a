// The option `strict`: a name that the policy does not have is an error with the nearest name, in every form of asking.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { NEAREST_CHARS_MAX, NEAREST_NAMES_MAX } from '../../src/model/limits.ts'
import { nearestName } from '../../src/model/nearest-name.ts'
import { loadImage, type PdpOptions } from '../../src/pdp/pdp.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { outcome } from '../support/outcome.ts'
import { type Operation, World } from '../support/world.ts'

const POLICY: Operation[] = [
  ['put', 'resource', { key: 'invoice', actions: ['read', 'pay'], attributes: { total: 'number' } }],
  ['put', 'resource', { key: 'folder', actions: ['open'] }],
  ['put', 'resource', { key: '__user', actions: [], attributes: { level: 'number' } }],
  ['put', 'relation', { resource: 'invoice', relation: 'parent', subject_resource: 'folder' }],
  ['put', 'tenant', { key: 'acme' }],
  ['put', 'role', { key: 'clerk', permissions: ['invoice:read'] }],
  ['put', 'user', { key: 'ana' }],
  ['put', 'role_assignment', { user: 'ana', role: 'clerk', tenant: 'default' }],
  ['put', 'resource_instance', { resource: 'folder', instance: 'f1', tenant: 'default' }],
  ['put', 'resource_instance', { resource: 'invoice', instance: 'i1', tenant: 'default' }],
  ['put', 'relationship_tuple', { subject: 'folder:f1', relation: 'parent', object: 'invoice:i1' }],
]
const world = new World()
world.runAll(POLICY)
const image = Image.build(ENVIRONMENT, makePosition(1), world.contents())
const open = (options: PdpOptions) => loadImage(image.save(), options)
const pdp = open({ strict: true })

/** The message and path of the UNKNOWN_NAME that is thrown. */
function refusal(ask: () => unknown): [string, string] {
  try {
    ask()
  } catch (error) {
    if (isZerohopError(error, 'UNKNOWN_NAME')) return [error.message, error.path?.join('.') ?? '']
    throw error
  }
  throw new Error('it was answered')
}

describe('a strict PDP', () => {
  it('names the unknown type, action, tenant or relation, and the nearest known one', () => {
    expect(refusal(() => pdp.check('ana', 'raed', 'invoice'))).toEqual([
      'unknown action `raed` of resource type `invoice`: did you mean `read`?',
      'action',
    ])
    expect(refusal(() => pdp.check('ana', 'read', 'invioce:i1'))).toEqual([
      'unknown resource type `invioce`: did you mean `invoice`?',
      'resource.type',
    ])
    expect(refusal(() => pdp.check('ana', 'read', { type: 'invoice', tenant: 'acne' }))).toEqual([
      'unknown tenant `acne`: did you mean `acme`?',
      'resource.tenant',
    ])
    const related = { type: 'invoice', relations: { parent: ['folder:f1'], parnt: ['folder:f1'] } }
    expect(refusal(() => pdp.check('ana', 'read', related))).toEqual([
      'unknown relation `parnt` of resource type `invoice`: did you mean `parent`?',
      'resource.relations.parnt',
    ])
    expect(refusal(() => pdp.check('ana', 'approve', 'invoice'))[0]).toBe(
      'unknown action `approve` of resource type `invoice`',
    )
  })

  it('refuses an unknown name in every form of asking, where another PDP denies or lists nothing', () => {
    const lax = open({})
    const forms: ((asked: typeof pdp) => unknown)[] = [
      (asked) => asked.check({ key: 'ana', attributes: { level: 1 } }, 'open', 'invoice', { mfa: true }),
      (asked) => asked.check('ana', 'read', { type: 'invoice', tenant: 'nowhere' }),
      (asked) => asked.check('ana', 'read', '__user'),
      (asked) => asked.bulkCheck([{ user: 'ana', action: 'raed', resource: 'invoice' }]),
      (asked) => asked.explain('ana', 'raed', 'invoice'),
      (asked) => asked.subject('ana').can('raed', 'invoice'),
      (asked) => asked.subject('ana').can('read', 'invioce:1'),
      (asked) => asked.subject('ana', { tenant: 'nowhere' }).can('read', 'invoice'),
      (asked) => asked.permission('raed', 'invoice').allows('ana'),
      (asked) => asked.permission('read', 'invioce').allows('ana', { key: '1' }),
      (asked) => asked.permission('read', 'invoice').allows('ana', { tenant: 'nowhere' }),
      (asked) => asked.userPermissions('ana', { tenants: ['default', 'nowhere'] }),
      (asked) => asked.userPermissions('ana', { resourceTypes: ['invioce'] }),
      (asked) => asked.authorizedUsers({ action: 'raed', resource: 'invoice' }),
      (asked) => asked.resources('ana', 'raed', 'invoice'),
      (asked) => asked.resources('ana', 'read', 'invoice', { tenant: 'nowhere' }),
      (asked) => asked.users('raed', 'invoice'),
      (asked) => asked.actions('ana', 'invioce'),
      (asked) => asked.tenants('ana', 'raed', 'invoice'),
      (asked) => asked.roleAssignments({ resource: 'invioce', page: 1, perPage: 10 }),
      (asked) => asked.roleAssignments({ tenant: 'nowhere', page: 1, perPage: 10 }),
    ]
    for (const ask of forms)
      expect(
        outcome(() => ask(pdp)),
        String(ask),
      ).toBe('UNKNOWN_NAME')
    for (const ask of forms)
      expect(
        outcome(() => ask(lax)),
        String(ask),
      ).not.toBe('UNKNOWN_NAME')
  })

  it('answers what it knows as any other, and denies an unknown user and an instance that is not stored', () => {
    expect(pdp.check('ana', 'read', 'invoice')).toBe(true)
    expect(pdp.check('ana', 'read', { type: 'invoice', key: 'elsewhere', tenant: 'default' })).toBe(true)
    expect(pdp.check('nobody', 'read', 'invoice:i1')).toBe(false)
    expect(pdp.subject('nobody', { tenant: 'acme' }).can('read', 'invoice')).toBe(false)
    expect(pdp.permission('read', 'invoice').allows('nobody', { tenant: 'acme' })).toBe(false)
    expect(pdp.actions('ana', 'invoice')).toEqual(['read'])
    expect(Object.keys(pdp.userPermissions('ana', { tenants: ['default'], resourceTypes: ['__tenant'] }))).toEqual([
      '__tenant:default',
    ])
    expect(pdp.userPermissions('nobody')).toEqual({})
    expect(pdp.roleAssignments({ page: 1, perPage: 10 })).toHaveLength(1)
  })

  it('knows a name as soon as a revision has it', () => {
    const growing = image.compact()
    expect(growing.names.hasAction('invoice', 'void')).toBe(false)
    growing.apply({
      environment: ENVIRONMENT,
      from: 1,
      to: 2,
      previous: growing.position.chain,
      chain: makePosition(2).chain,
      changes: [{ op: 'put', kind: 'resource', key: 'invoice', value: { actions: ['void'] } }],
    })
    expect(growing.names.actions('invoice')).toEqual(['void'])
    expect(growing.names.hasAction('invoice', 'read')).toBe(false)
  })

  it('shows long names by their beginning, and on one line', () => {
    const [message] = refusal(() => pdp.check('ana', `a\n${'b'.repeat(10_000)}`, 'invoice'))
    expect(message.length).toBeLessThan(200)
    expect(message).not.toContain('\n')
  })
})

describe('the nearest name', () => {
  it('is the one with the fewest edits, whatever the case, the first of several', () => {
    const names = ['write', 'read', 'road', 'delete']
    expect(nearestName('raed', names)).toBe('read')
    expect(nearestName('READ', names)).toBe('read')
    expect(nearestName('reed', ['reeds', 'read'])).toBe('read')
    expect(nearestName('rad', ['road', 'read'])).toBe('read')
    expect(nearestName('dlete', names)).toBe('delete')
  })

  it('is none when all are other names', () => {
    expect(nearestName('approve', ['read', 'write'])).toBeUndefined()
    expect(nearestName('', ['read'])).toBeUndefined()
    expect(nearestName('read', [])).toBeUndefined()
  })

  it('is looked for within bounds', () => {
    const many = Array.from({ length: NEAREST_NAMES_MAX }, (_, at) => `name${at}`)
    expect(nearestName('raed', [...many.slice(1), 'read'])).toBe('read')
    expect(nearestName('raed', [...many, 'read'])).toBeUndefined()
    const long = 'x'.repeat(NEAREST_CHARS_MAX)
    expect(nearestName(long, [`${long}y`])).toBe(`${long}y`)
    expect(nearestName(`${long}x`, [`${long}y`])).toBeUndefined()
  })
})
