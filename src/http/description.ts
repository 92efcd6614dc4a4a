// What a route is about and what it does, in words, for the reference of the API. Each route has both where it is
// described; one without them is refused when the document is made (src/http/openapi.ts).
import type { FastifyContextConfig, FastifySchema } from 'fastify'

export const TAGS = {
  server: 'The process itself: health, metrics and this reference.',
  'API keys': 'Keys of organizations, projects and environments.',
  PDPs: 'PDPs that follow, their configuration, and the decisions that they recorded.',
  organizations: 'The owner of projects.',
  projects: 'Projects of an organization.',
  environments: 'Environments of a project. Each has its own policy and facts.',
  roles: 'Roles in tenants, and roles on instances of a resource type.',
  bulk: 'Many objects in one write, all or nothing.',
  resources: 'Resource types with their actions, attributes, relations, roles and action groups.',
  users: 'Users, and the attributes that users can have.',
  condition_sets: 'Users or resources that match conditions.',
  groups: 'Groups of users, which have roles and members.',
  group_rules: 'Rules that give roles to members of groups of a directory.',
  tenants: 'Tenants, and the users in them.',
  role_assignments: 'Roles of users, in a tenant or on an instance.',
  resource_instances: 'Instances of resource types.',
  relationship_tuples: 'Relations between instances.',
  set_rules: 'What users of a user set can do with resources of a resource set.',
  user_invites: 'Users who are invited but do not exist yet.',
  access_requests: 'Requests of users for a role for a time, and what became of them.',
  syncs: 'Facts that a sync keeps in step with a database of your own.',
  proxy_configs: 'Services to which the PDP forwards requests, with their secrets.',
  SCIM: 'Users and groups of an identity provider, by RFC 7643 and RFC 7644.',
  history: 'What was done through this API, and by whom.',
  activity: 'The history in words.',
  auth: 'Sessions of users in a tenant, for the routes that the middleware mounts.',
  feed: 'The images and changes that PDPs follow.',
  v1: 'The first API version. Deprecated: see /docs/migration.',
} as const

/** What a route is about. */
export type Tag = keyof typeof TAGS

declare module 'fastify' {
  interface FastifyContextConfig {
    tag?: Tag
    /** the type of a body that is not JSON */
    bodyType?: string
  }
}

/** Options of a route; the summary says in a few words what it does. */
export const describe = (
  config: FastifyContextConfig & { readonly tag: Tag },
  summary: string,
  schema: FastifySchema = {},
) => ({ config, schema: { ...schema, summary } })
