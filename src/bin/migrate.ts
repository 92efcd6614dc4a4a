// `zerohop migrate …`: the way from v1 to v2 for a person at a terminal, and for a script (--json). What each step means is src/migrate; here it is
// asked, shown and written down. Exit codes: 0 done or nothing to do, 1 a difference, a use of v1 or a condition that is open, 2 anything that
// could not be done.
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Api } from '../migrate/api.ts'
import { type Question, readQuestions } from '../migrate/checks.ts'
import { move, planMove } from '../migrate/move.ts'
import { type ScanReport, scanFolder } from '../migrate/scan/scan.ts'
import { statusOf } from '../migrate/status.ts'
import { type Divided, foreignOf, readOurs, type Survey, survey } from '../migrate/survey.ts'
import { type Pair, type Report, type VerifyOptions as VerifyAsked, verify, whyNot } from '../migrate/verify.ts'
import { counted, readOrganization, refused } from '../migrate/world.ts'
import { ZerohopError } from '../model/errors.ts'
import type { Env } from './env.ts'
import { confirm, print, printDifferences, printJson, progressOf, someOf } from './migrate-terminal.ts'
import { writeOut } from './process.ts'

/** Options of every step that speaks to a management API. */
export interface ApiOptions {
  readonly api?: string
  readonly ours?: string
  readonly json?: boolean
}

export interface ForeignOptions extends ApiOptions {
  readonly foreign: readonly string[]
}

export interface MoveOptions extends ForeignOptions {
  readonly to: readonly string[]
  readonly dryRun?: boolean
  readonly overwrite?: boolean
}

export interface VerifyOptions extends ForeignOptions {
  readonly to: readonly string[]
  readonly pdps: readonly string[]
  readonly checks?: string
  readonly report: string
}

export interface FinishOptions extends ForeignOptions {
  readonly report: string
  readonly yes?: boolean
  readonly dropUnused?: boolean
}

export interface StatusOptions extends ApiOptions {
  readonly pdp: readonly string[]
  readonly checks?: string
  readonly code: readonly string[]
}

/** What there is, and what of it looks foreign. Asks about what no list names, on a terminal. */
export async function runSurvey(env: Env, options: ApiOptions): Promise<number> {
  const api = apiOf(env, options)
  const ours = oursOf(options)
  const asks = process.stdin.isTTY && options.json !== true && options.ours === undefined
  const found = await survey(api, ours, asks ? ({ name }) => confirm(`did your team make ${name}?`) : undefined)
  if (options.json) return printJson(found)
  print(`organization ${found.organization}`)
  for (const { name, ours: own, reason, holds } of found.environments) {
    print(`${own ? 'ours   ' : 'FOREIGN'}  ${name}  (${reason})`)
    print(
      `         ${Object.entries(holds)
        .map(([kind, count]) => counted(count, kind))
        .join(', ')}`,
    )
  }
  for (const project of found.emptyProjects) print(`empty    ${project}`)
  if (asks) {
    print('\nthe list for --ours:')
    for (const { name } of found.environments.filter((one) => one.ours)) print(name)
  }
  print(`\n${nextAfter(found, ours.length > 0 || asks)}`)
  return 0
}

function nextAfter({ environments, strangeProjects }: Survey, isKnown: boolean): string {
  if (!isKnown) return 'which of these did your team make? Name them in a file, one a line, and give it with --ours'
  const foreign = environments.filter((one) => !one.ours)
  if (foreign.length > 0) return `to move: ${foreign.map(({ name }) => name).join(', ')}. Next: zerohop migrate move`
  if (strangeProjects.length > 0)
    return `nothing is left in ${strangeProjects.join(', ')}. Next: zerohop migrate finish`
  return 'everything was made by the team: there is nothing to move'
}

/** Makes the objects again where they are used. */
export async function runMove(env: Env, options: MoveOptions): Promise<number> {
  const api = apiOf(env, options)
  const { foreign, own } = await foreignOf(api, oursOf(options), options.foreign)
  const { to, overwrite = false } = options
  const { plans, unused } = await planMove(api, { foreign, own, to, overwrite })
  if (plans.length === 0 && unused.length > 0) {
    const names = foreign.map(({ name }) => name).join(', ')
    throw refused(
      `no assignment of the team’s environments names anything of ${names}: name the environments that need it with --to`,
    )
  }
  const conflicts = plans.flatMap((plan) => plan.conflicts)
  const calls = plans.flatMap((plan) => plan.calls)
  if (options.json) printJson({ dryRun: options.dryRun ?? false, calls, conflicts, unused })
  if (conflicts.length > 0) {
    for (const { environment, kind, key, foreign, own } of options.json ? [] : conflicts) {
      print(
        `conflict in ${environment}: ${kind} ${key}\n  to move  ${JSON.stringify(foreign)}\n  is there ${JSON.stringify(own)}`,
      )
    }
    throw refused(
      `${conflicts.length} objects are there with other values, and nothing was written: change one side, or give --overwrite`,
    )
  }
  if (options.dryRun) {
    if (!options.json) for (const { method, path, body } of calls) print(`${method} ${path} ${JSON.stringify(body)}`)
    return 0
  }
  const progress = progressOf(options.json)
  progress.begin('moving', calls.length)
  try {
    await move(api, plans, () => progress.step())
  } finally {
    progress.end()
  }
  if (!options.json) {
    for (const { environment, users, roles, assignments, calls: made } of plans) {
      const there = [
        counted(users.length, 'users'),
        counted(roles.length, 'roles'),
        counted(assignments.length, 'assignments'),
      ].join(', ')
      print(
        `${environment.name}: ${there}; ${made.length === 0 ? 'all of it was there' : counted(made.length, 'calls')}`,
      )
    }
    if (unused.length > 0) print(`moved nowhere, because nothing uses it: ${someOf(unused)}`)
    print(plans.length === 0 ? 'there is nothing to move' : 'Next: zerohop migrate verify')
  }
  return 0
}

/** Compares objects and decisions, and writes the report. */
export async function runVerify(env: Env, options: VerifyOptions): Promise<number> {
  const api = apiOf(env, options)
  const divided = await foreignOf(api, oursOf(options), options.foreign)
  const recorded: Question[] = options.checks === undefined ? [] : readQuestions(readText(options.checks))
  const pairs = options.pdps.map(pairOf)
  const { to } = options
  const report = await reportOf(api, { divided, to, pairs, recorded, now: Date.now() }, options)
  if (options.json) printJson(report)
  else {
    printDifferences(report.differences)
    print(
      `${counted(report.objects, 'objects')} and ${counted(report.decisions, 'decisions')} compared, ${counted(report.differences.length, 'differences')}; report: ${options.report}`,
    )
    if (report.unused.length > 0) print(`moved nowhere, because nothing uses it: ${someOf(report.unused)}`)
    if (report.differences.length === 0) print('Next: zerohop migrate finish')
  }
  return report.differences.length === 0 ? 0 : 1
}

/** Verifies, and writes the report. @throws CONFIG_INVALID, before anything is compared, when there is no place for it */
async function reportOf(api: Api, asked: VerifyAsked, { report: path, json }: VerifyOptions): Promise<Report> {
  const place = dirname(path)
  if (!existsSync(place))
    throw new ZerohopError('CONFIG_INVALID', {
      reason: `\`${path}\` cannot be written: there is no folder \`${place}\``,
    })
  const progress = progressOf(json)
  try {
    const report = await verify(api, asked, progress)
    writeOut(path, `${JSON.stringify(report, undefined, 2)}\n`)
    return report
  } finally {
    progress.end()
  }
}

/** Deletes what was moved away from, only after a verify that is fresh and clean. */
export async function runFinish(env: Env, options: FinishOptions): Promise<number> {
  const api = apiOf(env, options)
  const divided = await foreignOf(api, oursOf(options), options.foreign)
  const { foreign, projects } = divided
  if (foreign.length + projects.length === 0) {
    if (options.json) printJson({ deleted: [] })
    else print('there is no foreign environment: nothing is to be deleted')
    return 0
  }
  if (foreign.length > 0) await requireReport(api, options, divided)
  const names = [...foreign.map(({ name }) => name), ...projects.map((key) => `the empty project ${key}`)].join(', ')
  const question = `delete ${names} with everything in it? PDPs that follow it stop getting policy`
  if (options.yes !== true) {
    if (!process.stdin.isTTY) throw refused('there is nobody to ask: give --yes to delete')
    if (!(await confirm(question))) throw refused('nothing was deleted')
  }
  const deleted = await deleteAll(api, divided)
  if (options.json) return printJson({ deleted })
  for (const name of deleted) print(`deleted ${name}`)
  return 0
}

/** Uses of v1 in code. */
export function runScan(path: string, options: { readonly json?: boolean }): number {
  const progress = progressOf(options.json)
  progress.begin('reading files', 0)
  let report: ScanReport
  try {
    report = scanFolder(path, () => progress.step())
  } finally {
    progress.end()
  }
  if (options.json) printJson(report)
  else {
    for (const { file, line, column, kind, found, instead } of report.findings) {
      print(`${file}:${line}:${column}  ${kind}  ${found}\n    instead: ${instead}`)
    }
    for (const file of report.skipped) print(`${file} was not read: it is too large, or no text`)
    if (report.passedOver.length > 0) print(`passed over, as built or of others: ${someOf(report.passedOver)}`)
    print(`${counted(report.findings.length, 'uses')} of v1 in ${counted(report.files, 'files')}`)
  }
  return report.findings.length === 0 ? 0 : 1
}

/** The four conditions, each with its evidence. */
export async function runStatus(env: Env, options: StatusOptions): Promise<number> {
  const conditions = await statusOf(apiOf(env, options), {
    ours: oursOf(options),
    pdps: options.pdp,
    expected: options.checks === undefined ? [] : readQuestions(readText(options.checks)),
    pdpKey: env.pdpApiKey,
    code: options.code,
  })
  const complete = conditions.every(({ holds }) => holds)
  if (options.json) printJson({ complete, conditions })
  else {
    for (const { condition, holds, evidence } of conditions) {
      print(`${holds ? 'yes' : 'NO '}  ${condition}`)
      for (const line of evidence) print(`       ${line}`)
    }
    print(complete ? '\nthe migration is complete' : '\nthe migration is not complete')
  }
  return complete ? 0 : 1
}

/** @throws MIGRATION_REFUSED unless a verify shows that nothing would be lost */
async function requireReport(api: Api, options: FinishOptions, divided: Divided): Promise<void> {
  const report = readReport(options.report)
  const reason = await whyNot(api, report, divided, Date.now())
  if (reason !== undefined)
    throw refused(`the report ${options.report} does not hold, ${reason}: run zerohop migrate verify again`)
  if (report.unused.length > 0 && options.dropUnused !== true) {
    throw refused(
      `${report.unused.length} objects were moved nowhere (${someOf(report.unused)}) and would be lost: move them with --to, or give --drop-unused`,
    )
  }
}

/** Environments first, then projects in which nothing is left. */
async function deleteAll(api: Api, { foreign, projects }: Divided): Promise<string[]> {
  const deleted: string[] = []
  for (const { projectId, id, name } of foreign) {
    await api.ask('DELETE', `/v2/projects/${projectId}/envs/${id}`)
    deleted.push(name)
  }
  const { emptyProjects } = await readOrganization(api)
  for (const project of new Set([...foreign.map((one) => one.project), ...projects])) {
    if (!emptyProjects.includes(project)) continue
    await api.ask('DELETE', `/v2/projects/${encodeURIComponent(project)}`)
    deleted.push(project)
  }
  return deleted
}

function apiOf({ integration, organizationKey }: Env, options: ApiOptions): Api {
  if (organizationKey === undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'ZEROHOP_ORGANIZATION_KEY is not set: it is the API key of the organization',
    })
  return new Api(options.api ?? integration.apiUrl, organizationKey)
}

function oursOf({ ours }: ApiOptions): string[] {
  return ours === undefined ? [] : readOurs(readText(ours))
}

function pairOf(text: string): Pair {
  const [, environment, v1, v2] = /^([^=]+)=([^,]+),(.+)$/.exec(text) ?? []
  if (environment === undefined)
    throw refused(`\`${text}\` names no PDPs: write --pdps project/environment=V1URL,V2URL`)
  return { environment, v1: v1!, v2: v2! }
}

function readReport(path: string): Report {
  if (!existsSync(path)) throw refused(`there is no report ${path}: run zerohop migrate verify first`)
  const isReport = (value: unknown): value is Report => typeof value === 'object' && value !== null && 'format' in value
  try {
    const report: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isReport(report)) return report
  } catch {
    // said below
  }
  throw refused(`${path} is no report of zerohop migrate verify`)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw refused(`\`${path}\` cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
