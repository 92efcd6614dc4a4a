// [D11] What hangs on instances, tenants and roles goes with them, in the same revision; memberships go with the last
// role that brought them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ManagementData, openManagementData } from './harness.ts'

describe('[D11] cascades among facts', () => {
  let management: ManagementData
  let round = 0
  beforeAll(async () => {
    management = await openManagementData()
  })
  afterAll(() => management.close())
  beforeEach(() => {
    round++
  })

  /** Folder `in` holds doc `plan`; ana is editor of both, and nothing else, in tenant acme. */
  async function world() {
    const names = ['folder', 'doc', 'editor', 'ana', 'acme', 'plain'].map((name) => `${name}${round}`)
    const [folder, doc, editor, ana, acme, plain] = names as [string, string, string, string, string, string]
    await management.run('createResource', { key: folder, actions: { read: {} } })
    await management.run('createResource', { key: doc, actions: { read: {}, write: {} } })
    await management.run('createRelation', { resource: doc, relation: { key: 'parent', subject_resource: folder } })
    for (const resource of [folder, doc])
      await management.run('createResourceRole', { resource, role: { key: editor } })
    await management.run('createRole', { key: plain })
    await management.run('createTenant', { key: acme })
    await management.run('createUser', { key: ana })
    const [outer, inner] = [`${folder}:in`, `${doc}:plan`]
    await management.run('createTuple', { subject: outer, relation: 'parent', object: inner, tenant: acme })
    for (const resource_instance of [outer, inner])
      await management.run('assign', { user: ana, role: editor, resource_instance })
    await management.run('createInvite', {
      key: `cy${round}`,
      status: 'pending',
      email: 'cy@example.com',
      first_name: 'C',
      last_name: 'Y',
      role_id: editor,
      tenant_id: acme,
      resource_instance_id: inner,
    })
    const tuple = `relationship_tuple ${outer}/parent/${inner}`
    const on = (instance: string) => `role_assignment ${ana}/${editor}/${acme}/${instance}`
    return { folder, doc, editor, ana, acme, plain, outer, inner, tuple, on }
  }

  it('an instance takes along its tuples, the roles on it and the invites to them', async () => {
    const { inner, tuple, on } = await world()
    await management.run('deleteInstance', { ref: inner })
    expect(management.lastChanges()).toEqual(
      [
        `delete ${on(inner)}`,
        `delete ${tuple}`,
        `delete resource_instance ${inner}`,
        `delete user_invite cy${round}`,
      ].sort(),
    )
  })

  it('the last role on an instance of a tenant takes along the membership', async () => {
    const { ana, acme, editor, outer, inner } = await world()
    expect(management.view().get('membership', `${acme}/${ana}`)?.explicit).toBe(false)
    await management.run('unassign', { user: ana, role: editor, resource_instance: outer })
    expect(management.view().get('membership', `${acme}/${ana}`)).toBeDefined()
    await management.run('deleteInstance', { ref: inner })
    expect(management.view().get('membership', `${acme}/${ana}`)).toBeUndefined()
  })

  it('two roles on one instance, gone at once, take along the membership that both brought', async () => {
    const { ana, acme, doc, outer, inner, editor } = await world()
    await management.run('unassign', { user: ana, role: editor, resource_instance: outer })
    await management.run('createResourceRole', { resource: doc, role: { key: `second${round}` } })
    await management.run('assign', { user: ana, role: `second${round}`, resource_instance: inner })
    await management.run('deleteInstance', { ref: inner })
    expect(management.view().get('membership', `${acme}/${ana}`)).toBeUndefined()
  })

  it('a role in the tenant keeps the membership when a role on an instance goes', async () => {
    const { ana, acme, plain, inner, outer } = await world()
    await management.run('assign', { user: ana, role: plain, tenant: acme })
    for (const ref of [inner, outer]) await management.run('deleteInstance', { ref })
    expect(management.view().get('membership', `${acme}/${ana}`)).toBeDefined()
    await management.run('deleteRole', { ref: plain })
    expect(management.view().get('membership', `${acme}/${ana}`)).toBeUndefined()
  })

  it('a tenant takes along its instances, tuples, assignments, memberships and invites', async () => {
    const { ana, acme, inner, outer, tuple, on } = await world()
    await management.run('deleteTenant', { ref: acme })
    expect(management.lastChanges()).toEqual(
      [
        `delete ${on(inner)}`,
        `delete ${on(outer)}`,
        `delete ${tuple}`,
        `delete membership ${acme}/${ana}`,
        `delete resource_instance ${inner}`,
        `delete resource_instance ${outer}`,
        `delete tenant ${acme}`,
        `delete user_invite cy${round}`,
      ].sort(),
    )
  })

  it('a user takes along the roles on instances', async () => {
    const { ana, acme, inner, outer, on } = await world()
    await management.run('deleteUser', { ref: ana })
    expect(management.lastChanges()).toEqual(
      [`delete ${on(inner)}`, `delete ${on(outer)}`, `delete membership ${acme}/${ana}`, `delete user ${ana}`].sort(),
    )
  })

  it('a user who is taken out of a tenant loses the roles on its instances', async () => {
    const { ana, acme } = await world()
    await management.run('removeTenantUser', { tenant: acme, user: ana })
    expect(management.view().countBy('assignments_of_user', ana)).toBe(0)
  })

  it('a tenant role leaves the roles of the same key on instances alone', async () => {
    const { editor, ana, on, inner } = await world()
    await management.run('createRole', { key: editor })
    await management.run('assign', { user: ana, role: editor })
    await management.run('deleteRole', { ref: editor })
    expect(management.lastChanges()).toEqual([
      `delete membership default/${ana}`,
      `delete role ${editor}`,
      `delete role_assignment ${ana}/${editor}/default`,
    ])
    expect(management.view().get('role_assignment', on(inner).slice('role_assignment '.length))).toBeDefined()
  })

  it('a role takes along the set rules for it, an action and a resource those on them', async () => {
    const { doc, plain } = await world()
    const rule = (permission: string) => ({ user_set: plain, permission: `${doc}:${permission}`, resource_set: doc })
    await management.run('createSetRule', rule('read'))
    await management.run('createSetRule', rule('write'))
    await management.run('deleteAction', { resource: doc, ref: 'write' })
    expect(management.view().count('set_rule')).toBe(1)
    await management.run('deleteRole', { ref: plain })
    expect(management.view().count('set_rule')).toBe(0)
    await management.run('createRole', { key: plain })
    await management.run('createSetRule', rule('read'))
    await management.run('deleteResource', { ref: doc })
    expect(management.view().count('set_rule')).toBe(0)
  })

  it('a resource takes along its instances with their tuples and the roles on them', async () => {
    const { folder, doc, ana, acme, inner, outer, tuple, on } = await world()
    await management.run('deleteResource', { ref: doc })
    expect(management.lastChanges()).toEqual(
      expect.arrayContaining([
        `delete ${on(inner)}`,
        `delete ${tuple}`,
        `delete resource_instance ${inner}`,
        `delete user_invite cy${round}`,
      ]),
    )
    expect(new Set(management.lastChanges()).size, 'each once').toBe(management.lastChanges().length)
    expect(management.view().get('resource_instance', outer)).toBeDefined()
    await management.run('deleteResource', { ref: folder })
    expect(management.view().countBy('assignments_of_user', ana)).toBe(0)
    expect(management.view().get('membership', `${acme}/${ana}`)).toBeUndefined()
  })
})
