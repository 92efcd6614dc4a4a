// The environment of the address, and the projects and environments that the key reaches.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { components } from 'zerohop/client'
import { api, read } from './client.ts'

export type Project = Pick<components['schemas']['Project'], 'id' | 'key' | 'name'>

/** Rows of a page of the API: the most that it answers. */
const ROWS = 100
/** Pages that are read for a list which is shown whole. */
const PAGES_MAX = 10

/** Parameters of a path of the API: project and environment, by key or id. */
export interface EnvironmentPath {
  readonly p: string
  readonly e: string
}

/** The environment of the address, as parameters of a path of the API. */
export function useEnvironmentPath(): EnvironmentPath {
  const { project = '', environment = '' } = useParams({ strict: false })
  return { p: project, e: environment }
}

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => allPages((query) => read(api.GET('/v2/projects', { params: { query }, signal }))),
})

export const environmentsQuery = (p: string) =>
  queryOptions({
    queryKey: ['projects', p, 'environments'],
    queryFn: ({ signal }) =>
      allPages((query) => read(api.GET('/v2/projects/{p}/envs', { params: { path: { p }, query }, signal }))),
  })

const environmentQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: ['environment', path.p, path.e],
    queryFn: ({ signal }) => read(api.GET('/v2/projects/{p}/envs/{e}', { params: { path }, signal })),
  })

/** The environment of the address. */
export function useEnvironment() {
  return useQuery(environmentQuery(useEnvironmentPath()))
}

/**
 * The rows of all pages, of at most ten: enough for lists that people choose from.
 * @public
 */
export async function allPages<T>(
  readPage: (query: { readonly page: number; readonly per_page: number }) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const rows: T[] = []
  for (let page = 1; page <= PAGES_MAX; page++) {
    const more = await readPage({ page, per_page: ROWS })
    rows.push(...more)
    if (more.length < ROWS) break
  }
  return rows
}

/** What no project can be called in an address: `/console/api` and `/console/assets` are something else. */
const RESERVED = new Set(['api', 'assets', 'sign-in'])

/** How a project or an environment is named in an address: by its key where that is possible. */
export function nameInAddress({ key, id }: { readonly key: string; readonly id: string }): string {
  return RESERVED.has(key) || key === '.' || key === '..' ? id : key
}
