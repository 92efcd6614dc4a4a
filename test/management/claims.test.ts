// Writes of claims on a real store: what becomes of each item, the format of the folder, and the order in which the facts of
// a claim are walked.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLAIMED_KINDS, DIRECTORY, HAND, listClaims, readIdentity } from '../../src/kinds/claims.ts'
import { type ClaimItem, type ClaimWrite, countClaimed, factsOfClaim } from '../../src/management/objects/claims.ts'
import { CLAIM_BLOCKING_MAX, CLAIM_ITEMS_MAX, CLAIMS_PER_FACT_MAX } from '../../src/model/limits.ts'
import { readFolderFormat } from '../../src/store/upgrade.ts'
import { verifyData } from '../../src/store/verify-data.ts'
import { type ManagementData, openManagementData } from './harness.ts'

let management: ManagementData
beforeEach(async () => {
  management = await openManagementData()
  await management.run('createTenant', { key: 'acme', name: 'acme' })
  await management.run('createRole', { key: 'editor' })
  await management.run('createResource', { key: 'doc', actions: { read: {} } })
})
afterEach(() => management.close())

const write = (claim: string, items: readonly ClaimItem[], more: Partial<ClaimWrite> = {}) =>
  management.run('writeClaims', { claim, items, ...more })
const putUser = (key: string, fields: object = {}): ClaimItem => ({ op: 'put', kind: 'user', item: { key, ...fields } })
const give = (user: string, times: object = {}): ClaimItem => ({
  op: 'put',
  kind: 'role_assignment',
  item: { user, role: 'editor', tenant: 'acme', ...times },
})
const claimsOn = (kind: 'user' | 'role_assignment', key: string) => {
  const found = management.view().get(kind, key)
  return found === undefined ? undefined : listClaims(found).map(({ by }) => by)
}

describe('writeClaims', () => {
  it('says of each item what became of it, and one that is refused holds up no other', async () => {
    const { items, counts } = await write('app', [
      putUser('ana'),
      give('ana'),
      give('zoe'),
      give('ana'),
      putUser('a b'),
    ])
    expect(items).toEqual([
      { kind: 'user', key: 'ana', outcome: 'created' },
      { kind: 'role_assignment', key: 'ana/editor/acme', outcome: 'created' },
      { kind: 'role_assignment', key: null, outcome: 'blocked', code: 'OBJECT_NOT_FOUND', reason: expect.any(String) },
      { kind: 'role_assignment', key: 'ana/editor/acme', outcome: 'same' },
      { kind: 'user', key: null, outcome: 'blocked', code: 'KEY_INVALID', reason: expect.any(String) },
    ])
    expect(counts).toMatchObject({ created: 2, blocked: 2, same: 1 })
    const before = management.revision()
    await write('app', [putUser('ana'), give('ana')])
    expect(management.revision()).toBe(before)
  })

  it('changes only the fields that it names', async () => {
    await management.run('createUser', { key: 'ana', email: 'a@acme.test', attributes: { level: 3, team: 'x' } })
    await write('app', [putUser('ana', { first_name: 'Ana', attributes: { team: null, city: 'Oslo' } })])
    const stored = management.view().require('user', 'ana')
    expect(stored).toMatchObject({ email: 'a@acme.test', first_name: 'Ana', attributes: { level: 3, city: 'Oslo' } })
    expect(stored.claims).toEqual([
      { by: 'app', fields: ['attributes.city', 'attributes.team', 'first_name'] },
      { by: HAND },
    ])
    await management.run('updateUser', { ref: 'ana', fields: { last_name: 'A' } })
    await management.run('replaceUser', { ref: 'ana', fields: {} })
    expect(claimsOn('user', 'ana')).toEqual(['app', HAND])
  })

  it('drops a user with what hung on it, but not over what others claim', async () => {
    await write('app', [putUser('ana'), putUser('ben'), give('ana'), give('ben')])
    await management.run('assign', { user: 'ben', role: 'editor', tenant: 'default' })
    const { items } = await write('app', [
      { op: 'drop', kind: 'user', key: 'ana' },
      { op: 'drop', kind: 'user', key: 'ben' },
      { op: 'drop', kind: 'user', key: 'cyd' },
    ])
    expect(items).toEqual([
      { kind: 'user', key: 'ana', outcome: 'deleted' },
      {
        ...{ kind: 'user', key: 'ben', outcome: 'blocked', blocking_total: 1 },
        blocking: [{ kind: 'role_assignment', key: 'ben/editor/default', claims: [HAND] }],
      },
      { kind: 'user', key: 'cyd', outcome: 'missing' },
    ])
    expect(claimsOn('role_assignment', 'ana/editor/acme')).toBeUndefined()
    expect([claimsOn('user', 'ben'), claimsOn('role_assignment', 'ben/editor/acme')]).toEqual([[HAND], ['app']])
  })

  it('lists the first facts that keep a tenant, and counts the others', async () => {
    await write('app', [{ op: 'put', kind: 'tenant', item: { key: 'big', name: 'big' } }])
    for (let at = 0; at <= CLAIM_BLOCKING_MAX; at++) {
      await management.run('createUser', { key: `u${at}` })
      await management.run('putMembership', { user: `u${at}`, tenant: 'big' })
    }
    const [report] = (await write('app', [{ op: 'drop', kind: 'tenant', key: 'big' }])).items
    expect(report).toMatchObject({ outcome: 'blocked', blocking_total: CLAIM_BLOCKING_MAX + 1 })
    expect(report?.blocking).toHaveLength(CLAIM_BLOCKING_MAX)
    expect(management.view().get('tenant', 'big')).toBeDefined()
  })

  it('takes neither `hand`, nor too many items, nor a ninth claim', async () => {
    await expect(write(HAND, [])).rejects.toMatchObject({ code: 'KEY_RESERVED' })
    await expect(write('a b', [])).rejects.toMatchObject({ code: 'KEY_INVALID' })
    const many = Array.from({ length: CLAIM_ITEMS_MAX + 1 }, () => putUser('ana'))
    await expect(write('app', many)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
    await write('app', many.slice(1))
    for (let at = 1; at < CLAIMS_PER_FACT_MAX; at++) await write(`app${at}`, [putUser('ana')])
    expect(claimsOn('user', 'ana')).toHaveLength(CLAIMS_PER_FACT_MAX)
    expect((await write('ninth', [putUser('ana')])).items[0]).toMatchObject({ code: 'LIMIT_EXCEEDED' })
    await expect(management.run('createUser', { key: 'ana' })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })
})

describe('the facts of a claim', () => {
  it('are walked name by name, as UTF-8 bytes, and go on behind any of them', async () => {
    const users = ['ana-b', 'ana', 'ana.b', 'ANA', 'ana+b']
    await write(
      'app',
      users.flatMap((key) => [putUser(key), give(key)]),
    )
    await write(DIRECTORY, [give('ana')])
    await management.run('createUser', { key: 'by-hand' })
    const view = management.store.view(management.environment)
    const walked = [...factsOfClaim(view, 'role_assignment', 'app')]
    expect(walked.map(({ user }) => user)).toEqual(['ANA', 'ana', 'ana+b', 'ana-b', 'ana.b'])
    const after = readIdentity('role_assignment', walked[1]!)
    expect([...factsOfClaim(view, 'role_assignment', 'app', { after, limit: 2 })]).toEqual(walked.slice(2, 4))
    const counts = CLAIMED_KINDS.map((kind) => countClaimed(view, kind, 'app'))
    expect(counts).toEqual([users.length, 0, 0, 0, users.length, 0, 0])
    expect([...factsOfClaim(view, 'user', DIRECTORY), ...factsOfClaim(view, 'user', 'ap')]).toEqual([])
  })
})

describe('a folder', () => {
  it('is one that older versions refuse once another than `hand` claims something, and is whole', async () => {
    await management.run('createUser', { key: 'ana' })
    const { folder } = management.store
    expect(await readFolderFormat(folder)).toBe(3)
    await write('app', [putUser('ana')])
    await management.run('deleteUser', { ref: 'ana' })
    await management.close()
    expect(await readFolderFormat(folder)).toBe(12)
    expect((await verifyData(folder)).damages).toBe(0)
    management = await openManagementData()
  })
})
