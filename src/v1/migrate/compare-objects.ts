// Compares the moved objects field by field: as v1 returns them with as v2 returns them.
import { MIGRATE_CALLS_AT_ONCE } from '../../model/limits.ts'
import { type Api, forEach } from './api-client.ts'
import type { Difference } from './checks.ts'
import type { Plan } from './plan.ts'
import type { Progress } from './progress.ts'
import { factsOf, isSame, type Role, readContents, roleOf, schemaOf, userOf } from './world.ts'

/** Every differing field of the planned objects, by name. */
export async function compareObjects(
  api: Api,
  { environment, users, roles, assignments }: Plan,
  progress: Progress,
): Promise<Difference[]> {
  const differences: Difference[] = []
  const differ = (what: string, v1: unknown, v2: unknown): void => {
    if (!isSame(v1, v2)) differences.push({ environment: environment.name, what, v1, v2 })
  }
  const compareFields = (kind: string, key: string, v1: object | undefined, v2: object | undefined): void => {
    if (v1 === undefined || v2 === undefined) {
      const [old, now] = [v1, v2].map((one) => (one === undefined ? 'missing' : 'there'))
      differences.push({ environment: environment.name, what: `${kind} ${key}`, v1: old, v2: now })
      return
    }
    for (const [field, value] of Object.entries(v1))
      differ(`${kind} ${key}, ${field}`, value ?? null, (v2 as Record<string, unknown>)[field] ?? null)
  }
  progress.begin(`objects of ${environment.name}`, users.length + roles.length + assignments.length)
  await forEach(roles, MIGRATE_CALLS_AT_ONCE, async ({ key }) => {
    const old = await api.find(`/v1/roles/${encodeURIComponent(key)}`)
    const now = await api.find(`${schemaOf(environment)}/roles/${encodeURIComponent(key)}`)
    compareFields('role', key, old && v1Role(old), now && v1RoleOf(roleOf(now)))
    progress.step()
  })
  await forEach(users, MIGRATE_CALLS_AT_ONCE, async ({ key }) => {
    const old = await api.find(`/v1/users/${encodeURIComponent(key)}`)
    const now = await api.find(`${factsOf(environment)}/users/${encodeURIComponent(key)}`)
    compareFields('user', key, old && v1User(old), now && userOf(now))
    progress.step()
  })
  const held = new Set(
    (await readContents(api, environment)).assignments.map(({ user, role, tenant }) => `${user}/${role}/${tenant}`),
  )
  for (const { user, role, tenant } of assignments) {
    differ(`${user} is ${role} in ${tenant}`, true, held.has(`${user}/${role}/${tenant}`))
    progress.step()
  }
  progress.end()
  return differences.sort((left, right) => (left.what < right.what ? -1 : 1))
}

interface V1User {
  readonly customId?: string
  readonly firstName?: string | null
  readonly lastName?: string | null
  readonly email?: string | null
  readonly attributes?: Record<string, unknown> | null
}

function v1User({ customId = '', firstName, lastName, email, attributes }: V1User) {
  return userOf({ key: customId, first_name: firstName, last_name: lastName, email, attributes })
}

interface V1Role {
  readonly name: string
  readonly description?: string | null
  readonly attributes?: object | null
  readonly settings?: object | null
  readonly permissions?: readonly { readonly name: string }[]
}

function v1Role({ name, description, attributes, settings, permissions = [] }: V1Role) {
  return {
    key: name,
    description: description ?? null,
    attributes: attributes ?? {},
    settings: settings ?? {},
    permissions: permissions.map((one) => one.name).sort(),
  }
}

/** A role of v2 in the form of the first version. */
function v1RoleOf({ key, description, v1compat_attributes, v1compat_settings, permissions }: Role) {
  const [attributes, settings] = [v1compat_attributes ?? {}, v1compat_settings ?? {}]
  return { key, description, attributes, settings, permissions }
}
