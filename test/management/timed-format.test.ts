// A folder in which something has, or had, times (D15) is one that older versions refuse; any other stays as it was. What
// has times stands in logs, snapshots and checkpoints under kinds that older versions do not know.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KIND_NAMES, KINDS } from '../../src/kinds/index.ts'
import { describeBackup } from '../../src/management/host/admin.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { restoreBackup } from '../../src/store/backup.ts'
import { CHAIN_BYTES } from '../../src/store/log.ts'
import { packParts, unpackPart } from '../../src/store/object-rows.ts'
import { openReader } from '../../src/store/reader.ts'
import { openTables } from '../../src/store/tables.ts'
import { readFolderFormat } from '../../src/store/upgrade.ts'
import { verifyData } from '../../src/store/verify-data.ts'
import { temporaryFolder } from '../support/folders.ts'
import { BY } from './harness.ts'

const UNTIMED = 3
const TIMED = 4
const SUSPENDED = 5
const CONDITIONAL = 6
const EVERYBODY = 7
const OF_TENANTS = 8
const STRICT = 9
const CLAIMED = 12
const OF_SYNCS = 13
const OF_DIRECTORIES = 14
const newId = () => randomBytes(16).toString('hex')
const EDITOR = { user: 'ana', role: 'editor' }
const RELATED = { subject: 'doc:a', relation: 'parent', object: 'doc:b', tenant: 'default' }
const INVITE = {
  key: 'ivo',
  status: 'pending',
  email: 'ivo@acme.test',
  first_name: 'I',
  last_name: 'V',
  role_id: 'editor',
  tenant_id: 'default',
} as const

let data: string
let management: ManagementData
let log: string
beforeEach(async () => {
  data = temporaryFolder('timed-format')
  management = await openManagementData({ data, newId, noExample: true })
  log = management.store.view(management.organization).require('environment', 'default/development').id
  const { store } = management
  await store.commit(log, 'createRole', { key: 'editor' }, BY)
  await store.commit(log, 'createUser', { key: 'ana' }, BY)
  await store.commit(log, 'createResource', { key: 'doc', actions: {}, relations: { parent: 'doc' } }, BY)
  await store.commit(log, 'assign', EDITOR, BY)
  await store.commit(log, 'createTuple', RELATED, BY)
  await store.commit(log, 'createInvite', INVITE, BY)
})
afterEach(() => management.store.close())

const format = () => readFolderFormat(data)

describe('the format of a folder', () => {
  it.each([
    ['an assignment', 'putAssignment', { ...EDITOR, valid_until: 5 }],
    ['an assignment with a ticket', 'putAssignment', { ...EDITOR, ticket: 'OPS-1' }],
    ['a tuple', 'putTuple', { ...RELATED, valid_from: 5 }],
    ['an invite', 'updateInvite', { ref: 'ivo', fields: { valid_until: 5 } }],
    ['a role', 'updateRole', { ref: 'editor', fields: { max_duration: 60 } }],
    ['a resource role', 'createResourceRole', { resource: 'doc', role: { key: 'owner', default_duration: 60 } }],
    ['an import', 'importFacts', { role_assignments: [{ ...EDITOR, valid_until: 5 }] }],
  ] as const)('rises with the first times, of %s, and does not fall again', async (_, useCase, input) => {
    expect(await format()).toBe(UNTIMED)
    await management.store.commit(log, useCase, input as never, BY)
    expect(await format()).toBe(TIMED)
    await management.store.commit(log, 'deleteUser', { ref: 'ana' }, BY)
    await management.store.commit(log, 'deleteInvite', { ref: 'ivo' }, BY)
    await management.store.commit(log, 'deleteTuple', RELATED, BY)
    await management.store.close()
    expect(await format()).toBe(TIMED)
    management = await openManagementData({ data, newId })
    expect(management.store.view(log).count('role')).toBe(1)
  })

  it('rises further with the first suspension of a user, and does not fall with times or when the user is resumed', async () => {
    const { store } = management
    await store.commit(log, 'suspendUser', { ref: 'ana', suspension: { reason: 'left' } }, BY)
    expect(await format()).toBe(SUSPENDED)
    await store.commit(log, 'putAssignment', { ...EDITOR, valid_until: 5 }, BY)
    await store.commit(log, 'resumeUser', { ref: 'ana' }, BY)
    expect(await format()).toBe(SUSPENDED)
  })

  it('rises further with the first rule about a role on instances, and does not fall with others or when it is deleted', async () => {
    const { store } = management
    await store.commit(log, 'createAction', { resource: 'doc', action: { key: 'read' } }, BY)
    await store.commit(log, 'createResourceRole', { resource: 'doc', role: { key: 'owner' } }, BY)
    const rule = { user_set: 'editor', permission: 'doc:read', resource_set: '__autogen_doc' }
    await store.commit(log, 'createSetRule', rule, BY)
    expect(await format()).toBe(UNTIMED)
    await store.commit(log, 'createSetRule', { ...rule, user_set: 'doc#owner' }, BY)
    expect(await format()).toBe(CONDITIONAL)
    await store.commit(log, 'suspendUser', { ref: 'ana', suspension: { reason: 'left' } }, BY)
    await store.commit(log, 'deleteSetRule', { ...rule, user_set: 'doc#owner' }, BY)
    expect(await format()).toBe(CONDITIONAL)
  })

  it('rises further with the first role of everybody, not with the flag of a role, and does not fall when it ends', async () => {
    const { store } = management
    await store.commit(log, 'updateRole', { ref: 'editor', fields: { everybody: true } }, BY)
    expect(await format()).toBe(UNTIMED)
    await store.commit(log, 'assign', { user: '*', role: 'editor' }, BY)
    expect(await format()).toBe(EVERYBODY)
    await store.commit(log, 'unassign', { user: '*', role: 'editor' }, BY)
    expect(await format()).toBe(EVERYBODY)
    await store.commit(log, 'assign', { user: '*', role: 'editor' }, BY)
    await store.close()
    expect(await verifyData(data)).toMatchObject({ damages: 0 })
    management = await openManagementData({ data, newId })
    expect(management.store.view(log).get('role_assignment', '*/editor/default')).toBeDefined()
  })

  it('rises with the first claim of a sync, further with the first sync, and does not fall when it goes', async () => {
    const { store } = management
    await store.commit(
      log,
      'writeClaims',
      { claim: 'app', items: [{ op: 'put', kind: 'user', item: { key: 'eva' } }] },
      BY,
    )
    expect(await format()).toBe(CLAIMED)
    const [source, run] = [newId(), newId()]
    await store.commit(log, 'leaseSync', { ref: 'app', source, run }, BY)
    expect(await format()).toBe(OF_SYNCS)
    await store.commit(log, 'releaseSync', { ref: 'app', run }, BY)
    await store.commit(log, 'deleteSync', { ref: 'app' }, BY)
    await store.close()
    expect([await format(), await verifyData(data)]).toEqual([OF_SYNCS, expect.objectContaining({ damages: 0 })])
    management = await openManagementData({ data, newId })
  })

  it('rises with the first user of a directory, and does not fall when it goes', async () => {
    const { store } = management
    expect(await format()).toBe(UNTIMED)
    const sent = { body: { userName: 'eva', active: false }, userKey: 'user_name' } as const
    const { result } = await store.commit(log, 'createDirectoryUser', sent, BY)
    expect(await format()).toBe(OF_DIRECTORIES)
    await store.commit(log, 'createDirectoryGroup', { body: { displayName: 'A', members: [{ value: result.id }] } }, BY)
    await store.close()
    expect(await verifyData(data)).toMatchObject({ damages: 0 })
    management = await openManagementData({ data, newId })
    expect(management.store.view(log).get('directory_user', 'eva')).toEqual(result)
    await management.store.commit(log, 'deleteDirectoryUser', { ref: result.id }, BY)
    expect([management.store.view(log).get('user', 'eva'), await format()]).toEqual([undefined, OF_DIRECTORIES])
  })

  it('rises with the first environment that requires a reason, not with a reason, and does not fall when it ends', async () => {
    const { store, organization } = management
    await store.commit(log, 'createUser', { key: 'ben' }, { ...BY, reason: 'joins', ticket: 'OPS-1' })
    expect(await format()).toBe(UNTIMED)
    const entry = store.entries(log, store.head(log).revision - 1)[0]!
    expect(entry.by).toEqual({ ...BY, reason: 'joins', ticket: 'OPS-1' })
    await store.commit(organization, 'updateEnvironment', { ref: log, fields: { require_reason: true } }, BY)
    expect(await format()).toBe(STRICT)
    await store.commit(organization, 'updateEnvironment', { ref: log, fields: { require_reason: false } }, BY)
    expect(store.view(organization).require('environment', log)).not.toHaveProperty('require_reason')
    await store.commit(organization, 'updateEnvironment', { ref: log, fields: { require_reason: true } }, BY)
    expect(await format()).toBe(STRICT)
    await store.close()
    expect(await verifyData(data)).toMatchObject({ damages: 0 })
    management = await openManagementData({ data, newId })
    expect(management.store.view(organization).require('environment', log)).toMatchObject({ require_reason: true })
    expect(management.store.entries(log, entry.revision - 1)[0]).toEqual(entry)
  })

  it('stays with a write that is refused, and with times that are cleared before they are there', async () => {
    const { store } = management
    const wrong = { ...EDITOR, valid_from: 9, valid_until: 5 }
    await expect(store.commit(log, 'putAssignment', wrong, BY)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    const missing = {
      assignments: [
        { ...EDITOR, role: 'editor', valid_until: 5 },
        { user: 'nobody', role: 'editor' },
      ],
    }
    const bulk = { ...missing, missing_user_policy: 'fail' } as const
    await expect(store.commit(log, 'assignMany', bulk, BY)).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' })
    await store.commit(log, 'putAssignment', { ...EDITOR, valid_from: null, valid_until: null }, BY)
    expect(await format()).toBe(UNTIMED)
  })

  it('is that of its backup, and of what is restored', async () => {
    const backup = async () => {
      const to = temporaryFolder('timed-backup')
      await management.store.copyData(to)
      await describeBackup(to, 1)
      return { to, format: JSON.parse(readFileSync(join(to, 'backup.json'), 'utf8')).format }
    }
    expect((await backup()).format).toBe(UNTIMED)
    await management.store.commit(log, 'putAssignment', { ...EDITOR, valid_until: 5 }, BY)
    const { to, format: timed } = await backup()
    expect(timed).toBe(TIMED)
    expect(existsSync(join(to, 'lock.mdb'))).toBe(false)
    const restored = temporaryFolder('timed-restored')
    await restoreBackup(to, restored, () => randomBytes(32).toString('hex'))
    expect(await readFolderFormat(restored)).toBe(TIMED)
    expect(await verifyData(restored)).toMatchObject({ damages: 0 })
    const again = await openManagementData({ data: restored, newId })
    expect(again.store.view(log).get('role_assignment', 'ana/editor/default')).toMatchObject({ valid_until: 5 })
    await again.store.close()
  })
})

describe('what has times is of another kind', () => {
  const entryKinds = () => {
    const tables = openTables(data, 'read')
    const kinds = [...tables.log.range()].flatMap(({ content }) => {
      const body = JSON.parse(Buffer.from(content.subarray(CHAIN_BYTES)).toString())
      return body.log === log ? body.changes.map(({ op, kind }: { op: string; kind: string }) => `${op} ${kind}`) : []
    })
    return tables.root.close().then(() => kinds as string[])
  }

  it('in the entries of the log, which are read as before', async () => {
    const { store } = management
    await store.commit(log, 'putAssignment', { ...EDITOR, valid_until: 5 }, BY)
    await store.commit(log, 'putTuple', { ...RELATED, valid_from: 5 }, BY)
    await store.commit(log, 'updateInvite', { ref: 'ivo', fields: { valid_until: 5 } }, BY)
    await store.commit(log, 'putAssignment', { ...EDITOR, valid_until: null }, BY)
    await store.commit(log, 'deleteTuple', RELATED, BY)
    expect((await entryKinds()).slice(-5)).toEqual([
      'put timed_role_assignment',
      'put timed_relationship_tuple',
      'put timed_user_invite',
      'put role_assignment',
      'delete relationship_tuple',
    ])
    const { revision } = store.head(log)
    const read = store
      .entries(log, revision - 5)
      .flatMap(({ changes }) => changes.map(({ op, kind }) => `${op} ${kind}`))
    expect(read).toEqual([
      'put role_assignment',
      'put relationship_tuple',
      'put user_invite',
      'put role_assignment',
      'delete relationship_tuple',
    ])
    expect(store.changed(log, revision - 4)).toMatchObject([{ kind: 'role_assignment', op: 'update' }])
  })

  it('in the rows of snapshots and checkpoints, which are read as before', async () => {
    const rows = () => {
      const reader = openReader(data)
      const objects = [...reader.state(log).objects]
      const parts = [...packParts(objects)].map(({ bytes }) => bytes)
      return reader.close().then(() => ({ objects, parts }))
    }
    const before = await rows()
    expect(before.parts.flatMap((part) => unpackPart(part))).toEqual(before.objects)
    await management.store.commit(log, 'putAssignment', { ...EDITOR, valid_until: 5 }, BY)
    const after = await rows()
    expect(after.parts.flatMap((part) => unpackPart(part))).toEqual(after.objects)
    const numbers = ({ parts }: { readonly parts: readonly Buffer[] }) => new Set(parts.flatMap(listNumbers))
    const added = [...numbers(after)].filter((number) => !numbers(before).has(number))
    expect(added).toHaveLength(1)
    expect(KIND_NAMES.map((kind): number => KINDS[kind].number)).not.toContain(added[0])
  })

  it('also of a role of everybody, with times or without', async () => {
    const { store } = management
    await store.commit(log, 'updateRole', { ref: 'editor', fields: { everybody: true } }, BY)
    await store.commit(log, 'assign', { user: '*', role: 'editor' }, BY)
    await store.commit(log, 'putAssignment', { user: '*', role: 'editor', valid_until: 5 }, BY)
    await store.commit(log, 'unassign', { user: '*', role: 'editor' }, BY)
    expect((await entryKinds()).slice(-3)).toEqual([
      'put everybodys_role_assignment',
      'put everybodys_role_assignment',
      'delete role_assignment',
    ])
    const { revision } = store.head(log)
    expect(store.entries(log, revision - 3).flatMap(({ changes }) => changes)).toMatchObject([
      { op: 'put', kind: 'role_assignment', value: { user: '*' } },
      { op: 'put', kind: 'role_assignment', value: { user: '*', valid_until: 5 } },
      { op: 'delete', kind: 'role_assignment' },
    ])
  })

  it('also of an invite that a tenant made', async () => {
    const { store } = management
    await store.commit(log, 'updateRole', { ref: 'editor', fields: { assignable_by_tenants: true } }, BY)
    const { id } = [...store.view(log).list('tenant')][0]!
    const invite = { email: 'ann@example.com', role: 'editor' }
    const input = { tenant: id, name: 'inviteInTenant', input: { tenant: id, invite, by: {} } } as const
    await store.commit(log, 'writeInTenant', input, BY)
    await store.commit(
      log,
      'inviteInTenant',
      { tenant: id, invite: { ...invite, email: 'ben@example.com' }, by: {} },
      BY,
    )
    expect((await entryKinds()).slice(-2)).toEqual(['put tenants_user_invite', 'put user_invite'])
    expect(await format()).toBe(OF_TENANTS)
    const { revision } = store.head(log)
    const read = store.entries(log, revision - 2).flatMap(({ changes }) => changes)
    expect(read).toMatchObject([
      { op: 'put', kind: 'user_invite', value: { by_tenant: true } },
      { op: 'put', kind: 'user_invite' },
    ])
    expect(read[1]).not.toHaveProperty('value.by_tenant')
  })

  it('also of a user who is suspended, who is read as before', async () => {
    const { store } = management
    await store.commit(log, 'suspendUser', { ref: 'ana', suspension: { reason: 'left', valid_until: 5 } }, BY)
    await store.commit(log, 'resumeUser', { ref: 'ana' }, BY)
    expect((await entryKinds()).slice(-2)).toEqual(['put suspended_user', 'put user'])
    const { revision } = store.head(log)
    const read = store.entries(log, revision - 2).flatMap(({ changes }) => changes)
    expect(read).toMatchObject([
      { op: 'put', kind: 'user', value: { suspension: { reason: 'left', valid_until: 5 } } },
      { op: 'put', kind: 'user' },
    ])
    expect(read[1]).not.toHaveProperty('value.suspension')
  })

  it('whose number no other kind has', () => {
    const numbers = KIND_NAMES.flatMap((kind) => {
      const { number, newerNumbers = {} } = KINDS[kind] as { readonly number: number; readonly newerNumbers?: object }
      return [number, ...Object.values(newerNumbers)]
    })
    expect(new Set(numbers).size).toBe(numbers.length)
  })
})

/** The first byte of each row: number of the kind, place, length, object. */
function listNumbers(part: Buffer): number[] {
  const numbers: number[] = []
  for (let at = 0; at < part.length; at += 11 + part.readUInt32BE(at + 7)) numbers.push(part[at]!)
  return numbers
}
