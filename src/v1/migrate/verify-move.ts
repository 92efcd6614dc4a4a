// Verifies a move: every object field by field, and every decision of a PDP of v1 with a PDP of v2. Everything that is
// named is compared or refused: otherwise a verify that compared nothing would let `finish` delete.
import { MIGRATE_QUESTIONS_MAX } from '../../model/limits.ts'
import type { Api } from './api-client.ts'
import { AskedPdp, compare, type Difference, type Question, versionOf } from './checks.ts'
import { compareObjects } from './compare-objects.ts'
import { notOwn, planMove } from './move.ts'
import type { Plan } from './plan.ts'
import type { Progress } from './progress.ts'
import { digests, FORMAT, type Report } from './report.ts'
import type { Divided } from './survey.ts'
import { refused } from './world.ts'

/** Two PDPs of one environment; it may have several pairs. */
export interface Pair {
  readonly environment: string
  readonly v1: string
  readonly v2: string
}

export interface VerifyOptions {
  readonly divided: Divided
  readonly to: readonly string[]
  readonly pairs: readonly Pair[]
  /** sent to each pair in addition to the moved users × permissions × tenants */
  readonly recorded: readonly Question[]
  readonly now: number
}

/**
 * Compares the environments of `to` (with all foreign objects) and those of the pairs (with what they use); without
 * `to`, each environment that uses something.
 * @throws MIGRATION_REFUSED when an environment has no pair, there are no checks for a pair, a PDP does not decide, or
 * nothing was compared
 */
export async function verify(api: Api, options: VerifyOptions, progress: Progress): Promise<Report> {
  const { divided, to, pairs, now } = options
  for (const { environment } of pairs) {
    if (!divided.own.some(({ name }) => name === environment)) throw notOwn(environment, divided.own)
  }
  // read before anything is compared, so that changes during the comparison are detected
  const foreign = await digests(api, divided.foreign)
  const also = pairs.map(({ environment }) => environment)
  const { plans, unused } = await planMove(api, { ...divided, to, also, overwrite: true })
  // preconditions are checked first, because comparing may take long
  const asked: Asked[] = []
  for (const plan of plans) asked.push(await askedFor(api, plan, options))
  const objects = sum(plans.map(({ users, roles, assignments }) => users.length + roles.length + assignments.length))
  const decisions = sum(asked.map(({ questions, sides }) => questions.length * sides.length))
  if (objects + decisions === 0) throw nothing(divided)
  let differences: Difference[] = []
  for (const one of asked) {
    differences = differences.concat(await compareObjects(api, one.plan, progress), await askPairs(one, progress))
  }
  const own = plans.map(({ environment }) => environment.name)
  return { format: FORMAT, at: now, api: api.url, foreign, own, to, objects, decisions, differences, unused }
}

function nothing({ foreign }: Divided): Error {
  if (foreign.length === 0) return refused('there is no foreign environment: nothing was compared')
  const names = foreign.map(({ name }) => name).join(', ')
  return refused(
    `nothing was compared: no environment of the team has anything of ${names}. Move first: zerohop migrate move`,
  )
}

interface Asked {
  readonly plan: Plan
  readonly sides: readonly { readonly v1: AskedPdp; readonly v2: AskedPdp }[]
  readonly questions: readonly Question[]
}

/** The PDPs and checks of an environment. Every PDP must answer a first check. @throws MIGRATION_REFUSED */
async function askedFor(api: Api, plan: Plan, { pairs, recorded }: VerifyOptions): Promise<Asked> {
  const { name, projectId, id } = plan.environment
  const named = pairs.filter(({ environment }) => environment === name)
  if (named.length === 0) throw refused(`no PDPs of ${name} are named: --pdps ${name}=V1URL,V2URL`)
  const questions = [...questionsOf(plan), ...recorded]
  if (questions.length === 0)
    throw refused(
      `there is nothing to ask the PDPs of ${name}: no user with a permission was moved there. Move it with --to ${name}, or give recorded checks with --checks`,
    )
  if (questions.length > MIGRATE_QUESTIONS_MAX)
    throw refused(
      `${questions.length} checks are more than ${MIGRATE_QUESTIONS_MAX}: move fewer users at a time with --to`,
    )
  const { secret } = (await api.ask('GET', `/v2/api-key/${projectId}/${id}`)) ?? {}
  if (typeof secret !== 'string' || secret === '')
    throw refused(`this key is not allowed to read the key of ${name}, which its PDPs require`)
  const sides: Asked['sides'][number][] = []
  for (const pair of named) {
    await requireVersions(pair)
    const side = { v1: new AskedPdp(pair.v1, secret, 1, api.hear), v2: new AskedPdp(pair.v2, secret, 2, api.hear) }
    await compare(name, side.v1, side.v2, questions.slice(0, 1), () => undefined)
    sides.push(side)
  }
  return { plan, sides, questions }
}

/** A PDP of v1 may answer v2 checks too, and would then be compared with itself. @throws MIGRATION_REFUSED */
async function requireVersions({ v1, v2 }: Pair): Promise<void> {
  const [old, now] = [await versionOf(v1), await versionOf(v2)]
  if ((old.apiVersion ?? 1) > 1) throw refused(`${v1} is a PDP of v2, but it was passed as the PDP of v1`)
  if (now.apiVersion === 1) throw refused(`${v2} is a PDP of v1, but it was passed as the PDP of v2`)
}

/** The checks that a pair answers differently, pair by pair. */
async function askPairs({ plan, sides, questions }: Asked, progress: Progress): Promise<Difference[]> {
  const { name } = plan.environment
  const found: Difference[] = []
  for (const { v1, v2 } of sides) {
    progress.begin(`decisions of ${name}`, questions.length)
    for (const one of await compare(name, v1, v2, questions, () => progress.step())) found.push(one)
    progress.end()
  }
  return found
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)

/** Every moved user with every permission, in each tenant in which a moved user has a role. */
function questionsOf({ users, roles, assignments }: Plan): Question[] {
  const permissions = [...new Set(roles.flatMap((role) => role.permissions))].sort()
  const tenants = [...new Set(['default', ...assignments.map(({ tenant }) => tenant)])].sort()
  return users.flatMap(({ key: user }) =>
    tenants.flatMap((tenant) =>
      permissions.map((permission): Question => {
        const at = permission.indexOf(':')
        return { user, action: permission.slice(at + 1), resource: permission.slice(0, at), tenant }
      }),
    ),
  )
}
