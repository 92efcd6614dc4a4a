// Organizations in the API: what is sent and what is answered at /v2/orgs.
import { closed, Flag, listOf, maybe, named, nullable, open, type Static, Text } from '../../model/json-schema.ts'
import { page, query, search } from './query-parameters.ts'
import { Attributes, Count, Id, Null, sameKey, stamps } from './schema-parts.ts'

const fields = { ...sameKey, name: maybe(Text), settings: maybe(Attributes) }

export const OrganizationUpdate = named('OrganizationUpdate', closed(fields))
export type OrganizationUpdate = Static<typeof OrganizationUpdate>

export const OrganizationReplace = named('OrganizationReplace', closed(fields))
export type OrganizationReplace = Static<typeof OrganizationReplace>

const organization = {
  id: Id,
  key: Text,
  name: Text,
  settings: nullable(Attributes),
  is_enterprise: Flag,
  usage_limits: Null,
  ...stamps,
}
export const OrganizationRead = named('Organization', open(organization))
export type OrganizationRead = Static<typeof OrganizationRead>

const Usage = open({ mau: Count, tenants: Count, monthly_tenants: listOf(Id), month: Count, year: Count })
export const OrganizationStats = named(
  'OrganizationStats',
  open({
    ...organization,
    stats: open({ projects: Count, environments: Count, users: Count }),
    historical_usage: open({ current_month: Usage, previous_month: Usage, two_months_ago: Usage }),
  }),
)
export type OrganizationStats = Static<typeof OrganizationStats>

export const OrganizationQuery = query({ ...page, ...search })
