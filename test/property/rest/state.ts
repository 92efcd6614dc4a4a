// What an environment holds, as the plainest thing that the REST rules can be stated on: one Map per kind in creation order, keys only, no
// ids and no times. Cascades of deletes are here, in words of contract §6.6. Shares no code with src.

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
export interface Assignment {
  user: string
  role: string
  tenant: string
}
export interface Membership {
  user: string
  tenant: string
  explicit: boolean
}

export class State {
  readonly resources = new Map<string, Resource>()
  readonly roles = new Map<string, Role>()
  readonly users = new Map<string, User>()
  readonly tenants = new Map<string, Tenant>([
    ['default', { name: 'Default Tenant', description: null, attributes: null }],
  ])
  readonly assignments = new Map<string, Assignment>()
  readonly memberships = new Map<string, Membership>()

  /** `resource:action` exists. */
  hasPermission(permission: string): boolean {
    const [resource = '', action = ''] = permission.split(':')
    return this.resources.get(resource)?.actions.has(action) ?? false
  }

  /** What a role extends, over any number of steps, without itself unless in a circle. */
  ancestors(role: string): Set<string> {
    const reached = new Set<string>()
    const visit = (parents: readonly string[]) => {
      for (const parent of parents) {
        if (reached.has(parent)) continue
        reached.add(parent)
        visit(this.roles.get(parent)?.extends ?? [])
      }
    }
    visit(this.roles.get(role)?.extends ?? [])
    return reached
  }

  assign({ user, role, tenant }: Assignment): void {
    const key = `${user}/${role}/${tenant}`
    if (!this.assignments.has(key)) this.assignments.set(key, { user, role, tenant })
    this.join(user, tenant, false)
  }

  /** The last role of a user in a tenant takes the membership along that came with it. */
  unassign({ user, role, tenant }: Assignment): void {
    this.assignments.delete(`${user}/${role}/${tenant}`)
    const stays = [...this.assignments.values()].some((one) => one.user === user && one.tenant === tenant)
    const membership = `${tenant}/${user}`
    if (!stays && this.memberships.get(membership)?.explicit === false) this.memberships.delete(membership)
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
  }

  deleteRole(role: string): void {
    this.roles.delete(role)
    for (const one of this.roles.values()) one.extends = one.extends.filter((parent) => parent !== role)
    for (const one of [...this.assignments.values()]) if (one.role === role) this.unassign(one)
  }

  deleteResource(resource: string): void {
    this.resources.delete(resource)
    this.dropLostPermissions()
  }

  /** After actions went: permissions on them leave every role. */
  dropLostPermissions(): void {
    for (const role of this.roles.values()) role.permissions = role.permissions.filter((one) => this.hasPermission(one))
  }
}

export function drop<T>(map: Map<string, T>, gone: (value: T) => boolean): void {
  for (const [key, value] of map) if (gone(value)) map.delete(key)
}
