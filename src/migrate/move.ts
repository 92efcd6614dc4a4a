// Makes the objects of foreign environments again in those that use them. Everything is compared first: a conflict stops the move before its
// first write. A move may be run again at any time.
import { MIGRATE_CALLS_AT_ONCE } from '../model/limits.ts'
import { type Api, forEach } from './api.ts'
import { type Call, isEmpty, type Plan, planFor, usedBy } from './plan.ts'
import { isListed } from './survey.ts'
import { type Contents, type Environment, readContents, refused } from './world.ts'

export interface MoveOptions {
  readonly foreign: readonly Environment[]
  readonly own: readonly Environment[]
  /** names of the environments that get everything; without one, those that use something are found */
  readonly to: readonly string[]
  readonly overwrite: boolean
}

/** What a move would write, for each environment that gets something. @throws MIGRATION_REFUSED */
export async function planMove(api: Api, { foreign, own, to, overwrite }: MoveOptions): Promise<Plan[]> {
  if (foreign.length === 0) return []
  for (const name of to) {
    if (!own.some((environment) => isListed(environment, [name])))
      throw refused(`\`${name}\` is no environment of the team: name one of ${own.map((one) => one.name).join(', ')}`)
  }
  const theirs = merged(await Promise.all(foreign.map((environment) => readContents(api, environment))))
  if (isEmpty(theirs)) return []
  const plans: Plan[] = []
  for (const environment of own) {
    if (to.length > 0 && !isListed(environment, to)) continue
    const contents = await readContents(api, environment)
    const wanted = to.length > 0 ? theirs : usedBy(theirs, contents)
    if (!isEmpty(wanted)) plans.push(planFor(environment, wanted, contents, overwrite))
  }
  if (plans.length === 0) {
    throw refused(
      `no assignment of the team’s environments names anything of ${foreign.map(({ name }) => name).join(', ')}: name the environments that need it with --to`,
    )
  }
  return plans
}

/** Writes what is planned; `done` hears of each call. What depends on another is written after it. */
export async function move(api: Api, plans: readonly Plan[], done: (call: Call) => void): Promise<void> {
  for (const { calls } of plans) {
    for (const stage of stagesOf(calls)) {
      await forEach(stage, MIGRATE_CALLS_AT_ONCE, async (call) => {
        const { status, body } = await api.call(call.method, call.path, call.body)
        // Somebody else may have made it meanwhile; verify says whether it is what it should be.
        if (status >= 300 && status !== 409) {
          const told = body?.message ?? body?.detail?.[0]?.msg ?? ''
          throw refused(
            `${call.what}: ${call.method} ${call.path} answered ${status}${told === '' ? '' : `, ${told}`}; run the move again when that is mended`,
          )
        }
        done(call)
      })
    }
  }
}

/** Users, and then assignments, many at once; everything before them one after the other. */
function stagesOf(calls: readonly Call[]): Call[][] {
  const isUser = ({ method, path }: Call): boolean => method === 'PUT' && path.includes('/users/')
  const isAssignment = ({ path }: Call): boolean => path.endsWith('/role_assignments')
  const rest = calls.filter((call) => !isUser(call) && !isAssignment(call))
  return [...rest.map((call) => [call]), calls.filter(isUser), calls.filter(isAssignment)]
}

/** Several foreign environments as one; a key of the first one counts. */
function merged(all: readonly Contents[]): Contents {
  const first = <T>(rows: readonly T[], key: (row: T) => string): T[] =>
    [...new Map([...rows].reverse().map((row) => [key(row), row])).values()].reverse()
  return {
    users: first(
      all.flatMap(({ users }) => users),
      ({ key }) => key,
    ),
    roles: first(
      all.flatMap(({ roles }) => roles),
      ({ key }) => key,
    ),
    tenants: first(
      all.flatMap(({ tenants }) => tenants),
      ({ key }) => key,
    ),
    resources: first(
      all.flatMap(({ resources }) => resources),
      ({ key }) => key,
    ),
    assignments: first(
      all.flatMap(({ assignments }) => assignments),
      ({ user, role, tenant }) => `${user}/${role}/${tenant}`,
    ),
  }
}
