// What the objects of an answer of the management API look like: one schema for each, for the OpenAPI document only. Answers are printed by
// management/render*.ts and never pass through these; a test holds every answer of the tests of the API against them.

export type AnswerSchema = Readonly<Record<string, unknown>>

const text = { type: 'string' }
const flag = { type: 'boolean' }
const count = { type: 'integer', minimum: 0 }
const number = { type: 'number' }
const id = { type: 'string', pattern: '^[0-9a-f]{32}$' }
const time = { type: 'string', format: 'date-time' }
const any = {}
const object = { type: 'object' }
const nothing = { type: 'null' }
const word = (...words: readonly string[]): AnswerSchema => ({ type: 'string', enum: words })
const of = (name: string): AnswerSchema => ({ $ref: `#/components/schemas/${name}` })
const list = (items: AnswerSchema): AnswerSchema => ({ type: 'array', items })
const texts = list(text)
const map = (values: AnswerSchema): AnswerSchema => ({ type: 'object', additionalProperties: values })
const maybe = (schema: AnswerSchema): AnswerSchema =>
  'type' in schema && !('enum' in schema) ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, nothing] }
/** An object; all of these members are in it. */
const all = (properties: Readonly<Record<string, AnswerSchema>>): AnswerSchema => {
  return { type: 'object', required: Object.keys(properties), properties }
}

/** A page of a list. */
export const pageOf = (items: AnswerSchema, more = {}): AnswerSchema =>
  all({ data: list(items), total_count: count, page_count: count, ...more })
/** A page of a list that can be paged to a bound only. */
export const longPageOf = (items: AnswerSchema): AnswerSchema => pageOf(items, { pagination_count: count })

const named = { name: text, description: maybe(text) }
const stamps = { created_at: time, updated_at: time }
const place = { organization_id: id, project_id: id, environment_id: id }
const known = { id, key: text, ...place, ...stamps }
const attributeType = word('bool', 'number', 'string', 'time', 'array', 'json', 'object', 'object_array')
const v1compat = { v1compat_path: maybe(text), v1compat_name: maybe(text) }

const organization = { id, key: text, name: text, settings: maybe(object), is_enterprise: flag, usage_limits: nothing }
const environment = {
  ...{ id, key: text, ...named, custom_branch_name: maybe(text), jwks: maybe(object), settings: maybe(object) },
  ...{ avp_policy_store_id: nothing, organization_id: id, project_id: id, ...stamps },
}
const usage = all({ mau: count, tenants: count, monthly_tenants: list(id), month: count, year: count })
const event = {
  ...{ id, timestamp: time, client_ip: text, actor_type: word('api_key', 'system'), actor_id: id },
  ...{ actor_display_name: maybe(text), org_id: id, project_id: maybe(id), project_key: maybe(text) },
  ...{ env_id: maybe(id), env_key: maybe(text) },
}

const GENERAL = {
  ApiKeyScope: all({ organization_id: id, project_id: maybe(id), environment_id: maybe(id) }),
  ApiKey: all({
    ...{ id, organization_id: id, project_id: maybe(id), environment_id: maybe(id) },
    object_type: word('env', 'project', 'org'),
    access_level: word('admin', 'write', 'read', 'no_access'),
    owner_type: word('pdp_config', 'member', 'elements'),
    ...{ name: maybe(text), secret: maybe(text), created_at: time, created_by_member: nothing, last_used_at: nothing },
    ...{ env: maybe(of('Environment')), project: maybe(of('Project')) },
  }),
  Organization: all({ ...organization, ...stamps }),
  OrganizationStats: all({
    ...{ ...organization, ...stamps, stats: all({ projects: count, environments: count, users: count }) },
    historical_usage: all({ current_month: usage, previous_month: usage, two_months_ago: usage }),
  }),
  Project: all({
    ...{ id, key: text, ...named, urn_namespace: maybe(text), settings: maybe(object), active_policy_repo_id: nothing },
    ...{ organization_id: id, ...stamps },
  }),
  Environment: all(environment),
  EnvironmentWithEmail: all({ ...environment, email_configuration: nothing }),
  EnvironmentStats: all({
    ...{ ...environment, pdp_configs: list(of('PdpConfig')) },
    stats: all({
      ...{ roles: count, users: count, policies: count, resources: count, tenants: count, mau: count },
      ...{ has_decision_logs: flag, members: list(object) },
    }),
  }),
  EnvironmentTask: all({
    ...{ task_id: id, status: word('processing', 'success', 'failure') },
    ...{ result: maybe(of('Environment')), error: maybe(object) },
  }),
  PdpConfig: all({
    ...{ id, name: text, client_secret: text, opal_server_access_token: nothing, num_shards: count },
    ...{ debug_audit_logs: flag, min_pdp_version: nothing, ...place },
  }),
  RemoteConfig: all({
    opal_common: object,
    opal_client: object,
    pdp: map({ type: ['string', 'boolean'] }),
    context: map(text),
  }),
  Event: all({
    ...{ ...event, timestamp_utc: time, method: text, path: text, success: flag, status: count, request_id: maybe(id) },
    ...{ correlation_id: maybe(text), operation: text, revision: count },
  }),
  Activity: all({ ...event, activity_id: text, activity_description: text, activity_details: object }),
  Health: all({ status: word('ok') }),
  ActivityType: all({ id: text, description: text }),
  AuditLog: all({
    ...{ id, timestamp: time, created_at: time, query: text, user_key: text, user_email: maybe(text) },
    ...{ user_name: maybe(text), resource_type: text, tenant: text, action: text, decision: flag, reason: maybe(text) },
    ...{ org_id: id, project_id: id, env_id: id, pdp_config_id: id, input: object, result: object, context: object },
    raw_data: object,
  }),
  AuditStored: all({
    stored: count,
    known: count,
    refused: count,
    refusals: all({ not_a_record: count, other_environment: count, other_key: count, other_sender: count }),
  }),
}

const settings = all({ no_direct_roles_on_object: flag })
const rule = {
  ...{ role: text, on_resource: text, linked_by_relation: text, when: settings },
  ...{ role_id: id, resource_id: id, relation_id: id },
}
const role = { ...known, ...named, permissions: texts, attributes: maybe(object), extends: texts }
const action = { id, key: text, ...named, attributes: maybe(object), ...v1compat }
const attribute = { id, key: text, type: attributeType, description: maybe(text) }
const group = { id, group_resource_type_key: text, group_instance_key: text, group_tenant: text }

const SCHEMA = {
  Role: all({ ...role, granted_to: nothing, v1compat_settings: maybe(object), v1compat_attributes: maybe(object) }),
  Roles: all({ roles: list(of('Role')) }),
  RolesBulk: all({ created: texts, updated: texts }),
  ResourceRole: all({ ...role, granted_to: maybe(of('Derivation')), resource: text, resource_id: id }),
  ResourceRoles: all({ roles: list(of('ResourceRole')) }),
  Derivation: all({ id, when: settings, users_with_role: list(of('DerivationRule')) }),
  DerivationRule: all(rule),
  DerivationSettings: settings,
  Resource: all({
    ...{
      ...known,
      ...named,
      urn: maybe(text),
      type_attributes: maybe(object),
      ...v1compat,
      v1compat_type: maybe(text),
    },
    ...{ actions: map(all(action)), attributes: map(all(attribute)), roles: map(of('ResourceRole')) },
    relations: map(all({ description: maybe(text), resource_id: id, resource: text, relation_name: text })),
    action_groups: map(texts),
  }),
  Action: all({
    ...{ ...known, ...action, v1compat_is_built_in: flag, permission_name: text, resource_id: id },
  }),
  Attribute: all({ ...known, ...attribute, resource_id: id, resource_key: text, built_in: flag }),
  ActionGroup: all({ ...known, ...named, attributes: maybe(object), actions: texts, resource_id: id }),
  Relation: all({
    ...{ ...known, ...named, subject_resource: text, subject_resource_id: id },
    ...{ object_resource: text, object_resource_id: id },
  }),
  ConditionSet: all({
    ...{ ...known, ...named, type: word('userset', 'resourceset'), autogenerated: flag, conditions: object },
    ...{ resource_id: maybe(id), resource: maybe(of('Resource')), parent_id: maybe(id) },
  }),
  Group: all({ ...group, assigned_roles: texts, users: list(id) }),
  GroupBlock: all(group),
  GroupRole: all({
    ...{ id, key: text, name: text, resource: all({ id, key: text, name: text }) },
    resource_instance: all({ id, key: text, resource: text, attributes: object }),
  }),
}

const instanceBlock = all({ key: text, resource: text, tenant: text, attributes: object })
const tuple = {
  ...{ id, subject: text, relation: text, object: text, tenant: text, ...place, ...stamps },
  ...{ subject_id: id, relation_id: id, object_id: id, tenant_id: id },
}
const details = {
  ...{ subject_details: instanceBlock, object_details: instanceBlock, relation_details: all({ key: text, ...named }) },
  tenant_details: all({ key: text, ...named, attributes: maybe(object) }),
}
const instance = { ...known, resource: text, tenant: text, resource_id: id, tenant_id: id, attributes: object }
const relationships = list(all({ subject: text, relation: text, object: text }))

const FACTS = {
  User: all({
    ...{ ...known, email: maybe(text), first_name: maybe(text), last_name: maybe(text), attributes: object },
    roles: list(all({ role: text, tenant: text })),
    associated_tenants: list(
      all({
        ...{ tenant: text, roles: texts, status: word('active') },
        resource_instance_roles: list(all({ resource_instance: text, resource: text, role: text })),
      }),
    ),
  }),
  Tenant: all({ ...known, ...named, attributes: maybe(object), last_action_at: time }),
  RoleAssignment: all({
    ...{ id, user: text, role: text, tenant: text, resource_instance: maybe(text), ...place, created_at: time },
    ...{ user_id: id, role_id: id, tenant_id: id, resource_instance_id: maybe(id) },
  }),
  RoleAssignmentDetailed: all({
    ...{ id, ...place, created_at: time },
    user: all({
      ...{ id, key: text, email: maybe(text), first_name: maybe(text), last_name: maybe(text), attributes: object },
    }),
    role: all({ id, key: text, name: text, permissions: texts }),
    tenant: all({ id, key: text, name: text, attributes: object }),
    resource_instance: maybe(of('RoleAssignmentInstance')),
  }),
  RoleAssignmentInstance: all({ id, key: text, resource: text, attributes: object }),
  AssignmentsCreated: all({ assignments_created: count }),
  AssignmentsRemoved: all({ assignments_removed: count }),
  ResourceInstance: all({ ...instance, relationships: maybe(relationships) }),
  ResourceInstanceDetailed: all({ ...instance, relationships }),
  RelationshipTuple: all({
    ...tuple,
    ...Object.fromEntries(Object.entries(details).map(([name, schema]) => [name, maybe(schema)])),
  }),
  RelationshipTupleDetailed: all({ ...tuple, ...details }),
  SetRule: all({ ...known, user_set: text, permission: text, resource_set: text }),
  UserInvite: all({
    ...{ ...known, status: word('pending', 'approved'), email: text, first_name: text, last_name: text },
    ...{ role_id: maybe(id), tenant_id: maybe(id), resource_instance_id: maybe(id) },
  }),
  ProxyConfig: all({
    ...{ ...known, name: text, auth_mechanism: word('Bearer', 'Basic', 'Headers'), secret: any },
    mapping_rules: list(
      all({
        ...{ url: text, url_type: maybe(word('regex')), http_method: text, resource: text, headers: map(text) },
        ...{ action: maybe(text), priority: maybe(number) },
      }),
    ),
  }),
  Nothing: all({}),
}

const v1Action = all({
  ...{ id, name: text, title: text, description: maybe(text), path: maybe(text), attributes: object },
  ...{ permissionName: text, isBuiltIn: flag },
})
const V1 = {
  V1User: all({
    ...{ id, customId: text, firstName: maybe(text), lastName: maybe(text), email: maybe(text), attributes: object },
    ...{ organizationId: id, tenantIds: texts },
  }),
  V1Tenant: all({
    ...{ id, externalId: text, name: text, description: maybe(text), settings: object, organizationId: id },
  }),
  V1Role: all({
    ...{ id, name: text, description: maybe(text), attributes: object, settings: object, isBuiltIn: flag },
    permissions: list(all({ id, name: text, scope: nothing, resourceId: id, actionId: id })),
  }),
  V1RoleAssignment: all({ id, role: of('V1Role'), user: text, scope: text }),
  V1Resource: all({
    ...{ id, type: text, name: text, path: maybe(text), description: maybe(text), attributes: object },
    ...{ isBuiltIn: flag, actions: list(v1Action) },
  }),
  V1Action: v1Action,
}

/** A list of the first API version. */
export const v1ListOf = (items: AnswerSchema): AnswerSchema => all({ url: text, data: list(items) })

/** Every object by its name in the document. */
export const ANSWER_SCHEMAS: Readonly<Record<string, AnswerSchema>> = { ...GENERAL, ...SCHEMA, ...FACTS, ...V1 }
