// Reads an organization: its environments, and of one environment the objects that a migration moves. Everything is
// read with v2 calls and the key of the organization.
import { createHash } from 'node:crypto'
import { plural } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { type Answer, type Api, failed } from './api-client.ts'

/** An object in the form of the API. */
type Row = Answer['body']

export interface Environment {
  readonly project: string
  readonly projectId: string
  readonly key: string
  readonly id: string
  /** `project/environment`, in keys */
  readonly name: string
}

export interface User {
  readonly key: string
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Fields that a migration copies without interpreting them. */
export type Details = Readonly<Record<string, unknown>>

export interface Role {
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly attributes: Details | null
  /** attributes and settings of a role in the first version */
  readonly v1compat_attributes: Details | null
  readonly v1compat_settings: Details | null
  /** `resource:action`, sorted */
  readonly permissions: readonly string[]
  readonly extends: readonly string[]
}

export interface Tenant {
  readonly key: string
  readonly details: Details
}

export interface Resource {
  readonly key: string
  readonly details: Details
  /** by key */
  readonly actions: ReadonlyMap<string, Details>
}

export interface Assignment {
  readonly user: string
  readonly role: string
  readonly tenant: string
}

/** An object that affects decisions but that v1 cannot express, so a move does not copy it. */
export interface Immovable {
  /** what it is, in words */
  readonly what: string
  /** naming one of these drops it */
  readonly keys: readonly string[]
}

export interface Contents {
  readonly users: readonly User[]
  readonly roles: readonly Role[]
  readonly tenants: readonly Tenant[]
  readonly resources: readonly Resource[]
  /** roles in tenants; those on instances are in `immovable` */
  readonly assignments: readonly Assignment[]
  readonly immovable: readonly Immovable[]
}

export interface Organization {
  readonly id: string
  readonly environments: readonly Environment[]
  /** projects without an environment, by key */
  readonly emptyProjects: readonly string[]
}

/**
 * The environments that the key of an organization sees.
 * @throws MIGRATION_REFUSED for a narrower key or an address that is not a management API
 */
export async function readOrganization(api: Api): Promise<Organization> {
  const path = '/v2/api-key/scope'
  const answer = await api.call('GET', path)
  const { status, body: scope } = answer
  if (status === 404 || (status < 300 && typeof scope?.organization_id !== 'string'))
    throw refused(`${api.url} is not a management API: GET ${path} answered ${status}`)
  if (status >= 300) throw failed('GET', path, answer)
  if (scope.project_id !== null || scope.environment_id !== null) {
    const level = scope.environment_id === null ? 'project' : 'environment'
    throw refused(
      `this key belongs to ${level === 'project' ? 'a' : 'an'} ${level}: a migration needs the key of the organization`,
    )
  }
  const environments: Environment[] = []
  const emptyProjects: string[] = []
  for (const project of await api.list('/v2/projects')) {
    const inside = await api.list(`/v2/projects/${project.id}/envs`)
    if (inside.length === 0) emptyProjects.push(project.key)
    for (const { id, key } of inside) {
      environments.push({ project: project.key, projectId: project.id, key, id, name: `${project.key}/${key}` })
    }
  }
  return { id: scope.organization_id, environments, emptyProjects }
}

export const schemaOf = ({ projectId, id }: Environment): string => `/v2/schema/${projectId}/${id}`
export const factsOf = ({ projectId, id }: Environment): string => `/v2/facts/${projectId}/${id}`

/** The objects of an environment that a migration is about, sorted by key. */
export async function readContents(api: Api, environment: Environment): Promise<Contents> {
  const [schema, facts] = [schemaOf(environment), factsOf(environment)]
  const users = await api.list(`${facts}/users`)
  const roles = await api.list(`${schema}/roles`)
  const tenants = await api.list(`${facts}/tenants`)
  const resources = await api.list(`${schema}/resources`)
  const assignments = await api.list(`${facts}/role_assignments`)
  const rules = await api.list(`${facts}/set_rules`)
  return {
    users: byKey(users.map(userOf)),
    roles: byKey(roles.map(roleOf)),
    tenants: byKey(tenants.map((row) => ({ key: row.key, details: detailsOf(row, TENANT) }))),
    resources: byKey(resources.map(resourceOf)),
    assignments: assignments
      .filter((row) => !row.resource_instance)
      .map(({ user, role, tenant }): Assignment => ({ user, role, tenant }))
      .sort((left, right) => (assignmentKey(left) < assignmentKey(right) ? -1 : 1)),
    immovable: [...assignments.filter((row) => row.resource_instance).map(instanceRole), ...rules.map(setRule)].sort(
      (left, right) => (left.what < right.what ? -1 : 1),
    ),
  }
}

const instanceRole = ({ user, role, resource_instance: instance }: Row): Immovable => {
  return { what: `${user} is ${role} of ${instance}`, keys: [user, role] }
}

const setRule = ({ user_set: users, permission, resource_set: resources }: Row): Immovable => {
  return { what: `set rule ${users} ${permission} ${resources}`, keys: [users, resources] }
}

export const assignmentKey = ({ user, role, tenant }: Assignment): string => `${user}/${role}/${tenant}`

/**
 * Equal contents give equal digests. Times and ids do not count. Hashed row by row: together the rows may exceed the
 * maximal length of a string.
 */
export function digestOf(contents: Contents): string {
  const hash = createHash('sha256')
  for (const kind of ['users', 'roles', 'tenants', 'resources', 'assignments', 'immovable'] as const) {
    hash.update(`${kind}\n`)
    for (const row of contents[kind]) hash.update(`${JSON.stringify(sortedDeep(row))}\n`)
  }
  return hash.digest('hex')
}

export function userOf({ key, email, first_name, last_name, attributes }: Row): User {
  return {
    key,
    email: email ?? null,
    first_name: first_name ?? null,
    last_name: last_name ?? null,
    attributes: attributes ?? {},
  }
}

/** The copied details of a tenant, a resource or an action. */
export const TENANT = ['name', 'description', 'attributes']
export const RESOURCE = ['name', 'description', 'type_attributes', 'v1compat_path', 'v1compat_type', 'v1compat_name']
export const ACTION = ['name', 'description', 'attributes', 'v1compat_path', 'v1compat_name']

/** The object without members that are null. */
function detailsOf(row: Row, names: readonly string[]): Details {
  const found = names.map((name): [string, unknown] => [name, row?.[name] ?? undefined])
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

function resourceOf(row: Row): Resource {
  const actions = Object.entries<Row>(row.actions ?? {})
  return {
    key: row.key,
    details: detailsOf(row, RESOURCE),
    actions: new Map(actions.map(([action, about]) => [action, detailsOf(about, ACTION)])),
  }
}

export function roleOf(row: Row): Role {
  const { key, name, description, attributes, permissions, extends: parents } = row
  return {
    key,
    name: name ?? key,
    description: description ?? null,
    attributes: attributes ?? null,
    v1compat_attributes: row.v1compat_attributes ?? null,
    v1compat_settings: row.v1compat_settings ?? null,
    permissions: [...(permissions ?? [])].sort(),
    extends: [...(parents ?? [])].sort(),
  }
}

export function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(sortedDeep(left)) === JSON.stringify(sortedDeep(right))
}

/** `2 users`, `1 user`. */
export function counted(count: number, things: string): string {
  return `${count.toLocaleString('en-US')} ${plural(count, things.slice(0, -1), things)}`
}

/** The number of names that are shown. */
const NAMES_SHOWN = 10

/** The first few names, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ')
  return names.length > NAMES_SHOWN ? `${shown} and ${names.length - NAMES_SHOWN} more` : shown
}

export function refused(reason: string): ZerohopError {
  return new ZerohopError('MIGRATION_REFUSED', { reason })
}

function byKey<T extends { readonly key: string }>(rows: T[]): T[] {
  return rows.sort((left, right) => (left.key < right.key ? -1 : 1))
}

/** Members as pairs in the order of their names, so that names such as `__proto__` have no special meaning. */
function sortedDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedDeep)
  if (value instanceof Map) return sortedDeep([...value])
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).map(([name, inner]): [string, unknown] => [name, sortedDeep(inner)])
  return { pairs: pairs.sort(([left], [right]) => (left < right ? -1 : 1)) }
}
