// Bodies of the first API version. What a client of that version read and sends back is taken too: ids and the like are
// ignored, and what has no place here is taken empty only. Further members are refused, as everywhere.
import Type from 'typebox'
import { Attributes, Closed, Later, listOf, Maybe, MaybeOf, mapOf, Text } from '../../management/http/schemas.ts'
import type { V1PermissionRef } from '../use-cases/v1-writes.ts'

/** Read by clients and sent back: nothing depends on it. */
const Ignored = () => Type.Optional(Type.Unsafe<unknown>({ description: 'ignored' }))
const read = { id: Ignored(), organizationId: Ignored() }

export const V1User = Closed({
  key: Maybe(Text),
  customId: Maybe(Text),
  firstName: Maybe(Text),
  lastName: Maybe(Text),
  email: Maybe(Text),
  attributes: Maybe(Attributes),
  roles: Maybe(listOf(Closed({ role: Type.String(), tenant: Maybe(Text) }))),
  ...read,
  tenantIds: Ignored(),
})

export const V1Tenant = Closed({
  externalId: Maybe(Text),
  key: Maybe(Text),
  name: Maybe(Text),
  description: Maybe(Text),
  settings: Later(),
  ...read,
})

const Permission = Type.Unsafe<string | V1PermissionRef>({ anyOf: [{ type: 'string' }, { type: 'object' }] })
export const V1Role = Closed({
  name: Type.String(),
  description: Maybe(Text),
  attributes: Maybe(Attributes),
  settings: Maybe(Attributes),
  permissions: Maybe(listOf(Permission)),
  isBuiltIn: Later(),
  ...read,
})

export const V1Assignment = Closed({ role: Type.String(), user: Type.String(), scope: Maybe(Text), id: Ignored() })

const actionFields = {
  title: Maybe(Text),
  description: Maybe(Text),
  path: Maybe(Text),
  attributes: Maybe(Attributes),
}
export const V1Action = Closed({
  name: Type.String(),
  ...actionFields,
  resourceId: Ignored(),
  permissionName: Ignored(),
  isBuiltIn: Later(),
  id: Ignored(),
})
export const V1Resource = Closed({
  name: Maybe(Text),
  type: Maybe(Text),
  path: Maybe(Text),
  description: Maybe(Text),
  attributes: Maybe(Attributes),
  actions: MaybeOf(Type.Array(V1Action)),
  isBuiltIn: Later(),
  ...read,
})
export const V1Resources = Closed({
  resources: Type.Array(
    Closed({
      type: Type.String(),
      description: Maybe(Text),
      attributes: Maybe(Attributes),
      actions: Maybe(mapOf(Closed(actionFields))),
    }),
  ),
})

export const V1Login = Closed({ userId: Type.String(), tenantId: Type.String() })
