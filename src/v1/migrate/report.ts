// The report of `verify`: what was compared, with digests of the contents, so that `finish` can detect changes since.
import { VERIFY_FRESH_MS } from '../../model/limits.ts'
import type { Api } from './api-client.ts'
import type { Difference } from './checks.ts'
import { planMove } from './move.ts'
import type { Divided } from './survey.ts'
import { counted, digestOf, type Environment, readContents } from './world.ts'

/** The format of the report: raise it when its meaning changes. */
export const FORMAT = 3

export interface Report {
  readonly format: typeof FORMAT
  /** epoch ms */
  readonly at: number
  readonly api: string
  /** digests of the contents, by `project/environment` */
  readonly foreign: Readonly<Record<string, string>>
  /** the environments that were compared, and those that should have everything */
  readonly own: readonly string[]
  readonly to: readonly string[]
  readonly objects: number
  readonly decisions: number
  readonly differences: readonly Difference[]
  /** roles, users and assignments of the foreign environments that no environment of the team has */
  readonly unused: readonly string[]
}

/** One digest for each environment, by name. */
export async function digests(api: Api, environments: readonly Environment[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const environment of environments) found[environment.name] = digestOf(await readContents(api, environment))
  return found
}

/**
 * Why the report does not allow the delete; undefined when it does.
 * @param dropped names of environments that are dropped
 */
export async function whyNot(
  api: Api,
  report: Report,
  divided: Divided,
  { now, dropped }: { readonly now: number; readonly dropped: readonly string[] },
): Promise<string | undefined> {
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
  return changedSince(api, report, divided, dropped)
}

/** An environment that was compared and no longer has what was moved to it. */
async function changedSince(
  api: Api,
  { own, to }: Report,
  divided: Divided,
  dropped: readonly string[],
): Promise<string | undefined> {
  const { plans } = await planMove(api, { ...divided, to, also: own, overwrite: true })
  for (const { environment, calls } of plans) {
    if (!own.includes(environment.name) || dropped.includes(environment.name)) continue
    // names and texts of objects that are only moved along do not affect decisions
    const lacking = calls.find(({ kind, before }) => before === undefined || kind === 'role' || kind === 'user')
    if (lacking !== undefined) return `${environment.name} changed since (${lacking.what})`
  }
  return undefined
}
