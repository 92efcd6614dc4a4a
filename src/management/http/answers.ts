// Which status and object each route of the management API answers with, for the OpenAPI document; src/management/http/answer-schemas.ts says what
// the objects look like. A test holds every answer of the tests of the API against this.
import { type AnswerSchema, longPageOf, pageOf, v1ListOf } from './answer-schemas.ts'

/** `X`, `X[]`, `Page<X>`, `LongPage<X>`, `V1List<X>`, or several of them between bars. */
type Shape = string
/** Status → shape; an empty one has no body. A shape alone is that of 200. */
type Answer = Shape | Readonly<Record<number, Shape>>

const DELETED = { 204: '' }
/** What most collections answer: lists, and one object that is made, read, changed and deleted. */
const collection = (path: string, name: string, listed: Shape, ref = ':ref'): Record<string, Answer> => ({
  [`GET ${path}`]: listed,
  [`POST ${path}`]: name,
  [`GET ${path}/${ref}`]: name,
  [`PATCH ${path}/${ref}`]: name,
  [`PUT ${path}/${ref}`]: name,
  [`DELETE ${path}/${ref}`]: DELETED,
})
const either = (name: string): Shape => `${name}[] | Page<${name}>`
const S = '/v2/schema/:p/:e'
const F = '/v2/facts/:p/:e'
const OF = `${S}/resources/:resource`
const ENVIRONMENTS = '/v2/projects/:p/envs'
const CONFIGS = '/v2/pdps/:p/:e/configs'

const GENERAL: Record<string, Answer> = {
  'GET /health': 'Health',
  'GET /v2/api-key/scope': 'ApiKeyScope',
  'GET /v2/api-key/:p/:e': 'ApiKey',
  ...collection('/v2/api-key', 'ApiKey', 'Page<ApiKey>', ':key'),
  'POST /v2/api-key/:key/rotate-secret': 'ApiKey',
  [`GET ${CONFIGS}`]: 'PdpConfig[]',
  [`GET ${CONFIGS}/:config/values`]: 'RemoteConfig',
  [`POST ${CONFIGS}/:config/rotate-api-key`]: 'PdpConfig',
  'GET /v2/orgs': 'Organization[]',
  'GET /v2/orgs/active/org': 'Organization',
  'GET /v2/orgs/:org': 'Organization',
  'PATCH /v2/orgs/:org': 'Organization',
  'GET /v2/orgs/:org/stats': 'OrganizationStats',
  ...collection('/v2/projects', 'Project', 'Project[]', ':p'),
  ...collection(ENVIRONMENTS, 'Environment', 'EnvironmentWithEmail[]', ':e'),
  [`GET ${ENVIRONMENTS}/:e`]: 'EnvironmentWithEmail',
  [`GET ${ENVIRONMENTS}/:e/stats`]: 'EnvironmentStats',
  [`POST ${ENVIRONMENTS}/:e/copy`]: { 201: 'Environment' },
  [`POST ${ENVIRONMENTS}/:e/copy/async`]: { 202: 'EnvironmentTask' },
  [`GET ${ENVIRONMENTS}/:e/copy/async/:task/result`]: 'EnvironmentTask',
  'GET /v2/history': 'LongPage<Event>',
  'GET /v2/history/:event': 'Event',
  'GET /v2/activity': 'LongPage<Activity>',
  'GET /v2/activity/types': 'ActivityType[]',
  'GET /v2/pdps/:p/:e/audit_logs': 'LongPage<AuditLog>',
  'GET /v2/pdps/:p/:e/audit_logs/:log': 'AuditLog',
  'POST /v2/pdps/:p/:e/audit_logs': 'AuditStored',
}

const SCHEMA: Record<string, Answer> = {
  ...collection(`${S}/roles`, 'Role', either('Role')),
  [`POST ${S}/roles/:ref/permissions`]: 'Role',
  [`DELETE ${S}/roles/:ref/permissions`]: 'Role',
  [`GET ${S}/roles/:ref/ancestors`]: 'Roles',
  [`GET ${S}/roles/:ref/descendants`]: 'Roles',
  [`PUT ${S}/roles/:ref/parents/:parent`]: 'Role',
  [`DELETE ${S}/roles/:ref/parents/:parent`]: 'Role',
  [`PUT ${S}/bulk/roles`]: 'RolesBulk',
  ...collection(`${S}/resources`, 'Resource', either('Resource'), ':resource'),
  ...collection(`${OF}/actions`, 'Action', 'Action[]'),
  ...collection(`${OF}/attributes`, 'Attribute', 'Attribute[]'),
  ...collection(`${S}/users/attributes`, 'Attribute', 'Attribute[]'),
  ...collection(`${OF}/roles`, 'ResourceRole', 'ResourceRole[]'),
  [`POST ${OF}/roles/:ref/permissions`]: 'ResourceRole',
  [`DELETE ${OF}/roles/:ref/permissions`]: 'ResourceRole',
  [`GET ${OF}/roles/:ref/ancestors`]: 'ResourceRoles',
  [`GET ${OF}/roles/:ref/descendants`]: 'ResourceRoles',
  [`PUT ${OF}/roles/:ref/parents/:parent`]: 'ResourceRole',
  [`DELETE ${OF}/roles/:ref/parents/:parent`]: 'ResourceRole',
  [`POST ${OF}/roles/:ref/implicit_grants`]: 'DerivationRule',
  [`DELETE ${OF}/roles/:ref/implicit_grants`]: DELETED,
  [`PUT ${OF}/roles/:ref/implicit_grants/conditions`]: 'DerivationSettings',
  ...collection(`${OF}/relations`, 'Relation', 'Page<Relation>'),
  ...collection(`${OF}/action_groups`, 'ActionGroup', 'ActionGroup[]'),
  ...collection(`${S}/condition_sets`, 'ConditionSet', either('ConditionSet')),
  [`GET ${S}/condition_sets/:ref/ancestors`]: 'ConditionSet[]',
  [`GET ${S}/condition_sets/:ref/descendants`]: 'ConditionSet[]',
  [`GET ${S}/condition_sets/:ref/possible_parents`]: 'ConditionSet[]',
  ...collection(`${S}/groups`, 'Group', 'Group[]', ':group'),
  [`GET ${S}/groups/direct`]: 'Page<GroupBlock>',
  [`GET ${S}/groups/direct/:group`]: 'GroupBlock',
  [`GET ${S}/groups/:group/children`]: 'Page<GroupBlock>',
  [`GET ${S}/groups/:group/parents`]: 'Page<GroupBlock>',
  [`GET ${S}/groups/:group/users`]: 'Page<User>',
  [`GET ${S}/groups/:group/roles`]: 'Page<GroupRole>',
  [`POST ${S}/groups/:group/roles`]: 'Group',
  [`DELETE ${S}/groups/:group/roles`]: DELETED,
  [`PUT ${S}/groups/:group/users/:user`]: 'Group',
  [`DELETE ${S}/groups/:group/users/:user`]: DELETED,
  [`PUT ${S}/groups/:group/assign_group`]: 'Group',
  [`DELETE ${S}/groups/:group/assign_group`]: DELETED,
}

const FACTS: Record<string, Answer> = {
  ...collection(`${F}/users`, 'User', 'Page<User>'),
  [`PUT ${F}/users/:ref`]: { 200: 'User', 201: 'User' },
  [`POST ${F}/users/:ref/roles`]: 'RoleAssignment',
  [`DELETE ${F}/users/:ref/roles`]: { 200: 'RoleAssignment', 204: '' },
  ...collection(`${F}/tenants`, 'Tenant', either('Tenant')),
  [`GET ${F}/tenants/:ref/users`]: 'Page<User>',
  [`POST ${F}/tenants/:ref/users`]: 'User',
  [`DELETE ${F}/tenants/:ref/users/:user`]: DELETED,
  [`GET ${F}/role_assignments`]: `${either('RoleAssignment')} | ${either('RoleAssignmentDetailed')}`,
  [`GET ${F}/role_assignments/detailed`]: 'Page<RoleAssignmentDetailed>',
  [`POST ${F}/role_assignments`]: 'RoleAssignment',
  [`DELETE ${F}/role_assignments`]: { 200: 'RoleAssignment', 204: '' },
  [`POST ${F}/role_assignments/bulk`]: 'AssignmentsCreated',
  [`DELETE ${F}/role_assignments/bulk`]: 'AssignmentsRemoved',
  ...collection(`${F}/resource_instances`, 'ResourceInstance', either('ResourceInstance')),
  [`GET ${F}/resource_instances/detailed`]: 'Page<ResourceInstanceDetailed>',
  [`GET ${F}/relationship_tuples`]: either('RelationshipTuple'),
  [`GET ${F}/relationship_tuples/detailed`]: 'Page<RelationshipTupleDetailed>',
  [`POST ${F}/relationship_tuples`]: 'RelationshipTuple',
  [`DELETE ${F}/relationship_tuples`]: DELETED,
  [`GET ${F}/set_rules`]: 'SetRule[]',
  [`POST ${F}/set_rules`]: 'SetRule[]',
  [`DELETE ${F}/set_rules`]: DELETED,
  [`POST ${F}/bulk/users`]: 'Nothing',
  [`PUT ${F}/bulk/users`]: 'Nothing',
  [`DELETE ${F}/bulk/users`]: 'Nothing',
  [`POST ${F}/bulk/tenants`]: 'Nothing',
  [`DELETE ${F}/bulk/tenants`]: 'Nothing',
  [`PUT ${F}/bulk/resource_instances`]: 'Nothing',
  [`DELETE ${F}/bulk/resource_instances`]: 'Nothing',
  [`POST ${F}/relationship_tuples/bulk`]: 'Nothing',
  [`DELETE ${F}/relationship_tuples/bulk`]: 'Nothing',
  ...collection(`${F}/user_invites`, 'UserInvite', 'Page<UserInvite>'),
  [`POST ${F}/user_invites/:ref/approve`]: 'User',
  ...collection(`${F}/proxy_configs`, 'ProxyConfig', 'ProxyConfig[]'),
}

const V1: Record<string, Answer> = {
  ...collection('/v1/users', 'V1User', 'V1List<V1User>'),
  'PUT /v1/users': 'V1User',
  ...collection('/v1/tenants', 'V1Tenant', 'V1List<V1Tenant>'),
  'PUT /v1/tenants': 'V1Tenant',
  'GET /v1/role_assignments': 'V1List<V1RoleAssignment>',
  'POST /v1/role_assignments': 'V1RoleAssignment',
  'DELETE /v1/role_assignments': 'V1RoleAssignment',
  ...collection('/v1/roles', 'V1Role', 'V1List<V1Role>'),
  'PUT /v1/resources': 'V1List<V1Resource>',
  'PUT /v1/resources/:ref': 'V1Resource',
  'PUT /v1/resources/:ref/actions': 'V1Action',
}

const ANSWERS: Readonly<Record<string, Answer>> = { ...GENERAL, ...SCHEMA, ...FACTS, ...V1 }

/** Status → schema of what the route answers, null without a body; undefined for a route that answers no JSON. */
export function answersOf(method: string, url: string): ReadonlyMap<number, AnswerSchema | null> | undefined {
  const answer = ANSWERS[`${method} ${url}`]
  if (answer === undefined) return undefined
  const shapes = typeof answer === 'string' ? { 200: answer } : answer
  return new Map(Object.entries(shapes).map(([status, shape]) => [Number(status), schemaOf(shape)]))
}

function schemaOf(shape: Shape): AnswerSchema | null {
  const schemas = shape.split(' | ').filter(Boolean).map(one)
  return schemas.length > 1 ? { anyOf: schemas } : (schemas[0] ?? null)
}

function one(shape: Shape): AnswerSchema {
  const [, form, name = '', array] = /^(?:(\w+)<)?(\w+)(?:>|(\[\]))?$/.exec(shape) ?? []
  const items = { $ref: `#/components/schemas/${name}` }
  if (form === 'Page') return pageOf(items)
  if (form === 'LongPage') return longPageOf(items)
  if (form === 'V1List') return v1ListOf(items)
  return array === undefined ? items : { type: 'array', items }
}
