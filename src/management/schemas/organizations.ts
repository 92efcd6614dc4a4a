// Organizations in the API: what is sent and what is answered at /v2/orgs.
import * as t from '../../model/json-schema.ts'
import { page, query, search } from './query-parameters.ts'
import { Attributes, Count, Id, Null, sameKey, stamps } from './schema-parts.ts'

const fields = { ...sameKey, name: t.maybe(t.Text), settings: t.maybe(Attributes) }

export const OrganizationUpdate = t.named('OrganizationUpdate', t.closed(fields))
export type OrganizationUpdate = t.Static<typeof OrganizationUpdate>

export const OrganizationReplace = t.named('OrganizationReplace', t.closed(fields))
export type OrganizationReplace = t.Static<typeof OrganizationReplace>

const organization = {
  id: Id,
  key: t.Text,
  name: t.Text,
  settings: t.nullable(Attributes),
  is_enterprise: t.Flag,
  usage_limits: Null,
  ...stamps,
}
export const OrganizationRead = t.named('Organization', t.open(organization))
export type OrganizationRead = t.Static<typeof OrganizationRead>

const Usage = t.open({ mau: Count, tenants: Count, monthly_tenants: t.listOf(Id), month: Count, year: Count })
export const OrganizationStats = t.named(
  'OrganizationStats',
  t.open({
    ...organization,
    stats: t.open({ projects: Count, environments: Count, users: Count }),
    historical_usage: t.open({ current_month: Usage, previous_month: Usage, two_months_ago: Usage }),
  }),
)
export type OrganizationStats = t.Static<typeof OrganizationStats>

export const OrganizationQuery = query({ ...page, ...search })
