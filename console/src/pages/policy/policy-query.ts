// The policy as the matrix needs it, read whole: pages of lists, several at a time. The revision is asked for first, so
// what was read is of that one or a newer one.
import { queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { allRows } from '../../api/all-rows.ts'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import { permissionAction } from '../resources/role-permissions.ts'
import type { PlannedChange } from './draft.ts'
import { formatPermission, type Policy, type Role, type RoleAbout, type Roles } from './policy.ts'

/** How often it is asked whether somebody else has written meanwhile. */
const WATCH_MS = 15_000

export type Plan = components['schemas']['Plan']

/** The newest revision of the environment with this id. */
export const revisionQuery = (environment: string) =>
  queryOptions({
    queryKey: ['revision', environment],
    queryFn: async ({ signal }) => {
      const params = { query: { env_id: [environment], per_page: 1 } }
      const { data } = await read(api.GET('/v2/history', { params, signal }))
      return data[0]?.revision ?? 0
    },
    refetchInterval: WATCH_MS,
  })

export const policyQuery = (path: EnvironmentPath, environment: string) =>
  queryOptions({
    queryKey: ['policy', environment],
    queryFn: ({ signal, client }) =>
      readPolicy(path, client.fetchQuery({ ...revisionQuery(environment), staleTime: 0 }), signal),
  })

async function readPolicy(path: EnvironmentPath, asked: Promise<number>, signal: AbortSignal): Promise<Policy> {
  const revision = await asked
  const [roles, resources] = await Promise.all([
    allRows<components['schemas']['Role']>((query) =>
      read(api.GET('/v2/schema/{p}/{e}/roles', { params: { path, query }, signal })),
    ),
    allRows<components['schemas']['Resource']>((query) =>
      read(api.GET('/v2/schema/{p}/{e}/resources', { params: { path, query }, signal })),
    ),
  ])
  return {
    revision,
    roles: new Map(
      roles.rows.map(({ key, name, description, permissions, extends: parents, ...others }) => {
        return [key, { key, name, description, ...giving(others), permissions, extends: parents }]
      }),
    ),
    resources: resources.rows.map(({ key, name, actions }) => ({
      key,
      name,
      actions: Object.entries(actions).map(([action, about]) => ({ key: action, name: about.name ?? action })),
    })),
    instanceRoles: listInstanceRoles(resources.rows),
    unread: { roles: roles.unread, resources: resources.unread },
  }
}

type Giving = Omit<RoleAbout, 'name' | 'description'>

/** How a role is given; answers lack what it does not say. */
const giving = (role: Partial<Pick<components['schemas']['Role'], keyof Giving>>): Giving => ({
  default_duration: role.default_duration ?? null,
  max_duration: role.max_duration ?? null,
  everybody: role.everybody ? true : null,
  assignable_by_tenants: role.assignable_by_tenants ? true : null,
  requestable: role.requestable ?? null,
  extendable: role.extendable ? true : null,
})

function listInstanceRoles(resources: readonly components['schemas']['Resource'][]): Roles {
  const named = (resource: string, role: string) => `${resource}#${role}`
  return new Map(
    resources.flatMap(({ key: resource, roles }) =>
      Object.values(roles).map(({ key, description, permissions, extends: parents, ...others }): [string, Role] => {
        const role = {
          key: named(resource, key),
          name: named(resource, key),
          description,
          ...giving(others),
          permissions: permissions.map((each) => formatPermission(resource, permissionAction(each))),
          extends: parents.map((parent) => named(resource, parent)),
        }
        return [role.key, role]
      }),
    ),
  )
}

/** All permissions that there are. */
export function allPermissions({ resources }: Policy): ReadonlySet<string> {
  return new Set(resources.flatMap(({ key, actions }) => actions.map((action) => formatPermission(key, action.key))))
}

/**
 * What the changes would do. The policy is read once more after that: what others had changed when the plan was made is
 * known before anybody can agree to it.
 */
export const planQuery = (path: EnvironmentPath, environment: string, changes: readonly PlannedChange[]) =>
  queryOptions({
    queryKey: ['plan', environment, changes],
    queryFn: async ({ signal, client }) => {
      const body = { changes: [...changes] }
      const plan = await read(api.POST('/v2/projects/{p}/envs/{e}/plan', { params: { path }, body, signal }))
      await client.fetchQuery({ ...policyQuery(path, environment), staleTime: 0 })
      return plan
    },
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
