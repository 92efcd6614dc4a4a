// Lists the environments and which of them the team created. An environment that the team did not create is foreign: it
// has the objects that v1 defined outside of environments. Only the team's own list decides; names that v1 is known to
// use are only a hint.
import type { Api } from './api-client.ts'
import { type Environment, type Organization, readContents, readOrganization, refused } from './world.ts'

/** Keys that v1 uses for the environment of its global objects. */
const V1_NAMES = /^v[12](compat)?_global_env$/

export interface Surveyed extends Environment {
  readonly ours: boolean
  /** why it counts as the team's or as foreign */
  readonly reason: string
  readonly holds: Readonly<Record<'users' | 'roles' | 'tenants' | 'resources' | 'assignments', number>>
}

export interface Survey {
  readonly organization: string
  readonly environments: readonly Surveyed[]
  readonly emptyProjects: readonly string[]
  /** those of them that the list does not name */
  readonly strangeProjects: readonly string[]
}

/** The environments of an organization, divided into the team's own and foreign ones. */
export interface Divided {
  readonly foreign: readonly Environment[]
  readonly own: readonly Environment[]
  /** keys of empty projects that the list does not name */
  readonly projects: readonly string[]
}

/**
 * Names of projects and environments that the team made: one on each line, `project` or `project/environment`; `#`
 * begins a comment.
 */
export function readOurs(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
}

export function isListed({ project, projectId, key, id }: Environment, ours: readonly string[]): boolean {
  const names = [project, projectId, `${project}/${key}`, `${project}/${id}`, `${projectId}/${id}`, id]
  return names.some((name) => ours.includes(name))
}

/**
 * Reads the whole organization. `confirm` decides about each environment that the list does not name; without it they
 * are foreign.
 */
export async function survey(
  api: Api,
  ours: readonly string[],
  confirm?: (environment: Environment) => Promise<boolean>,
): Promise<Survey> {
  const organization = await readOrganization(api)
  requireNames(organization, ours)
  const { id, environments, emptyProjects } = organization
  const found: Surveyed[] = []
  for (const environment of environments) {
    const listed = isListed(environment, ours)
    const confirmed = !listed && (await confirm?.(environment)) === true
    const contents = await readContents(api, environment)
    const { users, roles, tenants, resources, assignments } = contents
    found.push({
      ...environment,
      ours: listed || confirmed,
      reason: reasonOf(environment, listed, confirmed),
      holds: {
        users: users.length,
        roles: roles.length,
        tenants: tenants.length,
        resources: resources.length,
        assignments: assignments.length,
      },
    })
  }
  const names = found.filter((one) => one.ours).map(({ project }) => project)
  return {
    organization: id,
    environments: found,
    emptyProjects,
    strangeProjects: strangeProjects(organization, [...ours, ...names]),
  }
}

function reasonOf({ key }: Environment, listed: boolean, confirmed: boolean): string {
  if (listed) return 'listed as created by the team'
  if (confirmed) return 'confirmed'
  return V1_NAMES.test(key)
    ? 'not listed as created by the team; v1 keeps objects outside environments under this key'
    : 'not listed as created by the team'
}

/** Projects without environments that the list does not name, for example left by an interrupted `finish`. */
export function strangeProjects({ emptyProjects }: Organization, ours: readonly string[]): string[] {
  return emptyProjects.filter((project) => !ours.some((name) => name === project || name.startsWith(`${project}/`)))
}

/**
 * A name that does not exist is a typing error, and the intended environment would look foreign. @throws
 * MIGRATION_REFUSED
 */
export function requireNames({ environments, emptyProjects }: Organization, ours: readonly string[]): void {
  for (const name of ours) {
    const isThere = emptyProjects.includes(name) || environments.some((environment) => isListed(environment, [name]))
    if (!isThere) throw refused(`the list names \`${name}\`, which does not exist as a project or environment`)
  }
}

/** The foreign environments: those in `named`, or all that the list does not name. @throws MIGRATION_REFUSED */
export async function foreignOf(api: Api, ours: readonly string[], named: readonly string[]): Promise<Divided> {
  const organization = await readOrganization(api)
  requireNames(organization, ours)
  const { environments } = organization
  if (ours.length === 0 && named.length === 0)
    throw refused(
      'which environments belong to your team? List them in a file and pass it with --ours, or name the foreign one with --foreign',
    )
  for (const name of named) {
    const found = environments.filter((environment) => isListed(environment, [name]))
    if (found.length === 0) throw refused(`there is no environment \`${name}\`: survey lists what there is`)
    if (found.every((environment) => isListed(environment, ours)))
      throw refused(`\`${name}\` is listed as created by the team, so it cannot be foreign`)
  }
  const isForeign = (one: Environment): boolean =>
    named.length > 0 ? isListed(one, named) && !isListed(one, ours) : !isListed(one, ours)
  return {
    foreign: environments.filter(isForeign),
    own: environments.filter((one) => !isForeign(one)),
    projects: named.length > 0 ? [] : strangeProjects(organization, ours),
  }
}
