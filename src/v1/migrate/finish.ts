// Deletes the foreign environments, each only if it has not changed since it was read: its revision is read before its
// contents and sent with the delete. For a service without revisions the delete has none.
import { type Api, failed } from './api-client.ts'
import type { Divided } from './survey.ts'
import { type Environment, readOrganization, refused } from './world.ts'

/** Revisions by name of the environment; null when the service has none. */
export type Revisions = ReadonlyMap<string, string | null>

const pathOf = ({ projectId, id }: Environment): string => `/v2/projects/${projectId}/envs/${id}`

/** Reads the revision of each foreign environment; call it before anything is compared. */
export async function revisionsOf(api: Api, foreign: readonly Environment[]): Promise<Revisions> {
  const found = new Map<string, string | null>()
  for (const environment of foreign) {
    const answer = await api.call('GET', pathOf(environment))
    if (answer.status >= 300) throw failed('GET', pathOf(environment), answer)
    found.set(environment.name, answer.headers.get('x-revision'))
  }
  return found
}

/**
 * Deletes environments first, then empty projects. Returns the names of what was deleted.
 * @throws MIGRATION_REFUSED when an environment changed since its revision was read
 */
export async function deleteAll(api: Api, { foreign, projects }: Divided, revisions: Revisions): Promise<string[]> {
  const deleted: string[] = []
  for (const environment of foreign) {
    await deleteOne(api, environment, revisions.get(environment.name) ?? null)
    deleted.push(environment.name)
  }
  const { emptyProjects } = await readOrganization(api)
  for (const project of new Set([...foreign.map((one) => one.project), ...projects])) {
    if (!emptyProjects.includes(project)) continue
    await api.ask('DELETE', `/v2/projects/${encodeURIComponent(project)}`)
    deleted.push(project)
  }
  return deleted
}

async function deleteOne(api: Api, environment: Environment, revision: string | null): Promise<void> {
  const path = pathOf(environment)
  const answer = await api.call('DELETE', path, undefined, revision === null ? {} : { 'if-match': `"${revision}"` })
  if (answer.status < 300) return
  if (answer.status === 412)
    throw refused(`${environment.name} changed in the meantime and was not deleted: run zerohop migrate verify again`)
  throw failed('DELETE', path, answer)
}
