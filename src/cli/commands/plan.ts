// `zerohop plan` and `zerohop apply`: what policy files would do to an environment, and doing it. The server decides
// both; a plan that is written to a file is bound to the objects that it touches, so it may be applied later.
import { existsSync, readFileSync } from 'node:fs'
import type { Problem } from '../../management/policy-file/problem.ts'
import type { FoundSources } from '../../management/policy-file/read-files.ts'
import { readPolicy } from '../../management/policy-file/read-policy.ts'
import { BODY } from '../../management/rules/fields.ts'
import type { ApplyRequest, Plan } from '../../management/schemas/plan.ts'
import type { PolicyFile } from '../../management/schemas/policy-file.ts'
import { changesAccess, countsText, formatChangeCounts } from '../../model/change-words.ts'
import { instantIn } from '../../model/durations.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Env } from '../configuration/env.ts'
import { writeOut } from '../process/process.ts'
import { askToConfirm } from '../terminal/confirm.ts'
import { printOptions, printProblems } from '../terminal/print-problems.ts'
import { withProgress } from '../terminal/progress.ts'
import { DONE, planCode, REFUSED, type Refusal, refusalToAsk } from './agreement.ts'
import type { ReasonOptions } from './management-api.ts'
import { planMarkdown } from './plan-markdown.ts'
import { type PlanTarget, resolveTarget, type TargetOptions } from './plan-target.ts'
import { planText, upcomingText } from './plan-text.ts'
import { NO_FILES, Refusals } from './policy-refusals.ts'
import { findPolicy } from './policy-sources.ts'

interface Planned extends TargetOptions {
  readonly prune?: boolean
  readonly cascade?: boolean
  readonly json?: boolean
  readonly details?: boolean
}
export interface PlanOptions extends Planned, ReasonOptions {
  readonly propose?: boolean
  readonly out?: string
  readonly markdown?: boolean
  readonly names?: boolean
  readonly at?: string
}
export interface UpcomingOptions extends TargetOptions {
  readonly at?: string
  readonly json?: boolean
  readonly details?: boolean
}
export interface ApplyOptions extends Planned, ReasonOptions {
  readonly yes?: boolean
  readonly force?: boolean
}

/** A plan in a file, with what applies it. */
interface PlanFile {
  readonly zerohop_plan: 1
  readonly target: string
  /** of the environment: replicas have several addresses */
  readonly environment: string
  readonly request: Request
  readonly plan: Plan
}
interface Request {
  readonly policy: PolicyFile
  readonly prune?: boolean
  readonly cascade?: boolean
}

/** Prints the plan, and returns the exit code. */
export async function plan(env: Env, files: readonly string[], options: PlanOptions): Promise<number> {
  const sent = await readRequest(env, files, options)
  if (sent === undefined) return REFUSED
  const { request, refusals } = sent
  const target = await resolveTarget(env, options)
  const at = options.at === undefined ? {} : { at: instantIn(options.at, Date.now()) }
  const made = await refusals.shown(withProgress('planning', () => target.plan({ ...request, ...at })))
  if (made === undefined) return REFUSED
  if (options.out !== undefined) {
    const file: PlanFile = { zerohop_plan: 1, target: target.name, environment: target.id, request, plan: made }
    writeOut(options.out, `${JSON.stringify(file, null, 2)}\n`)
  }
  process.stdout.write(renderPlan(made, target, options))
  if (options.propose && made.changes.length > 0) {
    const { id } = await (await import('./proposals.ts')).propose(env, request, options)
    process.stderr.write(`zerohop: proposed as ${id}: someone else applies it, zerohop proposals apply ${id}\n`)
  }
  return planCode(made, made.changes.length === 0)
}

/** How far `upcoming` looks. */
const UPCOMING = '30d'

/** Prints what time does by itself, and returns the exit code: as of a plan. */
export async function upcoming(env: Env, options: UpcomingOptions): Promise<number> {
  const { at = UPCOMING, json = false, details = false } = options
  const target = await resolveTarget(env, options)
  const made = await withProgress('comparing', () => target.plan({ at: instantIn(at, Date.now()) }))
  const { colour } = printOptions(process.stdout)
  const text = `${target.name}, from now to ${made.at}\n\n${upcomingText(made, { colour, details })}`
  process.stdout.write(json ? `${JSON.stringify(made, null, 2)}\n` : text)
  return planCode(made, made.turns?.length === 0 && !changesAccess(made))
}

function renderPlan(
  made: Plan,
  target: PlanTarget,
  { json, markdown, names = false, details = false }: PlanOptions,
): string {
  if (json) return `${JSON.stringify(made, null, 2)}\n`
  return markdown ? planMarkdown(made, target.name, { names }) : formatPlan(made, target, details)
}

function formatPlan(made: Plan, target: PlanTarget, details: boolean): string {
  const { colour } = printOptions(process.stdout)
  return `Plan for ${target.name}, revision ${made.revision}\n\n${planText(made, { colour, details })}`
}

interface Sent {
  readonly request: Request
  readonly refusals: Refusals
}

/**
 * The policy of the files; undefined when something is wrong with it, which is printed. Files that are not whole by
 * themselves may refer to what the environment has, unless pruning would delete that: then it is asked.
 */
async function readRequest(env: Env, files: readonly string[], options: Planned): Promise<Sent | undefined> {
  const { prune, cascade } = options
  const found = findPolicy(files, process.cwd())
  const here = readPolicy(found.sources)
  const { placeOf } = here
  const isWrong = listErrors([...found.problems, ...here.problems]).length > 0
  const there =
    isWrong && !prune && listErrors(found.problems).length === 0 ? await checkedThere(env, found, options) : here
  const errors = listErrors([...found.problems, ...there.problems])
  if (errors.length > 0 || there.policy === null) {
    process.stderr.write(printProblems(errors, found.sources, printOptions(process.stderr)))
    return undefined
  }
  const { policy } = there
  const request = { policy, ...(prune ? { prune } : {}), ...(cascade ? { cascade } : {}) }
  return { request, refusals: new Refusals(found.sources, () => placeOf, [...BODY, 'policy']) }
}

const listErrors = <T extends Pick<Problem, 'severity'>>(problems: readonly T[]): T[] =>
  problems.filter(({ severity }) => severity === 'error')

async function checkedThere(env: Env, { sources }: FoundSources, options: TargetOptions) {
  const target = await resolveTarget(env, options)
  return withProgress('reading the files', () => target.check(sources)) as Promise<{
    readonly policy: PolicyFile | null
    readonly problems: readonly Problem[]
  }>
}

/** Applies files or a plan, and returns the exit code. */
export async function apply(env: Env, files: readonly string[], options: ApplyOptions): Promise<number> {
  const { yes = false, json = false, force, details = false } = options
  const saved = findPlanFile(files)
  const sent =
    saved === undefined ? await readRequest(env, files, options) : { request: saved.request, refusals: NO_FILES }
  if (sent === undefined) return REFUSED
  const { request, refusals } = sent
  const target = await resolveTarget(env, options)
  if (saved !== undefined && saved.environment !== target.id) {
    const reason = `the plan is for ${saved.target}, not for ${target.name}`
    throw new ZerohopError('CONFIG_INVALID', { reason })
  }
  const agreed = saved?.plan ?? (await refusals.shown(withProgress('planning', () => target.plan(request))))
  if (agreed === undefined) return REFUSED
  if (!json) process.stdout.write(formatPlan(agreed, target, details))
  const refusal = agreed.changes.length === 0 ? undefined : findRefusal(agreed, request, yes)
  if (refusal !== undefined) {
    process.stderr.write(`zerohop: ${refusal.reason}\n`)
    return refusal.code
  }
  if (agreed.changes.length > 0 && !yes && !(await askToConfirm(`Apply this to ${target.name}?`))) return REFUSED
  const body: ApplyRequest = {
    ...request,
    fingerprints: agreed.fingerprints,
    expected: { policy: agreed.policy, access: agreed.access },
    ...(force ? { force } : {}),
  }
  const applied = await refusals.shown(withProgress('applying', () => target.apply(body)))
  if (applied === undefined) return REFUSED
  if (json) process.stdout.write(`${JSON.stringify(applied, null, 2)}\n`)
  else process.stdout.write(`Applied (${formatChangeCounts(applied)}): revision ${applied.revision}\n`)
  return DONE
}

/** Why a plan is not applied, before anyone is asked. */
function findRefusal(agreed: Plan, request: Request, yes: boolean): Refusal | undefined {
  if (agreed.cascade.length > 0 && !request.cascade) {
    const what = countsText(agreed.cascade)
    return { reason: `this would also delete ${what}, which the policy does not manage: add --cascade`, code: REFUSED }
  }
  return refusalToAsk(agreed, yes, { does: 'applies', again: 'apply it' })
}

/** The plan in the only file that is named; undefined when it is a policy. */
function findPlanFile(files: readonly string[]): PlanFile | undefined {
  const [file] = files
  if (file === undefined || files.length > 1 || !file.endsWith('.json') || !existsSync(file)) return undefined
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined // as a policy it says where it is wrong
  }
  const { zerohop_plan: version } = (content ?? {}) as Partial<PlanFile>
  if (version === undefined) return undefined
  if (version !== 1) throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` is a plan of another version` })
  return content as PlanFile
}
