// Renders objects in the models of the first API version. A key of the second version is there a custom id, an external
// id or a name; conditions, relations and instances do not exist there.

import { isMemberShown, notEnded } from '../../http/management/time-states.ts'
import type { Action, Resource } from '../../kinds/resource.ts'
import type { Role } from '../../kinds/role.ts'
import type { RoleAssignment } from '../../kinds/role-assignment.ts'
import type { Tenant } from '../../kinds/tenant.ts'
import type { User } from '../../kinds/user.ts'
import type { LogId } from '../../log/change.ts'
import type { PlacedView, View } from '../../store/view.ts'
import type {
  V1ActionRead,
  V1AssignmentRead,
  V1ResourceRead,
  V1RoleRead,
  V1TenantRead,
  V1UserRead,
} from './v1-schema.ts'

/** The environment to render from, in this turn. */
export interface Place {
  readonly view: PlacedView
  readonly organization: LogId
}

export function v1User({ view, organization }: Place, user: User): V1UserRead {
  const { id, key, first_name, last_name, email, attributes } = user
  const shown = notEnded()
  const hasTimes = view.countBy('timed_assignments_of_user', key) > 0
  const tenantIds = [...view.by('memberships_of_user', key)]
    .filter((membership) => !hasTimes || isMemberShown(view, membership, shown))
    .map(({ tenant }) => tenant)
  return {
    id,
    customId: key,
    firstName: first_name,
    lastName: last_name,
    email,
    attributes,
    organizationId: organization,
    tenantIds,
  }
}

export function v1Tenant({ organization }: Place, { id, key, name, description }: Tenant): V1TenantRead {
  return { id, externalId: key, name, description, settings: {}, organizationId: organization }
}

export function v1Role({ view }: Place, { id, key, description, permissions, v1 }: Role): V1RoleRead {
  return {
    id,
    name: key,
    description,
    attributes: v1?.attributes ?? {},
    settings: v1?.settings ?? {},
    isBuiltIn: false,
    permissions: permissions.flatMap((permission) => listPermissions(view, permission)),
  }
}

/** A permission is one action and has the action's id. */
function listPermissions(view: View, name: string): V1RoleRead['permissions'] {
  const [type = '', key] = name.split(':')
  const resource = view.get('resource', type)
  const action = resource?.actions.find((one) => one.key === key)
  if (resource === undefined || action === undefined) return []
  return [{ id: action.id, name, scope: null, resourceId: resource.id, actionId: action.id }]
}

export function v1Assignment(place: Place, { id, user, role, tenant }: RoleAssignment): V1AssignmentRead {
  return { id, role: v1Role(place, place.view.require('role', role)), user, scope: tenant }
}

export function v1Resource({ id, key, description, type_attributes, actions, v1 }: Resource): V1ResourceRead {
  return {
    id,
    type: v1?.type ?? key,
    name: v1?.name ?? key,
    path: v1?.path ?? null,
    description,
    attributes: type_attributes ?? {},
    isBuiltIn: false,
    actions: actions.map((action) => v1Action(key, action)),
  }
}

export function v1Action(resource: string, { id, key, name, description, attributes, v1 }: Action): V1ActionRead {
  return {
    id,
    name: key,
    title: name,
    description,
    path: v1?.path ?? null,
    attributes: attributes ?? {},
    permissionName: `${resource}:${key}`,
    isBuiltIn: false,
  }
}
