// Many roles in one call: each is created, or replaced when it exists. An item with a `resource` is a role of that
// resource type. Roles of one call may extend each other and be derived from each other in any order: all of them are
// created first, then each gets its fields.
import { put } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { ROLES_PER_REQUEST_MAX } from '../../model/limits.ts'
import { partKey } from '../../model/objects.ts'
import type { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { create, replace } from '../rules/collection.ts'
import { BODY } from '../rules/fields.ts'
import type { RoleBulk, RoleBulkRead } from '../schemas/roles.ts'
import { stageEach, within } from './bulk-items.ts'
import { dropParents, resourceRoles } from './resource-roles.ts'
import { roles } from './roles.ts'

type RoleInBulk = RoleBulk['operations'][number]

const OPERATIONS = [...BODY, 'operations']

/** Returns the keys of the roles, in the order in which they were first named. */
export function putRoles(view: View, { operations }: RoleBulk, mint: Mint): Decided<RoleBulkRead> {
  const created = new Map<string, string>()
  const updated = new Map<string, string>()
  const items = { items: operations, path: OPERATIONS, what: 'roles', limit: ROLES_PER_REQUEST_MAX }
  const draft = stageEach(view, items, (staged, item) => {
    const of = findResource(staged, item)
    const name = of === undefined ? item.key : partKey(of, item.key)
    const known = of === undefined ? view.get('role', name) : view.get('resource_role', name)
    const set = known === undefined ? created : updated
    set.set(name, item.key)
    return makePlace(staged, of, item, mint)
  })
  for (const [at, item] of operations.entries()) {
    within([...OPERATIONS, at], () => {
      write(draft, item, mint)
    })
  }
  const result = { created: [...created.values()], updated: [...updated.values()] }
  return { changes: draft.changes(), result }
}

/** An empty role when it does not exist; else the role without the parents that it will lose. */
function makePlace(draft: Draft, of: string | undefined, item: RoleInBulk, mint: Mint): Decided<unknown> {
  const { key } = item
  const parents = item.extends ?? []
  if (of === undefined) {
    const stored = draft.get('role', key)
    if (stored === undefined) return create(roles, draft, { key }, mint)
    const kept = stored.extends.filter((parent) => parents.some((ref) => draft.find('role', ref)?.key === parent))
    const changed = kept.length < stored.extends.length
    const changes = changed ? [put('role', { ...stored, extends: kept, updated_at: mint.now })] : []
    return { changes, result: null }
  }
  const stored = draft.get('resource_role', partKey(of, key))
  if (stored === undefined) return create(resourceRoles, draft, { key }, mint, { of })
  return { changes: dropParents(draft, stored, parents, mint), result: null }
}

function write(draft: Draft, { resource: _, ...fields }: RoleInBulk, mint: Mint): void {
  const of = findResource(draft, { resource: _ })
  if (of === undefined) {
    const { granted_to, ...rest } = fields
    if (granted_to?.users_with_role?.length || granted_to?.when?.no_direct_roles_on_object) {
      const path = [...BODY, 'granted_to']
      throw new ZerohopError('NOT_SUPPORTED', { what: '`granted_to` of a tenant role' }, { path })
    }
    draft.take(replace(roles, draft, { ref: draft.require('role', fields.key).id, fields: rest }, mint))
    return
  }
  const { id } = draft.require('resource_role', partKey(of, fields.key))
  draft.take(replace(resourceRoles, draft, { ref: id, fields }, mint, { of }))
}

function findResource(view: View, { resource }: Pick<RoleInBulk, 'resource'>): string | undefined {
  return resource ? view.require('resource', resource, [...BODY, 'resource']).key : undefined
}
