// [D11] A delete takes effect in its own revision, with everything that it cascades to: each step a change that can be
// seen.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ManagementData, openManagementData } from './harness.ts'

describe('[D11] cascades', () => {
  let management: ManagementData
  let round = 0
  beforeAll(async () => {
    management = await openManagementData()
  })
  afterAll(() => management.close())
  beforeEach(() => {
    round++
  })
  const named = (name: string) => `${name}${round}`

  async function world() {
    const [doc, reader, writer, ana, acme] = ['doc', 'reader', 'writer', 'ana', 'acme'].map(named) as [
      string,
      string,
      string,
      string,
      string,
    ]
    await management.run('createResource', { key: doc, actions: { read: {}, write: {} } })
    await management.run('createRole', { key: reader, permissions: [`${doc}:read`] })
    await management.run('createRole', { key: writer, permissions: [`${doc}:write`, `${doc}:read`], extends: [reader] })
    await management.run('createTenant', { key: acme })
    await management.run('createUser', {
      key: ana,
      role_assignments: [{ role: reader, tenant: acme }, { role: writer }],
    })
    return { doc, reader, writer, ana, acme }
  }

  it('a user takes along its assignments and memberships', async () => {
    const { ana, acme, reader, writer } = await world()
    await management.run('deleteUser', { ref: ana })
    expect(management.lastChanges()).toEqual([
      `delete membership ${acme}/${ana}`,
      `delete membership default/${ana}`,
      `delete role_assignment ${ana}/${reader}/${acme}`,
      `delete role_assignment ${ana}/${writer}/default`,
      `delete user ${ana}`,
    ])
  })

  it('a tenant takes along the assignments in it and its memberships', async () => {
    const { ana, acme, reader } = await world()
    await management.run('deleteTenant', { ref: acme })
    expect(management.lastChanges()).toEqual([
      `delete membership ${acme}/${ana}`,
      `delete role_assignment ${ana}/${reader}/${acme}`,
      `delete tenant ${acme}`,
    ])
  })

  it('a role takes along its assignments, and drops out of what other roles extend', async () => {
    const { ana, acme, reader, writer } = await world()
    await management.run('deleteRole', { ref: reader })
    expect(management.lastChanges()).toEqual([
      `delete membership ${acme}/${ana}`,
      `delete role ${reader}`,
      `delete role_assignment ${ana}/${reader}/${acme}`,
      `put role ${writer}`,
    ])
    expect(management.view().get('role', writer)?.extends).toEqual([])
  })

  it('a resource takes along the permissions on its actions', async () => {
    const { doc, reader, writer } = await world()
    await management.run('deleteResource', { ref: doc })
    expect(management.lastChanges()).toEqual([`delete resource ${doc}`, `put role ${reader}`, `put role ${writer}`])
    expect(management.view().get('role', writer)?.permissions).toEqual([])
  })

  it('an action takes along the permissions on it, and no others', async () => {
    const { doc, reader, writer } = await world()
    await management.run('deleteAction', { resource: doc, ref: 'write' })
    expect(management.lastChanges()).toEqual([`put resource ${doc}`, `put role ${writer}`])
    expect(management.view().get('role', writer)?.permissions).toEqual([`${doc}:read`])
    expect(management.view().get('role', reader)?.permissions).toEqual([`${doc}:read`])
  })

  it('an action that PUT or PATCH of the resource leaves out is deleted like any other', async () => {
    const { doc, writer } = await world()
    await management.run('updateResource', { ref: doc, fields: { actions: { read: {} } } })
    expect(management.view().get('role', writer)?.permissions).toEqual([`${doc}:read`])
    await management.run('replaceResource', { ref: doc, fields: {} })
    expect(management.view().get('role', writer)?.permissions).toEqual([])
    expect(management.view().get('resource', doc)?.actions).toEqual([])
  })

  it('a permission that is gone does not come back with an action of the same name', async () => {
    const { doc, reader } = await world()
    await management.run('deleteAction', { resource: doc, ref: 'read' })
    await management.run('createAction', { resource: doc, action: { key: 'read' } })
    expect(management.view().get('role', reader)?.permissions).toEqual([])
  })

  it('resources whose keys begin alike do not touch each other', async () => {
    const { doc, reader } = await world()
    const longer = `${doc}_longer`
    await management.run('createResource', { key: longer, actions: { read: {} } })
    await management.run('addPermissions', { ref: reader, permissions: [`${longer}:read`] })
    await management.run('deleteResource', { ref: doc })
    expect(management.view().get('role', reader)?.permissions).toEqual([`${longer}:read`])
  })

  it('the last role in a tenant takes along the membership that came with it', async () => {
    const { ana, reader, writer } = await world()
    await management.run('assign', { user: ana, role: reader })
    await management.run('unassign', { user: ana, role: writer })
    expect(management.lastChanges()).toEqual([`delete role_assignment ${ana}/${writer}/default`])
    await management.run('unassign', { user: ana, role: reader })
    expect(management.lastChanges()).toEqual([
      `delete membership default/${ana}`,
      `delete role_assignment ${ana}/${reader}/default`,
    ])
  })

  it('a membership that was asked for outlives the roles', async () => {
    const { ana, acme, reader } = await world()
    await management.run('addTenantUser', { tenant: acme, user: { key: ana } })
    await management.run('unassign', { user: ana, role: reader, tenant: acme })
    expect(management.view().get('membership', `${acme}/${ana}`)?.explicit).toBe(true)
  })

  it('a failed write leaves nothing behind', async () => {
    const { ana } = await world()
    const before = management.revision()
    const user = { key: named('ben'), role_assignments: [{ role: named('reader') }, { role: 'nobody-has-this' }] }
    await expect(management.run('createUser', user)).rejects.toMatchObject({
      code: 'OBJECT_NOT_FOUND',
      path: ['body', 'role_assignments', 1, 'role'],
    })
    expect(management.revision()).toBe(before)
    expect(management.view().get('user', user.key)).toBeUndefined()
    expect(management.view().get('user', ana)).toBeDefined()
  })
})
