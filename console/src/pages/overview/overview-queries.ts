// What the page Overview asks the API: how many objects there are, and what happened lately.
import { queryOptions } from '@tanstack/react-query'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'

/** Days of the bars, today included. */
const DAYS = 7
/** Hours of the bars of decisions. */
export const HOURS = 24
const HOUR_MS = 60 * 60 * 1000

interface Counted {
  readonly total_count: number
}

/** What was asked for with its number is a page. */
const readTotal = (answer: Counted | readonly unknown[]): number => ('total_count' in answer ? answer.total_count : 0)

/** How many objects of each kind the environment has. */
export const sizesQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: ['sizes', path.p, path.e],
    queryFn: async ({ signal }) => {
      const one = { path, query: { per_page: 1 } }
      const counted = { path, query: { per_page: 1, include_total_count: true } }
      const [resources, roles, users, tenants, instances] = await Promise.all([
        read(api.GET('/v2/schema/{p}/{e}/resources', { params: counted, signal })),
        read(api.GET('/v2/schema/{p}/{e}/roles', { params: counted, signal })),
        read(api.GET('/v2/facts/{p}/{e}/users', { params: one, signal })),
        read(api.GET('/v2/facts/{p}/{e}/tenants', { params: counted, signal })),
        read(api.GET('/v2/facts/{p}/{e}/resource_instances', { params: counted, signal })),
      ])
      return {
        resources: readTotal(resources),
        roles: readTotal(roles),
        users: readTotal(users),
        tenants: readTotal(tenants),
        instances: readTotal(instances),
      }
    },
  })

export type Sizes = Awaited<ReturnType<NonNullable<ReturnType<typeof sizesQuery>['queryFn']>>>

/** Roles with how many users have them. */
export const roleUsersQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: ['role-users', path.p, path.e],
    queryFn: ({ signal }) =>
      read(api.GET('/v2/projects/{p}/envs/{e}/access/counts', { params: { path, query: { by: 'role' } }, signal })),
  })

export interface HourOfDecisions {
  /** its beginning, milliseconds since 1970 */
  readonly time: number
  readonly allowed: number
  readonly denied: number
}

/** Decisions of the last day, by the hour; hours without any are there, too. */
export const decisionCountsQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: ['decision-counts', path.p, path.e],
    queryFn: async ({ signal }) => {
      const first = Math.floor(Date.now() / HOUR_MS - HOURS + 1) * HOUR_MS
      const query = { by: 'hour' as const, timestamp_from: first / 1000 }
      const { data } = await read(api.GET('/v2/pdps/{p}/{e}/audit_logs/counts', { params: { path, query }, signal }))
      const counted = new Map(data.map((each) => [Date.parse(each.time), each]))
      return Array.from({ length: HOURS }, (_, at): HourOfDecisions => {
        const time = first + at * HOUR_MS
        const { allowed = 0, denied = 0 } = counted.get(time) ?? {}
        return { time, allowed, denied }
      })
    },
  })

export interface DayOfRevisions {
  /** its beginning, milliseconds since 1970 */
  readonly time: number
  readonly revisions: number
}

/** Revisions of the last days, by the day of the reader. */
export const revisionDaysQuery = (environment: string) =>
  queryOptions({
    queryKey: ['history', environment, 'days'],
    queryFn: ({ signal }) => {
      const now = new Date()
      const midnight = (later: number): number =>
        new Date(now.getFullYear(), now.getMonth(), now.getDate() + later).getTime()
      return Promise.all(
        Array.from({ length: DAYS }, async (_, at): Promise<DayOfRevisions> => {
          const time = midnight(at - DAYS + 1)
          const within = { timestamp_from: time / 1000, timestamp_until: midnight(at - DAYS + 2) / 1000 - 1 }
          const query = { env_id: [environment], changed: true, per_page: 1, ...within }
          const { total_count } = await read(api.GET('/v2/history', { params: { query }, signal }))
          return { time, revisions: total_count }
        }),
      )
    },
  })
