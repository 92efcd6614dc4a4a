// Shows that what was moved is the same: every object field by field, v1 answer against v2 read-back, and every decision, PDP of v1 against PDP of
// v2. The report names what it saw by digests, so that `finish` can tell whether anything changed since.

import { MIGRATE_CALLS_AT_ONCE, MIGRATE_QUESTIONS_MAX, VERIFY_FRESH_MS } from '../model/limits.ts'
import { type Api, forEach } from './api.ts'
import { AskedPdp, compare, type Difference, type Question, versionOf } from './checks.ts'
import { planMove } from './move.ts'
import type { Plan } from './plan.ts'
import type { Divided } from './survey.ts'
import {
  counted,
  digestOf,
  type Environment,
  factsOf,
  isSame,
  type Role,
  readContents,
  refused,
  roleOf,
  schemaOf,
  userOf,
} from './world.ts'

/** Of the report: raise it when its meaning changes. */
const FORMAT = 2

/** The two PDPs of one environment. */
export interface Pair {
  readonly environment: string
  readonly v1: string
  readonly v2: string
}

export interface Report {
  readonly format: typeof FORMAT
  /** epoch ms */
  readonly at: number
  readonly api: string
  /** digests of the contents, by `project/environment` */
  readonly foreign: Readonly<Record<string, string>>
  /** the environments that got something, and those that were to get all of it */
  readonly own: readonly string[]
  readonly to: readonly string[]
  readonly objects: number
  readonly decisions: number
  readonly differences: readonly Difference[]
  /** roles and users of the foreign environments that no environment of the team got */
  readonly unused: readonly string[]
}

export interface VerifyOptions {
  readonly divided: Divided
  readonly to: readonly string[]
  readonly pairs: readonly Pair[]
  /** asked besides users × permissions × tenants of what was moved */
  readonly recorded: readonly Question[]
  readonly now: number
}

export interface Progress {
  begin(what: string, total: number): void
  step(): void
  end(): void
}

/** @throws MIGRATION_REFUSED when an environment that got something has no pair of PDPs, or one of them does not decide */
export async function verify(api: Api, options: VerifyOptions, progress: Progress): Promise<Report> {
  const { divided, to, now } = options
  // before anything is compared: what changes meanwhile differs from this
  const foreign = await digests(api, divided.foreign)
  const { plans, unused } = await planMove(api, { ...divided, to, overwrite: true })
  // what would stop it late is looked at first: comparing may take long
  const asked: Asked[] = []
  for (const plan of plans) asked.push(await askedFor(api, plan, options))
  let differences: Difference[] = []
  for (const { plan, v1, v2, questions } of asked) {
    const { name } = plan.environment
    const inObjects = await compareObjects(api, plan, progress)
    progress.begin(`decisions of ${name}`, questions.length)
    const inDecisions = await compare(name, v1, v2, questions, () => progress.step())
    progress.end()
    differences = differences.concat(inObjects, inDecisions)
  }
  return {
    format: FORMAT,
    at: now,
    api: api.url,
    foreign,
    own: plans.map(({ environment }) => environment.name),
    to,
    objects: sum(plans.map(({ users, roles, assignments }) => users.length + roles.length + assignments.length)),
    decisions: sum(asked.map(({ questions }) => questions.length)),
    differences,
    unused,
  }
}

interface Asked {
  readonly plan: Plan
  readonly v1: AskedPdp
  readonly v2: AskedPdp
  readonly questions: readonly Question[]
}

/** Whom to ask what about an environment. Both PDPs answer a first question. @throws MIGRATION_REFUSED */
async function askedFor(api: Api, plan: Plan, { pairs, recorded }: VerifyOptions): Promise<Asked> {
  const { name, projectId, id } = plan.environment
  const pair = pairs.find((one) => one.environment === name)
  if (pair === undefined) throw refused(`no PDPs of ${name} are named: --pdps ${name}=V1URL,V2URL`)
  const questions = [...questionsOf(plan), ...recorded]
  if (questions.length > MIGRATE_QUESTIONS_MAX)
    throw refused(
      `${questions.length} checks are more than ${MIGRATE_QUESTIONS_MAX}: move fewer users at a time with --to`,
    )
  const { secret } = (await api.ask('GET', `/v2/api-key/${projectId}/${id}`)) ?? {}
  if (typeof secret !== 'string' || secret === '')
    throw refused(`this key may not read the key of ${name}, which its PDPs ask for`)
  // a PDP of v1 may take questions of v2 as well, and would be compared with itself
  const [old, now] = [await versionOf(pair.v1), await versionOf(pair.v2)]
  if ((old.apiVersion ?? 1) > 1) throw refused(`${pair.v1} is a PDP of v2, but it was named as the one of v1`)
  if (now.apiVersion === 1) throw refused(`${pair.v2} is a PDP of v1, but it was named as the one of v2`)
  const [v1, v2] = [new AskedPdp(pair.v1, secret, 1), new AskedPdp(pair.v2, secret, 2)]
  await compare(name, v1, v2, questions.slice(0, 1), () => undefined)
  return { plan, v1, v2, questions }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)

async function digests(api: Api, environments: readonly Environment[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const environment of environments) found[environment.name] = digestOf(await readContents(api, environment))
  return found
}

/** Why the report does not allow to delete; undefined when it does. */
export async function whyNot(api: Api, report: Report, divided: Divided, now: number): Promise<string | undefined> {
  const { foreign } = divided
  if (report.format !== FORMAT) return 'it was written by another version'
  if (report.api !== api.url) return `it is about ${report.api}`
  if (report.differences.length > 0) return `it has ${counted(report.differences.length, 'differences')}`
  if (!(now - report.at <= VERIFY_FRESH_MS && now >= report.at))
    return `it is older than ${VERIFY_FRESH_MS / 60_000} minutes`
  const names = Object.keys(report.foreign)
  for (const { name } of foreign) if (!names.includes(name)) return `it is not about ${name}`
  for (const [name, digest] of Object.entries(await digests(api, foreign))) {
    if (report.foreign[name] !== digest) return `${name} changed since`
  }
  return changedSince(api, report, divided)
}

/** An environment of the team that no longer holds what it got, or that uses something since. */
async function changedSince(api: Api, { own, to }: Report, divided: Divided): Promise<string | undefined> {
  const { plans } = await planMove(api, { ...divided, to, overwrite: true })
  for (const { environment, calls } of plans) {
    if (!own.includes(environment.name)) return `${environment.name} uses something of it since`
    if (calls[0] !== undefined) return `${environment.name} changed since (${calls[0].what})`
  }
  return undefined
}

/** Every user with every permission, in each tenant where somebody who was moved holds a role. */
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

/** v1 answers against v2 read-backs. */
async function compareObjects(
  api: Api,
  { environment, users, roles, assignments }: Plan,
  progress: Progress,
): Promise<Difference[]> {
  const differences: Difference[] = []
  const differ = (what: string, v1: unknown, v2: unknown): void => {
    if (!isSame(v1, v2)) differences.push({ environment: environment.name, what, v1, v2 })
  }
  const compareFields = (kind: string, key: string, v1: object | undefined, v2: object | undefined): void => {
    if (v1 === undefined || v2 === undefined) {
      const [old, now] = [v1, v2].map((one) => (one === undefined ? 'missing' : 'there'))
      differences.push({ environment: environment.name, what: `${kind} ${key}`, v1: old, v2: now })
      return
    }
    for (const [field, value] of Object.entries(v1))
      differ(`${kind} ${key}, ${field}`, value ?? null, (v2 as Record<string, unknown>)[field] ?? null)
  }
  progress.begin(`objects of ${environment.name}`, users.length + roles.length + assignments.length)
  await forEach(roles, MIGRATE_CALLS_AT_ONCE, async ({ key }) => {
    const old = await api.find(`/v1/roles/${encodeURIComponent(key)}`)
    const now = await api.find(`${schemaOf(environment)}/roles/${encodeURIComponent(key)}`)
    compareFields('role', key, old && v1Role(old), now && v1RoleOf(roleOf(now)))
    progress.step()
  })
  await forEach(users, MIGRATE_CALLS_AT_ONCE, async ({ key }) => {
    const old = await api.find(`/v1/users/${encodeURIComponent(key)}`)
    const now = await api.find(`${factsOf(environment)}/users/${encodeURIComponent(key)}`)
    compareFields('user', key, old && v1User(old), now && userOf(now))
    progress.step()
  })
  const held = new Set(
    (await readContents(api, environment)).assignments.map(({ user, role, tenant }) => `${user}/${role}/${tenant}`),
  )
  for (const { user, role, tenant } of assignments) {
    differ(`${user} is ${role} in ${tenant}`, true, held.has(`${user}/${role}/${tenant}`))
    progress.step()
  }
  progress.end()
  return differences.sort((left, right) => (left.what < right.what ? -1 : 1))
}

interface V1User {
  readonly customId?: string
  readonly firstName?: string | null
  readonly lastName?: string | null
  readonly email?: string | null
  readonly attributes?: Record<string, unknown> | null
}

function v1User({ customId = '', firstName, lastName, email, attributes }: V1User) {
  return userOf({ key: customId, first_name: firstName, last_name: lastName, email, attributes })
}

interface V1Role {
  readonly name: string
  readonly description?: string | null
  readonly attributes?: object | null
  readonly settings?: object | null
  readonly permissions?: readonly { readonly name: string }[]
}

function v1Role({ name, description, attributes, settings, permissions = [] }: V1Role) {
  return {
    key: name,
    description: description ?? null,
    attributes: attributes ?? {},
    settings: settings ?? {},
    permissions: permissions.map((one) => one.name).sort(),
  }
}

/** A role of v2 as the first version prints it. */
function v1RoleOf({ key, description, v1compat_attributes, v1compat_settings, permissions }: Role) {
  const [attributes, settings] = [v1compat_attributes ?? {}, v1compat_settings ?? {}]
  return { key, description, attributes, settings, permissions }
}
