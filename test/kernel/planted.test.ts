// The debug kernel asserts what it reads: each corruption is planted into the memory of a whole image, one question or
// change later it is an assertion that fails, and not a trap of the machine or a wrong answer. Without the corruption
// the same question is answered.
import { describe, expect, it } from 'vitest'
import {
  AttributePath,
  Bucket,
  Cell,
  Composite,
  ConditionSet,
  Edge,
  ENCODED,
  Grant,
  Group,
  HEADER,
  Header,
  Index,
  Instance,
  Member,
  Node,
  OrderRoot,
  Permission,
  Principal,
  Program,
  Resource,
  Role,
  RoleSet,
  Root,
  Rule,
  SetRule,
  SINGLE,
  Side,
  Step,
  SymbolRecord,
  TABLE_BYTES,
  Text,
  TIMED,
  TimedRole,
  TimedRoles,
  Tuple,
} from '../../assembly/abi.ts'
import { Table } from '../../assembly/limits.ts'
import { loadKernel } from '../../src/image/file/image-file.ts'
import { Image } from '../../src/image/image.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type Operation, World } from '../support/world.ts'

const POLICY: readonly Operation[] = [
  ['put', 'resource', { key: 'doc', actions: ['read', 'write'] }],
  ['put', 'resource', { key: '__user', actions: [], attributes: { team: 'string' } }],
  ['put', 'role', { key: 'viewer', permissions: ['doc:read'] }],
  ['put', 'role', { key: 'admin', permissions: ['doc:write'], extends: ['viewer'] }],
  ['put', 'tenant', { key: 'acme' }],
  ['put', 'user', { key: 'ana', attributes: { team: 'red', tags: ['a', 'b'] } }],
  ['put', 'user', { key: 'ben' }],
  ['put', 'user', { key: 'cyd' }],
  ['put', 'user', { key: 'dee' }],
  ['put', 'role_assignment', { user: 'ben', role: 'viewer', tenant: 'acme' }],
  ['put', 'role_assignment', { user: 'ben', role: 'viewer', tenant: 'default' }],
  ['put', 'role_assignment', { user: 'cyd', role: 'viewer', tenant: 'acme' }],
  ['put', 'role_assignment', { user: 'cyd', role: 'admin', tenant: 'acme' }],
  ['put', 'role_assignment', { user: 'dee', role: 'viewer', tenant: 'acme', valid_until: 1 }],
  ['put', 'role_assignment', { user: 'dee', role: 'admin', tenant: 'acme' }],
  ['put', 'membership', { user: 'ana', tenant: 'acme' }],
  ['put', 'relation', { resource: 'doc', relation: 'parent', subject_resource: 'doc' }],
  ['put', 'resource_role', { resource: 'doc', role: 'owner', permissions: ['doc:write'] }],
  [
    'put',
    'resource_role',
    {
      resource: 'doc',
      role: 'reader',
      permissions: ['doc:read'],
      granted_to: { users_with_role: [{ role: 'owner', on_resource: 'doc', linked_by_relation: 'parent' }] },
    },
  ],
  ['put', 'resource_instance', { resource: 'doc', instance: 'one', tenant: 'acme' }],
  ['put', 'resource_instance', { resource: 'doc', instance: 'two', tenant: 'acme' }],
  ['put', 'relationship_tuple', { subject: 'doc:one', relation: 'parent', object: 'doc:two' }],
  ['put', 'condition_set', { key: 'above', type: 'userset', conditions: { 'user.tags': { array_contains: 'b' } } }],
  [
    'put',
    'condition_set',
    { key: 'red', type: 'userset', conditions: { 'user.team': { equals: 'red' } }, parent: 'above' },
  ],
  ['put', 'set_rule', { user_set: 'red', permission: 'doc:write', resource_set: 'doc' }],
]

function openKernel(): Kernel {
  const world = new World()
  world.runAll(POLICY)
  const image = Image.build(ENVIRONMENT, makePosition(1), world.contents())
  return loadKernel(image.save(), 'debug')
}

/** The memory of a kernel, with the records of the policy by name. */
class Memory {
  readonly kernel = openKernel()
  readonly calls = this.kernel.calls
  readonly ana = this.find(Table.Users, 'ana')
  readonly ben = this.find(Table.Users, 'ben')
  readonly cyd = this.find(Table.Users, 'cyd')
  readonly dee = this.find(Table.Users, 'dee')
  readonly acme = this.find(Table.Tenants, 'acme')
  readonly home = this.find(Table.Tenants, 'default')
  readonly viewer = this.find(Table.Roles, 'viewer')
  readonly admin = this.find(Table.Roles, 'admin')
  readonly reader = this.find(Table.Roles, 'doc/reader')
  readonly doc = this.find(Table.Resources, 'doc')
  readonly one = this.find(Table.Instances, 'doc:one')
  readonly two = this.find(Table.Instances, 'doc:two')
  readonly red = this.find(Table.Sets, 'red')
  readonly team = this.find(Table.Paths, 'user.team')
  readonly read = this.permission('doc:read')
  readonly write = this.permission('doc:write')
  /** of ben in acme, and of cyd, who has a role set */
  readonly grant = this.calls.grantOf(this.ben, this.acme)
  readonly roles = this.word(this.calls.grantOf(this.cyd, this.acme) + Grant.Roles)
  /** of dee, whose roles have times */
  readonly timedGrant = this.calls.grantOfStored(this.dee, this.acme)
  readonly timed = this.word(this.timedGrant + Grant.Roles) - TIMED
  readonly member = this.word(this.ana + Principal.Members)
  readonly tuple = this.word(this.two + Instance.Objects)
  readonly rule = this.word(this.reader + Role.Rules)
  readonly edge = this.word(this.admin + Role.Parents)
  readonly permissionOfRule = this.calls.permissionRecord(this.write)
  readonly setRule = this.word(this.permissionOfRule + Permission.SetRules)
  readonly index = this.word(this.permissionOfRule + Permission.UserIndexes)
  readonly group = this.word(this.index + Index.Groups)
  readonly side = this.word(this.group + Group.Sides)
  readonly program = this.word(this.red + ConditionSet.Program)
  readonly attributes = this.word(this.ana + Principal.Attributes)

  word(address: number): number {
    return this.kernel.word(address)
  }

  set(address: number, value: number): void {
    this.kernel.words[address >>> 2] = value
  }

  find(table: Table, key: string): number {
    return this.calls.find(table, this.kernel.writeWhole(key))
  }

  permission(key: string): number {
    return this.calls.findPermission(this.kernel.writeWhole(key))
  }

  root(table: Table): number {
    return HEADER + Header.Tables + table * TABLE_BYTES
  }

  /** The bucket and slot of a record. */
  entryOf(table: Table, record: number): [bucket: number, slot: number] {
    const directory = this.word(this.root(table) + Root.Directory)
    for (let index = 0; index < this.word(this.root(table) + Root.Buckets); index++) {
      const bucket = this.word(directory + (index >>> 6) * 4) + (index & 63) * 64
      for (let slot = 0; slot < this.word(bucket + Bucket.Count); slot++) {
        if (this.word(bucket + Bucket.Records + slot * 4) === record) return [bucket, slot]
      }
    }
    throw new Error('the record is in no bucket')
  }

  /** What set rules say of ana, who is in the set. */
  askSets(): number {
    this.kernel.words.fill(0, 0x48000 >>> 2, 0x50000 >>> 2)
    return this.calls.decideSets(this.ana, this.acme, this.write, 0, 0, ENCODED)
  }
}

const OUT_OF_HEAP = 0x7ff0_0000

type Plant = readonly [name: string, plant: (memory: Memory) => void, act: (memory: Memory) => unknown]

const decide = (m: Memory) => m.calls.decide(m.ben, m.acme, m.read)
const decideAsSet = (m: Memory) => m.calls.decide(m.cyd, m.acme, m.write)
const decideTimed = (m: Memory) => m.calls.decide(m.dee, m.acme, m.read)
const decideRelated = (m: Memory) => m.calls.decideOn(m.ana, m.acme, m.read, m.two)
const askSets = (m: Memory) => m.askSets()
const findBen = (m: Memory) => m.find(Table.Users, 'ben')
const assignAna = (m: Memory) =>
  m.calls.assign(m.ana, m.home, m.viewer, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)

const PLANTED: readonly Plant[] = [
  ['the user of a grant lies out of the heap', (m) => m.set(m.grant + Grant.User, OUT_OF_HEAP), decide],
  ['the scope of a grant is a role', (m) => m.set(m.grant + Grant.Scope, m.viewer), decide],
  ['the role of a grant is a user', (m) => m.set(m.grant + Grant.Roles, m.ben | SINGLE), decide],
  ['a grant follows itself', (m) => m.set(m.grant + Grant.NextOfUser, m.grant), (m) => m.calls.deleteUser(m.ben)],
  [
    'the entry after a grant names another one before it',
    (m) => m.set(m.word(m.ben + Principal.Grants) + Grant.NextOfUser, m.calls.grantOf(m.cyd, m.acme)),
    (m) => m.calls.deleteUser(m.ben),
  ],
  [
    'a freed grant is in a list',
    (m) => {
      m.calls.unassign(m.ben, m.acme, m.viewer)
      m.set(m.ben + Principal.Grants, m.grant)
    },
    (m) => m.calls.deleteUser(m.ben),
  ],
  ['a role set has more roles than there may be', (m) => m.set(m.roles + RoleSet.Count, 1 << 20), decideAsSet],
  ['a role set begins with a tenant', (m) => m.set(m.roles + RoleSet.Roles, m.acme), decideAsSet],
  ['the tag of times is forgotten', (m) => m.set(m.timedGrant + Grant.Roles, m.timed), decideTimed],
  ['a role without times has the tag', (m) => m.set(m.grant + Grant.Roles, m.viewer | TIMED), decide],
  ['roles without times have the tag', (m) => m.set(m.timed + TimedRoles.Plain, m.timed | TIMED), decideTimed],
  ['timed roles belong to no grant', (m) => m.set(m.timed + TimedRoles.Grant, 0), decideTimed],
  ['timed roles are none', (m) => m.set(m.timed + TimedRoles.Count, 0), decideTimed],
  ['timed roles are more than there may be', (m) => m.set(m.timed + TimedRoles.Count, 1 << 20), decideTimed],
  ['a timed role is a tenant', (m) => m.set(m.timed + TimedRoles.Roles + TimedRole.Role, m.acme), decideTimed],
  [
    'a role ends before it begins',
    (m) => m.set(m.timed + TimedRoles.Roles + TimedRole.Until + 4, 0xfff0_0000), // −∞
    decideTimed,
  ],
  [
    'a page of a row lies out of the heap',
    (m) => m.set(m.viewer + Role.Row + 4, OUT_OF_HEAP),
    (m) => m.calls.holds(m.viewer, 3000),
  ],
  [
    'the edge of a role leads to a tenant',
    (m) => m.set(m.edge + Edge.Child, m.acme),
    (m) => m.calls.refreshRole(m.viewer),
  ],
  ['a bucket has more entries than slots', (m) => m.set(m.entryOf(Table.Users, m.ben)[0] + Bucket.Count, 9), findBen],
  [
    'an entry of a table is a record of another one',
    (m) => {
      const [bucket, slot] = m.entryOf(Table.Users, m.ben)
      m.set(bucket + Bucket.Records + slot * 4, m.acme)
    },
    findBen,
  ],
  [
    'a bucket goes on out of the heap',
    (m) => {
      const [bucket, slot] = m.entryOf(Table.Users, m.ben)
      m.set(bucket + Bucket.Hashes + slot * 4, ~m.word(bucket + Bucket.Hashes + slot * 4))
      m.set(bucket + Bucket.Overflow, OUT_OF_HEAP)
    },
    findBen,
  ],
  [
    'the next bucket to split lies beyond the table',
    (m) => m.set(m.root(Table.Users) + Root.Split, m.word(m.root(Table.Users) + Root.Mask) + 1),
    findBen,
  ],
  ['the directory of a table is not there', (m) => m.set(m.root(Table.Users) + Root.Directory, 0), findBen],
  ['a counter is one too high', (m) => m.set(HEADER + Header.Grants, m.word(HEADER + Header.Grants) + 1), assignAna],
  ['a free block lies out of the heap', (m) => m.set(HEADER + Header.FreeSmall + 24, OUT_OF_HEAP), assignAna],
  ['more is taken from a list than is free', (m) => m.set(HEADER + Header.FreeSmall + 24, m.grant), assignAna],
  [
    'a record in use is a free block',
    (m) => m.set(HEADER + Header.FreeSmall + 24, m.grant),
    (m) => m.calls.unassign(m.ben, m.acme, m.viewer),
  ],
  ['the heap ends before its records', (m) => m.set(HEADER + Header.Top, m.grant), decide],
  [
    'a permission has an id beyond those that were given',
    (m) => m.set(m.permissionOfRule + Permission.Id, 5000),
    (m) => m.permission('doc:write'),
  ],
  [
    'the directory leads from an id to another permission',
    (m) => m.set(m.word(HEADER + Header.PermissionDirectory) + m.write * 4, m.calls.permissionRecord(m.read)),
    askSets,
  ],
  ['a set rule names a permission that was never given', (m) => m.set(m.setRule + SetRule.Permission, 9999), askSets],
  ['a side is a user', (m) => m.set(m.side + Side.Set, m.ben), askSets],
  ['an index has more tests than there may be', (m) => m.set(m.index + Index.Count, 40), askSets],
  ['a group belongs to no index', (m) => m.set(m.group + Group.Index, m.ben), askSets],
  ['the set above a set is a role', (m) => m.set(m.red + ConditionSet.Parent, m.viewer), askSets],
  ['a step has no operation', (m) => m.set(m.program + Program.Steps + Step.Op, 77), askSets],
  ['a step reads a role', (m) => m.set(m.program + Program.Steps + Step.Left, m.viewer), askSets],
  [
    'a step goes on far behind the program',
    (m) => m.set(m.program + Program.Steps + Step.WhenTrue, 0xffff_ffff),
    askSets,
  ],
  ['a path has a number beyond those that were given', (m) => m.set(m.team + AttributePath.Number, 1_000_000), askSets],
  ['a value has more members than the heap has room', (m) => m.set(m.attributes + Composite.Count, 1 << 24), askSets],
  ['a value is of no kind', (m) => m.set(findCell(m, 'team') + Cell.Kind, 99), askSets],
  [
    'a text is longer than the heap',
    (m) => m.set(m.word(findCell(m, 'team') + Cell.Value) + Text.Length, 0x4000_0000),
    askSets,
  ],
  [
    'a membership is of a user',
    (m) => m.set(m.member + Member.Tenant, m.cyd),
    (m) => m.calls.leaveTenant(m.ana, m.acme),
  ],
  ['the object of a tuple is a role', (m) => m.set(m.tuple + Tuple.Object, m.viewer), decideRelated],
  ['a tuple follows itself', (m) => m.set(m.tuple + Tuple.NextOfObject, m.tuple), decideRelated],
  ['the source of a rule is a user', (m) => m.set(m.rule + Rule.Source, m.ben), decideRelated],
  ['the type of an instance is a tenant', (m) => m.set(m.two + Instance.Type, m.acme), decideRelated],
  ['the roles of a type begin with a user', (m) => m.set(m.doc + Resource.Roles, m.ben), decideRelated],
  [
    'a node of the order has more entries than fit',
    (m) => m.set(m.word(HEADER + Header.Orders + OrderRoot.Node) + Node.Count, 200),
    (m) => m.calls.listOrdered(Table.Users, m.ana, 0, 10),
  ],
  [
    'a user becomes a relation',
    (m) => m.set(m.ben + SymbolRecord.Meta, (m.word(m.ben) & 0xff00_ffff) | (Table.Relations << 16)),
    decide,
  ],
]

/** The cell of a member of ana's attributes. */
function findCell(m: Memory, name: string): number {
  for (let index = 0; index < m.word(m.attributes + Composite.Count); index++) {
    const cell = m.attributes + Composite.Cells + index * 16
    const text = m.word(cell + Cell.Name)
    const bytes = m.kernel.bytes.subarray(text + Text.Bytes, text + Text.Bytes + m.word(text + Text.Length))
    if (Buffer.from(bytes).toString() === name) return cell
  }
  throw new Error(`no attribute ${name}`)
}

describe('a corruption is an assertion that fails in the debug kernel', () => {
  it.each(PLANTED)('%s', (_, plant, act) => {
    const whole = new Memory()
    expect(whole.calls.verify()).toBe(0)
    act(whole)
    expect(whole.calls.verify()).toBe(0)

    const memory = new Memory()
    plant(memory)
    expect(() => act(memory)).toThrow(/^an assertion of the kernel failed: ./)
  })

  it('and there are at least twenty', () => {
    expect(PLANTED.length).toBeGreaterThanOrEqual(20)
  })
})
