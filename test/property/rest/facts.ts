// The REST rules for the facts: users, tenants, who belongs where, and who has which role. docs/http-api.md "What a write means".
import { Faults, type Handler, type Outcome, settle } from './call.ts'
import { NO_CONTENT } from './schema.ts'
import type { Assignment, State, Tenant, User } from './state.ts'

type Body = Record<string, unknown>
interface Given {
  readonly role: string
  readonly tenant?: string | null
}

export function userRead(state: State, key: string, user: User): object {
  const held = [...state.assignments.values()].filter((one) => one.user === key)
  const roles = held.map(({ role, tenant }) => ({ role, tenant }))
  const associated_tenants = [...state.memberships.values()]
    .filter((one) => one.user === key)
    .map(({ tenant }) => ({
      tenant,
      roles: held.filter((one) => one.tenant === tenant).map(({ role }) => role),
      status: 'active',
      resource_instance_roles: [],
    }))
  return { key, ...user, roles, associated_tenants }
}

export const tenantRead = (key: string, tenant: Tenant): object => ({ key, ...tenant })

export const assignmentRead = ({ user, role, tenant }: Assignment): object => ({
  user,
  role,
  tenant,
  resource_instance: null,
})

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

function givenFaults(state: State, given: readonly Given[]): Faults {
  const faults = new Faults()
  for (const { role, tenant } of given) {
    faults.when(!state.roles.has(role), 404)
    faults.when(!state.tenants.has(tenant ?? 'default'), 404)
  }
  return faults
}

const give = (state: State, user: string, given: readonly Given[]): void => {
  for (const { role, tenant } of given) state.assign({ user, role, tenant: tenant ?? 'default' })
}

const read = (state: State, key: string, status = 200): Outcome => ({
  status,
  answer: userRead(state, key, state.users.get(key)!),
})

/** Role and tenant and user must exist, and be joined exactly when `joined`. */
function assignment(
  state: State,
  one: Given & { user: string },
  joined: boolean,
  act: (of: Assignment) => Outcome,
): Outcome {
  const of = { user: one.user, role: one.role, tenant: one.tenant ?? 'default' }
  const faults = givenFaults(state, [of])
  faults.when(!state.users.has(of.user), 404)
  if (faults.statuses.length === 0 && state.assignments.has(`${of.user}/${of.role}/${of.tenant}`) !== joined) {
    return { status: joined ? 404 : 409 }
  }
  return faults.else(() => act(of))
}

const assigned = (state: State, of: Given & { user: string }): Outcome =>
  assignment(state, of, false, (one) => {
    state.assign(one)
    return { status: 200, answer: assignmentRead(one) }
  })
const unassigned = (state: State, of: Given & { user: string }): Outcome =>
  assignment(state, of, true, (one) => {
    state.unassign(one)
    return NO_CONTENT
  })

function writeTenant(state: State, key: string, base: Tenant, body: Body): Outcome {
  const tenant = {
    name: settle(body, 'name', base.name, key),
    description: settle(body, 'description', base.description, null),
    attributes: settle(body, 'attributes', base.attributes, null),
  }
  state.tenants.set(key, tenant)
  return { status: 200, answer: tenantRead(key, tenant) }
}
const newTenant = (key: string): Tenant => ({ name: key, description: null, attributes: null })

export const facts: Readonly<Record<string, Handler>> = {
  'GET $F/users/:': (state, [key = '']) => (state.users.has(key) ? read(state, key) : { status: 404 }),
  'POST $F/users': (state, _, body: Body) => {
    const key = body.key as string
    const faults = givenFaults(state, givenIn(body))
    faults.when(state.users.has(key), 409)
    return faults.else(() => {
      writeUser(state, key, newUser(), body)
      give(state, key, givenIn(body))
      return read(state, key)
    })
  },
  'PUT $F/users/:': (state, [key = ''], body: Body) =>
    givenFaults(state, givenIn(body)).else(() => {
      const created = !state.users.has(key)
      writeUser(state, key, newUser(), body)
      give(state, key, givenIn(body))
      if (body.role_assignments) {
        const kept = new Set(givenIn(body).map(({ role, tenant }) => `${key}/${role}/${tenant ?? 'default'}`))
        const held = [...state.assignments].filter(([, one]) => one.user === key)
        for (const [name, one] of held) if (!kept.has(name)) state.unassign(one)
      }
      return read(state, key, created ? 201 : 200)
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
    return tenant ? { status: 200, answer: tenantRead(key, tenant) } : { status: 404 }
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
    return { status: 200, answer: { data, total_count: data.length, page_count: data.length === 0 ? 0 : 1 } }
  },
  'POST $F/tenants/:/users': (state, [tenant = ''], body: Body) => {
    const key = body.key as string
    const faults = givenFaults(state, givenIn(body))
    faults.when(!state.tenants.has(tenant), 404)
    return faults.else(() => {
      if (!state.users.has(key)) writeUser(state, key, newUser(), body)
      state.join(key, tenant, true)
      give(state, key, givenIn(body))
      return read(state, key)
    })
  },
  'DELETE $F/tenants/:/users/:': (state, [tenant = '', user = '']) => {
    if (!state.tenants.has(tenant) || !state.users.has(user)) return { status: 404 }
    const held = [...state.assignments].filter(([, one]) => one.user === user && one.tenant === tenant)
    for (const [name] of held) state.assignments.delete(name)
    return state.memberships.delete(`${tenant}/${user}`) || held.length > 0 ? NO_CONTENT : { status: 404 }
  },
}
