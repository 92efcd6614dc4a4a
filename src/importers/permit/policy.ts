// Resource types, roles, condition sets and set rules. What names an object that was left out is left out, too.
import type { Answered } from './api.ts'
import { listIn, partsIn, pick, section, textsIn } from './fields.ts'
import { ATTRIBUTE_TYPES, GIVING, listUnknown } from './known-fields.ts'
import type { At, LeftOut } from './left-out.ts'
import { isRule, keepSets } from './sets.ts'

interface Lists {
  readonly resources: readonly Answered[]
  readonly userAttributes: readonly Answered[]
  readonly tenantAttributes: readonly Answered[]
  readonly roles: readonly Answered[]
  readonly sets: readonly Answered[]
  readonly rules: readonly Answered[]
}

export function toPolicy(out: LeftOut, { resources, userAttributes, tenantAttributes, roles, sets, rules }: Lists) {
  const user_attributes = listAttributes(out, 'user', userAttributes)
  const tenant_attributes = listAttributes(out, 'tenant', tenantAttributes)
  const ownResources = resources.filter((one, index) => isResource(out, one, ['resources', index + 1]))
  const ownRoles = roles.filter((one, index) => isRole(out, String(one.key), one, ['roles', index + 1]))
  const keys = new Map([...resources, ...sets].map(({ id, key }) => [id, String(key)]))
  const ownSets = keepSets(out, sets, keys)
  const ownRules = rules.filter((rule, index) => isRule(out, rule, ['set_rules', index + 1]))
  return {
    zerohop: 2 as const,
    ...section('user_attributes', user_attributes),
    ...section('tenant_attributes', tenant_attributes),
    ...section(
      'resources',
      ownResources.map((one) => toResource(out, one)),
    ),
    ...section(
      'roles',
      ownRoles.map((role) => ({ key: role.key, ...toRole(out, role, '') })),
    ),
    ...section(
      'condition_sets',
      ownSets.map((set) => ({
        ...pick(set, ['key', 'name', 'description', 'type', 'conditions']),
        ...(set.type === 'resourceset' ? { resource: keys.get(set.resource_id) } : {}),
        ...(set.parent_id === null || set.parent_id === undefined ? {} : { parent: keys.get(set.parent_id) }),
      })),
    ),
    ...section(
      'set_rules',
      ownRules.map((rule) =>
        pick(rule, ['user_set', 'permission', 'resource_set', 'is_role', 'is_resource', 'is_set', 'is_resource_set']),
      ),
    ),
  }
}

const listAttributes = (out: LeftOut, of: 'user' | 'tenant', attributes: readonly Answered[]): object =>
  Object.fromEntries(
    attributes
      .filter(
        (one, index) =>
          one.built_in !== true && isAttribute(out, `${of}.${String(one.key)}`, one, [`${of} attributes`, index + 1]),
      )
      .map((one) => [String(one.key), pick(one, ['type', 'description'])]),
  )

/** Its parts too are left out each by itself. */
function isResource(out: LeftOut, resource: Answered, at: At): boolean {
  const type = String(resource.key)
  for (const [key, part] of partsIn(resource.actions)) out.understands('action', `${type}:${key}`, part, at)
  for (const [key, part] of partsIn(resource.attributes)) isAttribute(out, `resource.${type}.${key}`, part, at)
  for (const [key, part] of partsIn(resource.relations)) out.understands('relation', `${type}#${key}`, part, at)
  for (const [key, part] of partsIn(resource.roles)) isRole(out, `${type}#${key}`, part, at)
  return out.understands('resource', type, resource, at)
}

function isAttribute(out: LeftOut, name: string, attribute: Answered, at: At): boolean {
  if (!out.understands('attribute', name, attribute, at)) return false
  if (ATTRIBUTE_TYPES.some((type) => type === attribute.type)) return true
  const reason = `there is no type ${JSON.stringify(attribute.type)}`
  out.add('attribute', name, { list: at[0], place: at[1], reason })
  return false
}

function isRole(out: LeftOut, name: string, role: Answered, at: At): boolean {
  if (!out.understands('role', name, role, at)) return false
  const granted = (role.granted_to ?? {}) as Answered
  const rules = listIn(granted.users_with_role)
  const reports = (reason: string) => out.report(`role ${name}`, { list: at[0], place: at[1], reason })
  if (!name.includes('#') && rules.length > 0) reports('a role of tenants is derived from no other one here')
  const settings = listUnknown('role derivation', granted).concat(listUnknown('setting', readWhen(granted)))
  if (settings.length > 0) reports(`what its derivations need is not known here: ${settings.join(', ')}`)
  else
    for (const rule of rules) {
      const unknown = [...listUnknown('derivation', rule), ...listUnknown('setting', readWhen(rule))]
      const from = `${String(rule.on_resource)}#${String(rule.role)}`
      if (unknown.length > 0) reports(`what its derivation from ${from} needs is not known here: ${unknown.join(', ')}`)
    }
  return true
}

const readWhen = ({ when }: Answered): Answered => (when ?? {}) as Answered

function toRole(out: LeftOut, role: Answered, type: string): object {
  const isPermitted = (permission: string): boolean => {
    const [of = ''] = permission.includes(':') ? permission.split(':') : [type]
    return (
      !out.has('resource', of) && !out.has('action', permission.includes(':') ? permission : `${type}:${permission}`)
    )
  }
  const place = type === '' ? '' : `${type}#`
  const permissions = textsIn(role.permissions).filter(isPermitted)
  const parents = textsIn(role.extends).filter((parent) => !out.has('role', `${place}${parent}`))
  return {
    ...pick({ ...role, permissions, extends: parents }, [
      'name',
      'description',
      'permissions',
      'extends',
      'attributes',
    ]),
    ...pick(role, GIVING),
    ...(type === '' ? {} : toDerivations(out, role, type)),
  }
}

/** Those that are understood; a setting that is not, and holds for all of them, leaves all of them out. */
function toDerivations(out: LeftOut, { granted_to }: Answered, type: string): object {
  const granted = (granted_to ?? {}) as Answered
  if (listUnknown('role derivation', granted).length > 0 || listUnknown('setting', readWhen(granted)).length > 0)
    return {}
  const rules = listIn(granted.users_with_role).filter((rule) => {
    const isOut = [
      ...[out.has('resource', rule.on_resource), out.has('role', `${String(rule.on_resource)}#${String(rule.role)}`)],
      out.has('relation', `${type}#${String(rule.linked_by_relation)}`),
    ]
    const unknown = [...listUnknown('derivation', rule), ...listUnknown('setting', readWhen(rule))]
    return !isOut.includes(true) && unknown.length === 0
  })
  if (rules.length === 0) return {}
  const users_with_role = rules.map((rule) => pick(rule, ['role', 'on_resource', 'linked_by_relation', 'when']))
  return { granted_to: { ...pick(granted, ['when']), users_with_role } }
}

function toResource(out: LeftOut, resource: Answered): object {
  const type = String(resource.key)
  const parts = (list: unknown, kind: string, name: (key: string) => string, convert: (part: Answered) => object) =>
    Object.fromEntries(
      partsIn(list)
        .filter(([key]) => !out.has(kind, name(key)))
        .map(([key, part]) => [key, convert(part)]),
    )
  const groups = partsIn(resource.action_groups).map(
    ([key, actions]) =>
      [key, { actions: textsIn(actions).filter((one) => !out.has('action', `${type}:${one}`)) }] as const,
  )
  return {
    ...pick(resource, ['key', 'name', 'description', 'urn', 'type_attributes']),
    actions: parts(
      resource.actions,
      'action',
      (key) => `${type}:${key}`,
      (action) => pick(action, ['name', 'description', 'attributes', 'grantable']),
    ),
    ...section(
      'attributes',
      parts(
        resource.attributes,
        'attribute',
        (key) => `resource.${type}.${key}`,
        (attribute) => pick(attribute, ['type', 'description']),
      ),
    ),
    ...section('action_groups', Object.fromEntries(groups)),
    ...section(
      'relations',
      Object.fromEntries(
        Object.entries(
          parts(
            resource.relations,
            'relation',
            (key) => `${type}#${key}`,
            (relation) => ({
              subject_resource: relation.resource,
              ...pick(relation, ['description']),
              ...(typeof relation.relation_name === 'string' ? { name: relation.relation_name } : {}),
            }),
          ),
        ).filter(
          ([, relation]) => !out.has('resource', (relation as { readonly subject_resource: unknown }).subject_resource),
        ),
      ),
    ),
    ...section(
      'roles',
      parts(
        resource.roles,
        'role',
        (key) => `${type}#${key}`,
        (role) => toRole(out, role, type),
      ),
    ),
  }
}
