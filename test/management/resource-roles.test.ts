// Roles of a resource type, relations, derivations and action groups: what may be written, and what a delete takes
// along.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DERIVATIONS_PER_ROLE_MAX, EXTENDS_DEPTH_MAX } from '../../src/model/limits.ts'
import { type ManagementData, openManagementData } from './harness.ts'

let management: ManagementData
let round = 0
let doc = ''
let folder = ''
beforeAll(async () => {
  management = await openManagementData()
})
afterAll(() => management.close())
beforeEach(async () => {
  round++
  doc = `doc${round}`
  folder = `folder${round}`
})
const refused = async (promise: Promise<unknown>, code: string, path?: readonly (string | number)[]) =>
  expect(promise).rejects.toMatchObject({ code, ...(path ? { path } : {}) })

/**
 * folder with editor, doc with editor and viewer; doc is in folder by `parent`, and an editor of the folder is one of
 * the doc
 */
async function world() {
  await management.run('createResource', {
    key: folder,
    actions: { read: {} },
    roles: { editor: { permissions: ['read'] } },
  })
  await management.run('createResource', {
    key: doc,
    actions: { read: {}, write: {} },
    relations: { parent: folder },
    roles: {
      editor: {
        permissions: ['read', `${doc}:write`],
        granted_to: { users_with_role: [{ role: 'editor', on_resource: folder, linked_by_relation: 'parent' }] },
      },
      owner: { extends: ['editor'] },
    },
  })
}
const role = (key: string) => management.view().get('resource_role', `${doc}/${key}`)

describe('roles of a resource', () => {
  it('may name each other, the relations and the resource of the same body, in any order', async () => {
    await management.run('createResource', {
      key: doc,
      actions: { read: {} },
      relations: { parent: doc },
      roles: {
        owner: { extends: ['editor'] },
        editor: {
          permissions: ['read'],
          granted_to: { users_with_role: [{ role: 'owner', on_resource: doc, linked_by_relation: 'parent' }] },
        },
      },
    })
    expect(role('owner')?.extends).toEqual(['editor'])
    expect(role('editor')).toMatchObject({
      permissions: [`${doc}:read`],
      granted_to: { users_with_role: [{ role: 'owner', on_resource: doc, linked_by_relation: 'parent' }] },
    })
    expect(management.lastChanges()).toHaveLength(4)
  })

  it('a role may be derived from itself', async () => {
    await management.run('createResource', { key: doc, relations: { parent: doc } })
    const rule = { role: 'editor', on_resource: doc, linked_by_relation: 'parent' }
    await management.run('createResourceRole', {
      resource: doc,
      role: { key: 'editor', granted_to: { users_with_role: [rule] } },
    })
    expect(role('editor')?.granted_to?.users_with_role).toMatchObject([rule])
    await management.run('deleteResourceRole', { resource: doc, ref: 'editor' })
    expect(management.lastChanges()).toEqual([`delete resource_role ${doc}/editor`])
  })

  it('have permissions of their own resource only, bare or with its name', async () => {
    await world()
    const add = (permissions: string[]) =>
      management.run('addResourceRolePermissions', { resource: doc, ref: 'owner', permissions })
    const { id } = management.view().require('resource', doc)
    const action = management.view().require('resource', doc).actions[0]?.id
    await add(['read', `${doc}:read`, `${id}:write`, `${action}`])
    expect(role('owner')?.permissions).toEqual([`${doc}:read`, `${doc}:write`])
    const at = ['body', 'permissions', 0]
    await refused(add([`${folder}:read`]), 'PERMISSION_FOREIGN', at)
    await refused(add(['nothing:read']), 'OBJECT_NOT_FOUND', at)
    await refused(add(['fly']), 'OBJECT_NOT_FOUND', at)
    await refused(add(['a:b:c']), 'PERMISSION_INVALID', at)
    await refused(add(['']), 'PERMISSION_INVALID', at)
    await management.run('removeResourceRolePermissions', { resource: doc, ref: 'owner', permissions: ['read', 'fly'] })
    expect(role('owner')?.permissions).toEqual([`${doc}:write`])
  })

  it('extend roles of the same resource, without a circle, in bounded chains', async () => {
    await world()
    const update = (ref: string, parents: string[]) =>
      management.run('updateResourceRole', { resource: doc, ref, fields: { extends: parents } })
    await refused(update('editor', ['owner']), 'EXTENDS_CYCLE', ['body', 'extends'])
    await refused(update('editor', ['editor']), 'EXTENDS_CYCLE')
    const foreign = management.view().require('resource_role', `${folder}/editor`).id
    await refused(update('owner', [foreign]), 'OBJECT_NOT_FOUND', ['body', 'extends', 0])
    const chain: Record<string, object> = {}
    for (let at = 0; at < EXTENDS_DEPTH_MAX; at++) chain[`r${at}`] = at === 0 ? {} : { extends: [`r${at - 1}`] }
    await management.run('updateResource', { ref: doc, fields: { roles: chain } })
    const last = `r${EXTENDS_DEPTH_MAX - 1}`
    await refused(
      management.run('createResourceRole', { resource: doc, role: { key: 'beyond', extends: [last] } }),
      'LIMIT_EXCEEDED',
    )
  })

  it('may turn round who extends whom in one body', async () => {
    await world()
    const roles = { owner: {}, editor: { extends: ['owner'] } }
    await management.run('updateResource', { ref: doc, fields: { roles } })
    expect(role('owner')?.extends).toEqual([])
    expect(role('editor')?.extends).toEqual(['owner'])
  })

  it('are found by id below their own resource only', async () => {
    await world()
    const { id } = management.view().require('resource_role', `${folder}/editor`)
    await refused(management.run('deleteResourceRole', { resource: doc, ref: id }), 'OBJECT_NOT_FOUND')
    await refused(management.run('createResourceRole', { resource: doc, role: { key: id } }), 'KEY_IS_ID')
    await refused(management.run('createResourceRole', { resource: doc, role: { key: 'owner' } }), 'OBJECT_EXISTS')
    await management.run('deleteResourceRole', { resource: folder, ref: id })
  })

  it('keep the permissions and the derivation that PATCH does not send, and lose those that PUT does not', async () => {
    await world()
    const before = role('editor')
    await management.run('updateResourceRole', { resource: doc, ref: 'editor', fields: { name: 'Editor' } })
    expect(role('editor')).toEqual({ ...before, name: 'Editor', updated_at: role('editor')?.updated_at })
    await management.run('replaceResourceRole', { resource: doc, ref: 'editor', fields: { key: 'editor' } })
    expect(role('editor')).toMatchObject({ id: before?.id, permissions: [], granted_to: null, name: 'editor' })
    await refused(
      management.run('replaceResourceRole', { resource: doc, ref: 'editor', fields: { key: 'other' } }),
      'KEY_MISMATCH',
      ['body', 'key'],
    )
  })
})

describe('the maps of a resource body', () => {
  it('PATCH without them keeps roles and relations, with their ids', async () => {
    await world()
    const before = role('owner')
    await management.run('updateResource', { ref: doc, fields: { name: 'Doc' } })
    expect(role('owner')).toEqual(before)
    expect(management.lastChanges()).toEqual([`put resource ${doc}`])
  })

  it('PATCH with the same maps changes nothing', async () => {
    await world()
    const before = management.revision()
    const granted_to = { users_with_role: [{ role: 'editor', on_resource: folder, linked_by_relation: 'parent' }] }
    await management.run('updateResource', {
      ref: doc,
      fields: {
        relations: { parent: folder },
        roles: {
          editor: { permissions: [`${doc}:read`, `${doc}:write`], granted_to },
          owner: { extends: ['editor'] },
        },
      },
    })
    expect(management.revision()).toBe(before)
  })

  it('a role that is left out goes, and what named it is mended', async () => {
    await world()
    await management.run('updateResource', { ref: doc, fields: { roles: { owner: {} } } })
    expect(management.lastChanges()).toEqual([`delete resource_role ${doc}/editor`, `put resource_role ${doc}/owner`])
  })

  it('a relation with another subject is another relation', async () => {
    await world()
    const before = management.view().require('relation', `${doc}/parent`)
    await management.run('updateResource', { ref: doc, fields: { relations: { parent: doc } } })
    expect(management.view().require('relation', `${doc}/parent`)).toMatchObject({ subject_resource: doc })
    expect(management.view().require('relation', `${doc}/parent`).id).not.toBe(before.id)
    expect(role('editor')?.granted_to).toBeNull()
  })

  it('PUT without them takes roles and relations away', async () => {
    await world()
    await management.run('replaceResource', { ref: doc, fields: { actions: { read: {} } } })
    expect(management.lastChanges()).toEqual([
      `delete relation ${doc}/parent`,
      `delete resource_role ${doc}/editor`,
      `delete resource_role ${doc}/owner`,
      `put resource ${doc}`,
    ])
  })

  it('errors name the place in the map', async () => {
    const create = (body: object) => management.run('createResource', { key: doc, ...body })
    await refused(create({ relations: { 'a b': doc } }), 'KEY_INVALID', ['body', 'relations', 'a b'])
    await refused(create({ relations: { parent: 'nothing' } }), 'OBJECT_NOT_FOUND', ['body', 'relations', 'parent'])
    await refused(create({ roles: { 'a b': {} } }), 'KEY_INVALID', ['body', 'roles', 'a b'])
    await refused(create({ roles: { a: { permissions: ['fly'] } } }), 'OBJECT_NOT_FOUND', [
      'body',
      'roles',
      'a',
      'permissions',
      0,
    ])
    await refused(create({ roles: { a: { name: 'x'.repeat(300) } } }), 'LIMIT_EXCEEDED', ['body', 'roles', 'a', 'name'])
    const rule = { role: 'a', on_resource: doc, linked_by_relation: 'nothing' }
    await refused(create({ roles: { a: { granted_to: { users_with_role: [rule] } } } }), 'OBJECT_NOT_FOUND', [
      'body',
      'roles',
      'a',
      'granted_to',
      'users_with_role',
      0,
      'linked_by_relation',
    ])
    expect(management.view().get('resource', doc)).toBeUndefined()
  })
})

describe('derivations', () => {
  const rule = () => ({ role: 'editor', on_resource: folder, linked_by_relation: 'parent' })

  it('are added one by one, each once', async () => {
    await world()
    const input = { resource: doc, ref: 'owner', rule: rule() }
    const added = await management.run('addDerivation', input)
    expect(added).toMatchObject({ rule: { ...rule(), when: { no_direct_roles_on_object: false } } })
    await refused(management.run('addDerivation', input), 'OBJECT_EXISTS')
    await management.run('removeDerivation', input)
    expect(role('owner')?.granted_to).toBeNull()
    await refused(management.run('removeDerivation', input), 'OBJECT_NOT_FOUND')
  })

  it('follow a relation of the own resource that comes from the named one', async () => {
    await world()
    const wrong = { role: 'owner', on_resource: doc, linked_by_relation: 'parent' }
    await refused(management.run('addDerivation', { resource: doc, ref: 'owner', rule: wrong }), 'RELATION_MISMATCH', [
      'body',
      'on_resource',
    ])
    const missing = { ...rule(), role: 'nobody' }
    await refused(management.run('addDerivation', { resource: doc, ref: 'owner', rule: missing }), 'OBJECT_NOT_FOUND', [
      'body',
      'role',
    ])
  })

  it('the same rule twice in one body is refused, and so are too many', async () => {
    await world()
    const update = (rules: object[]) =>
      management.run('updateResourceRole', {
        resource: doc,
        ref: 'owner',
        fields: { granted_to: { users_with_role: rules as ReturnType<typeof rule>[] } },
      })
    await refused(update([rule(), rule()]), 'OBJECT_EXISTS')
    const roles: Record<string, object> = {}
    for (let at = 0; at <= DERIVATIONS_PER_ROLE_MAX; at++) roles[`s${at}`] = {}
    await management.run('updateResource', { ref: folder, fields: { roles } })
    const many = Object.keys(roles).map((source) => ({ ...rule(), role: source }))
    await refused(update(many), 'LIMIT_EXCEEDED')
    await update(many.slice(1))
  })

  it('the setting of the role holds beside the rules, and keeps the id', async () => {
    await world()
    const { id } = role('editor')?.granted_to ?? {}
    const set = (value: boolean) =>
      management.run('setDerivationConditions', {
        resource: doc,
        ref: 'editor',
        when: { no_direct_roles_on_object: value },
      })
    expect(await set(true)).toEqual({ no_direct_roles_on_object: true })
    expect(role('editor')?.granted_to).toMatchObject({ id, when: { no_direct_roles_on_object: true } })
    const before = management.revision()
    await set(true)
    expect(management.revision()).toBe(before)
    await set(false)
    expect(role('editor')?.granted_to).toMatchObject({ id, when: { no_direct_roles_on_object: false } })
  })
})

describe('[D11] cascades of the schema', () => {
  it('a resource role takes along assignments and derivations from it', async () => {
    await world()
    await management.run('createUser', { key: `ana${round}` })
    await management.run('deleteResourceRole', { resource: folder, ref: 'editor' })
    expect(management.lastChanges()).toEqual([
      `delete resource_role ${folder}/editor`,
      `put resource_role ${doc}/editor`,
    ])
    expect(role('editor')?.granted_to).toBeNull()
  })

  it('a relation takes along the derivations over it', async () => {
    await world()
    await management.run('deleteRelation', { resource: doc, ref: 'parent' })
    expect(management.lastChanges()).toEqual([`delete relation ${doc}/parent`, `put resource_role ${doc}/editor`])
  })

  it('an action leaves roles and action groups', async () => {
    await world()
    await management.run('createActionGroup', {
      resource: doc,
      group: { key: 'all', actions: ['read', 'write', 'read'] },
    })
    expect(management.view().get('action_group', `${doc}/all`)?.actions).toEqual(['read', 'write'])
    await management.run('deleteAction', { resource: doc, ref: 'write' })
    expect(management.lastChanges()).toEqual([
      `put action_group ${doc}/all`,
      `put resource ${doc}`,
      `put resource_role ${doc}/editor`,
    ])
    expect(role('editor')?.permissions).toEqual([`${doc}:read`])
  })

  it('a resource takes along its parts, and relations and derivations of others from it', async () => {
    await world()
    await management.run('createActionGroup', { resource: folder, group: { key: 'all', actions: ['read'] } })
    await management.run('createRole', { key: `reader${round}`, permissions: [`${folder}:read`] })
    await management.run('deleteResource', { ref: folder })
    expect(management.lastChanges()).toEqual([
      `delete action_group ${folder}/all`,
      `delete relation ${doc}/parent`,
      `delete resource ${folder}`,
      `delete resource_role ${folder}/editor`,
      `put resource_role ${doc}/editor`,
      `put role reader${round}`,
    ])
  })
})

describe('action groups', () => {
  it('name actions of their resource by key or id', async () => {
    await world()
    const [read] = management.view().require('resource', doc).actions
    await management.run('createActionGroup', { resource: doc, group: { key: 'all', actions: [read?.id ?? ''] } })
    expect(management.view().get('action_group', `${doc}/all`)).toMatchObject({ actions: ['read'], name: 'all' })
    const update = (actions: string[]) =>
      management.run('updateActionGroup', { resource: doc, ref: 'all', fields: { actions } })
    await refused(update(['read', 'fly']), 'OBJECT_NOT_FOUND', ['body', 'actions', 1])
    await update([])
    expect(management.view().get('action_group', `${doc}/all`)?.actions).toEqual([])
    await management.run('deleteActionGroup', { resource: doc, ref: 'all' })
    await refused(management.run('deleteActionGroup', { resource: doc, ref: 'all' }), 'OBJECT_NOT_FOUND')
  })
})
