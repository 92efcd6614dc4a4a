// What the published client does, unmodified: the story in two halves, so that a test can let something happen between
// them. Answers are those of a PDP, and of the library.
import { type Permit, PermitApiError } from 'permitio'
import { expect, it } from 'vitest'
import { connect } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'

/** Filled in before the first test runs. */
export interface Setting {
  permit: Permit
  /** address of the management API */
  apiUrl: string
  /** key of the environment */
  key: string
}

/** Writes a policy and asks for it in every way. */
export function firstHalf(of: Setting): void {
  it('writes the policy: a resource, two roles, a tenant, users by create and by sync', async () => {
    const actions = { say: { name: 'Say' }, wave: {} }
    const hello = await of.permit.api.resources.create({ key: 'hello', name: 'Hello', actions })
    expect(Object.keys(hello.actions ?? {}).sort()).toEqual(['say', 'wave'])
    expect(hello.actions?.say?.name).toBe('Say')

    const admin = await of.permit.api.roles.create({
      key: 'admin',
      name: 'Admin',
      permissions: ['hello:say', 'hello:wave'],
    })
    const viewer = await of.permit.api.roles.create({ key: 'viewer', name: 'Viewer', permissions: ['hello:wave'] })
    expect([admin.permissions, viewer.permissions]).toEqual([['hello:say', 'hello:wave'], ['hello:wave']])

    const acme = await of.permit.api.tenants.create({ key: 'acme', name: 'Acme' })
    expect([acme.key, acme.attributes ?? null]).toEqual(['acme', null])

    const ana = await of.permit.api.users.create({ key: 'ana@acme.com', email: 'ana@acme.com', first_name: 'Ana' })
    expect([ana.key, ana.email, ana.first_name]).toEqual(['ana@acme.com', 'ana@acme.com', 'Ana'])
    const first = await of.permit.api.users.sync({ key: 'auth0|ben' })
    const second = await of.permit.api.users.sync({ key: 'auth0|ben', email: 'ben@acme.com' })
    expect([first.created, second.created, second.user.email]).toEqual([true, false, 'ben@acme.com'])
  })

  it('reads back what it wrote, by key and by id', async () => {
    const byKey = await of.permit.api.roles.get('admin')
    expect((await of.permit.api.roles.getById(byKey.id)).key).toBe('admin')
    expect((await of.permit.api.users.get('auth0|ben')).email).toBe('ben@acme.com')
    expect((await of.permit.api.resources.list()).map(({ key }) => key)).toEqual(['hello'])
    expect((await of.permit.api.roles.list()).map(({ key }) => key).sort()).toEqual(['admin', 'viewer'])
    expect((await of.permit.api.tenants.list()).map(({ key }) => key).sort()).toEqual(['acme', 'default'])
    expect((await of.permit.api.users.list()).data.map(({ key }) => key).sort()).toEqual(['ana@acme.com', 'auth0|ben'])
  })

  it('assigns roles and checks', async () => {
    await expect(of.permit.check('ana@acme.com', 'say', { type: 'hello', tenant: 'acme' })).resolves.toBe(false)
    await of.permit.api.users.assignRole({ user: 'ana@acme.com', role: 'admin', tenant: 'acme' })
    await of.permit.api.users.assignRole({ user: 'auth0|ben', role: 'viewer', tenant: 'acme' })
    await eventually(() => of.permit.check('auth0|ben', 'wave', { type: 'hello', tenant: 'acme' }), true)
    expect(await answers(of.permit)).toEqual([true, true, false, true, false, false, false])

    const held = await of.permit.api.users.getAssignedRoles({ user: 'ana@acme.com' })
    expect(held.map(({ role, tenant }) => [role, tenant])).toEqual([['admin', 'acme']])
  })

  it('bulkCheck answers each question in its place', async () => {
    expect(
      await of.permit.bulkCheck(QUESTIONS.map(([user, action, resource]) => ({ user, action, resource }))),
    ).toEqual(await answers(of.permit))
    expect(await of.permit.bulkCheck([])).toEqual([])
  })

  it('getUserPermissions lists what check allows', async () => {
    const permissions = await of.permit.getUserPermissions('auth0|ben')
    expect(Object.keys(permissions)).toEqual(['__tenant:acme'])
    expect(permissions['__tenant:acme']).toMatchObject({
      tenant: { key: 'acme' },
      permissions: ['hello:wave'],
      roles: ['viewer'],
    })
    expect(await of.permit.getUserPermissions('ana@acme.com', ['default'])).toEqual({})
    expect(await of.permit.getUserPermissions('nobody')).toEqual({})
  })

  it('gets the errors that it knows: 409 for what exists, 404 for what does not', async () => {
    const status = async (call: Promise<unknown>) => {
      const error = await call.then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(PermitApiError)
      const { response } = error as PermitApiError<{ error_code?: string }>
      return [response?.status, response?.data.error_code]
    }
    const { resources, roles, tenants, users } = of.permit.api
    expect(await status(resources.create({ key: 'hello', name: 'Again', actions: {} }))).toEqual([
      409,
      'DUPLICATE_ENTITY',
    ])
    expect(await status(roles.create({ key: 'admin', name: 'Again' }))).toEqual([409, 'DUPLICATE_ENTITY'])
    expect(await status(tenants.create({ key: 'acme', name: 'Again' }))).toEqual([409, 'DUPLICATE_ENTITY'])
    expect(await status(users.create({ key: 'ana@acme.com' }))).toEqual([409, 'DUPLICATE_ENTITY'])
    expect(await status(users.assignRole({ user: 'ana@acme.com', role: 'admin', tenant: 'acme' }))).toEqual([
      409,
      'DUPLICATE_ENTITY',
    ])
    expect(await status(roles.get('nothing'))).toEqual([404, 'NOT_FOUND'])
    expect(await status(users.assignRole({ user: 'nobody', role: 'admin', tenant: 'acme' }))).toEqual([
      404,
      'NOT_FOUND',
    ])
    expect(await status(users.assignRole({ user: 'ana@acme.com', role: 'admin', tenant: 'nowhere' }))).toEqual([
      404,
      'NOT_FOUND',
    ])
    expect(await status(users.delete('nobody'))).toEqual([404, 'NOT_FOUND'])
    expect((await status(users.create({ key: 'a b' })))[0]).toBe(422)
  })

  it('the library gives the same answers from its own memory', async () => {
    const pdp = await connect({ url: of.apiUrl, apiKey: of.key })
    try {
      expect(QUESTIONS.map(([user, action, resource]) => pdp.check(user, action, resource))).toEqual(
        await answers(of.permit),
      )
    } finally {
      await pdp.close()
    }
  })
}

/** Takes back what the first half wrote. */
export function secondHalf(of: Setting): void {
  it('unassigns, and the answer changes', async () => {
    await of.permit.api.users.unassignRole({ user: 'ana@acme.com', role: 'admin', tenant: 'acme' })
    await eventually(() => of.permit.check('ana@acme.com', 'say', { type: 'hello', tenant: 'acme' }), false)
    expect(await answers(of.permit)).toEqual([false, false, false, true, false, false, false])
    expect(await of.permit.getUserPermissions('ana@acme.com')).toEqual({})
  })

  it('cleans up, and nothing is left', async () => {
    await of.permit.api.tenants.delete('acme')
    await of.permit.api.resources.delete('hello')
    await of.permit.api.roles.delete('admin')
    await of.permit.api.roles.delete('viewer')
    await of.permit.api.users.delete('ana@acme.com')
    await of.permit.api.users.delete('auth0|ben')
    await eventually(() => of.permit.check('auth0|ben', 'wave', { type: 'hello', tenant: 'acme' }), false)
    expect(await of.permit.api.resources.list()).toEqual([])
    expect(await of.permit.api.roles.list()).toEqual([])
    expect((await of.permit.api.users.list()).data).toEqual([])
    expect((await of.permit.api.tenants.list()).map(({ key }) => key)).toEqual(['default'])
    expect(await of.permit.api.roleAssignments.list({})).toEqual([])
  })
}

const QUESTIONS = [
  ['ana@acme.com', 'say', { type: 'hello', tenant: 'acme' }],
  ['ana@acme.com', 'wave', { type: 'hello', tenant: 'acme' }],
  ['auth0|ben', 'say', { type: 'hello', tenant: 'acme' }],
  ['auth0|ben', 'wave', { type: 'hello', tenant: 'acme' }],
  ['auth0|ben', 'wave', { type: 'hello' }],
  ['nobody', 'wave', { type: 'hello', tenant: 'acme' }],
  ['ana@acme.com', 'shout', { type: 'hello', tenant: 'acme' }],
] as const

/** What the PDP answers to the questions of the story. */
export async function answers(permit: Permit): Promise<boolean[]> {
  const all: boolean[] = []
  for (const [user, action, resource] of QUESTIONS) all.push(await permit.check(user, action, resource))
  return all
}
