// An environment as one object: what is exported is imported again as the same, twice as well as once, and what is
// wrong is refused whole.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { Imported } from '../../src/management/plan/import.ts'
import { exportEverything, exportSchema } from '../../src/management/policy-file/export.ts'
import type { Bundle } from '../../src/management/schemas/policy-file.ts'
import { policyOf } from '../../src/management/snapshot/snapshot.ts'
import { BY, type ManagementData, openManagementData } from './harness.ts'

const SOURCE = JSON.parse(readFileSync(new URL('./bundle.json', import.meta.url), 'utf8'))

describe('a bundle', () => {
  let management: ManagementData
  beforeAll(async () => {
    management = await openManagementData()
  })
  afterAll(() => management.close())
  const load = (bundle: unknown, dryRun = false): Promise<Imported> =>
    management.run('importBundle', { bundle, dryRun })
  const everything = (log = management.environment) =>
    JSON.parse(JSON.stringify(exportEverything(management.store.view(log)))) as Bundle
  const hash = (log: string) => {
    const view = management.store.view(log)
    return Image.build(management.environment, view.position, policyOf(view)).hash()
  }

  it('says what it would do, and does it in one revision', async () => {
    const before = management.revision()
    const planned = await load(SOURCE, true)
    expect(management.revision()).toBe(before)
    expect(planned).toMatchObject({ deleted: 0 })
    expect(planned.lines).toContain('create role admin')
    expect(planned.lines).toContain('change built in __user')
    expect(await load(SOURCE)).toEqual(planned)
    expect(management.revision()).toBe(before + 1)
  })

  it('comes out as it went in', () => {
    const sorted = (bundle: object) =>
      JSON.parse(JSON.stringify(bundle), (_, value) =>
        Array.isArray(value) && value[0]?.key ? [...value].sort((a, b) => (a.key < b.key ? -1 : 1)) : value,
      )
    expect(sorted(everything())).toEqual(sorted(SOURCE))
  })

  it('changes nothing the second time', async () => {
    const before = management.revision()
    expect(await load(SOURCE)).toEqual({ created: 0, changed: 0, deleted: 0, lines: [] })
    expect(await load(everything())).toEqual({ created: 0, changed: 0, deleted: 0, lines: [] })
    expect(management.revision()).toBe(before)
  })

  it('makes another environment decide the same', async () => {
    const production = management.made.environments[1]!.id
    await management.store.commit(production, 'importBundle', { bundle: everything() }, BY)
    expect(everything(production)).toEqual(everything())
    expect(hash(production)).toBe(hash(management.environment))
  })

  it('keeps ids, and what it does not name', async () => {
    await management.run('createRole', { key: 'extra', permissions: ['document:read'] })
    const before = management.view().require('role', 'admin')
    const imported = await load({ zerohop: 1, roles: [{ key: 'admin', permissions: ['document:read'] }] })
    expect(imported).toEqual({ created: 0, changed: 1, deleted: 0, lines: ['change role admin'] })
    const { id, created_at, permissions, extends: parents } = management.view().require('role', 'admin')
    expect({ id, created_at, permissions, parents }).toEqual({
      id: before.id,
      created_at: before.created_at,
      permissions: ['document:read'],
      parents: [],
    })
    expect(management.view().get('role', 'extra')).toBeDefined()
  })

  it('may turn round who extends whom', async () => {
    const roles = [
      { key: 'viewer', extends: ['admin'] },
      { key: 'admin', extends: [] },
    ]
    await load({ zerohop: 1, roles })
    expect(management.view().require('role', 'viewer').extends).toEqual(['admin'])
    await load({ zerohop: 1, roles: [{ key: 'admin', extends: ['viewer'] }, { key: 'viewer' }] })
    expect(management.view().require('role', 'admin').extends).toEqual(['viewer'])
  })

  it.each<[unknown, (string | number)[]]>([
    [null, []],
    [{}, ['zerohop']],
    [{ zerohop: 3 }, ['zerohop']],
    [{ zerohop: 1, rolls: [] }, ['rolls']],
    [{ zerohop: 1, roles: {} }, ['roles']],
    [{ zerohop: 1, roles: [{ key: 'fine' }, { key: 5 }] }, ['roles', 1, 'key']],
    [{ zerohop: 1, roles: [{ key: 'fine' }, { key: 'a b' }] }, ['roles', 1, 'key']],
    [{ zerohop: 1, roles: [{ key: 'fine', permissions: ['document:fly'] }] }, ['roles', 0, 'permissions', 0]],
    [
      { zerohop: 1, resources: [{ key: 'r', actions: { read: { name: 5 } } }] },
      ['resources', 0, 'actions', 'read', 'name'],
    ],
    [{ zerohop: 1, condition_sets: [{ key: 's' }] }, ['condition_sets', 0, 'conditions']],
    [{ zerohop: 1, users: [{ key: 'u', email: 'x' }] }, ['users', 0, 'email']],
    [{ zerohop: 1, roles: [{ key: 'twice' }, { key: 'once' }, { key: 'twice' }] }, ['roles', 2, 'key']],
  ])('%j is refused, with the place', async (bundle, at) => {
    const before = management.revision()
    await expect(load(bundle)).rejects.toMatchObject({ path: ['body', ...at] })
    expect(management.revision()).toBe(before)
  })

  it('deletes nothing that it leaves out, also inside a resource type', async () => {
    const before = everything()
    const resources = exportSchema(management.view()).resources!.map(({ key, name }) => ({ key, name: name ?? null }))
    const empty = { user_attributes: {}, tenant_attributes: {}, roles: [], condition_sets: [], users: [], tenants: [] }
    expect(await load({ zerohop: 2, ...empty, resources })).toEqual({ created: 0, changed: 0, deleted: 0, lines: [] })
    expect(everything()).toEqual(before)
  })

  it('may change an attribute together with the condition that reads it', async () => {
    const of = (type: string, value: unknown) => ({
      zerohop: 2,
      resources: [{ key: 'document', attributes: { secret: { type } } }],
      condition_sets: [
        {
          key: 'secrets',
          type: 'resourceset',
          resource: 'document',
          conditions: { 'resource.secret': { equals: value } },
        },
      ],
    })
    await load(of('string', 'very'))
    await expect(load({ zerohop: 2, resources: of('bool', true).resources })).rejects.toMatchObject({
      code: 'OBJECT_IN_USE',
      path: ['body', 'resources', 0, 'attributes', 'secret'],
    })
    await load(of('bool', true))
    expect(management.view().get('resource', 'document')?.attributes).toMatchObject([{ key: 'secret', type: 'bool' }])
  })

  it('declares the attributes of resources that its conditions read', async () => {
    const conditions = { 'resource.shade': { equals: 'x' } }
    const sets = [{ key: 'shaded', type: 'resourceset', resource_id: 'lamp', conditions }]
    const lamp = (attributes: object) => ({
      zerohop: 1,
      resources: [{ key: 'lamp', attributes }],
      condition_sets: sets,
    })
    await expect(load(lamp({ size: { type: 'number' } }))).rejects.toMatchObject({
      code: 'ATTRIBUTE_UNDECLARED',
      details: { resource: 'lamp', attribute: 'shade' },
      path: ['body', 'condition_sets', 0, 'conditions'],
    })
    const early = {
      ...lamp({}),
      condition_sets: [{ key: 'early', conditions: { 'environment.now': { not: '09:00' } } }],
    }
    await expect(load(early)).rejects.toMatchObject({
      code: 'ATTRIBUTE_MISMATCH',
      path: ['body', 'condition_sets', 0, 'conditions'],
    })
    await load(lamp({ shade: { type: 'string' } }))
    expect(management.view().get('condition_set', 'shaded')).toMatchObject({ conditions })
  })
})
