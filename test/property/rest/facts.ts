// The REST rules for the facts: users, tenants, who belongs where, who has which role in a tenant or on an instance.
// docs/http-api.md "What a write means". Instances, tuples, set rules and bulk calls are instances.ts and bulk.ts.

import { EVERYBODY } from '../../../src/model/keys.ts'
import { atOnce } from './at-once.ts'
import { type Faults, type Handler, NO_CONTENT, type Outcome, ok, settle } from './call.ts'
import { reachInstance } from './instances.ts'
import { type Assignment, assignmentName, type State, type Tenant, type User } from './state.ts'

type Body = Record<string, unknown>
export interface Given {
  readonly role: string
  readonly tenant?: string | null
  readonly resource_instance?: string | null
}

export function userRead(state: State, key: string, user: User): object {
  const held = [...state.assignments.values()].filter((one) => one.user === key && one.resource_instance === null)
  const associated_tenants = [...state.memberships.values()]
    .filter((one) => one.user === key)
    .sort((one, other) => firstRole(held, one.tenant) - firstRole(held, other.tenant))
    .map(({ tenant }) => ({
      tenant,
      roles: held.filter((one) => one.tenant === tenant).map(({ role }) => role),
      status: 'active',
      resource_instance_roles: [],
    }))
  const roles = associated_tenants.flatMap(({ tenant, roles: of }) => of.map((role) => ({ role, tenant })))
  return { key, ...user, roles, associated_tenants }
}

/** Tenants stand in the order of the first role there; those without one are the last. */
function firstRole(held: readonly { readonly tenant: string }[], tenant: string): number {
  const at = held.findIndex((one) => one.tenant === tenant)
  return at === -1 ? held.length : at
}

export const tenantRead = (key: string, tenant: Tenant): object => ({ key, ...tenant })

const newUser = (): User => ({ email: null, first_name: null, last_name: null, attributes: {} })

function writeUser(state: State, key: string, base: User, body: Body): void {
  state.users.set(key, {
    email: settle(body, 'email', base.email, null),
    first_name: settle(body, 'first_name', base.first_name, null),
    last_name: settle(body, 'last_name', base.last_name, null),
    attributes: settle(body, 'attributes', base.attributes, {}),
  })
}

const givenIn = (body: Body): readonly Given[] => (body.role_assignments as Given[] | null | undefined) ?? []

/**
 * What `sent` gives to the user; an instance that is missing is made in `state` when `make` and the tenant is named.
 */
function resolve(state: State, user: string, sent: Given, make: boolean, faults: Faults): Assignment {
  const ref = sent.resource_instance ?? null
  if (ref === null) {
    const tenant = sent.tenant ?? 'default'
    faults.when(!state.roles.has(sent.role), 404)
    faults.when(!state.tenants.has(tenant), 404)
    return { user, role: sent.role, tenant, resource_instance: null }
  }
  const instance = reachInstance(state, ref, make, sent.tenant, faults)
  faults.when(instance !== undefined && !state.resourceRoles.has(`${instance.resource}/${sent.role}`), 404)
  return { user, role: sent.role, tenant: instance?.tenant ?? '', resource_instance: ref }
}

/** Gives the user the roles, and with `only` no others; on a copy, so that a fault leaves nothing behind. */
function give(state: State, user: string, given: readonly Given[], only: boolean, faults: Faults): void {
  const wanted = new Set<string>()
  for (const one of given) {
    const target = resolve(state, user, one, true, faults)
    if (faults.statuses.length > 0) return
    wanted.add(assignmentName(target))
    state.assign(target)
  }
  if (!only) return
  for (const one of [...state.assignments.values()]) {
    if (one.user === user && !wanted.has(assignmentName(one))) state.unassign(one)
  }
}

const read = (state: State, key: string, status = 200): Outcome => {
  const user = state.users.get(key)
  return { status, answer: user && userRead(state, key, user) }
}

const isHolder = (state: State, user: string): boolean => user === EVERYBODY || state.users.has(user)

const assigned = (state: State, sent: Given & { user: string }): Outcome =>
  atOnce(state, (next, faults) => {
    faults.when(!isHolder(next, sent.user), 404)
    const one = resolve(next, sent.user, sent, true, faults)
    const role = next.roleOf(one)
    faults.when(sent.user === EVERYBODY && role !== undefined && !role.everybody, 422)
    faults.when(next.assignments.has(assignmentName(one)), 409)
    next.assign(one)
    return ok({ ...one })
  })
const unassigned = (state: State, sent: Given & { user: string }): Outcome =>
  atOnce(state, (next, faults) => {
    faults.when(!isHolder(next, sent.user), 404)
    const one = resolve(next, sent.user, sent, false, faults)
    faults.when(!next.assignments.has(assignmentName(one)), 404)
    next.unassign(one)
    return NO_CONTENT
  })

function writeTenant(state: State, key: string, base: Tenant, body: Body): Outcome {
  const tenant = {
    name: settle(body, 'name', base.name, key),
    description: settle(body, 'description', base.description, null),
    attributes: settle(body, 'attributes', base.attributes, null),
  }
  state.tenants.set(key, tenant)
  return ok(tenantRead(key, tenant))
}
const newTenant = (key: string): Tenant => ({ name: key, description: null, attributes: null })

export const facts: Readonly<Record<string, Handler>> = {
  'GET $F/users/:': (state, [key = '']) => (state.users.has(key) ? read(state, key) : { status: 404 }),
  'POST $F/users': (state, _, body: Body) =>
    atOnce(state, (next, faults) => {
      const key = body.key as string
      faults.when(next.users.has(key), 409)
      writeUser(next, key, newUser(), body)
      give(next, key, givenIn(body), false, faults)
      return read(next, key)
    }),
  'PUT $F/users/:': (state, [key = ''], body: Body) =>
    atOnce(state, (next, faults) => {
      const created = !next.users.has(key)
      writeUser(next, key, newUser(), body)
      give(next, key, givenIn(body), Boolean(body.role_assignments), faults)
      return read(next, key, created ? 201 : 200)
    }),
  'PATCH $F/users/:': (state, [key = ''], body: Body) => {
    const user = state.users.get(key)
    if (user === undefined) return { status: 404 }
    writeUser(state, key, user, body)
    return read(state, key)
  },
  'DELETE $F/users/:': (state, [key = '']) => {
    if (!state.users.has(key)) return { status: 404 }
    state.deleteUser(key)
    return NO_CONTENT
  },
  'POST $F/users/:/roles': (state, [user = ''], body: Given) => assigned(state, { ...body, user }),
  'DELETE $F/users/:/roles': (state, [user = ''], body: Given) => unassigned(state, { ...body, user }),

  'POST $F/role_assignments': (state, _, body: Given & { user: string }) => assigned(state, body),
  'DELETE $F/role_assignments': (state, _, body: Given & { user: string }) => unassigned(state, body),

  'GET $F/tenants/:': (state, [key = '']) => {
    const tenant = state.tenants.get(key)
    return tenant ? ok(tenantRead(key, tenant)) : { status: 404 }
  },
  'POST $F/tenants': (state, _, body: Body) => {
    const key = body.key as string
    return state.tenants.has(key) ? { status: 409 } : writeTenant(state, key, newTenant(key), body)
  },
  'PATCH $F/tenants/:': (state, [key = ''], body: Body) => {
    const tenant = state.tenants.get(key)
    return tenant ? writeTenant(state, key, tenant, body) : { status: 404 }
  },
  'PUT $F/tenants/:': (state, [key = ''], body: Body) =>
    state.tenants.has(key) ? writeTenant(state, key, newTenant(key), body) : { status: 404 },
  'DELETE $F/tenants/:': (state, [key = '']) => {
    if (!state.tenants.has(key)) return { status: 404 }
    state.deleteTenant(key)
    return NO_CONTENT
  },
  'GET $F/tenants/:/users': (state, [tenant = '']) => {
    if (!state.tenants.has(tenant)) return { status: 404 }
    const data = [...state.memberships.values()]
      .filter((one) => one.tenant === tenant)
      .map(({ user }) => userRead(state, user, state.users.get(user)!))
    return ok({ data, total_count: data.length, page_count: data.length === 0 ? 0 : 1 })
  },
  'POST $F/tenants/:/users': (state, [tenant = ''], body: Body) =>
    atOnce(state, (next, faults) => {
      const key = body.key as string
      faults.when(!next.tenants.has(tenant), 404)
      if (!next.users.has(key)) writeUser(next, key, newUser(), body)
      next.join(key, tenant, true)
      give(next, key, givenIn(body), false, faults)
      return read(next, key)
    }),
  'DELETE $F/tenants/:/users/:': (state, [tenant = '', user = '']) => {
    if (!state.tenants.has(tenant) || !state.users.has(user)) return { status: 404 }
    const held = [...state.assignments].filter(([, one]) => one.user === user && one.tenant === tenant)
    for (const [name] of held) state.assignments.delete(name)
    return state.memberships.delete(`${tenant}/${user}`) || held.length > 0 ? NO_CONTENT : { status: 404 }
  },
}
