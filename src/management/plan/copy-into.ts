// The changes of the target when the schema of an environment is copied into it. Facts are not copied, but for roles of
// tenants where that is asked for.
// Objects that need something outside of the scope are left out too, unless that would allow more than in the source:
// then the copy is refused. Objects of the target that the source does not have stay.
import type { Change, LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseResourceRole } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Mint, View } from '../../store/view.ts'
import { resources } from '../objects/resources.ts'
import { applyPolicy } from '../policy-file/apply-policy.ts'
import { exportSchema } from '../policy-file/export.ts'
import { patch } from '../rules/collection.ts'
import { BODY, type Sent } from '../rules/fields.ts'
import type { CopyScope } from '../schemas/environments.ts'
import type { PolicyFile, PolicyResource } from '../schemas/policy-file.ts'
import { copyTenantRoles } from './copy-tenant-roles.ts'
import { realChanges } from './import.ts'

type Filter = NonNullable<CopyScope['resources']>

/** What is copied. */
export interface CopyOf {
  /** the environment that is read */
  readonly source: LogId
  /** false: an object that the target has already refuses the copy */
  readonly overwrite: boolean
  readonly scope?: Sent<CopyScope>
  /** whether the roles that tenants made are copied, too; default: false */
  readonly tenantRoles?: boolean
}

/**
 * The changes of the target, which is at hand with its source.
 * @throws OBJECT_EXISTS when an object is there already and may not be overwritten; INPUT_INVALID
 */
export function copyInto(target: View, { source, overwrite, scope, tenantRoles }: CopyOf, mint: Mint): Change[] {
  const from = target.other(source)
  const bundle = pick(exportSchema(from), scope ?? {}, target)
  if (!overwrite) requireNoConflict(target, bundle)
  const draft = new Draft(target)
  applyPolicy(draft, bundle, mint)
  removeOmitted(draft, bundle, mint)
  if (tenantRoles) copyTenantRoles(draft, from, overwrite, mint)
  return realChanges(draft)
}

/**
 * A resource type that is copied over another one has its actions and attributes, and no others. Relations, roles and
 * action groups of the other one are kept.
 */
function removeOmitted(draft: Draft, { resources: copied }: PolicyFile, mint: Mint): void {
  for (const { key, actions, attributes } of copied ?? []) {
    const fields = { actions: actions ?? {}, attributes: attributes ?? {} }
    draft.take(patch(resources, draft, { ref: key, fields }, mint))
  }
}

/** @throws OBJECT_EXISTS */
function requireNoConflict(target: View, bundle: PolicyFile): void {
  for (const { key } of bundle.resources ?? []) target.refuse('resource', key)
  for (const { key } of bundle.roles ?? []) target.refuse('role', key)
  for (const { key } of bundle.condition_sets ?? []) target.refuse('condition_set', key)
  for (const [type, sent] of [
    ['__user', bundle.user_attributes],
    ['__tenant', bundle.tenant_attributes],
  ] as const) {
    for (const attribute of target.get('built_in', type)?.attributes ?? []) {
      const other = sent?.[attribute.key]
      if (other !== undefined && other.type !== attribute.type)
        throw new ZerohopError('OBJECT_EXISTS', { kind: 'attribute', key: `${type}.${attribute.key}` })
    }
  }
}

/** The part of the bundle in the scope, without objects that would refer to something outside of it. */
function pick(bundle: PolicyFile, scope: CopyScope, target: View): PolicyFile {
  const kept = {
    resources: (bundle.resources ?? []).filter(({ key }) => passes(scope.resources, key)),
    roles: (bundle.roles ?? []).filter(({ key }) => passes(scope.roles, key)),
    sets: (bundle.condition_sets ?? []).filter(({ key, type }) =>
      passes(type === 'userset' ? scope.user_sets : scope.resource_sets, key),
    ),
  }
  const has = new TargetState(
    target,
    kept.resources,
    kept.roles.map(({ key }) => key),
    kept.sets.map(({ key }) => key),
  )
  for (const { key, parent, resource } of kept.sets) {
    if (parent && !has.set(parent)) throw leftOut(key, `condition set \`${parent}\``)
    if (resource && !has.resource(resource)) throw leftOut(key, `resource \`${resource}\``)
  }
  return {
    ...bundle,
    resources: kept.resources.map((resource) => narrowed(resource, has)),
    roles: kept.roles.map((role) => ({
      ...role,
      permissions: (role.permissions ?? []).filter((permission) =>
        has.resource(permission.slice(0, permission.indexOf(':'))),
      ),
      extends: (role.extends ?? []).filter((parent) => has.role(parent)),
    })),
    condition_sets: kept.sets,
    set_rules: (bundle.set_rules ?? [])
      .filter(
        ({ user_set, is_role, resource_set, is_resource, permission }) =>
          (is_role ? has.roleOrPart(user_set) : has.set(user_set)) &&
          (is_resource ? has.resource(resource_set) : has.set(resource_set)) &&
          has.resource(permission.slice(0, permission.indexOf(':'))),
      )
      // the target may have a role or a type of the same key
      .map((rule) => ({ ...rule, is_set: !rule.is_role, is_resource_set: !rule.is_resource })),
  }
}

/** The objects that the target will have. */
class TargetState {
  readonly #target: View
  readonly #resources: ReadonlyMap<string, PolicyResource>
  readonly #roles: ReadonlySet<string>
  readonly #sets: ReadonlySet<string>

  constructor(target: View, resources: readonly PolicyResource[], roles: readonly string[], sets: readonly string[]) {
    this.#target = target
    this.#resources = new Map(resources.map((resource) => [resource.key, resource]))
    this.#roles = new Set(roles)
    this.#sets = new Set(sets)
  }

  resource = (key: string): boolean => this.#resources.has(key) || this.#target.get('resource', key) !== undefined
  role = (key: string): boolean => this.#roles.has(key) || this.#target.get('role', key) !== undefined
  set = (key: string): boolean => this.#sets.has(key) || this.#target.get('condition_set', key) !== undefined
  /** a role, or `type#role` */
  roleOrPart = (name: string): boolean => {
    const onInstances = parseResourceRole(name)
    return onInstances === undefined ? this.role(name) : this.resourceRole(onInstances.resource, onInstances.role)
  }
  resourceRole = (resource: string, role: string): boolean =>
    Object.hasOwn(this.#resources.get(resource)?.roles ?? {}, role) ||
    this.#target.get('resource_role', `${resource}/${role}`) !== undefined
}

/** The resource without relations to resources that are left out, and without derivations over them. */
function narrowed(resource: PolicyResource, has: TargetState): PolicyResource {
  const relations = Object.entries(resource.relations ?? {}).filter(([, relation]) =>
    has.resource(typeof relation === 'string' ? relation : relation.subject_resource),
  )
  const linked = new Set(relations.map(([key]) => key))
  const roles = Object.entries(resource.roles ?? {}).map(([key, role]) => {
    const rules = role.granted_to?.users_with_role
    if (!rules) return [key, role] as const
    const users_with_role = rules.filter(
      ({ linked_by_relation, on_resource, role: held }) =>
        linked.has(linked_by_relation) && has.resourceRole(on_resource, held),
    )
    return [key, { ...role, granted_to: { ...role.granted_to, users_with_role } }] as const
  })
  return { ...resource, relations: Object.fromEntries(relations), roles: Object.fromEntries(roles) }
}

function passes(filter: Sent<Filter>, key: string): boolean {
  const { include, exclude } = filter ?? {}
  return (!include?.length || include.includes(key)) && !exclude?.includes(key)
}

function leftOut(set: string, what: string): ZerohopError {
  const reason = `condition set \`${set}\` needs ${what}, which the scope leaves out`
  return new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, 'scope'] })
}
