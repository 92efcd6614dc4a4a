// A suspended user in the kernel (D16): each part of a decision denies by itself, also when it is asked alone.
import { expect, it } from 'vitest'
import { Verdict } from '../../assembly/limits.ts'
import { Image } from '../../src/image/image.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { FIRST_CHANGES, type Operation, World } from '../support/world.ts'

const WORLD: readonly Operation[] = [
  ['put', 'resource', { key: 'doc', actions: ['read'] }],
  ['put', 'role', { key: 'reader', permissions: ['doc:read'] }],
  ['put', 'resource_role', { resource: 'doc', role: 'owner', permissions: ['doc:read'] }],
  ['put', 'resource_instance', { resource: 'doc', instance: 'd', tenant: 'default' }],
  ['put', 'condition_set', { key: 'all', type: 'userset', conditions: {} }],
  ['put', 'set_rule', { user_set: 'all', permission: 'doc:read', resource_set: 'doc' }],
  ['put', 'user', { key: 'ana' }],
  ['put', 'role_assignment', { user: 'ana', role: 'reader', tenant: 'default' }],
  ['put', 'role_assignment', { user: 'ana', role: 'owner', tenant: 'default', resource_instance: 'doc:d' }],
]

/** What each part answers about the user, asked by itself: roles, roles on the instance, set rules, a side of a rule. */
function parts(suspension: Operation): number[] {
  const world = new World()
  world.runAll([...WORLD, suspension])
  const image = Image.build(ENVIRONMENT, makePosition(1), [...FIRST_CHANGES, ...world.contents()], { kernel: 'debug' })
  const [user, tenant, permission] = [image.user('ana'), image.tenant(), image.permission('doc', 'read')]
  return image.inside(({ kernel }) => {
    const { calls } = kernel
    const instance = calls.find(7, kernel.writeWhole('doc:d'))
    const set = calls.find(12, kernel.writeKey('all'))
    return [
      calls.decide(user, tenant, permission),
      calls.decideRelated(user, tenant, permission, instance, 0, 0),
      calls.decideSets(user, tenant, permission, 0, 0, 0),
      calls.decideSide(user, tenant, permission, 0, 0, 0, set),
    ].map((verdict) => verdict & 3)
  }, 5)
}

it.each(['at every instant', 'for a time'])('[D16] is denied by every part, asked alone: %s', (name) => {
  const { Allow, Deny } = Verdict
  const times = (from: number) => (name === 'for a time' ? { valid_from: from, valid_until: from + 2 } : {})
  expect(parts(['put', 'user', { key: 'ana' }])).toEqual([Allow, Allow, Allow, Allow])
  expect(parts(['put', 'user', { key: 'ana', suspension: times(4) }])).toEqual([Deny, Deny, Deny, Deny])
  if (name === 'for a time')
    expect(parts(['put', 'user', { key: 'ana', suspension: times(6) }])).toEqual([Allow, Allow, Allow, Allow])
})
