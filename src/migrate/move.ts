// Makes the objects of foreign environments again in those that use them. Everything is compared first: a conflict stops the move before its
// first write. A move may be run again at any time.
import { MIGRATE_CALLS_AT_ONCE } from '../model/limits.ts'
import { type Api, forEach, toldBy } from './api.ts'
import { type Call, isEmpty, type Plan, planFor, usedBy } from './plan.ts'
import { isListed } from './survey.ts'
import {
  type Assignment,
  assignmentKey,
  type Contents,
  type Environment,
  isSame,
  readContents,
  refused,
} from './world.ts'

export interface MoveOptions {
  readonly foreign: readonly Environment[]
  readonly own: readonly Environment[]
  /** names of the environments that get everything; without one, those that use something are found */
  readonly to: readonly string[]
  readonly overwrite: boolean
}

export interface PlannedMove {
  /** one for each environment that gets something */
  readonly plans: readonly Plan[]
  /** what no environment gets, because nothing uses it: roles, users, and assignments that none of the environments holds */
  readonly unused: readonly string[]
}

/** What a move would write. @throws MIGRATION_REFUSED */
export async function planMove(api: Api, { foreign, own, to, overwrite }: MoveOptions): Promise<PlannedMove> {
  if (foreign.length === 0) return { plans: [], unused: [] }
  for (const name of to) {
    if (!own.some((environment) => isListed(environment, [name])))
      throw refused(`\`${name}\` is no environment of the team: name one of ${own.map((one) => one.name).join(', ')}`)
  }
  const theirs = await readTogether(api, foreign)
  const plans: Plan[] = []
  const held = new Set<string>()
  for (const environment of isEmpty(theirs) ? [] : own) {
    if (to.length > 0 && !isListed(environment, to)) continue
    const contents = await readContents(api, environment)
    for (const assignment of contents.assignments) held.add(assignmentKey(assignment))
    const wanted = to.length > 0 ? theirs : usedBy(theirs, contents)
    if (!isEmpty(wanted)) plans.push(planFor(environment, wanted, contents, overwrite))
  }
  const roles = new Set(plans.flatMap((plan) => plan.roles.map(({ key }) => key)))
  const users = new Set(plans.flatMap((plan) => plan.users.map(({ key }) => key)))
  for (const assignment of plans.flatMap((plan) => plan.assignments)) held.add(assignmentKey(assignment))
  const unused = [
    ...theirs.roles.filter(({ key }) => !roles.has(key)).map(({ key }) => `role ${key}`),
    ...theirs.users.filter(({ key }) => !users.has(key)).map(({ key }) => `user ${key}`),
    ...theirs.assignments.filter((one) => !held.has(assignmentKey(one))).map(wordsOf),
  ]
  return { plans, unused }
}

const wordsOf = ({ user, role, tenant }: Assignment): string => `${user} is ${role} in ${tenant}`

/** Writes what is planned; `done` hears of each call. What depends on another is written after it. */
export async function move(api: Api, plans: readonly Plan[], done: (call: Call) => void): Promise<void> {
  for (const { calls } of plans) {
    for (const stage of stagesOf(calls)) {
      await forEach(stage, MIGRATE_CALLS_AT_ONCE, async (call) => {
        const answer = await api.call(call.method, call.path, call.body)
        const { status } = answer
        // Somebody else may have made it meanwhile; verify says whether it is what it should be.
        if (status >= 300 && status !== 409) {
          throw refused(
            `${call.what}: ${call.method} ${call.path} answered ${status}${toldBy(answer)}; run the move again when that is mended`,
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

/** Several foreign environments as one. @throws MIGRATION_REFUSED when a role or user differs between them */
async function readTogether(api: Api, foreign: readonly Environment[]): Promise<Contents> {
  const all: Contents[] = []
  for (const environment of foreign) all.push(await readContents(api, environment))
  const users = firstOfEach(all.flatMap((one) => one.users))
  const roles = firstOfEach(all.flatMap((one) => one.roles))
  for (const contents of all) {
    const other =
      contents.users.find((user) => !isSame(user, users.get(user.key))) ??
      contents.roles.find((role) => !isSame(role, roles.get(role.key)))
    if (other !== undefined) {
      const names = foreign.map(({ name }) => name).join(' and ')
      throw refused(`\`${other.key}\` differs between ${names}: move one of them at a time, with --foreign`)
    }
  }
  const assignments = new Map(all.flatMap((one) => one.assignments).map((row) => [assignmentKey(row), row]))
  return {
    users: [...users.values()],
    roles: [...roles.values()],
    tenants: [...firstOfEach(all.flatMap((one) => one.tenants)).values()],
    resources: [...firstOfEach(all.flatMap((one) => one.resources)).values()],
    assignments: [...assignments.values()],
  }
}

function firstOfEach<T extends { readonly key: string }>(rows: readonly T[]): Map<string, T> {
  const found = new Map<string, T>()
  for (const row of rows) if (!found.has(row.key)) found.set(row.key, row)
  return found
}
