// The search over relations at its limits, and the table of tuples under load: what small random worlds never reach.
import { describe, expect, it } from 'vitest'
import { GOALS_MAX, RELATION_STEPS_MAX } from '../../assembly/limits.ts'
import { Image } from '../../src/image/image.ts'
import { loadImage } from '../../src/index.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { assignmentKey, tupleKey } from '../../src/model/objects.ts'
import { numbers } from '../property/histories.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'

const OFF = { no_direct_roles_on_object: false }

/** Folders in folders and documents in them: who reads a folder reads what is in it. */
const schema: PolicyChange[] = [
  { op: 'put', kind: 'tenant', key: 'default', value: {} },
  { op: 'put', kind: 'user', key: 'ana', value: {} },
  { op: 'put', kind: 'user', key: 'ben', value: {} },
  ...['folder', 'document'].flatMap((resource): PolicyChange[] => [
    { op: 'put', kind: 'resource', key: resource, value: { actions: ['read'] } },
    {
      op: 'put',
      kind: 'resource_role',
      key: `${resource}/reader`,
      value: {
        resource,
        role: 'reader',
        permissions: [`${resource}:read`],
        extends: [],
        granted_to: {
          when: OFF,
          users_with_role: [{ role: 'reader', on_resource: 'folder', linked_by_relation: 'parent', when: OFF }],
        },
      },
    },
  ]),
]

const instance = (key: string): PolicyChange => ({
  op: 'put',
  kind: 'resource_instance',
  key,
  value: { tenant: 'default' },
})
const within = (subject: string, object: string): PolicyChange => {
  const value = { subject, relation: 'parent', object }
  return { op: 'put', kind: 'relationship_tuple', key: tupleKey(subject, 'parent', object), value }
}
const reads = (user: string, on: string): PolicyChange => {
  const value = { user, role: 'reader', tenant: 'default', resource_instance: on }
  return { op: 'put', kind: 'role_assignment', key: assignmentKey(user, 'reader', 'default', on), value }
}
const build = (changes: readonly PolicyChange[], kernel: 'debug' | 'release' = 'release') =>
  Image.build(ENVIRONMENT, makePosition(1), [...schema, ...changes], { kernel })

/** A chain of so many folders with a document in the last one. */
function chain(length: number): PolicyChange[] {
  const folders = Array.from({ length }, (_, index) => `folder:f${index}`)
  return [
    ...folders.map(instance),
    instance('document:plan'),
    ...folders.slice(1).map((folder, index) => within(folders[index]!, folder)),
    within(folders.at(-1)!, 'document:plan'),
  ]
}

const undecided = (ask: () => unknown): boolean => {
  try {
    ask()
  } catch (error) {
    return isZerohopError(error, 'UNDECIDED')
  }
  return false
}

describe.each(['debug', 'release'] as const)('relations in the %s kernel', (kernel) => {
  it('[D5] a role is derived over a chain as long as one check looks', () => {
    // The goals are the document and the folders.
    const image = build([...chain(GOALS_MAX - 1), reads('ana', 'folder:f0')], kernel)
    expect(image.check('ana', 'read', 'document', undefined, 'plan')).toBe(true)
    expect(image.check('ben', 'read', 'document', undefined, 'plan')).toBe(false)
    image.verify()
  })

  it('[D13] beyond it a check could not decide, unless something else allows', () => {
    const image = build(
      [...chain(GOALS_MAX), reads('ana', 'folder:f0'), reads('ben', `folder:f${GOALS_MAX - 1}`)],
      kernel,
    )
    expect(undecided(() => image.check('ana', 'read', 'document', undefined, 'plan'))).toBe(true)
    expect(undecided(() => image.explain('ana', 'read', 'document', undefined, 'plan'))).toBe(true)
    expect(image.check('ben', 'read', 'document', undefined, 'plan')).toBe(true)
    // It leaves no state behind: the next question is answered.
    expect(image.check('ana', 'read', 'folder', undefined, 'f5')).toBe(true)
    expect(image.check('nobody', 'read', 'document', undefined, 'plan')).toBe(false)
  })

  it('[D13] an object with more relations than one check looks at could not be decided', () => {
    const folders = Array.from({ length: RELATION_STEPS_MAX / 8 + 1 }, (_, index) => `folder:f${index}`)
    const image = build(
      [...folders.map(instance), instance('document:plan'), ...folders.map((each) => within(each, 'document:plan'))],
      kernel,
    )
    expect(undecided(() => image.check('ana', 'read', 'document', undefined, 'plan'))).toBe(true)
    image.apply(deltaTo(2, [reads('ana', 'document:plan')]))
    expect(image.check('ana', 'read', 'document', undefined, 'plan')).toBe(true)
  })

  it('stay sound while tuples come and go, and answer as a plain walk does', () => {
    const names = Array.from({ length: 300 }, (_, index) => `folder:${index}`)
    const image = build([...names.map(instance), reads('ana', 'folder:0')], kernel)
    const parents = new Map<string, Set<string>>(names.map((name) => [name, new Set()]))
    const random = numbers(7)
    for (let round = 0; round < 30; round++) {
      const changes = new Map<string, PolicyChange>()
      for (let edit = 0; edit < 100; edit++) {
        const [subject, object] = [names[random(300)]!, names[random(300)]!]
        const put = within(subject, object)
        const growing = random(3) < (round % 6 < 3 ? 2 : 1)
        changes.set(put.key, growing ? put : { op: 'delete', kind: put.kind, key: put.key })
        if (growing) parents.get(object)!.add(subject)
        else parents.get(object)!.delete(subject)
      }
      image.apply(deltaTo(image.revision + 1, [...changes.values()]))
      image.verify()
      const reached = new Set(['folder:0'])
      for (const each of reached) for (const [object, from] of parents) if (from.has(each)) reached.add(object)
      const isRead = (name: string) => image.check('ana', 'read', 'folder', undefined, name.slice(7))
      expect(names.filter((name) => isRead(name) !== reached.has(name))).toEqual([])
    }
    expect(image.stats().tuples).toBe([...parents.values()].reduce((sum, from) => sum + from.size, 0))
  })
})

describe('what a stored instance needs', () => {
  it('is little: at most 48 bytes a tuple, keys apart', () => {
    const leaves = Array.from({ length: 50_000 }, (_, index) => `document:${index}`)
    const before = build([instance('folder:f'), ...leaves.map(instance)]).stats()
    const after = build([
      instance('folder:f'),
      ...leaves.map(instance),
      ...leaves.map((key) => within('folder:f', key)),
    ]).stats()
    expect(after.tuples).toBe(50_000)
    expect((after.bytes - before.bytes) / after.tuples).toBeLessThanOrEqual(48)
  })
})

describe('the library over relations', () => {
  it('[D5] explains the way from the role that is held', () => {
    const pdp = loadImage(build([...chain(2), reads('ana', 'folder:f0')]).save())
    expect(pdp.check('ana', 'read', 'document:plan')).toBe(true)
    expect(pdp.subject('ana').can('read', 'document:plan')).toBe(true)
    expect(pdp.explain('ana', 'read', 'document:plan')).toMatchObject({
      allow: true,
      code: 'no_user_roles',
      rebac: 'allow',
      because: [
        {
          source: 'rebac',
          role: 'reader',
          resource_instance: 'folder:f0',
          tenant: 'default',
          permission: 'document:read',
          path: ['folder:f0#reader', 'folder:f1#reader', 'document:plan#reader'],
        },
      ],
    })
  })

  it('refuses a key that is not text', () => {
    const pdp = loadImage(build([]).save())
    expect(() => pdp.check('ana', 'read', { type: 'document', key: 7 as never })).toThrow('resource.key must be a key')
  })
})

describe('a delta about relations that cannot be applied', () => {
  const role = (value: object): PolicyChange =>
    ({
      op: 'put',
      kind: 'resource_role',
      key: 'document/reader',
      value: { resource: 'document', role: 'reader', permissions: [], extends: [], granted_to: null, ...value },
    }) as PolicyChange
  const rule = { role: 'nobody', on_resource: 'folder', linked_by_relation: 'parent', when: OFF }
  const bad: [string, PolicyChange][] = [
    ['an instance of no type', instance('nothing:plan')],
    ['an instance without a type', instance('plan')],
    ['an instance with two colons', instance('document:plan:b')],
    [
      'an instance in no tenant',
      { op: 'put', kind: 'resource_instance', key: 'document:b', value: { tenant: 'nowhere' } },
    ],
    ['a tuple to nothing', within('folder:f0', 'document:nothing')],
    ['a tuple from nothing', within('folder:nothing', 'document:plan')],
    ['a role on nothing', reads('ana', 'document:nothing')],
    [
      'a role that another type has',
      {
        ...reads('ana', 'folder:f0'),
        value: { user: 'ana', role: 'owner', tenant: 'default', resource_instance: 'folder:f0' },
      } as PolicyChange,
    ],
    ['a permission of another type', role({ permissions: ['folder:read'] })],
    ['a role under another key', { ...role({}), key: 'document/other' }],
    ['a role that extends nothing', role({ extends: ['nothing'] })],
    ['a role that extends itself', role({ extends: ['reader'] })],
    ['a derivation from nothing', role({ granted_to: { when: OFF, users_with_role: [rule] } })],
    ['a key of no tuple', { op: 'delete', kind: 'relationship_tuple', key: 'folder:f0/parent' }],
    ['a key of no assignment', { op: 'delete', kind: 'role_assignment', key: 'ana/reader/default/document' }],
    [
      'a tenant role with a slash',
      { op: 'put', kind: 'role', key: 'document/reader', value: { permissions: [], extends: [] } },
    ],
  ]

  it.each(bad)('%s: the image is as it was', (_, change) => {
    const image = build([...chain(2), reads('ana', 'folder:f0')])
    const before = image.save()
    expect(() => image.apply(deltaTo(2, [change]))).toThrow(/cannot be applied/)
    expect(Buffer.compare(image.save(), before)).toBe(0)
  })
})
