// Everybody in the kernel (D16): a party in no table, which a kernel that is wrong about it in one point does not survive.
import { describe, expect, it } from 'vitest'
import { Fault, Verdict } from '../../assembly/limits.ts'
import { Image, type KernelSource } from '../../src/image/image.ts'
import { EVERYBODY } from '../../src/model/keys.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { check } from '../reference/check.ts'
import type { Request } from '../reference/request.ts'
import { policyAt } from '../reference/times.ts'
import type { Canary } from '../support/canary.ts'
import { kernelWith } from '../support/canary-kernel.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { toParts } from '../support/parts.ts'
import { FIRST_CHANGES, type Operation, World } from '../support/world.ts'
import { OF_EVERYBODY, OF_EVERYBODY_AS_USERS, OF_SIDES_BY_EVERYBODY } from './canaries.ts'

const derived = { role: 'owner', on_resource: 'folder', linked_by_relation: 'parent' }
const on = (instance: string) => ({ tenant: 'default', resource_instance: instance })
const T = 1_000
/** Conditions do not see what everybody has. */
const RULES: readonly (readonly [key: string, action: string, conditions: JsonObject])[] = [
  ['no-reader', 'print', { not: { 'user.roles': { array_contains: 'reader' } } }],
  ['of-acme', 'audit', { 'user.tenants': { array_contains: 'acme' } }],
  ['high', 'list', { 'tenant.level': { equals: 3 } }],
]
const WORLD: readonly Operation[] = [
  ['put', 'resource', { key: 'folder', actions: ['open'] }],
  ['put', 'resource', { key: 'doc', actions: ['read', 'write', 'share', 'print', 'audit', 'list'] }],
  ['put', 'relation', { resource: 'doc', relation: 'parent', subject_resource: 'folder' }],
  ['put', 'role', { key: 'reader', permissions: ['doc:read'] }],
  ['put', 'resource_role', { resource: 'folder', role: 'owner', permissions: ['folder:open'] }],
  ['put', 'resource_role', { resource: 'doc', role: 'guest', permissions: [] }],
  [
    'put',
    'resource_role',
    {
      ...{ resource: 'doc', role: 'editor', permissions: ['doc:write'] },
      granted_to: { when: { no_direct_roles_on_object: true }, users_with_role: [derived] },
    },
  ],
  ['put', 'resource_instance', { resource: 'folder', instance: 'f', tenant: 'default' }],
  ['put', 'resource_instance', { resource: 'doc', instance: 'd', tenant: 'default' }],
  ['put', 'relationship_tuple', { subject: 'folder:f', relation: 'parent', object: 'doc:d' }],
  ['put', 'user', { key: 'ana' }],
  ['put', 'set_rule', { user_set: '__autogen_doc#editor', permission: 'doc:share', resource_set: 'doc' }],
  ['put', 'tenant', { key: 'acme', attributes: { level: 3 } }],
  ['put', 'user', { key: 'ben', suspension: { valid_until: T + 1 } }],
  ...RULES.flatMap(([key, action, conditions]): Operation[] => [
    ['put', 'condition_set', { key, type: 'userset', conditions }],
    ['put', 'set_rule', { user_set: key, permission: `doc:${action}`, resource_set: 'doc' }],
  ]),
  ['put', 'role_assignment', { user: EVERYBODY, role: 'reader', tenant: 'default' }],
  ['put', 'role_assignment', { user: EVERYBODY, role: 'reader', tenant: 'acme' }],
  ['put', 'role_assignment', { user: EVERYBODY, role: 'owner', ...on('folder:f') }],
  ['put', 'role_assignment', { user: EVERYBODY, role: 'guest', ...on('doc:d') }],
]

function build(kernel: KernelSource) {
  const world = new World()
  world.runAll(WORLD)
  const changes = [...FIRST_CHANGES, ...world.contents()]
  return { world, image: Image.build(ENVIRONMENT, makePosition(1), changes, { kernel }) }
}

/** The questions that an image answers otherwise than the definition. */
function wrong(kernel: KernelSource): Request[] {
  const { world, image } = build(kernel)
  const policy = policyAt(world.policy, T)
  const asked = ['ana', 'ben', 'nobody', EVERYBODY].flatMap((user) =>
    ['read', 'write', 'share', 'print', 'audit', 'list'].flatMap((action): Request[] => [
      { user, action, resource: { type: 'doc', key: 'd' } },
      { user, action, resource: { type: 'doc', tenant: 'acme' } },
    ]),
  )
  return image.guardAt(T, () => asked.filter((request) => image.check(...toParts(request)) !== check(policy, request)))
}

describe('everybody', () => {
  it.each(['debug', 'release'] as const)('[D16] is answered as defined by the kernel: %s', (kernel) => {
    expect(wrong(kernel)).toEqual([])
  })

  it.each<[string, Canary]>([
    ...Object.entries({ ...OF_EVERYBODY, ...OF_EVERYBODY_AS_USERS }).map(([tag, code]): [string, Canary] => [
      tag,
      { [tag]: code },
    ]),
    ['side-searches-of-everybody', OF_SIDES_BY_EVERYBODY],
  ])('a kernel that is wrong about it is found: %s', async (_, canary) => {
    expect(wrong(await kernelWith(canary))).not.toEqual([])
  })

  it('is in the image exactly while something is given to it', () => {
    const { world, image } = build('debug')
    const party = () => image.inside(({ kernel }) => kernel.calls.everybody(), undefined)
    const stats = image.stats()
    expect([party() === 0, stats.users, image.user(EVERYBODY)]).toEqual([false, 2, 0])
    for (const [key, { user }] of [...world.policy.role_assignment])
      if (user === EVERYBODY) image.apply(deltaTo(image.revision + 1, [{ op: 'delete', kind: 'role_assignment', key }]))
    expect(party()).toBe(0)
    image.verify()
    const before = new World()
    before.runAll(WORLD.filter(([, , object]) => !('user' in object) || object.user !== EVERYBODY))
    const without = Image.build(ENVIRONMENT, image.position, [...FIRST_CHANGES, ...before.contents()])
    expect(Buffer.compare(image.compact().save(), without.save())).toBe(0)
  })

  it('is verified: it has the key that no user has, grants, and nothing else', () => {
    const words = [
      [0, 7], // its table and its flags
      [4, 0], // its grants
      [8, 7], // attributes
      [12, 7], // memberships
      [16, 7], // its key
    ] as const
    for (const [offset, word] of words) {
      const { image } = build('release')
      const fault = image.inside(({ kernel }) => {
        kernel.setWord(kernel.calls.everybody() + offset, word)
        return kernel.calls.verify()
      }, undefined)
      expect(fault, `the word at ${offset}`).toBe(Fault.Everybody)
    }
  })

  it('as a user of a question has what everybody has, and no user set is true for it', () => {
    const { image } = build('debug')
    const [tenant, read, share] = [image.tenant(), image.permission('doc', 'read'), image.permission('doc', 'share')]
    image.inside(({ kernel }) => {
      const { calls } = kernel
      const party = calls.everybody()
      expect([calls.decide(party, tenant, read), calls.decide(0, tenant, read)]).toEqual([Verdict.Allow, Verdict.Allow])
      expect(calls.decideSets(party, tenant, share, calls.find(7, kernel.writeWhole('doc:d')), 0, 0)).toBe(Verdict.Deny)
    }, undefined)
  })

  it.each([
    ['user', EVERYBODY, {}],
    ['membership', `default/${EVERYBODY}`, { user: EVERYBODY, tenant: 'default' }],
  ] as const)('is no user: a delta with its %s is refused', (kind, key, value) => {
    const { image } = build('release')
    const change = { op: 'put', kind, key, value } as never
    expect(() => image.apply(deltaTo(image.revision + 1, [change]))).toThrow(
      expect.objectContaining({ code: 'DELTA_INVALID' }),
    )
  })
})
