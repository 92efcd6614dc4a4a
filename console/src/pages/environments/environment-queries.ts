// What the pages about environments ask the API.

import { queryOptions } from '@tanstack/react-query'
import { type components, reasonHeaders, type SentReasons } from 'zerohop/client'
import { foldCase } from 'zerohop/fold-case'
import { api, read } from '../../api/client.ts'
import { type EnvironmentPath, environmentsQuery, nameInAddress, projectsQuery } from '../../api/environments.ts'
import { queryClient } from '../../api/query-client.ts'
import type { Suggestion } from '../../api/suggestions.ts'
import { everythingManaged } from './everything-managed.ts'

export type Environment = Pick<components['schemas']['EnvironmentWithEmail'], ShownField>
type ShownField =
  | 'id'
  | 'key'
  | 'name'
  | 'description'
  | 'project_id'
  | 'created_at'
  | 'require_reason'
  | 'require_approval'
export type Plan = components['schemas']['Plan']
export type CopyTarget = components['schemas']['EnvironmentCopy']['target_env']

/** How much goes with an environment that is deleted. */
export const contentsQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: ['environment contents', path.p, path.e],
    queryFn: ({ signal }) => read(api.GET('/v2/projects/{p}/envs/{e}/stats', { params: { path }, signal })),
    staleTime: 0,
  })

/**
 * Differences from one environment to the other, as a plan that would give the first one the policy of the other: what
 * changes is what differs. Facts are not compared: those of the first one say who would gain and lose.
 */
export const comparisonQuery = (from: EnvironmentPath, to: EnvironmentPath | undefined, at: string | undefined) =>
  queryOptions({
    queryKey: ['comparison', from.p, from.e, to?.p, to?.e, at],
    enabled: to !== undefined,
    queryFn: async ({ signal }): Promise<Plan | 'nothing'> => {
      const query = at === undefined ? {} : { at }
      const exported = api.GET('/v2/projects/{p}/envs/{e}/export', { params: { path: to!, query }, signal })
      const policy = everythingManaged(await read(exported))
      if (policy === undefined) return 'nothing'
      return read(
        api.POST('/v2/projects/{p}/envs/{e}/plan', {
          params: { path: from },
          body: { policy, prune: true },
          signal,
        }),
      )
    },
  })

interface Copying {
  readonly target: CopyTarget
  readonly isOverwriting: boolean
  readonly hasTenantRoles: boolean
}

const copyBody = ({ target, isOverwriting, hasTenantRoles }: Copying) => ({
  target_env: target,
  conflict_strategy: isOverwriting ? ('overwrite' as const) : ('fail' as const),
  ...(hasTenantRoles && { tenant_roles: true }),
})

/** What a copy would do in its target. */
export const copyPlanQuery = (path: EnvironmentPath, copying: Copying | undefined) =>
  queryOptions({
    queryKey: ['copy plan', path.p, path.e, copying],
    enabled: copying !== undefined,
    queryFn: ({ signal }) =>
      read(
        api.POST('/v2/projects/{p}/envs/{e}/copy/plan', {
          params: { path },
          body: copyBody(copying as Copying),
          signal,
        }),
      ),
    staleTime: 0,
  })

/** Copies just what the plan says. @throws ApiError when something else would be copied by now */
export function copy(
  path: EnvironmentPath,
  copying: Copying,
  { fingerprints, policy, access }: Plan,
  notes: SentReasons,
) {
  const body = { ...copyBody(copying), fingerprints, expected: { policy, access } }
  return read(api.POST('/v2/projects/{p}/envs/{e}/copy', { params: { path }, body, headers: reasonHeaders(notes) }))
}

/** Environments whose names have what was typed: of the open project, and after `project/` of that one. */
export const suggestEnvironments = (open: EnvironmentPath, search: string) =>
  queryOptions({
    queryKey: ['suggestions', open.p, open.e, 'environments', search],
    queryFn: async (): Promise<readonly Suggestion[]> => {
      const [project, rest] = search.split(/\/(.*)/s)
      if (rest !== undefined) {
        const found = await queryClient.fetchQuery(environmentsQuery(project ?? ''))
        return found.filter(matches(rest)).map((each) => suggested(each, `${project}/`))
      }
      const [here, projects] = await Promise.all([
        queryClient.fetchQuery(environmentsQuery(open.p)),
        queryClient.fetchQuery(projectsQuery),
      ])
      const others = projects.filter(({ key, id }) => key !== open.p && id !== open.p)
      return [
        ...here.filter(matches(search)).map((each) => suggested(each, '')),
        ...others.filter(matches(search)).map((each) => ({ key: `${nameInAddress(each)}/`, about: 'project' })),
      ].slice(0, SUGGESTED_MAX)
    },
  })

const SUGGESTED_MAX = 20

interface Named {
  readonly id: string
  readonly key: string
  readonly name: string
}

/** Whether the key or the name has the text in it, in any letter case. */
export const matches = (text: string) => {
  const wanted = foldCase(text.trim())
  return ({ key, name }: Named): boolean => foldCase(`${key} ${name}`).includes(wanted)
}

const suggested = (each: Named, prefix: string): Suggestion => ({
  key: `${prefix}${nameInAddress(each)}`,
  about: each.name === each.key ? undefined : each.name,
})
