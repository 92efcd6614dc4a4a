// Records of different keys with equal 32-bit hashes. Grants, memberships, tuples, set rules, role sets and groups are
// hashed by addresses, so the pairs are found anew: the first step is written to an image, a birthday search over its
// addresses says what the second step writes. Keys and texts with equal hashes do not depend on addresses: they are
// cases (test/conformance/cases/*-one-hash*.json).
import { Bucket, HEADER, Header, Index, Permission, Root, SEGMENT_BUCKETS, TABLE_BYTES } from '../../assembly/abi.ts'
import { Table } from '../../assembly/limits.ts'
import { loadKernel } from '../../src/image/file/image-file.ts'
import { Image } from '../../src/image/image.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import type { Step } from '../conformance/cases.ts'
import { deltaTo, ENVIRONMENT, makePosition } from './deltas.ts'
import { FIRST_CHANGES, type Operation, World } from './world.ts'

export interface Collision {
  readonly name: string
  /** where the second step adds a record whose hash another one has */
  readonly table: Table
  readonly steps: readonly [Step, Step]
}

/** A kernel that followed the steps by deltas, as test/mutants/judge.ts does: records lie at the same addresses. */
export function kernelAfter(steps: readonly Step[]): Kernel {
  const world = new World()
  const image = Image.build(ENVIRONMENT, makePosition(1), FIRST_CHANGES)
  for (const { write = [] } of steps) image.apply(deltaTo(image.revision + 1, world.runAll(write)))
  return loadKernel(image.save(), 'release')
}

/** How many entries of a table have the hash of one before them. */
export function sharedHashes(kernel: Kernel, table: Table): number {
  const root = HEADER + Header.Tables + table * TABLE_BYTES
  const directory = kernel.word(root + Root.Directory)
  const hashes = new Set<number>()
  let shared = 0
  for (let index = 0; index < kernel.word(root + Root.Buckets); index++) {
    const segment = kernel.word(directory + Math.floor(index / SEGMENT_BUCKETS) * 4)
    let bucket = segment + (index % SEGMENT_BUCKETS) * 64
    for (; bucket !== 0; bucket = kernel.word(bucket + Bucket.Overflow)) {
      for (let slot = 0; slot < kernel.word(bucket + Bucket.Count); slot++) {
        const hash = kernel.word(bucket + Bucket.Hashes + slot * 4)
        if (hashes.has(hash)) shared++
        hashes.add(hash)
      }
    }
  }
  return shared
}

/** Every collision, with what must be answered after each step. */
export function collisions(): Collision[] {
  return [grants(), memberships(), rulesOfAPermission(), rulesOfASet(), tuples(), roleSets(), groups()]
}

const MANY = 400
const keys = (prefix: string, count = MANY) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const put = <K extends Operation[1]>(kind: K, object: unknown) => ['put', kind, object] as unknown as Operation
const [A, B, C, D] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x2c1b3c6d]

/**
 * Two pairs that have nothing in common and one hash; `hash` is any function that is equal for pairs exactly when the
 * kernel's is.
 */
function collide<L, R>(lefts: readonly L[], rights: readonly R[], hash: (left: L, right: R) => number): [L, R, L, R] {
  const seen = new Map<number, [L, R]>()
  for (const left of lefts) {
    for (const right of rights) {
      const of = hash(left, right)
      const [otherLeft, otherRight] = seen.get(of) ?? []
      if (otherLeft === undefined || otherRight === undefined) seen.set(of, [left, right])
      else if (otherLeft !== left && otherRight !== right) return [otherLeft, otherRight, left, right]
    }
  }
  throw new Error('no two pairs have one hash: make the search wider')
}

/** Keys of a table with the addresses of their records. */
function readIds(kernel: Kernel, table: Table, names: readonly string[]): Map<string, number> {
  return new Map(names.map((name) => [name, kernel.calls.find(table, kernel.writeWhole(name))]))
}

const permissionId = (kernel: Kernel, key: string) => kernel.calls.findPermission(kernel.writeWhole(key))

const give = (user: string, role: string, tenant: string) => put('role_assignment', { user, role, tenant })

/** The user has a role in the tenant; the other user has none, then another one, in the other tenant. */
function grants(): Collision {
  const [users, tenants] = [keys('u'), keys('t')]
  const before: Operation[] = [
    put('resource', { key: 'doc', actions: ['read', 'write'] }),
    put('role', { key: 'reader', permissions: ['doc:read'] }),
    put('role', { key: 'writer', permissions: ['doc:write'] }),
    ...users.map((key) => put('user', { key })),
    ...tenants.map((key) => put('tenant', { key })),
  ]
  const kernel = kernelAfter([{ write: before }])
  const [userIds, tenantIds] = [readIds(kernel, Table.Users, users), readIds(kernel, Table.Tenants, tenants)]
  const hash = (user: string, tenant: string) => Math.imul(userIds.get(user)!, A) ^ Math.imul(tenantIds.get(tenant)!, B)
  const [user, tenant, otherUser, otherTenant] = collide(users, tenants, hash)
  return {
    name: 'two grants',
    table: Table.Grants,
    steps: [
      {
        write: [...before, give(user, 'reader', tenant)],
        checks: [
          [user, 'read', { type: 'doc', tenant }, true],
          [otherUser, 'read', { type: 'doc', tenant: otherTenant }, false],
        ],
      },
      {
        write: [give(otherUser, 'writer', otherTenant)],
        checks: [
          [user, 'read', { type: 'doc', tenant }, true],
          [user, 'write', { type: 'doc', tenant }, false],
          [otherUser, 'read', { type: 'doc', tenant: otherTenant }, false],
          [otherUser, 'write', { type: 'doc', tenant: otherTenant }, true],
        ],
      },
    ],
  }
}

/** The user belongs to the tenant; the other user belongs to the other tenant only after the second step. */
function memberships(): Collision {
  const [users, tenants] = [keys('u'), keys('t')]
  const before: Operation[] = [
    put('resource', { key: 'doc', actions: ['read'] }),
    ...users.map((key) => put('user', { key })),
    ...tenants.map((key) => put('tenant', { key, attributes: { plan: 'gold' } })),
    put('condition_set', { key: 'gold', type: 'userset', conditions: { 'tenant.plan': { equals: 'gold' } } }),
    put('set_rule', { user_set: 'gold', permission: 'doc:read', resource_set: 'doc' }),
  ]
  const kernel = kernelAfter([{ write: before }])
  const [userIds, tenantIds] = [readIds(kernel, Table.Users, users), readIds(kernel, Table.Tenants, tenants)]
  const hash = (user: string, tenant: string) => Math.imul(userIds.get(user)!, A) ^ Math.imul(tenantIds.get(tenant)!, B)
  const [user, tenant, otherUser, otherTenant] = collide(users, tenants, hash)
  return {
    name: 'two memberships',
    table: Table.Members,
    steps: [
      {
        write: [...before, put('membership', { user, tenant })],
        checks: [
          [user, 'read', { type: 'doc', tenant }, true],
          [otherUser, 'read', { type: 'doc', tenant: otherTenant }, false],
        ],
      },
      {
        write: [put('membership', { user: otherUser, tenant: otherTenant })],
        checks: [
          [user, 'read', { type: 'doc', tenant }, true],
          [otherUser, 'read', { type: 'doc', tenant: otherTenant }, true],
        ],
      },
    ],
  }
}

/**
 * Roles as users, condition sets as resources; `kinds` are what the sets ask for, and each role has a user of its own.
 */
function ruleWorld(roles: readonly string[], sets: readonly string[], actions: readonly string[]): Operation[] {
  return [
    put('resource', { key: 'doc', actions }),
    ...roles.map((key) => put('role', { key })),
    ...roles.map((key) => put('user', { key })),
    ...roles.map((key) => give(key, key, 'default')),
    ...sets.map((key) =>
      put('condition_set', {
        key,
        type: 'resourceset',
        resource: 'doc',
        conditions: { 'resource.kind': { equals: key } },
      }),
    ),
  ]
}

const rule = (user_set: string, action: string, resource_set: string) =>
  put('set_rule', { user_set, permission: `doc:${action}`, resource_set })

/** Rules that take a side of users beyond what is tried one after the other: then a rule is looked up for each pair. */
const OTHERS = keys('other', 8)

/** Two rules of one permission, whose users and resources differ. */
function rulesOfAPermission(): Collision {
  const [roles, sets] = [keys('r'), keys('s')]
  const before = ruleWorld(roles, [...sets, ...OTHERS], ['read'])
  const kernel = kernelAfter([{ write: before }])
  const [roleIds, setIds] = [readIds(kernel, Table.Roles, roles), readIds(kernel, Table.Sets, sets)]
  const hash = (role: string, set: string) => Math.imul(roleIds.get(role)!, A) ^ Math.imul(setIds.get(set)!, B)
  const [role, set, otherRole, otherSet] = collide(roles, sets, hash)
  const others = OTHERS.flatMap((each) => [rule(role, 'read', each), rule(otherRole, 'read', each)])
  const row = (user: string, kind: string, expected: boolean) =>
    [user, 'read', { type: 'doc', tenant: 'default', attributes: { kind } }, expected] as const
  return {
    name: 'two rules of one permission',
    table: Table.SetRules,
    steps: [
      {
        write: [...before, ...others, rule(role, 'read', set)],
        checks: [row(role, set, true), row(otherRole, otherSet, false), row(otherRole, set, false)],
      },
      {
        write: [rule(otherRole, 'read', otherSet)],
        checks: [row(role, set, true), row(otherRole, otherSet, true), row(role, otherSet, false)],
      },
    ],
  }
}

/** Two rules about one set of resources, whose permissions and users differ. */
function rulesOfASet(): Collision {
  const [roles, actions] = [keys('r'), keys('a', 900)]
  const before = ruleWorld(roles, ['set', ...OTHERS], actions)
  const kernel = kernelAfter([{ write: before }])
  const roleIds = readIds(kernel, Table.Roles, roles)
  const permissions = new Map(actions.map((action) => [action, permissionId(kernel, `doc:${action}`)]))
  const hash = (role: string, action: string) =>
    Math.imul(roleIds.get(role)!, A) ^ Math.imul(permissions.get(action)!, C)
  const [role, action, otherRole, otherAction] = collide(roles, actions, hash)
  const attributes = { kind: 'set' }
  const row = (user: string, asked: string, expected: boolean) =>
    [user, asked, { type: 'doc', tenant: 'default', attributes }, expected] as const
  const others = OTHERS.flatMap((each) => [rule(role, action, each), rule(otherRole, otherAction, each)])
  return {
    name: 'two rules of one set of resources',
    table: Table.SetRules,
    steps: [
      {
        write: [...before, ...others, rule(role, action, 'set')],
        checks: [row(role, action, true), row(otherRole, otherAction, false)],
      },
      {
        write: [rule(otherRole, otherAction, 'set')],
        checks: [row(role, action, true), row(otherRole, otherAction, true), row(role, otherAction, false)],
      },
    ],
  }
}

/** Two tuples of one relation: what is below a folder is read by who reads the folder. */
function tuples(): Collision {
  const [folders, documents] = [keys('f'), keys('d')]
  const before: Operation[] = [
    put('resource', { key: 'folder', actions: [] }),
    put('resource', { key: 'doc', actions: ['read'] }),
    put('relation', { resource: 'doc', relation: 'parent', subject_resource: 'folder' }),
    put('resource_role', { resource: 'folder', role: 'reader' }),
    put('resource_role', {
      resource: 'doc',
      role: 'reader',
      permissions: ['doc:read'],
      granted_to: { users_with_role: [{ role: 'reader', on_resource: 'folder', linked_by_relation: 'parent' }] },
    }),
    put('user', { key: 'ana' }),
    ...folders.map((instance) => put('resource_instance', { resource: 'folder', instance, tenant: 'default' })),
    ...documents.map((instance) => put('resource_instance', { resource: 'doc', instance, tenant: 'default' })),
    ...folders.map((key) =>
      put('role_assignment', { user: 'ana', role: 'reader', tenant: 'default', resource_instance: `folder:${key}` }),
    ),
  ]
  const kernel = kernelAfter([{ write: before }])
  const folderIds = readIds(
    kernel,
    Table.Instances,
    folders.map((key) => `folder:${key}`),
  )
  const documentIds = readIds(
    kernel,
    Table.Instances,
    documents.map((key) => `doc:${key}`),
  )
  const hash = (subject: string, object: string) =>
    Math.imul(folderIds.get(subject)!, A) ^ Math.imul(documentIds.get(object)!, B)
  const [subject, object, otherSubject, otherObject] = collide([...folderIds.keys()], [...documentIds.keys()], hash)
  const relate = (from: string, to: string) =>
    put('relationship_tuple', { subject: from, relation: 'parent', object: to })
  return {
    name: 'two tuples',
    table: Table.Tuples,
    steps: [
      {
        write: [...before, relate(subject, object)],
        checks: [
          ['ana', 'read', object, true],
          ['ana', 'read', otherObject, false],
        ],
      },
      {
        write: [relate(otherSubject, otherObject)],
        checks: [
          ['ana', 'read', object, true],
          ['ana', 'read', otherObject, true],
        ],
      },
    ],
  }
}

/** Two users with two roles each, and only one of these roles may read. */
function roleSets(): Collision {
  const roles = keys('r', 900)
  const before: Operation[] = [
    put('resource', { key: 'doc', actions: roles }),
    ...roles.map((key) => put('role', { key, permissions: [`doc:${key}`] })),
    put('user', { key: 'ana' }),
    put('user', { key: 'ben' }),
  ]
  const ids = readIds(kernelAfter([{ write: before }]), Table.Roles, roles)
  const add = (hash: number, role: string) => {
    const product = Math.imul(hash ^ ids.get(role)!, B)
    return product ^ (product >>> 15)
  }
  const first = Math.imul(2, A)
  // The roles of a set are in ascending order of address; a pair in the other order gets a hash that nothing matches.
  let none = 0.5
  const hash = (left: string, right: string) =>
    ids.get(left)! < ids.get(right)! ? add(add(first, left), right) : none++
  const [left, right, otherLeft, otherRight] = collide(roles, roles, hash)
  const may = (user: string, role: string, expected: boolean) => [user, role, 'doc', expected] as const
  return {
    name: 'two role sets',
    table: Table.RoleSets,
    steps: [
      {
        write: [...before, give('ana', left, 'default'), give('ana', right, 'default')],
        checks: [may('ana', left, true), may('ana', right, true), may('ana', otherLeft, false)],
      },
      {
        write: [give('ben', otherLeft, 'default'), give('ben', otherRight, 'default')],
        checks: [
          may('ana', left, true),
          may('ana', otherLeft, false),
          may('ben', otherLeft, true),
          may('ben', otherRight, true),
          may('ben', left, false),
          may('ben', right, false),
        ],
      },
    ],
  }
}

/** Two groups of sides in two indexes: one by `user.team`, one by `user.crew`. */
function groups(): Collision {
  const team = (key: string, value: number) =>
    put('condition_set', { key, type: 'userset', conditions: { 'user.team': { equals: value } } })
  const crew = (key: string, value: number) =>
    put('condition_set', { key, type: 'userset', conditions: { 'user.crew': { equals: value } } })
  const before: Operation[] = [
    put('resource', { key: 'doc', actions: ['read'] }),
    put('user', { key: 'ana' }),
    team('team', -1),
    rule('team', 'read', 'doc'),
    crew('crew', -1),
    rule('crew', 'read', 'doc'),
  ]
  const kernel = kernelAfter([{ write: before }])
  // An index is put in front of those that were there.
  const ofCrew = kernel.word(kernel.calls.permissionRecord(permissionId(kernel, 'doc:read')) + Permission.UserIndexes)
  const ofTeam = kernel.word(ofCrew + Index.Next)
  const numbers = Array.from({ length: 2 ** 17 }, (_, index) => index + 1)
  const byHash = new Map(numbers.map((value) => [hashOfNumber(value) ^ Math.imul(ofTeam, A), value]))
  const value = numbers.find((each) => byHash.has(hashOfNumber(each) ^ Math.imul(ofCrew, A)))
  if (value === undefined) throw new Error('no two groups have one hash: make the search wider')
  const other = byHash.get(hashOfNumber(value) ^ Math.imul(ofCrew, A))!
  const asked = (attributes: { team?: number; crew?: number }, expected: boolean) =>
    [{ key: 'ana', attributes }, 'read', 'doc', expected] as const
  return {
    name: 'two groups',
    table: Table.Groups,
    steps: [
      {
        write: before,
        checks: [asked({ team: other }, false), asked({ crew: value }, false)],
      },
      {
        write: [team('one', other), rule('one', 'read', 'doc'), crew('two', value), rule('two', 'read', 'doc')],
        checks: [
          asked({ team: other }, true),
          asked({ crew: value }, true),
          asked({ crew: other }, false),
          asked({ team: value }, false),
        ],
      },
    ],
  }
}

const bits = new DataView(new ArrayBuffer(8))

/** As `hashValue` in assembly/policy/equality-tests.ts. */
function hashOfNumber(value: number): number {
  const KIND_NUMBER = 4
  bits.setFloat64(0, value)
  return mix(mix(KIND_NUMBER, bits.getUint32(4)), bits.getUint32(0)) | 1
}

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, B)
  return Math.imul(mixed ^ (mixed >>> 15), D)
}
