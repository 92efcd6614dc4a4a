// The PDPs that follow the environment. They change without anybody writing, so they are read again now and then.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { components } from 'zerohop/client'
import { api, read } from './client.ts'
import type { EnvironmentPath } from './environments.ts'
import { PAGE_ROWS } from './page-of.ts'

export type Pdp = components['schemas']['Pdp']

const AGAIN_MS = 10_000
/** PDPs that are shown where there is a page with all of them. */
const FIRST = 5

const readPdps = (
  path: EnvironmentPath,
  query: { page?: number; per_page: number; connected?: boolean; stale?: boolean },
  signal: AbortSignal,
) => read(api.GET('/v2/pdps/{p}/{e}', { params: { path, query }, signal }))

/** A page of them, stale ones first. */
export const pdpsQuery = (path: EnvironmentPath, page: number) =>
  queryOptions({
    queryKey: ['pdps', path.p, path.e, page],
    queryFn: ({ signal }) => readPdps(path, { page, per_page: PAGE_ROWS }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
  })

/** The first of them, how many are connected, and those whose answers may be old. */
export const pdpSummaryQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: ['pdps', path.p, path.e],
    queryFn: async ({ signal }) => {
      const [all, connected, stale] = await Promise.all([
        readPdps(path, { per_page: FIRST }, signal),
        readPdps(path, { per_page: 1, connected: true }, signal),
        readPdps(path, { per_page: FIRST, stale: true }, signal),
      ])
      return { all, connected: connected.total_count, stale }
    },
    refetchInterval: AGAIN_MS,
  })

export const nameOfPdp = ({ name }: Pick<Pdp, 'name'>): string => name ?? 'unknown PDP'
