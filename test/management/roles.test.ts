// Permissions and inheritance of roles: what may be named, and the bounds of `extends` (D4).
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { resolvePermissions, withoutPermissions } from '../../src/management/rules/role-permissions.ts'
import { EXTENDS_DEPTH_MAX, EXTENDS_MAX, PERMISSIONS_PER_REQUEST_MAX } from '../../src/model/limits.ts'
import { type ManagementData, openManagementData } from './harness.ts'

describe('permissions of a role', () => {
  let management: ManagementData
  beforeAll(async () => {
    management = await openManagementData()
    await management.run('createResource', { key: 'doc', actions: { read: {}, write: {}, constructor: {} } })
  })
  afterAll(() => management.close())

  it('are kept once, in the order in which they came', async () => {
    const role = await management.run('createRole', { key: 'r1', permissions: ['doc:write', 'doc:read', 'doc:write'] })
    expect(role.permissions).toEqual(['doc:write', 'doc:read'])
    const more = await management.run('addPermissions', { ref: 'r1', permissions: ['doc:read', 'doc:constructor'] })
    expect(more.permissions).toEqual(['doc:write', 'doc:read', 'doc:constructor'])
    const less = await management.run('removePermissions', { ref: 'r1', permissions: ['doc:write', 'doc:never'] })
    expect(less.permissions).toEqual(['doc:read', 'doc:constructor'])
  })

  it('that are there already make no new revision', async () => {
    await management.run('createRole', { key: 'r2', permissions: ['doc:read'] })
    const before = management.revision()
    await management.run('addPermissions', { ref: 'r2', permissions: ['doc:read'] })
    await management.run('removePermissions', { ref: 'r2', permissions: ['doc:write'] })
    expect(management.revision()).toBe(before)
  })

  it.each(['doc', 'doc:', ':read', 'doc:read:more', ''])('`%s` is malformed', async (permission) => {
    const write = management.run('createRole', { key: 'r3', permissions: [permission] })
    await expect(write).rejects.toMatchObject({ code: 'PERMISSION_INVALID' })
    await expect(management.run('removePermissions', { ref: 'r1', permissions: [permission] })).rejects.toMatchObject({
      code: 'PERMISSION_INVALID',
    })
  })

  it.each(['doc:fly', 'sheet:read', 'doc:__proto__', 'doc:toString'])(
    '`%s` names nothing that exists',
    async (permission) => {
      const write = management.run('createRole', { key: 'r3', permissions: [permission] })
      await expect(write).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND', path: ['body', 'permissions', 0] })
    },
  )

  it('are resolved by one look-up for each resource type, however many there are', async () => {
    await management.run('createResource', { key: 'wide', actions: { a: {}, b: {}, c: {}, d: {} } })
    const { id, actions } = management.view().require('resource', 'wide')
    const sent = ['wide:a', 'doc:read', 'wide:b', `wide:${actions[2]!.id}`, 'doc:write', `${id}:d`, `${id}:a`]
    const view = management.view()
    const find = vi.spyOn(view, 'find')
    const resolved = ['wide:a', 'doc:read', 'wide:b', 'wide:c', 'doc:write', 'wide:d']
    expect(resolvePermissions(view, sent)).toEqual(resolved)
    expect(find.mock.calls.map(([, ref]) => ref).sort()).toEqual([id, 'doc', 'wide'].sort())
    find.mockClear()
    expect(withoutPermissions(view, [...resolved, 'doc:constructor'], sent)).toEqual(['doc:constructor'])
    expect(find).toHaveBeenCalledTimes(3)
  })

  it('may be named by ids, and are kept by keys', async () => {
    const doc = management.view().require('resource', 'doc')
    const role = await management.run('createRole', { key: 'r4', permissions: [`${doc.id}:${doc.actions[0]?.id}`] })
    expect(role.permissions).toEqual(['doc:read'])
  })

  it('are bounded in number per request', async () => {
    const permissions = Array.from({ length: PERMISSIONS_PER_REQUEST_MAX + 1 }, () => 'doc:read')
    await expect(management.run('createRole', { key: 'r5', permissions })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    })
    await management.run('createRole', { key: 'r5', permissions: permissions.slice(1) })
  })
})

describe('[D4] extends', () => {
  let management: ManagementData
  beforeAll(async () => {
    management = await openManagementData()
  })
  afterAll(() => management.close())

  it('takes keys and ids, and keeps keys', async () => {
    const base = await management.run('createRole', { key: 'base' })
    const role = await management.run('createRole', { key: 'more', extends: [base.id, 'base'] })
    expect(role.extends).toEqual(['base'])
  })

  it('of a role that does not exist is refused', async () => {
    const write = management.run('createRole', { key: 'x', extends: ['nothing'] })
    await expect(write).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND', path: ['body', 'extends', 0] })
  })

  it('of itself is refused, directly and through others', async () => {
    await expect(management.run('createRole', { key: 'self', extends: ['self'] })).rejects.toMatchObject({
      code: 'EXTENDS_CYCLE',
    })
    await management.run('createRole', { key: 'c1' })
    await management.run('createRole', { key: 'c2', extends: ['c1'] })
    await management.run('createRole', { key: 'c3', extends: ['c2'] })
    const close = management.run('updateRole', { ref: 'c1', fields: { extends: ['c3'] } })
    await expect(close).rejects.toMatchObject({ code: 'EXTENDS_CYCLE', details: { key: 'c1', via: 'c2' } })
    const own = management.run('updateRole', {
      ref: 'c1',
      fields: { extends: [management.view().require('role', 'c1').id] },
    })
    await expect(own).rejects.toMatchObject({ code: 'EXTENDS_CYCLE' })
  })

  it('may meet again above: a diamond is not a cycle', async () => {
    await management.run('createRole', { key: 'top' })
    await management.run('createRole', { key: 'left', extends: ['top'] })
    await management.run('createRole', { key: 'right', extends: ['top'] })
    await expect(management.run('createRole', { key: 'bottom', extends: ['left', 'right'] })).resolves.toBeDefined()
  })

  it('makes chains of at most EXTENDS_DEPTH_MAX roles, from whichever end they grow', async () => {
    for (let at = 1; at <= EXTENDS_DEPTH_MAX; at++) {
      await management.run('createRole', { key: `d${at}`, extends: at === 1 ? [] : [`d${at - 1}`] })
    }
    const below = management.run('createRole', { key: 'too-deep', extends: [`d${EXTENDS_DEPTH_MAX}`] })
    await expect(below).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', details: { limit: EXTENDS_DEPTH_MAX } })
    await management.run('createRole', { key: 'above' })
    const above = management.run('updateRole', { ref: 'd1', fields: { extends: ['above'] } })
    await expect(above).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })

  it('names at most EXTENDS_MAX roles', async () => {
    for (let at = 0; at <= EXTENDS_MAX; at++) await management.run('createRole', { key: `p${at}` })
    const keys = Array.from({ length: EXTENDS_MAX + 1 }, (_, at) => `p${at}`)
    const tooMany = management.run('createRole', { key: 'wide', extends: keys })
    await expect(tooMany).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', details: { limit: EXTENDS_MAX } })
    const wide = await management.run('createRole', { key: 'wide', extends: keys.slice(1) })
    expect(wide.extends).toHaveLength(EXTENDS_MAX)
  })
})
