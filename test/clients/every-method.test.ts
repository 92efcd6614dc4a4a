// Every method of `permit.api.*` of the published client, called against a running server with its result asserted,
// errors included. The last test fails for a method that none of them called.
import { Permit, PermitApiError } from 'permitio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'
import { Recorder } from './recorded.ts'

let permit: Permit
/** with the organization key: projects and environments */
let general: Permit
let recorder: Recorder

beforeAll(async () => {
  const data = temporaryFolder('methods')
  const ports = { api: await freePort(), pdp: await freePort() }
  await serveHere(data, ports)
  const { organization, environments } = readKeys(data)
  const open = (token: string) =>
    new Permit({ token, apiUrl: url(ports.api), pdp: url(ports.pdp), log: { level: 'silent' }, throwOnError: true })
  permit = open(environments.development)
  general = open(organization)
  recorder = new Recorder(permit, general)
})
afterAll(endServers)

const listKeys = (objects: readonly { readonly key: string }[]) => objects.map(({ key }) => key)

/** Status and error_code of a call that must fail; of a 422 the place instead. */
async function failure(call: Promise<unknown>): Promise<[number | undefined, unknown]> {
  const error = await call.then(
    (answer) => new Error(`answered ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  )
  // the deprecated calls let the error of the HTTP client through
  const { response } = error as PermitApiError<{ error_code?: string; detail?: { loc: unknown[] }[] }>
  if (response === undefined) throw error
  const { status, data } = response
  return [status, data?.error_code ?? data?.detail?.[0]?.loc?.join('.')]
}
const NOT_FOUND = [404, 'NOT_FOUND']
const TAKEN = [409, 'DUPLICATE_ENTITY']

describe('general objects', () => {
  it('projects', async () => {
    const { projects } = general.api
    // the client's types lack `initial_environments`; it sends what it is given
    const without = { initial_environments: [] }
    const made = await projects.create({ key: 'shop', name: 'Shop', description: 'sells', ...without })
    expect(made).toMatchObject({ key: 'shop', name: 'Shop', description: 'sells' })
    expect(listKeys(await projects.list())).toEqual(['default', 'shop'])
    expect(listKeys(await projects.list({ page: 2, perPage: 1 }))).toEqual(['shop'])
    expect((await projects.get('shop')).id).toBe(made.id)
    expect((await projects.getByKey('shop')).id).toBe(made.id)
    expect((await projects.getById(made.id)).key).toBe('shop')
    expect((await projects.update('shop', { name: 'Store' })).name).toBe('Store')
    expect(await failure(projects.create({ key: 'shop', name: 'Again' }))).toEqual(TAKEN)
    expect(await failure(projects.get('nowhere'))).toEqual(NOT_FOUND)
    await expect(projects.get('nowhere')).rejects.toBeInstanceOf(PermitApiError)
    expect(await failure(projects.create({ key: 'a b', name: 'Bad' }))).toEqual([422, 'body.key'])
  })

  it('environments', async () => {
    const { environments, projects } = general.api
    const made = await environments.create('shop', { key: 'test', name: 'Test', description: 'for trying' })
    expect(made).toMatchObject({ key: 'test', name: 'Test', description: 'for trying' })
    expect(listKeys(await environments.list({ projectKey: 'shop' }))).toEqual(['test'])
    expect((await environments.get('shop', 'test')).id).toBe(made.id)
    expect((await environments.getByKey('shop', 'test')).id).toBe(made.id)
    expect((await environments.getById(made.project_id, made.id)).key).toBe('test')
    expect((await environments.update('shop', 'test', { name: 'Trial' })).name).toBe('Trial')
    const { stats } = await environments.getStats('shop', 'test')
    expect(stats).toMatchObject({ roles: 0, users: 0, resources: 0, tenants: 1 })
    expect(await environments.getApiKey('shop', 'test')).toMatchObject({
      environment_id: made.id,
      secret: expect.stringMatching(/^zh_env_/),
    })
    const copied = await environments.copy('shop', 'test', { target_env: { new: { key: 'copy', name: 'Copy' } } })
    expect(copied.key).toBe('copy')
    expect(await failure(environments.create('shop', { key: 'test', name: 'Again' }))).toEqual(TAKEN)
    expect(await failure(environments.get('shop', 'nowhere'))).toEqual(NOT_FOUND)
    await environments.delete('shop', 'copy')
    expect(await failure(environments.get('shop', 'copy'))).toEqual(NOT_FOUND)
    await projects.delete('shop')
    expect(await failure(environments.list({ projectKey: 'shop' }))).toEqual(NOT_FOUND)
  })

  it('elements.loginAs begins a session of a user of the tenant', async () => {
    await permit.api.users.create({ key: 'guest' })
    const login = (userId: string, tenantId: string) => failure(permit.elements.loginAs({ userId, tenantId }))
    expect(await login('nobody', 'default')).toEqual(NOT_FOUND)
    expect(await login('guest', 'nowhere')).toEqual(NOT_FOUND)
    expect(await login('guest', 'default')).toEqual(NOT_FOUND)
    await permit.api.roles.create({ key: 'visitor', name: 'Visitor' })
    await permit.api.users.assignRole({ user: 'guest', role: 'visitor', tenant: 'default' })
    const { redirect_url, content } = await permit.elements.loginAs({ userId: 'guest', tenantId: 'default' })
    expect(redirect_url).toMatch(/^\/authz\/login\?token=/)
    expect(content).toEqual({ url: redirect_url })
    await permit.api.users.delete('guest')
    await permit.api.roles.delete('visitor')
  })
})

describe('the policy', () => {
  it('resources', async () => {
    const { resources } = permit.api
    const folder = await resources.create({ key: 'folder', name: 'Folder', actions: { read: {} } })
    const document = await resources.create({
      key: 'document',
      name: 'Document',
      actions: { read: {}, write: {} },
      relations: { parent: 'folder' },
      roles: { owner: { name: 'Owner', permissions: ['read', 'write'] } },
      attributes: { pages: { type: 'number' } },
    })
    expect(document).toMatchObject({
      actions: { read: { name: 'read' }, write: { name: 'write' } },
      relations: { parent: { resource: 'folder', resource_id: folder.id } },
      roles: { owner: { name: 'Owner', permissions: ['read', 'write'] } },
      attributes: { pages: { type: 'number' } },
    })
    expect(listKeys(await resources.list())).toEqual(['folder', 'document'])
    expect((await resources.list({ includeTotalCount: true })).total_count).toBe(2)
    expect((await resources.get('document')).id).toBe(document.id)
    expect((await resources.getByKey('document')).id).toBe(document.id)
    expect((await resources.getById(document.id)).key).toBe('document')
    expect((await resources.update('folder', { description: 'holds' })).description).toBe('holds')
    await resources.create({ key: 'draft', name: 'Draft', actions: { read: {} }, description: 'soon' })
    const replaced = await resources.replace('draft', { name: 'Sketch', actions: { see: {} } })
    expect(replaced).toMatchObject({ name: 'Sketch', description: null })
    expect(Object.keys(replaced.actions ?? {})).toEqual(['see'])
    await resources.delete('draft')
    expect(await failure(resources.get('draft'))).toEqual(NOT_FOUND)
    expect(await failure(resources.create({ key: 'folder', name: 'Again', actions: {} }))).toEqual(TAKEN)
    expect(await failure(resources.create({ key: '__user', name: 'Built in', actions: {} }))).toEqual([422, 'body.key'])
  })

  it('actions, action groups and attributes', async () => {
    const { resourceActions: actions, actionGroups: groups, resourceAttributes: attributes } = permit.api
    const { id } = await permit.api.resources.get('document')
    const print = await actions.create('document', { key: 'print', name: 'Print' })
    expect(print).toMatchObject({ key: 'print', permission_name: 'document:print', resource_id: id })
    expect(listKeys(await actions.list({ resourceKey: 'document' }))).toEqual(['read', 'write', 'print'])
    expect((await actions.get('document', 'print')).id).toBe(print.id)
    expect((await actions.getByKey('document', 'print')).id).toBe(print.id)
    expect((await actions.getById(id, print.id)).key).toBe('print')
    expect((await actions.update('document', 'print', { name: 'Press' })).name).toBe('Press')
    expect(await failure(actions.create('document', { key: 'print', name: 'Again' }))).toEqual(TAKEN)

    const group = await groups.create('document', { key: 'all', name: 'All', actions: ['read', 'print'] })
    expect(group).toMatchObject({ key: 'all', actions: ['read', 'print'], resource_id: id })
    expect(listKeys(await groups.list({ resourceKey: 'document' }))).toEqual(['all'])
    expect((await groups.get('document', 'all')).id).toBe(group.id)
    expect((await groups.getByKey('document', 'all')).id).toBe(group.id)
    expect((await groups.getById(id, group.id)).key).toBe('all')
    expect((await groups.update('document', 'all', { name: 'Any' })).name).toBe('Any')
    expect(await failure(groups.create('document', { key: 'all', name: 'Again' }))).toEqual(TAKEN)

    await actions.delete('document', 'print')
    expect(await failure(actions.get('document', 'print'))).toEqual(NOT_FOUND)
    expect((await groups.get('document', 'all')).actions).toEqual(['read'])
    await groups.delete('document', 'all')
    expect(await failure(groups.get('document', 'all'))).toEqual(NOT_FOUND)

    const author = await attributes.create('document', { key: 'author', type: 'string', description: 'who wrote' })
    expect(author).toMatchObject({ key: 'author', type: 'string', resource_key: 'document' })
    expect(listKeys(await attributes.list({ resourceKey: 'document' }))).toEqual(['pages', 'author'])
    expect((await attributes.get('document', 'author')).id).toBe(author.id)
    expect((await attributes.getByKey('document', 'author')).id).toBe(author.id)
    expect((await attributes.getById(id, author.id)).key).toBe('author')
    expect((await attributes.update('document', 'author', { type: 'array' })).type).toBe('array')
    expect(await failure(attributes.create('document', { key: 'author', type: 'bool' }))).toEqual(TAKEN)
    await attributes.delete('document', 'author')
    expect(await failure(attributes.get('document', 'author'))).toEqual(NOT_FOUND)
  })

  it('roles', async () => {
    const { roles } = permit.api
    const made = await roles.create({ key: 'reader', name: 'Reader', permissions: ['document:read'] })
    expect(made).toMatchObject({ permissions: ['document:read'], granted_to: null })
    expect(listKeys(await roles.list())).toEqual(['reader'])
    expect((await roles.get('reader')).id).toBe(made.id)
    expect((await roles.getByKey('reader')).id).toBe(made.id)
    expect((await roles.getById(made.id)).key).toBe('reader')
    expect((await roles.update('reader', { description: 'reads' })).description).toBe('reads')
    const both = ['document:read', 'document:write']
    expect((await roles.assignPermissions('reader', ['document:write'])).permissions).toEqual(both)
    expect((await roles.removePermissions('reader', ['document:write'])).permissions).toEqual(['document:read'])
    await roles.create({ key: 'short', name: 'Short' })
    await roles.delete('short')
    expect(await failure(roles.delete('short'))).toEqual(NOT_FOUND)
    expect(await failure(roles.create({ key: 'reader', name: 'Again' }))).toEqual(TAKEN)
    expect(await failure(roles.assignPermissions('reader', ['document']))).toEqual([400, 'INVALID_PERMISSION_FORMAT'])
    expect(await failure(roles.assignPermissions('reader', ['document:sing']))).toEqual(NOT_FOUND)
  })

  it('relations, resource roles and derivations', async () => {
    const { resourceRelations: relations, resourceRoles: roles, resources } = permit.api
    const [folder, document] = [await resources.get('folder'), await resources.get('document')]
    const relation = await relations.create('document', { key: 'link', name: 'Link', subject_resource: 'folder' })
    expect(relation).toMatchObject({ key: 'link', subject_resource: 'folder', object_resource: 'document' })
    const listed = (await relations.list({ resourceKey: 'document' })) as unknown as { data: { key: string }[] }
    expect(listKeys(listed.data)).toEqual(['parent', 'link'])
    expect((await relations.get('document', 'link')).id).toBe(relation.id)
    expect((await relations.getByKey('document', 'link')).id).toBe(relation.id)
    expect((await relations.getById(document.id, relation.id)).key).toBe('link')
    expect(
      await failure(relations.create('document', { key: 'link', name: 'Again', subject_resource: 'folder' })),
    ).toEqual(TAKEN)
    await relations.delete('document', 'link')
    expect(await failure(relations.get('document', 'link'))).toEqual(NOT_FOUND)

    const manager = await roles.create('folder', { key: 'manager', name: 'Manager', permissions: ['read'] })
    expect(manager).toMatchObject({ key: 'manager', permissions: ['read'], resource: 'folder' })
    expect(listKeys(await roles.list({ resourceKey: 'folder' }))).toEqual(['manager'])
    expect((await roles.get('folder', 'manager')).id).toBe(manager.id)
    expect((await roles.getByKey('folder', 'manager')).id).toBe(manager.id)
    expect((await roles.getById(folder.id, manager.id)).key).toBe('manager')
    expect((await roles.update('folder', 'manager', { name: 'Keeper' })).name).toBe('Keeper')
    expect((await roles.removePermissions('folder', 'manager', ['folder:read'])).permissions).toEqual([])
    expect((await roles.assignPermissions('folder', 'manager', ['read'])).permissions).toEqual(['read'])
    expect(await failure(roles.create('folder', { key: 'manager', name: 'Again' }))).toEqual(TAKEN)

    const rule = { role: 'manager', on_resource: 'folder', linked_by_relation: 'parent' }
    const derived = await roles.createRoleDerivation('document', 'owner', rule)
    expect(derived).toMatchObject({ ...rule, role_id: manager.id, resource_id: folder.id })
    const settings = { no_direct_roles_on_object: true }
    expect(await roles.updateRoleDerivationConditions('document', 'owner', settings)).toEqual(settings)
    expect((await roles.get('document', 'owner')).granted_to).toMatchObject({ users_with_role: [rule], when: settings })
    expect(await failure(roles.createRoleDerivation('document', 'owner', rule))).toEqual(TAKEN)
    await roles.deleteRoleDerivation('document', 'owner', rule)
    expect(await failure(roles.deleteRoleDerivation('document', 'owner', rule))).toEqual(NOT_FOUND)
    await roles.create('folder', { key: 'short', name: 'Short' })
    await roles.delete('folder', 'short')
    expect(await failure(roles.get('folder', 'short'))).toEqual(NOT_FOUND)
  })

  it('condition sets and their rules', async () => {
    const { conditionSets: sets, conditionSetRules: rules } = permit.api
    const conditions = { allOf: [{ 'user.department': { equals: 'sales' } }] }
    const staff = await sets.create({ key: 'staff', name: 'Staff', type: 'userset', conditions })
    expect(staff).toMatchObject({ key: 'staff', type: 'userset', conditions })
    const long = { allOf: [{ 'resource.pages': { 'greater-than': 10 } }] }
    await sets.create({ key: 'long', name: 'Long', type: 'resourceset', resource_id: 'document', conditions: long })
    expect(listKeys(await sets.list())).toEqual(['staff', 'long'])
    expect((await sets.get('staff')).id).toBe(staff.id)
    expect((await sets.getByKey('staff')).id).toBe(staff.id)
    expect((await sets.getById(staff.id)).key).toBe('staff')
    expect(await sets.update('staff', { name: 'Sales' })).toMatchObject({ name: 'Sales', conditions })
    expect(await failure(sets.create({ key: 'staff', name: 'Again', conditions }))).toEqual(TAKEN)
    const wrong = { allOf: [{ 'user.department': { resembles: 'sales' } }] }
    expect((await failure(sets.create({ key: 'bad', name: 'Bad', conditions: wrong })))[0]).toBe(422)

    const rule = { user_set: 'staff', permission: 'document:read', resource_set: 'long' }
    expect(await rules.create(rule)).toMatchObject(rule)
    const filter = { userSetKey: 'staff', permissionKey: 'document:read', resourceSetKey: 'long' }
    expect(await rules.list(filter)).toMatchObject([rule])
    expect(await failure(rules.create({ ...rule, user_set: 'nobody' }))).toEqual(NOT_FOUND)
    await rules.delete(rule)
    expect(await rules.list(filter)).toEqual([])
    await sets.delete('long')
    expect(await failure(sets.get('long'))).toEqual(NOT_FOUND)
  })
})

describe('the facts', () => {
  it('tenants', async () => {
    const { tenants } = permit.api
    const acme = await tenants.create({ key: 'acme', name: 'Acme', attributes: { plan: 'free' } })
    expect(acme).toMatchObject({ key: 'acme', name: 'Acme', attributes: { plan: 'free' } })
    expect(listKeys(await tenants.list())).toEqual(['default', 'acme'])
    expect(listKeys(await tenants.list({ search: 'acm' }))).toEqual(['acme'])
    expect((await tenants.get('acme')).id).toBe(acme.id)
    expect((await tenants.getByKey('acme')).id).toBe(acme.id)
    expect((await tenants.getById(acme.id)).key).toBe('acme')
    expect((await tenants.update('acme', { description: 'the first' })).description).toBe('the first')
    await tenants.create({ key: 'gone', name: 'Gone' })
    await tenants.delete('gone')
    expect(await failure(tenants.get('gone'))).toEqual(NOT_FOUND)
    expect(await failure(tenants.create({ key: 'acme', name: 'Again' }))).toEqual(TAKEN)
  })

  it('users, one by one and in bulk', async () => {
    const { users } = permit.api
    const ana = await users.create({ key: 'ana', email: 'ana@acme.com', attributes: { age: 30 } })
    expect(ana).toMatchObject({ key: 'ana', email: 'ana@acme.com', attributes: { age: 30 } })
    expect((await users.list()).data.map(({ key }) => key)).toEqual(['ana'])
    expect((await users.list({ search: 'ACME' })).total_count).toBe(1)
    expect((await users.get('ana')).id).toBe(ana.id)
    expect((await users.getByKey('ana')).id).toBe(ana.id)
    expect((await users.getById(ana.id)).key).toBe('ana')
    expect((await users.update('ana', { first_name: 'Ana' })).first_name).toBe('Ana')
    const created = await users.sync({ key: 'ben', first_name: 'Ben' })
    const synced = await users.sync({ key: 'ben' })
    expect([created.created, synced.created, synced.user.first_name]).toEqual([true, false, null])
    await users.delete('ben')
    expect(await failure(users.get('ben'))).toEqual(NOT_FOUND)
    expect(await failure(users.create({ key: 'ana' }))).toEqual(TAKEN)
    expect(await failure(users.create({ key: 'mail', email: 'nobody' }))).toEqual([422, 'body.email'])

    await users.bulkUserCreate([{ key: 'c1', first_name: 'C' }, { key: 'c2' }])
    expect((await users.list({ search: 'c' })).data.map(({ key }) => key)).toEqual(expect.arrayContaining(['c1', 'c2']))
    expect(await failure(users.bulkUserCreate([{ key: 'c3' }, { key: 'c1' }]))).toEqual(TAKEN)
    expect(await failure(users.get('c3'))).toEqual(NOT_FOUND)
    await users.bulkUserReplace([{ key: 'c1', last_name: 'See' }, { key: 'c3' }])
    expect(await users.get('c1')).toMatchObject({ first_name: null, last_name: 'See' })
    await users.bulkUserDelete(['c1', 'c2', 'c3'])
    expect(await failure(users.get('c1'))).toEqual(NOT_FOUND)
  })

  it('role assignments, one by one and in bulk', async () => {
    const { roleAssignments, tenants, users } = permit.api
    const of = { user: 'ana', role: 'reader', tenant: 'acme' }
    expect(await users.assignRole(of)).toMatchObject({ ...of, resource_instance: null })
    expect(await failure(roleAssignments.assign(of))).toEqual(TAKEN)
    expect(await users.getAssignedRoles({ user: 'ana' })).toMatchObject([of])
    expect((await tenants.listTenantUsers({ tenantKey: 'acme' })).data.map(({ key }) => key)).toEqual(['ana'])
    await users.unassignRole(of)
    expect(await failure(roleAssignments.unassign(of))).toEqual(NOT_FOUND)
    expect(await roleAssignments.assign(of)).toMatchObject(of)
    expect(await roleAssignments.list({ user: 'ana', role: 'reader', tenant: 'acme' })).toMatchObject([of])
    const detailed = await roleAssignments.list({ tenant: 'acme', detailed: true })
    expect(detailed).toMatchObject([{ user: { key: 'ana' }, role: { key: 'reader' }, tenant: { key: 'acme' } }])
    await roleAssignments.unassign(of)
    expect(await failure(roleAssignments.assign({ ...of, role: 'nothing' }))).toEqual(NOT_FOUND)

    const other = { ...of, tenant: 'default' }
    expect(await roleAssignments.bulkAssign([of, other])).toEqual({ assignments_created: 2 })
    expect(await failure(roleAssignments.bulkAssign([{ ...of, user: 'nobody' }]))).toEqual(NOT_FOUND)
    await tenants.deleteTenantUser('acme', 'ana')
    expect(await roleAssignments.list({ user: 'ana' })).toMatchObject([other])
    expect(await roleAssignments.bulkUnassign([other])).toEqual({ assignments_removed: 1 })
    expect(await roleAssignments.list({ user: 'ana' })).toEqual([])
  })

  it('resource instances and relationship tuples', async () => {
    const { resourceInstances: instances, relationshipTuples: tuples, roleAssignments } = permit.api
    const plan = await instances.create({ key: 'plan', resource: 'document', tenant: 'acme', attributes: { pages: 3 } })
    expect(plan).toMatchObject({ key: 'plan', resource: 'document', tenant: 'acme', attributes: { pages: 3 } })
    expect(listKeys(await instances.list({ resource: 'document', tenant: 'acme' }))).toEqual(['plan'])
    expect((await instances.get('document:plan')).id).toBe(plan.id)
    expect((await instances.getByKey('document:plan')).id).toBe(plan.id)
    expect((await instances.getById(plan.id)).key).toBe('plan')
    expect((await instances.update('document:plan', { attributes: { pages: 4 } })).attributes).toEqual({ pages: 4 })
    expect(await failure(instances.create({ key: 'plan', resource: 'document', tenant: 'acme' }))).toEqual(TAKEN)

    const tuple = { subject: 'folder:root', relation: 'parent', object: 'document:plan' }
    expect(await failure(tuples.create(tuple))).toEqual(NOT_FOUND)
    const made = await tuples.create({ ...tuple, tenant: 'acme' })
    expect(made).toMatchObject({ ...tuple, tenant: 'acme', object_id: plan.id })
    expect((await instances.get('folder:root')).tenant).toBe('acme')
    expect(await failure(tuples.create(tuple))).toEqual(TAKEN)
    expect(await tuples.list({ subject: 'folder:root', relation: 'parent', tenant: 'acme' })).toMatchObject([tuple])
    expect(await failure(tuples.create({ ...tuple, subject: 'document:plan', tenant: 'acme' }))).toEqual([
      400,
      'MISMATCH_RELATION_TYPE',
    ])
    await tuples.delete(tuple)
    expect(await failure(tuples.delete(tuple))).toEqual(NOT_FOUND)
    await tuples.bulkRelationshipTuples([{ ...tuple, tenant: 'acme' }])
    expect(await tuples.list({})).toMatchObject([tuple])
    await tuples.bulkUnRelationshipTuples([tuple])
    expect(await tuples.list({})).toEqual([])

    const owner = { user: 'ana', role: 'owner', resource_instance: 'document:plan' }
    expect(await roleAssignments.assign(owner)).toMatchObject({
      ...owner,
      tenant: 'acme',
      resource_instance_id: plan.id,
    })
    expect(await roleAssignments.list({ resourceInstance: 'document:plan' })).toMatchObject([owner])
    await instances.delete('document:plan')
    expect(await failure(instances.get('document:plan'))).toEqual(NOT_FOUND)
    expect(await roleAssignments.list({ user: 'ana' })).toEqual([])
  })
})

describe('the deprecated names', () => {
  it('do the same', async () => {
    const { api } = permit
    await api.createResource({ key: 'old', name: 'Old', actions: { use: {} } })
    expect((await api.updateResource('old', { name: 'Older' })).name).toBe('Older')
    await api.createRole({ key: 'user', name: 'User', permissions: ['old:use'] })
    expect((await api.updateRole('user', { name: 'Users' })).name).toBe('Users')
    expect((await api.getRole('user')).permissions).toEqual(['old:use'])
    expect(listKeys(await api.listRoles())).toContain('user')
    await api.createTenant({ key: 'olden', name: 'Olden' })
    expect((await api.updateTenant('olden', { name: 'Golden' })).name).toBe('Golden')
    expect((await api.getTenant('olden')).name).toBe('Golden')
    expect(listKeys(await api.listTenants())).toContain('olden')
    await api.createUser({ key: 'eve' })
    await api.syncUser({ key: 'eve', first_name: 'Eve' })
    expect((await api.updateUser('eve', { last_name: 'Old' })).first_name).toBe('Eve')
    expect((await api.getUser('eve')).last_name).toBe('Old')
    expect(listKeys(await api.listUsers())).toContain('eve')
    await api.assignRole({ user: 'eve', role: 'user', tenant: 'olden' })
    expect(await api.getAssignedRoles('eve')).toMatchObject([{ role: 'user', tenant: 'olden' }])
    await api.unassignRole({ user: 'eve', role: 'user', tenant: 'olden' })
    expect(await api.getAssignedRoles('eve')).toEqual([])

    const conditions = { allOf: [{ 'user.age': { 'greater-than': 18 } }] }
    await api.createConditionSet({ key: 'adults', name: 'Adults', type: 'userset', conditions })
    expect((await api.updateConditionSet('adults', { name: 'Grown' })).name).toBe('Grown')
    expect(listKeys(await api.listConditionSets('userset', 1, 100))).toContain('adults')
    const rule = { user_set: 'adults', permission: 'old:use', resource_set: 'old', is_resource: true }
    await api.assignConditionSetRule(rule)
    expect((await api.listConditionSetsRules(1, 100)).length).toBe(1)
    await api.unassignConditionSetRule(rule)
    expect(await api.listConditionSetsRules(1, 100)).toEqual([])
    await api.deleteConditionSet('adults')
    await api.deleteUser('eve')
    await api.deleteTenant('olden')
    await api.deleteRole('user')
    await api.deleteResource('old')
    expect(await failure(api.getUser('eve'))).toEqual(NOT_FOUND)
    expect(await failure(api.getRole('user'))).toEqual(NOT_FOUND)
  })
})

describe('errors of the key', () => {
  const withKey = (token: string) => new Permit({ ...permit.config, token, log: { level: 'silent' } })

  it('a key that may only read is refused what it may not do', async () => {
    const headers = { authorization: `Bearer ${general.config.token}`, 'content-type': 'application/json' }
    const { environment_id, organization_id } = await permit.api.roles.get('reader')
    const body = JSON.stringify({ organization_id, environment_id, access_level: 'read' })
    const answer = await fetch(`${permit.config.apiUrl}/v2/api-key`, { method: 'POST', headers, body })
    const reader = withKey((await answer.json()).secret)
    expect((await reader.api.users.get('ana')).key).toBe('ana')
    expect(await failure(reader.api.users.update('ana', { first_name: 'X' }))).toEqual([403, 'FORBIDDEN_ACCESS'])
  })

  it('a key that nobody has is refused everything', async () => {
    const stranger = withKey('zh_env_nobody-has-this-key')
    expect((await failure(stranger.api.users.get('ana')))[0]).toBe(401)
  })
})

it('no method was left out', () => {
  expect(recorder.all.length).toBeGreaterThan(120)
  expect(recorder.all.filter((name) => !recorder.called.has(name))).toEqual([])
})
