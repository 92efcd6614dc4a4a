// A revision is written at once: with objects that the use case has read, and with whole values of indexes. It leaves
// the store that its changes leave one by one, and that a verification finds whole. src/store/state.ts, removals.ts,
// read-rows.ts.
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { KindName } from '../../src/kinds/index.ts'
import type { User } from '../../src/kinds/user.ts'
import { withoutRequest } from '../../src/log/change.ts'
import { useCases } from '../../src/management/host/registry.ts'
import { READ_ROWS_BYTES_MAX } from '../../src/model/limits.ts'
import { BatchRunner } from '../../src/store/batch.ts'
import { NO_SUM } from '../../src/store/checksum.ts'
import type { Head } from '../../src/store/heads.ts'
import { LmdbView } from '../../src/store/lmdb-view.ts'
import { readEntries } from '../../src/store/log.ts'
import { ReadRows } from '../../src/store/read-rows.ts'
import { SearchEdits } from '../../src/store/search-texts.ts'
import { apply } from '../../src/store/state.ts'
import { openTables, type Tables } from '../../src/store/tables.ts'
import { verifyAll } from '../../src/store/verify-folder.ts'
import { parameters } from '../property/seed.ts'
import { memoryFolder } from '../support/folders.ts'
import { LOG } from './support.ts'

type Call = readonly [name: keyof typeof useCases, input: object]

const keys = <K extends string>(...of: K[]): fc.Arbitrary<K> => fc.constantFrom(...of)
const user = keys('ana', 'ben', 'cy')
const tenant = keys('acme', 'beta')
const role = keys('admin', 'guest')
const type = keys('doc', 'folder')
const name = keys('a', 'b', 'c')
const instance = fc.tuple(type, name).map((parts) => parts.join(':'))
const call = <T extends object>(of: keyof typeof useCases, fields: { [N in keyof T]: fc.Arbitrary<T[N]> }) =>
  fc.record(fields).map((input): Call => [of, input])
const given = fc.array(fc.record({ role, tenant }), { maxLength: 3 })
const several = <T>(items: fc.Arbitrary<T>) => fc.uniqueArray(items, { minLength: 1, maxLength: 3 })

/** What makes objects that hang on others. */
const makes = fc.oneof(
  { weight: 3, arbitrary: call('assign', { user, role, tenant }) },
  { weight: 2, arbitrary: call('assign', { user, role: keys('editor', 'owner'), resource_instance: instance }) },
  { weight: 2, arbitrary: call('createInstance', { resource: type, key: name, tenant }) },
  { weight: 2, arbitrary: call('createTuple', { subject: instance, relation: keys('parent'), object: instance }) },
  call('addTenantUser', { tenant, user: fc.record({ key: user }) }),
  call('createUser', { key: user, email: keys('x@example.com', 'y@example.com'), role_assignments: given }),
  call('createTenant', { key: tenant }),
  call('createRole', { key: role, extends: fc.uniqueArray(role, { maxLength: 1 }) }),
  call('createGroup', { group_instance_key: name, group_resource_type_key: type, group_tenant: tenant }),
  call('createSetRule', { user_set: role, permission: type.map((of) => `${of}:see`), resource_set: type }),
  call('createConditionSet', {
    ...{ key: name, type: keys('resourceset'), resource_id: type },
    conditions: fc.constant({ 'resource.open': { equals: true } }),
  }),
  call('createActionGroup', { resource: type, group: fc.record({ key: name, actions: fc.constant(['see']) }) }),
  call('createInvite', {
    ...{ key: keys('x', 'y'), status: keys('pending'), email: keys('x@example.com') },
    ...{ first_name: keys('X'), last_name: keys('Y'), role_id: role, tenant_id: tenant },
  }),
)
const deletes = fc.oneof(
  call('deleteUser', { ref: user }),
  call('deleteTenant', { ref: tenant }),
  call('deleteRole', { ref: role }),
  call('deleteInstance', { ref: instance }),
  call('deleteUsers', { idents: several(user) }),
  call('deleteTenants', { idents: several(tenant) }),
  call('deleteInstances', { idents: several(instance) }),
  call('deleteRelation', { resource: type, ref: keys('parent') }),
  call('deleteResourceRole', { resource: type, ref: keys('editor', 'owner', 'member') }),
  { weight: 3, arbitrary: call('deleteResource', { ref: type }) },
  call('deleteGroup', { group: instance }),
  call('removeTenantUser', { tenant, user }),
  call('unassign', { user, role, tenant }),
)
/** Puts and deletes in one revision. */
const mixes = call('replaceUser', { ref: user, fields: fc.record({ role_assignments: given }) })

/** What must be there for most of it; made again where it was deleted. */
const SCHEMA: readonly Call[] = [
  ...['doc', 'folder'].map(
    (key): Call => ['createResource', { key, actions: { see: {} }, attributes: { open: { type: 'bool' } } }],
  ),
  ...['doc', 'folder'].flatMap((resource): Call[] => [
    ['createRelation', { resource, relation: { key: 'parent', subject_resource: 'folder' } }],
    ...['editor', 'owner'].map((key): Call => ['createResourceRole', { resource, role: { key } }]),
  ]),
  ...['ana', 'ben', 'cy'].map((key): Call => ['createUser', { key }]),
  ...['acme', 'beta'].map((key): Call => ['createTenant', { key }]),
  ...['admin', 'guest'].map((key): Call => ['createRole', { key }]),
  ['createInstance', { resource: 'doc', key: 'a', tenant: 'acme' }],
  [
    'createInvite',
    {
      ...{ key: 'v', status: 'pending', email: 'v@example.com', first_name: 'V', last_name: 'W' },
      ...{ role_id: 'editor', tenant_id: 'acme', resource_instance_id: 'doc:a' },
    },
  ],
]
const round = fc.tuple(fc.array(makes, { minLength: 10, maxLength: 25 }), fc.oneof(deletes, deletes, mixes))
const histories = fc
  .array(round, { minLength: 2, maxLength: 8 })
  .map((rounds) => rounds.flatMap(([made, last]) => [...SCHEMA, ...made, last]))

function openFolder(): Tables {
  return openTables(memoryFolder('cascades'), 'create', 'cache')
}

const BY = withoutRequest('test')

/** What a log has in every table but its own, and what its head reports about that. */
function contents(tables: Tables, head: Head) {
  const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
  const { counts, sums, next, image } = head
  const some = Object.entries(counts).filter(([, count]) => count > 0)
  return {
    ...{ next, image: { ...image, at: 0 } },
    counts: Object.fromEntries(some),
    sums: Object.fromEntries(some.map(([kind]) => [kind, sums[kind as KindName]])),
    records: [...tables.objectTables, tables.search].flatMap((table) =>
      Array.from(table.range(), ({ key, content }) => `${table.name} ${hex(key)} ${content}`),
    ),
    places: [tables.keys, tables.ids, tables.indexes].flatMap((table) =>
      Array.from(table.rows({}), ({ key, place }) => `${table.name} ${Buffer.from(key).toString()} ${place}`),
    ),
  }
}

/** The state after the changes, each written by itself. */
function oneByOne(tables: Tables, { number, lineage }: Head, entries: ReturnType<typeof readEntries>): Head {
  let head: Head = { number, lineage, revision: 0, chain: lineage, next: 1, counts: {}, sums: {}, log: NO_SUM }
  tables.root.transactionSync(() => {
    for (const change of entries.flatMap(({ changes }) => changes)) {
      const search = new SearchEdits(tables.search)
      head = { ...apply(tables, LOG, head, [change], search), revision: head.revision + 1 }
      search.flush()
    }
  })
  return head
}

it('[D11] a delete leaves the store that its changes leave one by one, whatever it takes along', async () => {
  const deleted = new Set<KindName>()
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const [written, folded] = [openFolder(), openFolder()]
      try {
        const runner = new BatchRunner(written, useCases, () => new Uint8Array(), 'cascades')
        for (const [at, [name, input]] of history.entries()) {
          runner.run([{ log: LOG, name, input, by: BY }], at)
          if (name.startsWith('delete')) expect(listDangling(written), `after ${name}`).toEqual([])
        }
        const head = written.heads.get(LOG)!
        const entries = readAll(written, head)
        for (const { op, kind } of entries.flatMap(({ changes }) => changes)) if (op === 'delete') deleted.add(kind)
        expect(contents(written, head)).toEqual(contents(folded, oneByOne(folded, head, entries)))
        expect(listDamages(written)).toEqual([])
      } finally {
        await Promise.all([written.root.close(), folded.root.close()])
      }
    }),
    parameters(64),
  )
  // what cascades reach; kinds of the schema alone are removed one at a time
  expect([...deleted].sort()).toEqual(
    expect.arrayContaining([
      ...['action_group', 'condition_set', 'group', 'membership', 'relation', 'relationship_tuple', 'resource'],
      ...['resource_instance', 'resource_role', 'role', 'role_assignment', 'set_rule', 'tenant', 'user', 'user_invite'],
    ]),
  )
})

function readAll(tables: Tables, head: Head): ReturnType<typeof readEntries> {
  const entries: ReturnType<typeof readEntries> = []
  while (entries.length < head.revision) entries.push(...readEntries(tables, head, entries.length))
  return entries
}

/** Tuples, and invites to roles on an instance, whose instances are gone. */
function listDangling(tables: Tables): string[] {
  const view = new LmdbView(tables, (log) => tables.heads.get(log), LOG)
  const isThere = (of: string) => view.get('resource_instance', of) !== undefined
  const tuples = [...view.list('relationship_tuple')].filter((of) => !isThere(of.subject) || !isThere(of.object))
  const invites = [...view.list('user_invite')].filter((of) => of.resource_instance && !isThere(of.resource_instance))
  return [...tuples, ...invites].map(({ key }) => key)
}

function listDamages(tables: Tables): string[] {
  const damages: string[] = []
  const reporter = {
    damage: ({ error }: { error: Error }) => void damages.push(error.message),
    checked: () => undefined,
  }
  for (const _ of verifyAll(tables, reporter)) tables.root.resetReadTxn()
  return damages
}

/** Tables in which the user `ana` was made. */
function folderOfAna(): { tables: Tables; head: Head } {
  const tables = openFolder()
  onTestFinished(() => tables.root.close())
  const runner = new BatchRunner(tables, useCases, () => new Uint8Array(), 'cascades')
  for (const [name, input] of [
    ['createUser', { key: 'ana', email: 'old@example.com' }],
    ['createRole', { key: 'low' }],
    ['createRole', { key: 'high' }],
  ] as const)
    runner.run([{ log: LOG, name, input, by: BY }], 1)
  return { tables, head: tables.heads.get(LOG)! }
}

it('an object that one revision changes twice is read again for the second change', () => {
  const { tables, head } = folderOfAna()
  tables.root.transactionSync(() => {
    const rows = new ReadRows()
    const ana = new LmdbView(tables, () => head, LOG, rows).require('user', 'ana')
    const search = new SearchEdits(tables.search)
    const changes = [
      { op: 'put', kind: 'user', key: 'ana', value: { ...ana, email: 'new@example.com' } },
      { op: 'delete', kind: 'user', key: 'ana' },
    ] as const
    const after = apply(tables, LOG, head, changes, search, { rows })
    search.flush()
    tables.heads.put(LOG, { ...after, revision: head.revision })
  })
  expect(tables.heads.get(LOG)).toMatchObject({ counts: { user: 0 }, sums: { user: [0, 0] } })
  expect(listDamages(tables)).toEqual([])
})

it('an object that names a value twice does not take along the entry of another one', () => {
  const { tables, head } = folderOfAna()
  const view = new LmdbView(tables, () => head, LOG)
  const [low, high] = [view.require('role', 'low'), view.require('role', 'high')]
  tables.root.transactionSync(() => {
    const search = new SearchEdits(tables.search)
    const changes = [
      { op: 'put', kind: 'role', key: 'low', value: { ...low, extends: ['base', 'base'] } },
      { op: 'put', kind: 'role', key: 'high', value: { ...high, extends: ['base'] } },
      { op: 'delete', kind: 'role', key: 'low' },
    ] as const
    const after = apply(tables, LOG, head, changes, search)
    search.flush()
    tables.heads.put(LOG, { ...after, revision: head.revision })
  })
  expect(listDamages(tables)).toEqual([])
})

it('a use case remembers what it read up to the limit, and reads the rest twice', () => {
  const rows = new ReadRows()
  const row = (key: string) => ({ object: { key } as User, at: Buffer.alloc(11), crc: 0, isTaken: false })
  rows.add('user', row('ana'), READ_ROWS_BYTES_MAX)
  rows.add('user', row('ben'), 1)
  expect(rows.find('user', 'ana')?.object.key).toBe('ana')
  expect(rows.find('user', 'ben')).toBeUndefined()
})
