// The fields of one put in a delta, by kind, as docs/feed.md lists them: written without field names, and with every
// value validated when read. Attributes and conditions are sent as JSON text, which is exact and allows any member
// name.
import { ZerohopError } from '../model/errors.ts'
import {
  assignmentKey,
  type DerivationRule,
  type DerivationSettings,
  type JsonObject,
  membershipKey,
  partKey,
  setRuleKey,
  tupleKey,
  type UrlRule,
} from '../model/objects.ts'
import { type PolicyKind, type PolicyObjects, type PolicyPut, urlRule } from './delta.ts'

type GrantedTo = NonNullable<PolicyObjects['resource_role']['granted_to']>

/** The fields of a put, without the code of its kind. */
export function putBody(put: PolicyPut): unknown[] {
  switch (put.kind) {
    case 'resource':
      return [put.key, put.value.actions, ...jsonField(put.value.attributes)]
    case 'role':
      return [put.key, put.value.permissions, put.value.extends]
    case 'user':
    case 'tenant':
      return [put.key, ...jsonField(put.value.attributes)]
    case 'role_assignment': {
      const { user, role, tenant, resource_instance: instance } = put.value
      return [user, role, tenant, ...(instance === undefined || instance === null ? [] : [instance])]
    }
    case 'membership':
      return [put.value.user, put.value.tenant]
    case 'resource_role': {
      const { resource, role, permissions, extends: parents, granted_to } = put.value
      return [resource, role, permissions, parents, ...(granted_to === null ? [] : derivationBody(granted_to))]
    }
    case 'resource_instance':
      return [put.key, put.value.tenant, ...jsonField(put.value.attributes)]
    case 'relationship_tuple':
      return [put.value.subject, put.value.relation, put.value.object]
    case 'condition_set': {
      const { type, resource, conditions, parent } = put.value
      return [put.key, type, resource, JSON.stringify(conditions), parent]
    }
    case 'set_rule':
      return [put.value.user_set, put.value.permission, put.value.resource_set]
    case 'proxy_config':
      return [put.key, put.value.rules.map((rule) => Object.values(urlRule(rule)))]
  }
}

function derivationBody({ when, users_with_role }: GrantedTo): unknown[] {
  const rules = users_with_role.map((rule) => [
    rule.role,
    rule.on_resource,
    rule.linked_by_relation,
    rule.when.no_direct_roles_on_object,
  ])
  return [when.no_direct_roles_on_object, rules]
}

/** The put of the kind with these fields. @throws FRAME_INVALID */
export function readPut(kind: PolicyKind, fields: readonly unknown[]): PolicyPut {
  const op = 'put'
  const [, first, second, third, fourth, fifth, sixth] = fields
  const key = text(first)
  switch (kind) {
    case 'resource':
      return { op, kind, key, value: { actions: texts(second), ...attributes(third) } as PolicyObjects['resource'] }
    case 'role':
      return { op, kind, key, value: { permissions: texts(second), extends: texts(third) } }
    case 'user':
    case 'tenant':
      return { op, kind, key, value: attributes(second) }
    case 'role_assignment':
      return readAssignment(key, text(second), text(third), optionalText(fourth))
    case 'membership':
      return { op, kind, key: membershipKey(text(second), key), value: { user: key, tenant: text(second) } }
    case 'resource_role': {
      const granted_to = fifth === undefined ? null : readDerivation(fifth, sixth)
      const value = { resource: key, role: text(second), permissions: texts(third), extends: texts(fourth), granted_to }
      return { op, kind, key: partKey(key, value.role), value }
    }
    case 'resource_instance':
      return { op, kind, key, value: { tenant: text(second), ...attributes(third) } }
    case 'relationship_tuple': {
      const value = { subject: key, relation: text(second), object: text(third) }
      return { op, kind, key: tupleKey(value.subject, value.relation, value.object), value }
    }
    case 'condition_set': {
      if (second !== 'userset' && second !== 'resourceset') throw invalid('a condition set has no type')
      const conditions = json(fourth)
      return {
        op,
        kind,
        key,
        value: { type: second, resource: optionalText(third), conditions, parent: optionalText(fifth) },
      }
    }
    case 'set_rule': {
      const value = { user_set: key, permission: text(second), resource_set: text(third) }
      return { op, kind, key: setRuleKey(value.user_set, value.permission, value.resource_set), value }
    }
    case 'proxy_config':
      return { op, kind, key, value: { rules: list(second, 'the mapping rules').map(readUrlRule) } }
  }
}

function readAssignment(user: string, role: string, tenant: string, instance: string | null): PolicyPut {
  const value = { user, role, tenant, ...(instance === null ? {} : { resource_instance: instance }) }
  return { op: 'put', kind: 'role_assignment', key: assignmentKey(user, role, tenant, instance), value }
}

function readDerivation(noDirect: unknown, rules: unknown): GrantedTo {
  const users_with_role = list(rules, 'a derivation').map((rule): DerivationRule => {
    const [role, on, relation, direct] = list(rule, 'a rule of derivation')
    return { role: text(role), on_resource: text(on), linked_by_relation: text(relation), when: settings(direct) }
  })
  return { when: settings(noDirect), users_with_role }
}

function readUrlRule(fields: unknown): UrlRule {
  const [url, type, method, resource, action, priority] = list(fields, 'a mapping rule')
  if (type !== null && type !== 'regex') throw invalid('a mapping rule has no known type of url')
  if (priority !== null && typeof priority !== 'number') throw invalid('the priority of a mapping rule is not a number')
  const http_method = text(method) as UrlRule['http_method'] // an unknown method matches no request
  return {
    url: text(url),
    url_type: type,
    http_method,
    resource: text(resource),
    action: optionalText(action),
    priority,
  }
}

function settings(value: unknown): DerivationSettings {
  if (typeof value !== 'boolean') throw invalid('a setting of a derivation is missing')
  return { no_direct_roles_on_object: value }
}

/** An absent value is an empty list. */
function jsonField(value: object | undefined): string[] {
  return value === undefined || Object.keys(value).length === 0 ? [] : [JSON.stringify(value)]
}

function attributes(value: unknown): { attributes?: JsonObject } {
  return value === undefined ? {} : { attributes: json(value) }
}

function json(value: unknown): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text(value))
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as JsonObject
  } catch {
    // reported below
  }
  throw invalid('attributes or conditions are not a JSON object')
}

export function invalid(reason: string): ZerohopError {
  return new ZerohopError('FRAME_INVALID', { reason })
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(`${what} is not a list`)
  return value
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw invalid('a text is missing')
  return value
}

function optionalText(value: unknown): string | null {
  return value === undefined || value === null ? null : text(value)
}

function texts(value: unknown): readonly string[] {
  return list(value, 'a list of texts').map(text)
}
