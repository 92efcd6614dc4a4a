// Listings of an environment as it was: POST …/user-permissions and …/authorized-users of an environment.
import * as t from '../../model/json-schema.ts'
import { LISTING_PAGE_MAX, PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX } from '../../model/limits.ts'
import { At, Because, PastQuestion, SentUser } from './past.ts'
import { Attributes, Count, Time } from './schema-parts.ts'

const { action, resource, context } = PastQuestion.properties
const answered = {
  revision: t.described(Count, 'the revision that was used'),
  revision_at: t.described(Time, 'when it was written'),
}

export const PermissionsQuestion = t.named(
  'PermissionsQuestion',
  t.open({
    user: SentUser,
    tenants: t.maybe(t.described(t.Texts, 'only these tenants, and instances in them')),
    resources: t.maybe(t.described(t.Texts, 'only these instances, as `type:key`; a tenant is `__tenant:key`')),
    resource_types: t.maybe(t.described(t.Texts, 'only instances of these types; `__tenant` keeps the tenants')),
    context: t.maybe(Attributes),
    at: At,
    after: t.maybe(t.described(t.Text, '`next` of the previous page: the answer goes on at its revision and time')),
    limit: t.maybe(
      t.described(
        t.schemaOf<number>({ type: 'integer', minimum: 1, maximum: LISTING_PAGE_MAX }),
        'entries per page; without `limit` and `after` the answer is whole',
      ),
    ),
  }),
)
export type PermissionsQuestion = t.Static<typeof PermissionsQuestion>

const held = {
  roles: t.described(t.Texts, 'sorted'),
  permissions: t.described(t.Texts, '`resource:action`, sorted'),
}

export const UserPermissionsRead = t.named(
  'UserPermissions',
  t.open({
    ...answered,
    tenants: t.described(
      t.listOf(t.open({ tenant: t.Text, ...held })),
      'what checks without an instance allow in the tenant',
    ),
    instances: t.described(
      t.listOf(t.open({ resource: t.described(t.Text, 'a type'), resource_instance: t.Text, tenant: t.Text, ...held })),
      'instances on which the user has a role, or other permissions than in their tenant',
    ),
    next: t.described(
      t.nullable(t.Text),
      'cursor of the next page; null on the last page, and when the answer is whole. A page can have fewer entries than ' +
        '`limit`, or none, although more follow',
    ),
  }),
)
export type UserPermissionsRead = t.Static<typeof UserPermissionsRead>

const limit = { type: 'integer', minimum: 1, maximum: PAGE_ROWS_MAX, default: PAGE_ROWS_DEFAULT }

export const AuthorizedUsersQuestion = t.named(
  'AuthorizedUsersQuestion',
  t.open({
    ...{ action, resource, context, at: At },
    after: t.maybe(t.described(t.Text, '`next` of the previous page')),
    limit: t.maybe(t.described(t.schemaOf<number>(limit), 'users per page')),
  }),
)
export type AuthorizedUsersQuestion = t.Static<typeof AuthorizedUsersQuestion>

export const AuthorizedUsersPage = t.named(
  'AuthorizedUsersPage',
  t.open({
    ...answered,
    users: t.described(
      t.listOf(t.open({ user: t.Text, because: t.described(t.listOf(Because), 'why it is allowed') })),
      'ordered by key; a page can have fewer than `limit` rows, or none, although more follow. Where everyone may do it, ' +
        'the first page begins with `*`, which is no user and does not count',
    ),
    next: t.described(t.nullable(t.Text), 'cursor of the next page; null on the last page'),
  }),
)
export type AuthorizedUsersPage = t.Static<typeof AuthorizedUsersPage>
