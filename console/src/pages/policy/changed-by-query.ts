// Who changed which role after a revision: from the newest revisions that can have changed the policy, a few of them.
import { queryOptions } from '@tanstack/react-query'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'

/** Revisions that are looked into. */
const REVISIONS_MAX = 10
/** What a request has in its path that can change roles. */
const PATHS = ['/v2/schema/', '/apply', '/revert']

/** By key of the role: a sentence such as `by console in revision 42`. */
export const changedByQuery = (path: EnvironmentPath, environment: string, since: number) =>
  queryOptions({
    queryKey: ['changed-by', environment, since],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const query = { env_id: [environment], path: PATHS, per_page: REVISIONS_MAX }
      const { data } = await read(api.GET('/v2/history', { params: { query }, signal }))
      const revisions = data.filter(({ revision }) => revision > since)
      const details = await Promise.all(
        revisions.map(({ revision }) => {
          const params = { path: { ...path, revision: String(revision) } }
          return read(api.GET('/v2/projects/{p}/envs/{e}/revisions/{revision}', { params, signal }))
        }),
      )
      const found = new Map<string, string>()
      for (const [index, { changes }] of details.entries()) {
        const { revision, actor_display_name: who } = revisions[index]!
        const text = `by ${who ?? 'an API key'} in revision ${revision}`
        for (const { kind, key } of changes) if (kind === 'role' && !found.has(key)) found.set(key, text)
      }
      return found
    },
  })
