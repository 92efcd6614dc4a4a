// The first API version: bodies, parameters and answers. Members that its clients have read and send back are accepted:
// ids and the like are ignored, and members without a counterpart must be empty. Other members are refused, as
// everywhere.
import {
  page,
  query,
  roleFilter,
  tenantFilter,
  textParameter,
  userFilter,
} from '../../management/schemas/query-parameters.ts'
import { Attributes, Id, Null, namedAfter } from '../../management/schemas/schema-parts.ts'
import {
  closed,
  described,
  Flag,
  later,
  listOf,
  mapOf,
  maybe,
  named,
  nullable,
  open,
  optional,
  type Static,
  schemaOf,
  Text,
  Texts,
  type TSchema,
} from '../../model/json-schema.ts'
import type { V1PermissionRef } from '../use-cases/v1-writes.ts'

/** Members that clients read and send back: they are ignored. */
const Ignored = () => optional(schemaOf<unknown>({ description: 'ignored' }))
const read = { id: Ignored(), organizationId: Ignored() }

export const V1User = named(
  'V1UserInput',
  closed({
    key: maybe(Text),
    customId: maybe(Text),
    firstName: maybe(Text),
    lastName: maybe(Text),
    email: maybe(Text),
    attributes: maybe(Attributes),
    roles: maybe(listOf(closed({ role: Text, tenant: maybe(Text) }))),
    ...read,
    tenantIds: Ignored(),
  }),
)
export type V1User = Static<typeof V1User>

export const V1Tenant = named(
  'V1TenantInput',
  closed({
    externalId: maybe(Text),
    key: maybe(Text),
    name: maybe(Text),
    description: maybe(Text),
    settings: later(),
    ...read,
  }),
)
export type V1Tenant = Static<typeof V1Tenant>

const Permission = schemaOf<string | V1PermissionRef>({ anyOf: [{ type: 'string' }, { type: 'object' }] })
export const V1Role = named(
  'V1RoleInput',
  closed({
    name: Text,
    description: maybe(Text),
    attributes: maybe(Attributes),
    settings: maybe(Attributes),
    permissions: maybe(listOf(Permission)),
    isBuiltIn: later(),
    ...read,
  }),
)
export type V1Role = Static<typeof V1Role>

export const V1Assignment = named(
  'V1RoleAssignmentInput',
  closed({ role: Text, user: Text, scope: maybe(Text), id: Ignored() }),
)
export type V1Assignment = Static<typeof V1Assignment>

const actionFields = {
  title: maybe(Text),
  description: maybe(Text),
  path: maybe(Text),
  attributes: maybe(Attributes),
}
export const V1Action = named(
  'V1ActionInput',
  closed({
    name: Text,
    ...actionFields,
    resourceId: Ignored(),
    permissionName: Ignored(),
    isBuiltIn: later(),
    id: Ignored(),
  }),
)
export type V1Action = Static<typeof V1Action>
export const V1Resource = named(
  'V1ResourceInput',
  closed({
    name: maybe(Text),
    type: maybe(Text),
    path: maybe(Text),
    description: maybe(Text),
    attributes: maybe(Attributes),
    actions: maybe(listOf(V1Action)),
    isBuiltIn: later(),
    ...read,
  }),
)
export type V1Resource = Static<typeof V1Resource>
export const V1Resources = named(
  'V1ResourcesInput',
  closed({
    resources: listOf(
      closed({
        type: Text,
        description: maybe(Text),
        attributes: maybe(Attributes),
        actions: maybe(mapOf(closed(actionFields))),
      }),
    ),
  }),
)
export type V1Resources = Static<typeof V1Resources>

export const V1Login = named('V1LoginInput', closed({ userId: Text, tenantId: Text }))
export type V1Login = Static<typeof V1Login>

const readAction = open({
  id: Id,
  name: Text,
  title: Text,
  description: nullable(Text),
  path: nullable(Text),
  attributes: Attributes,
  permissionName: Text,
  isBuiltIn: Flag,
})
export const V1ActionRead = named('V1Action', readAction)
export type V1ActionRead = Static<typeof V1ActionRead>

export const V1UserRead = named(
  'V1User',
  open({
    id: Id,
    customId: Text,
    firstName: nullable(Text),
    lastName: nullable(Text),
    email: nullable(Text),
    attributes: Attributes,
    organizationId: Id,
    tenantIds: Texts,
  }),
)
export type V1UserRead = Static<typeof V1UserRead>

export const V1TenantRead = named(
  'V1Tenant',
  open({ id: Id, externalId: Text, name: Text, description: nullable(Text), settings: Attributes, organizationId: Id }),
)
export type V1TenantRead = Static<typeof V1TenantRead>

export const V1RoleRead = named(
  'V1Role',
  open({
    id: Id,
    name: Text,
    description: nullable(Text),
    attributes: Attributes,
    settings: Attributes,
    isBuiltIn: Flag,
    permissions: listOf(open({ id: Id, name: Text, scope: Null, resourceId: Id, actionId: Id })),
  }),
)
export type V1RoleRead = Static<typeof V1RoleRead>

export const V1AssignmentRead = named(
  'V1RoleAssignment',
  open({ id: Id, role: V1RoleRead, user: Text, scope: described(Text, 'the tenant') }),
)
export type V1AssignmentRead = Static<typeof V1AssignmentRead>

export const V1ResourceRead = named(
  'V1Resource',
  open({
    id: Id,
    type: Text,
    name: Text,
    path: nullable(Text),
    description: nullable(Text),
    attributes: Attributes,
    isBuiltIn: Flag,
    actions: listOf(V1ActionRead),
  }),
)
export type V1ResourceRead = Static<typeof V1ResourceRead>

export const v1ListOf = <S extends TSchema>(items: S) =>
  namedAfter(items, 'Page', open({ url: Text, data: listOf(items) }))

const scope = { scope: textParameter('the tenant, by its v1 name') }
export const V1AssignmentQuery = query({ ...page, ...roleFilter, ...scope, ...tenantFilter, ...userFilter })
export const V1UnassignQuery = query({ ...roleFilter, ...scope, ...userFilter })
