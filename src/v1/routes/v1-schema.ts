// The first API version: bodies, parameters and answers. Members that its clients have read and send back are accepted:
// ids and the like are ignored, and members without a counterpart must be empty. Other members are refused, as
// everywhere.
import {
  numbered,
  query,
  roleFilter,
  tenantFilter,
  textParameter,
  userFilter,
} from '../../management/schemas/query-parameters.ts'
import { Attributes, Id, Null, namedAfter } from '../../management/schemas/schema-parts.ts'
import * as t from '../../model/json-schema.ts'
import type { V1PermissionRef } from '../use-cases/v1-writes.ts'

/** Members that clients read and send back: they are ignored. */
const Ignored = () => t.optional(t.schemaOf<unknown>({ description: 'ignored' }))
const read = { id: Ignored(), organizationId: Ignored() }

export const V1User = t.named(
  'V1UserInput',
  t.closed({
    key: t.maybe(t.Text),
    customId: t.maybe(t.Text),
    firstName: t.maybe(t.Text),
    lastName: t.maybe(t.Text),
    email: t.maybe(t.Text),
    attributes: t.maybe(Attributes),
    roles: t.maybe(t.listOf(t.closed({ role: t.Text, tenant: t.maybe(t.Text) }))),
    ...read,
    tenantIds: Ignored(),
  }),
)
export type V1User = t.Static<typeof V1User>

export const V1Tenant = t.named(
  'V1TenantInput',
  t.closed({
    externalId: t.maybe(t.Text),
    key: t.maybe(t.Text),
    name: t.maybe(t.Text),
    description: t.maybe(t.Text),
    settings: t.later(),
    ...read,
  }),
)
export type V1Tenant = t.Static<typeof V1Tenant>

const Permission = t.schemaOf<string | V1PermissionRef>({ anyOf: [{ type: 'string' }, { type: 'object' }] })
export const V1Role = t.named(
  'V1RoleInput',
  t.closed({
    name: t.Text,
    description: t.maybe(t.Text),
    attributes: t.maybe(Attributes),
    settings: t.maybe(Attributes),
    permissions: t.maybe(t.listOf(Permission)),
    isBuiltIn: t.later(),
    ...read,
  }),
)
export type V1Role = t.Static<typeof V1Role>

export const V1Assignment = t.named(
  'V1RoleAssignmentInput',
  t.closed({ role: t.Text, user: t.Text, scope: t.maybe(t.Text), id: Ignored() }),
)
export type V1Assignment = t.Static<typeof V1Assignment>

const actionFields = {
  title: t.maybe(t.Text),
  description: t.maybe(t.Text),
  path: t.maybe(t.Text),
  attributes: t.maybe(Attributes),
}
export const V1Action = t.named(
  'V1ActionInput',
  t.closed({
    name: t.Text,
    ...actionFields,
    resourceId: Ignored(),
    permissionName: Ignored(),
    isBuiltIn: t.later(),
    id: Ignored(),
  }),
)
export type V1Action = t.Static<typeof V1Action>
export const V1Resource = t.named(
  'V1ResourceInput',
  t.closed({
    name: t.maybe(t.Text),
    type: t.maybe(t.Text),
    path: t.maybe(t.Text),
    description: t.maybe(t.Text),
    attributes: t.maybe(Attributes),
    actions: t.maybe(t.listOf(V1Action)),
    isBuiltIn: t.later(),
    ...read,
  }),
)
export type V1Resource = t.Static<typeof V1Resource>
export const V1Resources = t.named(
  'V1ResourcesInput',
  t.closed({
    resources: t.listOf(
      t.closed({
        type: t.Text,
        description: t.maybe(t.Text),
        attributes: t.maybe(Attributes),
        actions: t.maybe(t.mapOf(t.closed(actionFields))),
      }),
    ),
  }),
)
export type V1Resources = t.Static<typeof V1Resources>

export const V1Login = t.named('V1LoginInput', t.closed({ userId: t.Text, tenantId: t.Text }))
export type V1Login = t.Static<typeof V1Login>

const readAction = t.open({
  id: Id,
  name: t.Text,
  title: t.Text,
  description: t.nullable(t.Text),
  path: t.nullable(t.Text),
  attributes: Attributes,
  permissionName: t.Text,
  isBuiltIn: t.Flag,
})
export const V1ActionRead = t.named('V1Action', readAction)
export type V1ActionRead = t.Static<typeof V1ActionRead>

export const V1UserRead = t.named(
  'V1User',
  t.open({
    id: Id,
    customId: t.Text,
    firstName: t.nullable(t.Text),
    lastName: t.nullable(t.Text),
    email: t.nullable(t.Text),
    attributes: Attributes,
    organizationId: Id,
    tenantIds: t.Texts,
  }),
)
export type V1UserRead = t.Static<typeof V1UserRead>

export const V1TenantRead = t.named(
  'V1Tenant',
  t.open({
    id: Id,
    externalId: t.Text,
    name: t.Text,
    description: t.nullable(t.Text),
    settings: Attributes,
    organizationId: Id,
  }),
)
export type V1TenantRead = t.Static<typeof V1TenantRead>

export const V1RoleRead = t.named(
  'V1Role',
  t.open({
    id: Id,
    name: t.Text,
    description: t.nullable(t.Text),
    attributes: Attributes,
    settings: Attributes,
    isBuiltIn: t.Flag,
    permissions: t.listOf(t.open({ id: Id, name: t.Text, scope: Null, resourceId: Id, actionId: Id })),
  }),
)
export type V1RoleRead = t.Static<typeof V1RoleRead>

export const V1AssignmentRead = t.named(
  'V1RoleAssignment',
  t.open({ id: Id, role: V1RoleRead, user: t.Text, scope: t.described(t.Text, 'the tenant') }),
)
export type V1AssignmentRead = t.Static<typeof V1AssignmentRead>

export const V1ResourceRead = t.named(
  'V1Resource',
  t.open({
    id: Id,
    type: t.Text,
    name: t.Text,
    path: t.nullable(t.Text),
    description: t.nullable(t.Text),
    attributes: Attributes,
    isBuiltIn: t.Flag,
    actions: t.listOf(V1ActionRead),
  }),
)
export type V1ResourceRead = t.Static<typeof V1ResourceRead>

export const v1Page = <S extends t.TSchema>(items: S) =>
  namedAfter(items, 'Page', t.open({ url: t.Text, data: t.listOf(items) }))

const scope = { scope: textParameter('the tenant, by its v1 name') }
export const V1AssignmentQuery = query({ ...numbered, ...roleFilter, ...scope, ...tenantFilter, ...userFilter })
export const V1UnassignQuery = query({ ...roleFilter, ...scope, ...userFilter })
