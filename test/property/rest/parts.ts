// The REST rules for what stands at a resource: its roles with their derivations, its relations, its action groups.
import { Faults, type Handler, NO_CONTENT, type Outcome, ok, settle, unique } from './call.ts'
import {
  type ActionGroup,
  type Relation,
  type ResourceRole,
  type Role,
  type Rule,
  reaches,
  type State,
} from './state.ts'

type Body = Record<string, unknown>
type Settings = { no_direct_roles_on_object?: boolean | null } | null | undefined

export function resourceRoleRead(one: ResourceRole): object {
  const { role, rules, no_direct_roles_on_object, isBare, permissions: full, ...fields } = one
  const permissions = isBare ? full.map((permission) => permission.slice(permission.indexOf(':') + 1)) : full
  const derived = rules.length > 0 || no_direct_roles_on_object
  const granted_to = derived ? { when: { no_direct_roles_on_object }, users_with_role: rules } : null
  return { key: role, ...fields, permissions, granted_to }
}
export const relationRead = ({ resource, relation, ...fields }: Relation) => ({
  key: relation,
  ...fields,
  object_resource: resource,
})
export const relationBlock = ({ name, description, subject_resource }: Relation) => ({
  description,
  resource: subject_resource,
  relation_name: name,
})
export const actionGroupRead = ({ resource: _, group, ...fields }: ActionGroup) => ({ key: group, ...fields })

export const newResourceRole = (resource: string, role: string): ResourceRole => ({
  resource,
  role,
  name: role,
  description: null,
  permissions: [],
  extends: [],
  attributes: null,
  isBare: false,
  rules: [],
  no_direct_roles_on_object: false,
})

/** A permission of a role of this resource: the resource may be left out. */
const full = (resource: string, permission: string): string =>
  permission.includes(':') ? permission : `${resource}:${permission}`

/** The form in which permissions are answered after these were sent. */
const bareAfter = (sent: readonly string[], isBare: boolean): boolean =>
  sent.length === 0 ? isBare : !sent.some((permission) => permission.includes(':'))

function permissionFaults(state: State, resource: string, permissions: readonly string[], faults: Faults): void {
  for (const one of permissions) {
    const [of = '', ...rest] = full(resource, one).split(':')
    if (of !== resource) faults.when(!state.resources.has(of), 404)
    if (faults.when(rest.length !== 1 || of !== resource, 400)) continue
    faults.when(!state.hasPermission(full(resource, one)), 404)
  }
}

const toRule = (sent: Body): Rule => ({
  role: sent.role as string,
  on_resource: sent.on_resource as string,
  linked_by_relation: sent.linked_by_relation as string,
  when: { no_direct_roles_on_object: (sent.when as Settings)?.no_direct_roles_on_object ?? false },
})
const sameRule = (one: Rule, other: Rule): boolean =>
  one.role === other.role &&
  one.on_resource === other.on_resource &&
  one.linked_by_relation === other.linked_by_relation

function ruleFaults(state: State, resource: string, rule: Rule, faults: Faults): void {
  const relation = state.relations.get(`${resource}/${rule.linked_by_relation}`)
  faults.when(!state.resources.has(rule.on_resource), 404)
  faults.when(relation === undefined, 404)
  faults.when(relation !== undefined && relation.subject_resource !== rule.on_resource, 400)
  faults.when(!state.resourceRoles.has(`${rule.on_resource}/${rule.role}`), 404)
}

/** Whether a role is for everybody after a write: what is not sent stays, also in PUT (D16). */
export function settleFlag(body: Body, stored: Role | undefined): Pick<Role, 'everybody'> {
  const is = 'everybody' in body ? body.everybody === true : stored?.everybody === true
  return is ? { everybody: true } : {}
}

/** Whether a write would take the flag of a role that everybody has. */
export const loses = (state: State, stored: Role, body: Body): boolean =>
  settleFlag(body, stored).everybody === undefined && state.isOfEverybody(stored)

/** Writes the fields that were sent over `base`, unless there are faults. */
export function writeResourceRole(state: State, base: ResourceRole, body: Body): Faults {
  const faults = new Faults()
  const { resource, role } = base
  const permissions = (settle(body, 'permissions', base.permissions, []) as string[]) ?? []
  if ('permissions' in body) permissionFaults(state, resource, permissions, faults)
  const parents = settle(body, 'extends', base.extends, []) as string[]
  if ('extends' in body) {
    for (const parent of parents) {
      const of = (one: string) => state.resourceRoles.get(`${resource}/${one}`)?.extends ?? []
      if (!faults.when(reaches([parent], role, of), 422)) {
        faults.when(!state.resourceRoles.has(`${resource}/${parent}`), 404)
      }
    }
  }
  const stored = state.resourceRoles.get(`${resource}/${role}`)
  faults.when(stored !== undefined && loses(state, stored, body), 409)
  const { everybody: _, ...rest } = base
  const next: ResourceRole = {
    ...rest,
    ...settleFlag(body, stored),
    name: settle(body, 'name', base.name, role),
    description: settle(body, 'description', base.description, null),
    permissions: unique(permissions.map((one) => full(resource, one))),
    isBare: 'permissions' in body ? bareAfter(permissions, base.isBare) : base.isBare,
    extends: unique(parents),
    attributes: settle(body, 'attributes', base.attributes, null),
  }
  if ('granted_to' in body) {
    const sent = (body.granted_to ?? {}) as { when?: Settings; users_with_role?: Body[] | null }
    next.no_direct_roles_on_object = sent.when?.no_direct_roles_on_object ?? false
    next.rules = []
    // a derivation may name the role itself
    const known = state.copy()
    known.resourceRoles.set(`${resource}/${role}`, next)
    for (const rule of (sent.users_with_role ?? []).map(toRule)) {
      ruleFaults(known, resource, rule, faults)
      faults.when(
        next.rules.some((one) => sameRule(one, rule)),
        409,
      )
      next.rules.push(rule)
    }
  }
  if (faults.statuses.length === 0) state.resourceRoles.set(`${resource}/${role}`, next)
  return faults
}

function answerRole(state: State, resource: string, role: string): Outcome {
  return ok(resourceRoleRead(state.resourceRoles.get(`${resource}/${role}`)!))
}

/** A resource that must be there, or 404. */
const at = (state: State, resource: string, act: () => Outcome): Outcome =>
  state.resources.has(resource) ? act() : { status: 404 }
const found = <T>(object: T | undefined, act: (object: T) => Outcome): Outcome =>
  object === undefined ? { status: 404 } : act(object)

function writeGroup(state: State, base: ActionGroup, body: Body): Outcome {
  const faults = new Faults()
  const actions = settle(body, 'actions', base.actions, []) as string[]
  for (const action of actions) faults.when(!state.hasPermission(`${base.resource}:${action}`), 404)
  return faults.else(() => {
    const group = {
      ...base,
      name: settle(body, 'name', base.name, base.group),
      description: settle(body, 'description', base.description, null),
      attributes: settle(body, 'attributes', base.attributes, null),
      actions: unique(actions),
    }
    state.actionGroups.set(`${base.resource}/${base.group}`, group)
    return ok(actionGroupRead(group))
  })
}

function writeRelation(state: State, base: Relation, body: Body): Outcome {
  const subject = (body.subject_resource as string | null | undefined) ?? base.subject_resource
  if (!state.resources.has(subject)) return { status: 404 }
  if (subject !== base.subject_resource) return { status: 409 }
  const relation = {
    ...base,
    name: settle(body, 'name', base.name, base.relation),
    description: settle(body, 'description', base.description, null),
  }
  state.relations.set(`${base.resource}/${base.relation}`, relation)
  return ok(relationRead(relation))
}

export const parts: Readonly<Record<string, Handler>> = {
  'POST $S/resources/:/roles': (state, [resource = ''], body: Body) =>
    at(state, resource, () => {
      const role = body.key as string
      if (state.resourceRoles.has(`${resource}/${role}`)) return { status: 409 }
      return writeResourceRole(state, newResourceRole(resource, role), body).else(() =>
        answerRole(state, resource, role),
      )
    }),
  'PATCH $S/resources/:/roles/:': (state, [resource = '', role = ''], body: Body) =>
    found(state.resourceRoles.get(`${resource}/${role}`), (base) =>
      writeResourceRole(state, base, body).else(() => answerRole(state, resource, role)),
    ),
  'DELETE $S/resources/:/roles/:': (state, [resource = '', role = '']) =>
    found(state.resourceRoles.get(`${resource}/${role}`), () => {
      state.deleteResourceRole(resource, role)
      return NO_CONTENT
    }),
  'POST $S/resources/:/roles/:/permissions': (state, [resource = '', role = ''], body: Body) =>
    found(state.resourceRoles.get(`${resource}/${role}`), (one) => {
      const faults = new Faults()
      permissionFaults(state, resource, body.permissions as string[], faults)
      return faults.else(() => {
        const added = (body.permissions as string[]).map((permission) => full(resource, permission))
        one.permissions = unique([...one.permissions, ...added])
        one.isBare = bareAfter(body.permissions as string[], one.isBare)
        return answerRole(state, resource, role)
      })
    }),
  'DELETE $S/resources/:/roles/:/permissions': (state, [resource = '', role = ''], body: Body) =>
    found(state.resourceRoles.get(`${resource}/${role}`), (one) => {
      const gone = (body.permissions as string[]).map((permission) => full(resource, permission))
      if (gone.some((permission) => permission.split(':').length !== 2)) return { status: 400 }
      one.permissions = one.permissions.filter((permission) => !gone.includes(permission))
      return answerRole(state, resource, role)
    }),
  'POST $S/resources/:/roles/:/implicit_grants': (state, [resource = '', role = ''], body: Body) =>
    found(state.resourceRoles.get(`${resource}/${role}`), (one) => {
      const faults = new Faults()
      const rule = toRule(body)
      ruleFaults(state, resource, rule, faults)
      faults.when(
        one.rules.some((other) => sameRule(other, rule)),
        409,
      )
      return faults.else(() => {
        one.rules.push(rule)
        return ok(rule)
      })
    }),
  'DELETE $S/resources/:/roles/:/implicit_grants': (state, [resource = '', role = ''], body: Body) =>
    found(state.resourceRoles.get(`${resource}/${role}`), (one) => {
      const faults = new Faults()
      const rule = toRule(body)
      ruleFaults(state, resource, rule, faults)
      faults.when(!one.rules.some((other) => sameRule(other, rule)), 404)
      return faults.else(() => {
        one.rules = one.rules.filter((other) => !sameRule(other, rule))
        return NO_CONTENT
      })
    }),
  'PUT $S/resources/:/roles/:/implicit_grants/conditions': (state, [resource = '', role = ''], body: Settings) =>
    found(state.resourceRoles.get(`${resource}/${role}`), (one) => {
      one.no_direct_roles_on_object = body?.no_direct_roles_on_object ?? false
      return ok({ no_direct_roles_on_object: one.no_direct_roles_on_object })
    }),

  'POST $S/resources/:/relations': (state, [resource = ''], body: Body) =>
    at(state, resource, () => {
      const [relation, subject_resource] = [body.key as string, body.subject_resource as string]
      const faults = new Faults()
      faults.when(state.relations.has(`${resource}/${relation}`), 409)
      faults.when(!state.resources.has(subject_resource), 404)
      return faults.else(() => {
        const name = settle(body, 'name', relation, relation)
        const made = {
          resource,
          relation,
          subject_resource,
          name,
          description: settle(body, 'description', null, null),
        }
        state.relations.set(`${resource}/${relation}`, made)
        return ok(relationRead(made))
      })
    }),
  'PATCH $S/resources/:/relations/:': (state, [resource = '', relation = ''], body: Body) =>
    found(state.relations.get(`${resource}/${relation}`), (base) => writeRelation(state, base, body)),
  'PUT $S/resources/:/relations/:': (state, [resource = '', relation = ''], body: Body) =>
    found(state.relations.get(`${resource}/${relation}`), (base) =>
      writeRelation(state, { ...base, name: relation, description: null }, body),
    ),
  'DELETE $S/resources/:/relations/:': (state, [resource = '', relation = '']) =>
    found(state.relations.get(`${resource}/${relation}`), () => {
      state.deleteRelation(resource, relation)
      return NO_CONTENT
    }),

  'POST $S/resources/:/action_groups': (state, [resource = ''], body: Body) =>
    at(state, resource, () => {
      const group = body.key as string
      if (state.actionGroups.has(`${resource}/${group}`)) return { status: 409 }
      const blank = { resource, group, name: group, description: null, attributes: null, actions: [] }
      return writeGroup(state, blank, body)
    }),
  'PATCH $S/resources/:/action_groups/:': (state, [resource = '', group = ''], body: Body) =>
    found(state.actionGroups.get(`${resource}/${group}`), (base) => writeGroup(state, base, body)),
  'PUT $S/resources/:/action_groups/:': (state, [resource = '', group = ''], body: Body) =>
    found(state.actionGroups.get(`${resource}/${group}`), () =>
      writeGroup(state, { resource, group, name: group, description: null, attributes: null, actions: [] }, body),
    ),
  'DELETE $S/resources/:/action_groups/:': (state, [resource = '', group = '']) =>
    state.actionGroups.delete(`${resource}/${group}`) ? NO_CONTENT : { status: 404 },
}
