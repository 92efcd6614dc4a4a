// The REST rules for the policy: resources with their actions and attributes, and roles. docs/http-api.md "What a write means".
import { Faults, type Handler, type Outcome, settle } from './call.ts'
import type { Action, Attribute, Resource, Role, State } from './state.ts'

type Body = Record<string, unknown>
type Blocks = Record<string, Body> | null

const ok = (answer: unknown): Outcome => ({ status: 200, answer })
export const NO_CONTENT: Outcome = { status: 204 }

const actionRead = (key: string, { name, description, attributes }: Action) => ({ key, name, description, attributes })
const attributeRead = (key: string, { type, description }: Attribute) => ({ key, type, description })
const mapOf = <T, P>(map: Map<string, T>, print: (key: string, value: T) => P) =>
  Object.fromEntries([...map].map(([key, value]) => [key, print(key, value)]))

export function resourceRead(_state: State, key: string, resource: Resource): object {
  const { name, urn, description, type_attributes, actions, attributes } = resource
  return {
    key,
    name,
    urn,
    description,
    type_attributes,
    actions: mapOf(actions, actionRead),
    attributes: mapOf(attributes, attributeRead),
    roles: {},
    relations: {},
    action_groups: {},
  }
}

export function roleRead(key: string, role: Role): object {
  const { name, description, permissions, attributes } = role
  return { key, name, description, permissions, extends: role.extends, attributes, granted_to: null }
}

const newAction = (key: string, body: Body): Action => ({
  name: settle(body, 'name', key, key),
  description: settle(body, 'description', null, null),
  attributes: settle(body, 'attributes', null, null),
})
const newAttribute = (body: Body): Attribute => ({
  type: body.type as string,
  description: settle(body, 'description', null, null),
})

/** Writes the fields that were sent over `base`; actions that are gone take their permissions along. */
function writeResource(state: State, key: string, base: Resource, body: Body): Outcome {
  const blocks = <T>(field: string, current: Map<string, T>, make: (key: string, body: Body) => T) => {
    if (!(field in body)) return current
    return new Map(Object.entries((body[field] as Blocks) ?? {}).map(([part, inner]) => [part, make(part, inner)]))
  }
  const resource: Resource = {
    name: settle(body, 'name', base.name, key),
    urn: settle(body, 'urn', base.urn, null),
    description: settle(body, 'description', base.description, null),
    type_attributes: settle(body, 'type_attributes', base.type_attributes, null),
    actions: blocks('actions', base.actions, newAction),
    attributes: blocks('attributes', base.attributes, (_, inner) => newAttribute(inner)),
  }
  state.resources.set(key, resource)
  state.dropLostPermissions()
  return ok(resourceRead(state, key, resource))
}

const newResource = (key: string): Resource => ({
  name: key,
  urn: null,
  description: null,
  type_attributes: null,
  actions: new Map(),
  attributes: new Map(),
})

/** What is wrong with permissions and parents that a role shall have. */
function roleFaults(state: State, key: string, body: Body): Faults {
  const faults = new Faults()
  for (const permission of (body.permissions as string[] | null) ?? []) {
    if (!faults.when(permission.split(':').length !== 2, 400)) faults.when(!state.hasPermission(permission), 404)
  }
  for (const parent of (body.extends as string[] | null) ?? []) {
    const circle = parent === key || state.ancestors(parent).has(key)
    if (!faults.when(circle, 422)) faults.when(!state.roles.has(parent), 404)
  }
  return faults
}

function writeRole(state: State, key: string, base: Role, body: Body): Outcome {
  const role: Role = {
    name: settle(body, 'name', base.name, key),
    description: settle(body, 'description', base.description, null),
    permissions: unique(settle(body, 'permissions', base.permissions, [])),
    extends: unique(settle(body, 'extends', base.extends, [])),
    attributes: settle(body, 'attributes', base.attributes, null),
  }
  state.roles.set(key, role)
  return ok(roleRead(key, role))
}

const newRole = (key: string): Role => ({
  name: key,
  description: null,
  permissions: [],
  extends: [],
  attributes: null,
})
const unique = (list: readonly string[]): string[] => [...new Set(list)]

export const schema: Readonly<Record<string, Handler>> = {
  'GET $S/resources/:': (state, [key = '']) => {
    const resource = state.resources.get(key)
    return resource ? ok(resourceRead(state, key, resource)) : { status: 404 }
  },
  'POST $S/resources': (state, _, body: Body) => {
    const faults = new Faults()
    faults.when(state.resources.has(body.key as string), 409)
    return faults.else(() => writeResource(state, body.key as string, newResource(body.key as string), body))
  },
  'PATCH $S/resources/:': (state, [key = ''], body: Body) => {
    const resource = state.resources.get(key)
    return resource ? writeResource(state, key, resource, body) : { status: 404 }
  },
  'PUT $S/resources/:': (state, [key = ''], body: Body) =>
    state.resources.has(key) ? writeResource(state, key, newResource(key), body) : { status: 404 },
  'DELETE $S/resources/:': (state, [key = '']) => {
    if (!state.resources.has(key)) return { status: 404 }
    state.deleteResource(key)
    return NO_CONTENT
  },
  'POST $S/resources/:/actions': (state, [key = ''], body: Body) => {
    const resource = state.resources.get(key)
    if (resource === undefined) return { status: 404 }
    const action = body.key as string
    if (resource.actions.has(action)) return { status: 409 }
    resource.actions.set(action, newAction(action, body))
    return { status: 200 }
  },
  'PATCH $S/resources/:/actions/:': (state, [key = '', part = ''], body: Body) => {
    const action = state.resources.get(key)?.actions.get(part)
    if (action === undefined) return { status: 404 }
    action.name = settle(body, 'name', action.name, part)
    action.description = settle(body, 'description', action.description, null)
    return { status: 200 }
  },
  'DELETE $S/resources/:/actions/:': (state, [key = '', part = '']) => {
    if (!state.resources.get(key)?.actions.delete(part)) return { status: 404 }
    state.dropLostPermissions()
    return NO_CONTENT
  },
  'POST $S/resources/:/attributes': (state, [key = ''], body: Body) => {
    const resource = state.resources.get(key)
    if (resource === undefined) return { status: 404 }
    const attribute = body.key as string
    if (resource.attributes.has(attribute)) return { status: 409 }
    resource.attributes.set(attribute, newAttribute(body))
    return { status: 200 }
  },
  'DELETE $S/resources/:/attributes/:': (state, [key = '', part = '']) =>
    state.resources.get(key)?.attributes.delete(part) ? NO_CONTENT : { status: 404 },

  'GET $S/roles/:': (state, [key = '']) => {
    const role = state.roles.get(key)
    return role ? ok(roleRead(key, role)) : { status: 404 }
  },
  'POST $S/roles': (state, _, body: Body) => {
    const key = body.key as string
    const faults = roleFaults(state, key, body)
    faults.when(state.roles.has(key), 409)
    return faults.else(() => writeRole(state, key, newRole(key), body))
  },
  'PATCH $S/roles/:': (state, [key = ''], body: Body) => {
    const role = state.roles.get(key)
    return role ? roleFaults(state, key, body).else(() => writeRole(state, key, role, body)) : { status: 404 }
  },
  'PUT $S/roles/:': (state, [key = ''], body: Body) =>
    state.roles.has(key)
      ? roleFaults(state, key, body).else(() => writeRole(state, key, newRole(key), body))
      : { status: 404 },
  'DELETE $S/roles/:': (state, [key = '']) => {
    if (!state.roles.has(key)) return { status: 404 }
    state.deleteRole(key)
    return NO_CONTENT
  },
  'POST $S/roles/:/permissions': (state, [key = ''], body: Body) => {
    const role = state.roles.get(key)
    if (role === undefined) return { status: 404 }
    return roleFaults(state, key, { permissions: body.permissions }).else(() => {
      role.permissions = unique([...role.permissions, ...(body.permissions as string[])])
      return ok(roleRead(key, role))
    })
  },
  'DELETE $S/roles/:/permissions': (state, [key = ''], body: Body) => {
    const role = state.roles.get(key)
    if (role === undefined) return { status: 404 }
    const gone = body.permissions as string[]
    if (gone.some((permission) => permission.split(':').length !== 2)) return { status: 400 }
    role.permissions = role.permissions.filter((permission) => !gone.includes(permission))
    return ok(roleRead(key, role))
  },
}
