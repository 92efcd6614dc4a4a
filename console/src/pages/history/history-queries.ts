// What the pages of the history ask the API.
import { queryOptions } from '@tanstack/react-query'
import { type components, reasonHeaders, type SentReasons } from 'zerohop/client'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import { type HistorySearch, toHistoryQuery } from './history-search.ts'
import { makeRevertBody, type RevertSearch } from './revert-search.ts'

export type HistoryEvent = components['schemas']['Event']
export type Revision = components['schemas']['Revision']
export type RevertPlan = components['schemas']['RevertPlan']

export const historyQuery = (environment: string, search: HistorySearch) =>
  queryOptions({
    queryKey: ['history', environment, search],
    queryFn: ({ signal }) =>
      read(api.GET('/v2/history', { params: { query: toHistoryQuery(environment, search) }, signal })),
  })

/** What a revision changed; with `access` also who gained and lost access, which takes longer. */
export const revisionQuery = (path: EnvironmentPath, revision: string, access: boolean) =>
  queryOptions({
    queryKey: ['revision', path.p, path.e, revision, access],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v2/projects/{p}/envs/{e}/revisions/{revision}', {
          params: { path: { ...path, revision }, query: { access } },
          signal,
        }),
      ),
  })

/** What reverting would do now. */
export const revertPlanQuery = (path: EnvironmentPath, revision: Revision | undefined, search: RevertSearch) =>
  queryOptions({
    queryKey: ['revert-plan', path.p, path.e, revision?.revision, search],
    queryFn: ({ signal }) =>
      read(
        api.POST('/v2/projects/{p}/envs/{e}/revisions/{revision}/revert/plan', {
          params: { path: { ...path, revision: String(revision!.revision) } },
          body: makeRevertBody(revision!.changes, search),
          signal,
        }),
      ),
    staleTime: 0,
  })

/** Does what a plan shows, or nothing. @throws ApiError when something is in the way, or has changed since */
export function revert(
  path: EnvironmentPath,
  revision: Revision,
  search: RevertSearch,
  plan: RevertPlan,
  notes: SentReasons,
) {
  const { fingerprints, policy, access } = plan
  return read(
    api.POST('/v2/projects/{p}/envs/{e}/revisions/{revision}/revert', {
      params: { path: { ...path, revision: String(revision.revision) } },
      body: { ...makeRevertBody(revision.changes, search), fingerprints, expected: { policy, access } },
      headers: reasonHeaders(notes),
    }),
  )
}
