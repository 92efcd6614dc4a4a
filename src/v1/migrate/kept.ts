// Why an undo keeps an object: it is not the one that the move wrote, or something else depends on it.
import { type Live, nameOf, type Row } from './live.ts'
import type { Made } from './move-record.ts'
import type { CallKind } from './plan.ts'
import { ACTION, isSame, RESOURCE, roleOf, someOf, TENANT, userOf } from './world.ts'

/** The object that a call wrote, as it is now; undefined when it does not exist. */
export async function nowOf(live: Live, { call }: Made): Promise<Row | undefined> {
  const { kind, of } = call
  const body = call.body as Row
  if (kind === 'assignment') {
    const rows = await live.where('role_assignments', 'user', body.user)
    return rows.find((row) => !row.resource_instance && nameOf(kind, row) === nameOf(kind, body))
  }
  if (kind === 'action') {
    const [resource] = await live.where('resources', 'key', of ?? '')
    return resource?.actions?.[keyOf(call)]
  }
  return (await live.where(`${kind}s`, 'key', keyOf(call)))[0]
}

/** The key of the object; one overwritten with PATCH has it in `before` only. */
export const keyOf = ({ body, before }: Made['call']): string =>
  (body as Row).key ?? (before as Row | undefined)?.key ?? ''

/** Whether the object still has the values that the move wrote. */
export function isAsWritten(row: Row, { call }: Made): boolean {
  const body = call.body as Row
  const { kind } = call
  // only a part was overwritten: other fields may have any value
  if (call.method === 'PATCH' && kind !== 'role')
    return hasFields(
      row,
      body,
      Object.keys(body).filter((name) => name !== 'key'),
      keyOf(call),
    )
  switch (kind) {
    case 'assignment':
      return true
    case 'user':
      return isSame(userOf(row), body)
    case 'role':
      return isSame(roleOf(row), { ...body, key: keyOf(call) })
    case 'tenant':
      return hasFields(row, body, TENANT)
    case 'action':
      return hasFields(row, body, ACTION)
    case 'resource':
      return hasFields(row, body, RESOURCE) && hasOnly(row, body)
  }
}

/** Fields that were not sent have their defaults: the key as name, otherwise null. */
function hasFields(row: Row, body: Row, names: readonly string[], key: string = body.key): boolean {
  const fieldOf = (from: Row, name: string): unknown => {
    const value = from?.[name] ?? (name === 'name' ? key : null)
    return typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? null : value
  }
  return names.every((name) => isSame(fieldOf(row, name), fieldOf(body, name)))
}

/** Whether the resource has exactly the actions that were sent, and no other parts. */
function hasOnly(row: Row, body: Row): boolean {
  const actions: readonly [string, Row][] = Object.entries(row.actions ?? {})
  const sent: Row = body.actions ?? {}
  if (actions.length !== Object.keys(sent).length) return false
  const further = [row.roles, row.relations, row.attributes, row.action_groups]
  if (further.some((one) => Object.keys(one ?? {}).length > 0)) return false
  return actions.every(([key, action]) => Object.hasOwn(sent, key) && hasFields(action, sent[key], ACTION, key))
}

/** What depends on the object and would be deleted with it; undefined when nothing does. */
export async function usedBySince(live: Live, made: Made): Promise<string | undefined> {
  const { kind, of } = made.call
  const key = keyOf(made.call)
  if (kind === 'assignment') return undefined
  const by: Readonly<Record<Exclude<CallKind, 'assignment'>, () => Promise<string[]>>> = {
    user: () => usersOf(live, key),
    tenant: () => tenantsOf(live, key),
    role: () => rolesOf(live, key),
    action: () => permissionsOn(live, (permission) => permission === `${of}:${key}`),
    resource: () => resourcesOf(live, key),
  }
  const found = await by[kind]()
  return found.length === 0 ? undefined : `used since: ${someOf(found)}`
}

const assignmentText = ({ user, role, tenant, resource_instance: instance }: Row): string =>
  `${user} is ${role} ${instance ? `of ${instance}` : `in ${tenant}`}`

async function usersOf(live: Live, key: string): Promise<string[]> {
  const assignments = await live.where('role_assignments', 'user', key)
  const [row] = await live.where('users', 'key', key)
  const memberships: readonly Row[] = (row?.associated_tenants ?? []).filter(({ roles }: Row) => roles?.length === 0)
  return [...assignments.map(assignmentText), ...memberships.map(({ tenant }) => `member of ${tenant}`)]
}

async function tenantsOf(live: Live, key: string): Promise<string[]> {
  const assignments = await live.where('role_assignments', 'tenant', key)
  const members = (await live.list('users')).filter(({ associated_tenants: all = [] }) =>
    all.some(({ tenant, roles }: Row) => tenant === key && roles?.length === 0),
  )
  const instance = await live.firstInstance(`tenant=${encodeURIComponent(key)}`)
  return [
    ...assignments.map(assignmentText),
    ...members.map((one) => `${one.key} is a member`),
    ...(instance === undefined ? [] : [`${instance.resource}:${instance.key} is in it`]),
  ]
}

async function rolesOf(live: Live, key: string): Promise<string[]> {
  const assignments = await live.where('role_assignments', 'role', key)
  const children = (await live.list('roles')).filter((role) => (role.extends ?? []).includes(key))
  const rules = await live.where('set_rules', 'user_set', key)
  return [
    ...assignments.map(assignmentText),
    ...children.map((role) => `role ${role.key} extends it`),
    ...rules.map(({ permission }) => `a set rule gives it ${permission}`),
  ]
}

async function permissionsOn(live: Live, isOn: (permission: string) => boolean): Promise<string[]> {
  const roles = (await live.list('roles')).filter(({ permissions }) => (permissions ?? []).some(isOn))
  const rules = (await live.list('set_rules')).filter(({ permission }) => isOn(permission))
  return [
    ...roles.map(({ key }) => `role ${key} has it`),
    ...rules.map(({ user_set: users }) => `a set rule gives it to ${users}`),
  ]
}

async function resourcesOf(live: Live, key: string): Promise<string[]> {
  const instance = await live.firstInstance(`resource=${encodeURIComponent(key)}`)
  return [
    ...(await permissionsOn(live, (permission) => permission.startsWith(`${key}:`))),
    ...(instance === undefined ? [] : [`${instance.resource}:${instance.key} is one`]),
  ]
}
