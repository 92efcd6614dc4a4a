// Copies the objects of foreign environments to those that use them. Everything is compared first: a conflict stops the
// move before its first write. A move can be run again at any time.
import { isDotSegment } from '../../model/keys.ts'
import { MIGRATE_CALLS_AT_ONCE } from '../../model/limits.ts'
import { type Api, forEach, toldBy } from './api-client.ts'
import type { MoveRecord } from './move-record.ts'
import { type Call, type Plan, planFor } from './plan.ts'
import { isListed } from './survey.ts'
import { isEmpty, usedBy } from './uses.ts'
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
  /** names of the environments that get everything; when empty, the environments that use something are found */
  readonly to: readonly string[]
  /** names of further environments to plan for, with what they use, even when that is nothing */
  readonly also?: readonly string[]
  readonly overwrite: boolean
}

export interface PlannedMove {
  /** one for each environment that gets something, and one for each of `also` */
  readonly plans: readonly Plan[]
  /** roles, users and assignments that no environment has or gets */
  readonly unused: readonly string[]
}

/** Plans a move. @throws MIGRATION_REFUSED */
export async function planMove(api: Api, options: MoveOptions): Promise<PlannedMove> {
  const { foreign, own, to, also = [], overwrite } = options
  for (const name of to) {
    if (!own.some((environment) => isListed(environment, [name]))) throw notOwn(name, own)
  }
  const theirs = await readTogether(api, foreign)
  const plans: Plan[] = []
  const contained: Contents[] = []
  for (const environment of own) {
    const isAlso = also.includes(environment.name)
    if (isEmpty(theirs) && !isAlso) continue
    const contents = await readContents(api, environment)
    contained.push(contents)
    const isNamed = isListed(environment, to)
    if (to.length > 0 && !isNamed && !isAlso) continue
    const wanted = isNamed ? theirs : usedBy(theirs, contents)
    if (!isEmpty(wanted) || isAlso) plans.push(planFor(environment, wanted, contents, overwrite))
  }
  requireAddressable(plans)
  return { plans, unused: nowhere(theirs, [...contained, ...plans]).map(({ what }) => what) }
}

export function notOwn(name: string, own: readonly Environment[]): Error {
  return refused(
    `\`${name}\` is not an environment of the team: choose one of ${own.map((one) => one.name).join(', ')}`,
  )
}

type MovedObjects = Pick<Contents, 'roles' | 'users' | 'assignments'>

/** Foreign objects, each with the keys by which it can be named, that none of `own` has. */
export function nowhere(
  theirs: MovedObjects,
  own: readonly MovedObjects[],
): { readonly what: string; readonly keys: string[] }[] {
  const roles = new Set(own.flatMap((one) => one.roles.map(({ key }) => key)))
  const users = new Set(own.flatMap((one) => one.users.map(({ key }) => key)))
  const assignments = new Set(own.flatMap((one) => one.assignments.map(assignmentKey)))
  return [
    ...theirs.roles.filter(({ key }) => !roles.has(key)).map(({ key }) => ({ what: `role ${key}`, keys: [key] })),
    ...theirs.users.filter(({ key }) => !users.has(key)).map(({ key }) => ({ what: `user ${key}`, keys: [key] })),
    ...theirs.assignments
      .filter((one) => !assignments.has(assignmentKey(one)))
      .map((one) => ({ what: wordsOf(one), keys: [one.user, one.role] })),
  ]
}

/** A user whose key cannot appear in a URL cannot be copied. @throws MIGRATION_REFUSED with its key */
function requireAddressable(plans: readonly Plan[]): void {
  for (const { key } of plans.flatMap(({ users }) => users)) {
    if (isDotSegment(key))
      throw refused(
        `user \`${key}\` cannot be moved, because its key cannot be part of a URL: delete the user by its id, then run the move again`,
      )
  }
}

const wordsOf = ({ user, role, tenant }: Assignment): string => `${user} is ${role} in ${tenant}`

export interface MoveRun {
  readonly foreign: readonly Environment[]
  readonly record: MoveRecord
  readonly now: number
  /** called after each call */
  readonly done: (call: Call) => void
}

/** Executes the plan and records what it writes. Objects are written after those that they depend on. */
export async function move(api: Api, plans: readonly Plan[], { foreign, record, now, done }: MoveRun): Promise<void> {
  for (const plan of plans) {
    if (plan.calls.length === 0) continue
    record.begin(api.url, foreign, plan, now)
    for (const stage of stagesOf(plan.calls)) {
      await forEach(stage, MIGRATE_CALLS_AT_ONCE, async ({ call, at }) => {
        const answer = await api.call(call.method, call.path, call.body)
        record.answered(at, answer)
        const { status } = answer
        // 409: it was created by somebody else meanwhile; verify shows whether it is equal.
        if (status >= 300 && status !== 409) {
          throw refused(
            `${call.what}: ${call.method} ${call.path} answered ${status}${toldBy(answer)}; fix that and run the move again`,
          )
        }
        done(call)
      })
    }
    record.sync()
  }
}

interface Placed {
  readonly call: Call
  readonly at: number
}

/** Writes users, and then assignments, several at a time; everything before them one by one. */
function stagesOf(calls: readonly Call[]): Placed[][] {
  const all = calls.map((call, at) => ({ call, at }))
  const of = (kind: Call['kind']): Placed[] => all.filter(({ call }) => call.kind === kind)
  const rest = all.filter(({ call }) => call.kind !== 'user' && call.kind !== 'assignment')
  return [...rest.map((one) => [one]), of('user'), of('assignment')]
}

/** Merges several foreign environments. @throws MIGRATION_REFUSED when a role or user differs between them */
export async function readTogether(api: Api, foreign: readonly Environment[]): Promise<Contents> {
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
    immovable: all.flatMap((one) => one.immovable),
  }
}

function firstOfEach<T extends { readonly key: string }>(rows: readonly T[]): Map<string, T> {
  const found = new Map<string, T>()
  for (const row of rows) if (!found.has(row.key)) found.set(row.key, row)
  return found
}
