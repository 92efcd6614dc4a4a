// [D11] A delete takes effect in its own revision, with everything that it cascades to: each step a change that can be seen.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPap, type Pap } from './harness.ts'

describe('[D11] cascades', () => {
  let pap: Pap
  let round = 0
  beforeAll(async () => {
    pap = await openPap()
  })
  afterAll(() => pap.close())
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
    await pap.run('createResource', { key: doc, actions: { read: {}, write: {} } })
    await pap.run('createRole', { key: reader, permissions: [`${doc}:read`] })
    await pap.run('createRole', { key: writer, permissions: [`${doc}:write`, `${doc}:read`], extends: [reader] })
    await pap.run('createTenant', { key: acme })
    await pap.run('createUser', { key: ana, role_assignments: [{ role: reader, tenant: acme }, { role: writer }] })
    return { doc, reader, writer, ana, acme }
  }

  it('a user takes along its assignments and memberships', async () => {
    const { ana, acme, reader, writer } = await world()
    await pap.run('deleteUser', { ref: ana })
    expect(pap.lastChanges()).toEqual([
      `delete membership ${acme}/${ana}`,
      `delete membership default/${ana}`,
      `delete role_assignment ${ana}/${reader}/${acme}`,
      `delete role_assignment ${ana}/${writer}/default`,
      `delete user ${ana}`,
    ])
  })

  it('a tenant takes along the assignments in it and its memberships', async () => {
    const { ana, acme, reader } = await world()
    await pap.run('deleteTenant', { ref: acme })
    expect(pap.lastChanges()).toEqual([
      `delete membership ${acme}/${ana}`,
      `delete role_assignment ${ana}/${reader}/${acme}`,
      `delete tenant ${acme}`,
    ])
  })

  it('a role takes along its assignments, and drops out of what other roles extend', async () => {
    const { ana, acme, reader, writer } = await world()
    await pap.run('deleteRole', { ref: reader })
    expect(pap.lastChanges()).toEqual([
      `delete membership ${acme}/${ana}`,
      `delete role ${reader}`,
      `delete role_assignment ${ana}/${reader}/${acme}`,
      `put role ${writer}`,
    ])
    expect(pap.view().get('role', writer)?.extends).toEqual([])
  })

  it('a resource takes along the permissions on its actions', async () => {
    const { doc, reader, writer } = await world()
    await pap.run('deleteResource', { ref: doc })
    expect(pap.lastChanges()).toEqual([`delete resource ${doc}`, `put role ${reader}`, `put role ${writer}`])
    expect(pap.view().get('role', writer)?.permissions).toEqual([])
  })

  it('an action takes along the permissions on it, and no others', async () => {
    const { doc, reader, writer } = await world()
    await pap.run('deleteAction', { resource: doc, ref: 'write' })
    expect(pap.lastChanges()).toEqual([`put resource ${doc}`, `put role ${writer}`])
    expect(pap.view().get('role', writer)?.permissions).toEqual([`${doc}:read`])
    expect(pap.view().get('role', reader)?.permissions).toEqual([`${doc}:read`])
  })

  it('an action that PUT or PATCH of the resource leaves out is deleted like any other', async () => {
    const { doc, writer } = await world()
    await pap.run('updateResource', { ref: doc, fields: { actions: { read: {} } } })
    expect(pap.view().get('role', writer)?.permissions).toEqual([`${doc}:read`])
    await pap.run('replaceResource', { ref: doc, fields: {} })
    expect(pap.view().get('role', writer)?.permissions).toEqual([])
    expect(pap.view().get('resource', doc)?.actions).toEqual([])
  })

  it('a permission that is gone does not come back with an action of the same name', async () => {
    const { doc, reader } = await world()
    await pap.run('deleteAction', { resource: doc, ref: 'read' })
    await pap.run('createAction', { resource: doc, action: { key: 'read' } })
    expect(pap.view().get('role', reader)?.permissions).toEqual([])
  })

  it('resources whose keys begin alike do not touch each other', async () => {
    const { doc, reader } = await world()
    const longer = `${doc}_longer`
    await pap.run('createResource', { key: longer, actions: { read: {} } })
    await pap.run('addPermissions', { ref: reader, permissions: [`${longer}:read`] })
    await pap.run('deleteResource', { ref: doc })
    expect(pap.view().get('role', reader)?.permissions).toEqual([`${longer}:read`])
  })

  it('the last role in a tenant takes along the membership that came with it', async () => {
    const { ana, reader, writer } = await world()
    await pap.run('assign', { user: ana, role: reader })
    await pap.run('unassign', { user: ana, role: writer })
    expect(pap.lastChanges()).toEqual([`delete role_assignment ${ana}/${writer}/default`])
    await pap.run('unassign', { user: ana, role: reader })
    expect(pap.lastChanges()).toEqual([
      `delete membership default/${ana}`,
      `delete role_assignment ${ana}/${reader}/default`,
    ])
  })

  it('a membership that was asked for outlives the roles', async () => {
    const { ana, acme, reader } = await world()
    await pap.run('addTenantUser', { tenant: acme, user: { key: ana } })
    await pap.run('unassign', { user: ana, role: reader, tenant: acme })
    expect(pap.view().get('membership', `${acme}/${ana}`)?.explicit).toBe(true)
  })

  it('a failed write leaves nothing behind', async () => {
    const { ana } = await world()
    const before = pap.revision()
    const user = { key: named('ben'), role_assignments: [{ role: named('reader') }, { role: 'nobody-has-this' }] }
    await expect(pap.run('createUser', user)).rejects.toMatchObject({
      code: 'OBJECT_NOT_FOUND',
      path: ['body', 'role_assignments', 1, 'role'],
    })
    expect(pap.revision()).toBe(before)
    expect(pap.view().get('user', user.key)).toBeUndefined()
    expect(pap.view().get('user', ana)).toBeDefined()
  })
})
