// Suggestions for the fields of a set rule.
import { queryOptions } from '@tanstack/react-query'
import type { EnvironmentPath } from '../../api/environments.ts'
import { queryClient } from '../../api/query-client.ts'
import { type Suggestion, suggestActions, suggestResources, suggestRoles } from '../../api/suggestions.ts'
import { setsQuery } from './condition-queries.ts'

const options = (path: EnvironmentPath, of: readonly string[], find: () => Promise<readonly Suggestion[]>) =>
  queryOptions({ queryKey: ['suggestions', path.p, path.e, ...of], queryFn: find })

/** Sets of a type, then the roles or resources that may stand in their place. */
export function suggestSides(path: EnvironmentPath, type: 'userset' | 'resourceset', search: string) {
  return options(path, [type, search], async () => {
    const asked = { type, ...(search === '' ? {} : { search }) }
    const [sets, whole] = await Promise.all([
      queryClient.fetchQuery(setsQuery(path, asked)),
      queryClient.fetchQuery((type === 'userset' ? suggestRoles : suggestResources)(path, search)),
    ])
    const about = type === 'userset' ? 'role' : 'resource'
    return [
      ...sets.data.slice(0, SHOWN).map(({ key }) => ({ key, about: 'set' })),
      ...whole.map(({ key }) => ({ key, about })),
    ]
  })
}
const SHOWN = 8

/** Actions as `resource:action`, of one resource or of the one that is typed. */
export function suggestPermissions(path: EnvironmentPath, resource: string | undefined, search: string) {
  return options(path, ['permissions', resource ?? '', search], async () => {
    const [typed = '', action] = search.split(':')
    const type = resource ?? (action === undefined ? undefined : typed)
    if (type === undefined) {
      const found = await queryClient.fetchQuery(suggestResources(path, typed))
      return found.map(({ key }) => ({ key: `${key}:`, about: undefined }))
    }
    const actions = await queryClient.fetchQuery(suggestActions(path, type, action ?? (resource ? typed : '')))
    return actions.map(({ key, about }) => ({ key: `${type}:${key}`, about }))
  })
}
