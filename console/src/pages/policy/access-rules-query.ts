// The access rules that give something to a role, read whole as the policy is.
import { queryOptions } from '@tanstack/react-query'
import { api, read } from '../../api/client.ts'
import type { EnvironmentPath } from '../../api/environments.ts'
import { type AccessRule, type SetRule, toAccessRule } from './access-rules.ts'

const ROWS = 100
/** Pages of rules: more are not shown. */
const PAGES_MAX = 50

/** The rules that give something to a role. */
export const accessRulesQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: ['access rules of roles', path.p, path.e],
    queryFn: async ({ signal }): Promise<readonly AccessRule[]> => {
      const found: SetRule[] = []
      for (let page = 1; page <= PAGES_MAX; page += 1) {
        const query = { page, per_page: ROWS }
        const rows = await read(api.GET('/v2/facts/{p}/{e}/set_rules', { params: { path, query }, signal }))
        found.push(...rows)
        if (rows.length < ROWS) break
      }
      return found.flatMap(toAccessRule)
    },
  })
