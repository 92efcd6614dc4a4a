// What an environment holds, as the plainest thing that the REST rules can be stated on: one Map per kind in creation
// order, keys only, no ids and no times. Cascades of deletes are here, in words. Shares no code with src.
import { EVERYBODY } from '../../../src/model/keys.ts'

export interface Named {
  name: string
  description: string | null
}
export interface Action extends Named {
  attributes: object | null
}
export interface Attribute {
  type: string
  description: string | null
}
export interface Resource extends Named {
  urn: string | null
  type_attributes: object | null
  actions: Map<string, Action>
  attributes: Map<string, Attribute>
}
export interface Role extends Named {
  permissions: string[]
  extends: string[]
  attributes: object | null
  /** that it may be given to everybody; absent where it may not */
  everybody?: true
}
export interface Rule {
  role: string
  on_resource: string
  linked_by_relation: string
  when: { no_direct_roles_on_object: boolean }
}
export interface ResourceRole extends Role {
  resource: string
  role: string
  /** permissions are answered as `action` alone: so they were last written */
  isBare: boolean
  rules: Rule[]
  no_direct_roles_on_object: boolean
}
export interface Relation extends Named {
  resource: string
  relation: string
  subject_resource: string
}
export interface ActionGroup extends Named {
  resource: string
  group: string
  attributes: object | null
  actions: string[]
}
export interface User {
  email: string | null
  first_name: string | null
  last_name: string | null
  attributes: object
}
export interface Tenant extends Named {
  attributes: object | null
}
export interface Instance {
  resource: string
  key: string
  tenant: string
  attributes: object
}
export interface Tuple {
  subject: string
  relation: string
  object: string
  tenant: string
}
export interface Assignment {
  user: string
  role: string
  tenant: string
  resource_instance: string | null
}
export interface Membership {
  user: string
  tenant: string
  explicit: boolean
}
export interface ConditionSet extends Named {
  type: 'userset' | 'resourceset'
  resource: string | null
  conditions: object
  parent: string | null
}
export interface SetRule {
  user_set: string
  permission: string
  resource_set: string
}

const instanceType = (instance: string): string => instance.slice(0, instance.indexOf(':'))
export const assignmentName = ({ user, role, tenant, resource_instance }: Assignment): string =>
  [user, role, tenant, resource_instance].join('/')

export class State {
  readonly resources = new Map<string, Resource>()
  readonly roles = new Map<string, Role>()
  /** by `resource/role` */
  readonly resourceRoles = new Map<string, ResourceRole>()
  /** by `resource/relation` */
  readonly relations = new Map<string, Relation>()
  /** by `resource/group` */
  readonly actionGroups = new Map<string, ActionGroup>()
  readonly users = new Map<string, User>()
  readonly tenants = new Map<string, Tenant>([
    ['default', { name: 'Default Tenant', description: null, attributes: null }],
  ])
  /** by `type:key` */
  readonly instances = new Map<string, Instance>()
  readonly tuples = new Map<string, Tuple>()
  readonly assignments = new Map<string, Assignment>()
  readonly memberships = new Map<string, Membership>()
  readonly conditionSets = new Map<string, ConditionSet>()
  readonly setRules = new Map<string, SetRule>()

  /** The same state apart from this one, to try something on. */
  copy(): State {
    const copy = new State()
    copy.become(structuredClone({ ...this }) as State)
    return copy
  }

  /** Takes over everything that the other holds. */
  become(other: State): void {
    Object.assign(this, { ...other })
  }

  /** Does `act`, after which what went and came back in one call still has its place in the creation order. */
  keepingPlaces<T>(act: () => T): T {
    const before = Object.entries(this).map(([kind, map]) => [kind, [...map.keys()]] as const)
    const result = act()
    for (const [kind, keys] of before) {
      const map = this[kind as 'users'] as Map<string, unknown>
      const fresh = [...map].filter(([key]) => !keys.includes(key))
      const kept = keys.filter((key) => map.has(key)).map((key) => [key, map.get(key)] as const)
      map.clear()
      for (const [key, value] of [...kept, ...fresh]) map.set(key, value)
    }
    return result
  }

  /** `resource:action` exists. */
  hasPermission(permission: string): boolean {
    const [resource = '', action = ''] = permission.split(':')
    return this.resources.get(resource)?.actions.has(action) ?? false
  }

  /** The members of a map whose value stands at this resource. */
  partsOf<T extends { readonly resource: string }>(map: Map<string, T>, resource: string): T[] {
    return [...map.values()].filter((part) => part.resource === resource)
  }

  assign(one: Assignment): void {
    const name = assignmentName(one)
    if (!this.assignments.has(name)) this.assignments.set(name, { ...one })
    if (one.user !== EVERYBODY) this.join(one.user, one.tenant, false)
  }

  /** The role of an assignment. */
  roleOf({ role, resource_instance: instance }: Pick<Assignment, 'role' | 'resource_instance'>): Role | undefined {
    return instance === null ? this.roles.get(role) : this.resourceRoles.get(`${instance.split(':')[0]}/${role}`)
  }

  /** Whether everybody has a role, which must then stay one for everybody. */
  isOfEverybody(role: Role): boolean {
    return [...this.assignments.values()].some((one) => one.user === EVERYBODY && this.roleOf(one) === role)
  }

  /** The last role of a user in a tenant takes the membership along that came with it. */
  unassign(one: Assignment): void {
    this.assignments.delete(assignmentName(one))
    const { user, tenant } = one
    const stays = [...this.assignments.values()].some((other) => other.user === user && other.tenant === tenant)
    const membership = `${tenant}/${user}`
    if (!stays && this.memberships.get(membership)?.explicit === false) this.memberships.delete(membership)
  }

  #unassignAll(gone: (one: Assignment) => boolean): void {
    for (const one of [...this.assignments.values()]) if (gone(one)) this.unassign(one)
  }

  join(user: string, tenant: string, explicit: boolean): void {
    const key = `${tenant}/${user}`
    this.memberships.set(key, { user, tenant, explicit: explicit || (this.memberships.get(key)?.explicit ?? false) })
  }

  deleteUser(user: string): void {
    this.users.delete(user)
    drop(this.assignments, (one) => one.user === user)
    drop(this.memberships, (one) => one.user === user)
  }

  deleteTenant(tenant: string): void {
    this.tenants.delete(tenant)
    drop(this.assignments, (one) => one.tenant === tenant)
    drop(this.memberships, (one) => one.tenant === tenant)
    drop(this.instances, (one) => one.tenant === tenant)
    drop(this.tuples, (one) => one.tenant === tenant)
  }

  deleteRole(role: string): void {
    this.roles.delete(role)
    for (const one of this.roles.values()) one.extends = one.extends.filter((parent) => parent !== role)
    this.#unassignAll((one) => one.role === role && one.resource_instance === null)
    drop(this.setRules, (one) => one.user_set === `__autogen_${role}`)
  }

  deleteConditionSet(set: string): void {
    this.conditionSets.delete(set)
    drop(this.setRules, ({ user_set, resource_set }) => user_set === set || resource_set === set)
  }

  /**
   * Conditions over a resource read declared attributes: of those only `resource.size`, which is compared with a
   * number. Of a type that declares none they read any.
   */
  fits({ conditions, resource }: { conditions: object; resource: string | null }): boolean {
    const attributes = resource === null ? undefined : this.resources.get(resource)?.attributes
    if (attributes === undefined || attributes.size === 0) return true
    if (JSON.stringify(conditions).includes('resource.n')) return false
    return !readsSize(conditions) || attributes.get('size')?.type === 'number'
  }

  /**
   * What `resource` declares would become `attributes`: a condition that reads what goes or no longer fits is in the
   * way.
   */
  refusesAttributes(resource: string, attributes: ReadonlyMap<string, Attribute>): boolean {
    const [was, will] = [this.resources.get(resource)?.attributes.get('size')?.type, attributes.get('size')?.type]
    if (was === will || will === 'number') return false
    const sets = [...this.conditionSets.values()]
    return sets.some((set) => set.resource === resource && readsSize(set.conditions))
  }

  deleteResource(resource: string): void {
    for (const [key, set] of [...this.conditionSets]) if (set.resource === resource) this.deleteConditionSet(key)
    for (const role of this.partsOf(this.resourceRoles, resource)) this.deleteResourceRole(resource, role.role)
    for (const relation of [...this.relations.values()]) {
      const end = relation.resource === resource || relation.subject_resource === resource
      if (end) this.deleteRelation(relation.resource, relation.relation)
    }
    drop(this.actionGroups, (one) => one.resource === resource)
    for (const one of this.partsOf(this.instances, resource)) this.deleteInstance(`${one.resource}:${one.key}`)
    drop(this.setRules, (one) => one.resource_set === `__autogen_${resource}`)
    this.resources.delete(resource)
    this.dropLostActions()
  }

  /** After actions went: permissions on them leave every role, set rules on them go, groups lose them. */
  dropLostActions(): void {
    const stays = (permission: string) => this.hasPermission(permission)
    for (const role of this.roles.values()) role.permissions = role.permissions.filter(stays)
    for (const role of this.resourceRoles.values()) role.permissions = role.permissions.filter(stays)
    for (const group of this.actionGroups.values()) {
      group.actions = group.actions.filter((action) => stays(`${group.resource}:${action}`))
    }
    drop(this.setRules, (one) => !stays(one.permission))
  }

  deleteResourceRole(resource: string, role: string): void {
    this.resourceRoles.delete(`${resource}/${role}`)
    this.#unassignAll(
      (one) => one.role === role && one.resource_instance !== null && instanceType(one.resource_instance) === resource,
    )
    for (const one of this.partsOf(this.resourceRoles, resource)) {
      one.extends = one.extends.filter((parent) => parent !== role)
    }
    for (const one of this.resourceRoles.values()) {
      one.rules = one.rules.filter((rule) => rule.on_resource !== resource || rule.role !== role)
    }
  }

  deleteRelation(resource: string, relation: string): void {
    this.relations.delete(`${resource}/${relation}`)
    drop(this.tuples, (one) => one.relation === relation && instanceType(one.object) === resource)
    for (const one of this.partsOf(this.resourceRoles, resource)) {
      one.rules = one.rules.filter((rule) => rule.linked_by_relation !== relation)
    }
  }

  deleteInstance(instance: string): void {
    this.instances.delete(instance)
    drop(this.tuples, (one) => one.subject === instance || one.object === instance)
    this.#unassignAll((one) => one.resource_instance === instance)
  }
}

const readsSize = (conditions: object): boolean => JSON.stringify(conditions).includes('resource.size')

function drop<T>(map: Map<string, T>, gone: (value: T) => boolean): void {
  for (const [key, value] of map) if (gone(value)) map.delete(key)
}

/** True when `parents` form a circle through `key`, over any number of steps. */
export function reaches(from: readonly string[], key: string, parentsOf: (one: string) => readonly string[]): boolean {
  const seen = new Set<string>()
  const visit = (one: string): boolean => {
    if (one === key) return true
    if (seen.has(one)) return false
    seen.add(one)
    return parentsOf(one).some(visit)
  }
  return from.some(visit)
}
