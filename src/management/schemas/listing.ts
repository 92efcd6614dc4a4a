// Listings of an environment as it was: POST …/user-permissions and …/authorized-users of an environment.
import {
  described,
  listOf,
  maybe,
  named,
  nullable,
  open,
  type Static,
  schemaOf,
  Text,
  Texts,
} from '../../model/json-schema.ts'
import { PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX } from '../../model/limits.ts'
import { At, Because, PastQuestion, SentUser } from './past.ts'
import { Attributes, Count, Time } from './schema-parts.ts'

const { action, resource, context } = PastQuestion.properties
const answered = {
  revision: described(Count, 'the revision that was used'),
  revision_at: described(Time, 'when it was written'),
}

export const PermissionsQuestion = named(
  'PermissionsQuestion',
  open({
    user: SentUser,
    tenants: maybe(described(Texts, 'only these tenants, and instances in them')),
    resources: maybe(described(Texts, 'only these instances, as `type:key`; a tenant is `__tenant:key`')),
    resource_types: maybe(described(Texts, 'only instances of these types; `__tenant` keeps the tenants')),
    context: maybe(Attributes),
    at: At,
  }),
)
export type PermissionsQuestion = Static<typeof PermissionsQuestion>

const held = {
  roles: described(Texts, 'sorted'),
  permissions: described(Texts, '`resource:action`, sorted'),
}

export const UserPermissionsRead = named(
  'UserPermissions',
  open({
    ...answered,
    tenants: described(listOf(open({ tenant: Text, ...held })), 'what checks without an instance allow in the tenant'),
    instances: described(
      listOf(open({ resource: described(Text, 'a type'), resource_instance: Text, tenant: Text, ...held })),
      'instances on which the user has a role, or other permissions than in their tenant',
    ),
  }),
)
export type UserPermissionsRead = Static<typeof UserPermissionsRead>

const limit = { type: 'integer', minimum: 1, maximum: PAGE_ROWS_MAX, default: PAGE_ROWS_DEFAULT }

export const AuthorizedUsersQuestion = named(
  'AuthorizedUsersQuestion',
  open({
    ...{ action, resource, context, at: At },
    after: maybe(described(Text, '`next` of the previous page')),
    limit: maybe(described(schemaOf<number>(limit), 'users per page')),
  }),
)
export type AuthorizedUsersQuestion = Static<typeof AuthorizedUsersQuestion>

export const AuthorizedUsersPage = named(
  'AuthorizedUsersPage',
  open({
    ...answered,
    users: described(
      listOf(open({ user: Text, because: described(listOf(Because), 'why it is allowed') })),
      'ordered by key; a page can have fewer than `limit` rows, or none, although more follow',
    ),
    next: described(nullable(Text), 'cursor of the next page; null on the last page'),
  }),
)
export type AuthorizedUsersPage = Static<typeof AuthorizedUsersPage>
