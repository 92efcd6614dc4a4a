// The REST rules for the policy: resources with their actions and attributes, and tenant roles. docs/http-api.md "What
// a write means". The other parts of a resource are parts.ts.
import { Faults, type Handler, NO_CONTENT, type Outcome, ok, settle, unique } from './call.ts'
import {
  actionGroupRead,
  loses,
  newResourceRole,
  relationBlock,
  resourceRoleRead,
  settleFlag,
  writeResourceRole,
} from './parts.ts'
import { type Action, type Attribute, type Resource, type Role, reaches, type State } from './state.ts'

type Body = Record<string, unknown>
type Blocks = Record<string, Body> | null

const actionRead = (key: string, { name, description, attributes }: Action) => ({ key, name, description, attributes })
const attributeRead = (key: string, { type, description }: Attribute) => ({ key, type, description })
const mapToObject = <T, P>(map: Map<string, T>, print: (key: string, value: T) => P) =>
  Object.fromEntries([...map].map(([key, value]) => [key, print(key, value)]))

export function resourceRead(state: State, key: string, resource: Resource): object {
  const { actions, attributes, ...fields } = resource
  return {
    key,
    ...fields,
    actions: mapToObject(actions, actionRead),
    attributes: mapToObject(attributes, attributeRead),
    roles: Object.fromEntries(state.partsOf(state.resourceRoles, key).map((one) => [one.role, resourceRoleRead(one)])),
    relations: Object.fromEntries(state.partsOf(state.relations, key).map((one) => [one.relation, relationBlock(one)])),
    action_groups: Object.fromEntries(
      state.partsOf(state.actionGroups, key).map((one) => [one.group, actionGroupRead(one).actions]),
    ),
  }
}

export function roleRead(key: string, role: Role): object {
  return { key, ...role, granted_to: null }
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

/**
 * Writes the fields that were sent over `base`; what a map no longer names goes with what hangs on it. All or nothing.
 */
function writeResource(state: State, key: string, base: Resource, body: Body): Outcome {
  const blocks = <T>(field: string, current: Map<string, T>, make: (key: string, body: Body) => T) => {
    if (!(field in body)) return current
    return new Map(Object.entries((body[field] as Blocks) ?? {}).map(([part, inner]) => [part, make(part, inner)]))
  }
  const next = state.copy()
  const faults = new Faults()
  const declared = blocks('attributes', base.attributes, (_, inner) => newAttribute(inner))
  faults.when(state.refusesAttributes(key, declared), 409)
  next.resources.set(key, {
    name: settle(body, 'name', base.name, key),
    urn: settle(body, 'urn', base.urn, null),
    description: settle(body, 'description', base.description, null),
    type_attributes: settle(body, 'type_attributes', base.type_attributes, null),
    actions: blocks('actions', base.actions, newAction),
    attributes: declared,
  })
  next.dropLostActions()
  if ('relations' in body) writeRelations(next, key, (body.relations as Record<string, string>) ?? {}, faults)
  if ('roles' in body) writeRoles(next, key, (body.roles as Blocks) ?? {}, faults)
  return faults.else(() => {
    state.become(next)
    return ok(resourceRead(state, key, state.resources.get(key)!))
  })
}

/** A relation with another subject is another relation. */
function writeRelations(state: State, resource: string, sent: Record<string, string>, faults: Faults): void {
  for (const { relation, subject_resource } of state.partsOf(state.relations, resource)) {
    if (sent[relation] !== subject_resource) state.deleteRelation(resource, relation)
  }
  for (const [relation, subject_resource] of Object.entries(sent)) {
    faults.when(!state.resources.has(subject_resource), 404)
    const name = `${resource}/${relation}`
    if (state.relations.has(name)) continue
    state.relations.set(name, { resource, relation, subject_resource, name: relation, description: null })
  }
}

function writeRoles(state: State, resource: string, sent: Record<string, Body>, faults: Faults): void {
  for (const { role } of state.partsOf(state.resourceRoles, resource)) {
    if (!(role in sent)) state.deleteResourceRole(resource, role)
  }
  for (const [role, fields] of Object.entries(sent)) {
    const name = `${resource}/${role}`
    const parents = state.resourceRoles.get(name)?.extends ?? []
    const blank = { ...(state.resourceRoles.get(name) ?? newResourceRole(resource, role)) }
    const kept = ((fields.extends as string[] | null) ?? []).filter((parent) => parents.includes(parent))
    state.resourceRoles.set(name, { ...blank, extends: kept })
  }
  for (const [role, fields] of Object.entries(sent)) {
    faults.statuses.push(...writeResourceRole(state, newResourceRole(resource, role), fields).statuses)
  }
}

const newResource = (key: string): Resource => ({
  name: key,
  urn: null,
  description: null,
  type_attributes: null,
  actions: new Map(),
  attributes: new Map(),
})
/** The body of a PUT, which removes the parts of a resource that are not sent. */
const whole = (body: Body): Body => ({ roles: null, relations: null, ...body })

/** What is wrong with permissions and parents that a role shall have. */
function roleFaults(state: State, key: string, body: Body): Faults {
  const faults = new Faults()
  for (const permission of (body.permissions as string[] | null) ?? []) {
    if (!faults.when(permission.split(':').length !== 2, 400)) faults.when(!state.hasPermission(permission), 404)
  }
  for (const parent of (body.extends as string[] | null) ?? []) {
    const circle = reaches([parent], key, (one) => state.roles.get(one)?.extends ?? [])
    if (!faults.when(circle, 422)) faults.when(!state.roles.has(parent), 404)
  }
  const stored = state.roles.get(key)
  faults.when(stored !== undefined && loses(state, stored, body), 409)
  return faults
}

function writeRole(state: State, key: string, base: Role, body: Body): Outcome {
  const everybody = settleFlag(body, state.roles.get(key))
  const role: Role = {
    name: settle(body, 'name', base.name, key),
    description: settle(body, 'description', base.description, null),
    permissions: unique(settle(body, 'permissions', base.permissions, [])),
    extends: unique(settle(body, 'extends', base.extends, [])),
    attributes: settle(body, 'attributes', base.attributes, null),
    ...everybody,
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

/** An object that must be there, or 404. */
const found = <T>(object: T | undefined, act: (object: T) => Outcome): Outcome =>
  object === undefined ? { status: 404 } : act(object)

export const schema: Readonly<Record<string, Handler>> = {
  'GET $S/resources/:': (state, [key = '']) =>
    found(state.resources.get(key), (resource) => ok(resourceRead(state, key, resource))),
  'POST $S/resources': (state, _, body: Body) => {
    const key = body.key as string
    if (state.resources.has(key)) return { status: 409 }
    return writeResource(state, key, newResource(key), body)
  },
  'PATCH $S/resources/:': (state, [key = ''], body: Body) =>
    found(state.resources.get(key), (resource) => writeResource(state, key, resource, body)),
  'PUT $S/resources/:': (state, [key = ''], body: Body) =>
    found(state.resources.get(key), () => writeResource(state, key, newResource(key), whole(body))),
  'DELETE $S/resources/:': (state, [key = '']) =>
    found(state.resources.get(key), () => {
      state.deleteResource(key)
      return NO_CONTENT
    }),
  'POST $S/resources/:/actions': (state, [key = ''], body: Body) =>
    found(state.resources.get(key), ({ actions }) => {
      const action = body.key as string
      if (actions.has(action)) return { status: 409 }
      actions.set(action, newAction(action, body))
      return { status: 200 }
    }),
  'PATCH $S/resources/:/actions/:': (state, [key = '', part = ''], body: Body) =>
    found(state.resources.get(key)?.actions.get(part), (action) => {
      action.name = settle(body, 'name', action.name, part)
      action.description = settle(body, 'description', action.description, null)
      return { status: 200 }
    }),
  'PUT $S/resources/:/actions/:': (state, [key = '', part = ''], body: Body) =>
    found(state.resources.get(key), ({ actions }) => {
      if (!actions.has(part)) return { status: 404 }
      actions.set(part, newAction(part, body))
      return { status: 200 }
    }),
  'DELETE $S/resources/:/actions/:': (state, [key = '', part = '']) => {
    if (!state.resources.get(key)?.actions.delete(part)) return { status: 404 }
    state.dropLostActions()
    return NO_CONTENT
  },
  'POST $S/resources/:/attributes': (state, [key = ''], body: Body) =>
    found(state.resources.get(key), ({ attributes }) => {
      const attribute = body.key as string
      if (attributes.has(attribute)) return { status: 409 }
      const declared = new Map([...attributes, [attribute, newAttribute(body)]])
      if (state.refusesAttributes(key, declared)) return { status: 409 }
      attributes.set(attribute, newAttribute(body))
      return { status: 200 }
    }),
  'PUT $S/resources/:/attributes/:': (state, [key = '', part = ''], body: Body) =>
    found(state.resources.get(key)?.attributes, (attributes) => {
      if (!attributes.has(part)) return { status: 404 }
      const declared = new Map(attributes).set(part, newAttribute(body))
      if (state.refusesAttributes(key, declared)) return { status: 409 }
      attributes.set(part, newAttribute(body))
      return { status: 200 }
    }),
  'DELETE $S/resources/:/attributes/:': (state, [key = '', part = '']) =>
    found(state.resources.get(key)?.attributes, (attributes) => {
      if (!attributes.has(part)) return { status: 404 }
      const rest = new Map([...attributes].filter(([name]) => name !== part))
      if (state.refusesAttributes(key, rest)) return { status: 409 }
      attributes.delete(part)
      return NO_CONTENT
    }),

  'GET $S/roles/:': (state, [key = '']) => found(state.roles.get(key), (role) => ok(roleRead(key, role))),
  'POST $S/roles': (state, _, body: Body) => {
    const key = body.key as string
    const faults = roleFaults(state, key, body)
    faults.when(state.roles.has(key), 409)
    return faults.else(() => writeRole(state, key, newRole(key), body))
  },
  'PATCH $S/roles/:': (state, [key = ''], body: Body) =>
    found(state.roles.get(key), (role) => roleFaults(state, key, body).else(() => writeRole(state, key, role, body))),
  'PUT $S/roles/:': (state, [key = ''], body: Body) =>
    found(state.roles.get(key), () =>
      roleFaults(state, key, body).else(() => writeRole(state, key, newRole(key), body)),
    ),
  'DELETE $S/roles/:': (state, [key = '']) =>
    found(state.roles.get(key), () => {
      state.deleteRole(key)
      return NO_CONTENT
    }),
  'POST $S/roles/:/permissions': (state, [key = ''], body: Body) =>
    found(state.roles.get(key), (role) =>
      roleFaults(state, key, { permissions: body.permissions }).else(() => {
        role.permissions = unique([...role.permissions, ...(body.permissions as string[])])
        return ok(roleRead(key, role))
      }),
    ),
  'DELETE $S/roles/:/permissions': (state, [key = ''], body: Body) =>
    found(state.roles.get(key), (role) => {
      const gone = body.permissions as string[]
      if (gone.some((permission) => permission.split(':').length !== 2)) return { status: 400 }
      role.permissions = role.permissions.filter((permission) => !gone.includes(permission))
      return ok(roleRead(key, role))
    }),
}
