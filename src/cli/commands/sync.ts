// `zerohop sync plan` and `zerohop sync apply`: what the rows of a source would change in an environment, and writing it.
import { existsSync, readFileSync } from 'node:fs'
import { counted } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { plain } from '../../model/plain-text.ts'
import { findRefusals } from '../../sync/guards.ts'
import { countItems, type DifferencePlan, planDifferences } from '../../sync/make-plan.ts'
import { findPlanChange, makeSyncPlanFile, type SyncPlanFile } from '../../sync/plan-file.ts'
import { type Review, reviewPlan } from '../../sync/review.ts'
import { SyncServer } from '../../sync/server.ts'
import { type Written, writePlan } from '../../sync/write-plan.ts'
import type { Env } from '../configuration/env.ts'
import { writeOut } from '../process/process.ts'
import { WRONG_USAGE } from '../terminal/command-line.ts'
import { askToConfirm } from '../terminal/confirm.ts'
import { printOptions } from '../terminal/print-problems.ts'
import { sayOnStderr } from '../terminal/print-warnings.ts'
import { startCounter, withProgress } from '../terminal/progress.ts'
import { DONE, REFUSED } from './agreement.ts'
import { apiEnvironment } from './ask-api.ts'
import { type ApiOptions, type ReasonOptions, toReasons } from './management-api.ts'
import { type FoundRows, SYNC_FILE, withRows } from './sync-rows.ts'
import { findSourceId, makeRandomId } from './sync-source-id.ts'
import { formatReview, formatWritten } from './sync-text.ts'

interface SyncOptions extends ApiOptions, ReasonOptions {
  readonly allowDeletes?: number
  readonly details?: boolean
  readonly json?: boolean
}
export interface SyncPlanOptions extends SyncOptions {
  readonly out?: string
}
export interface SyncApplyOptions extends SyncOptions {
  readonly plan?: string
  readonly takeOver?: boolean
  readonly yes?: boolean
  readonly force?: boolean
  /** ends it before it writes, or after the slice that is being written */
  readonly signal?: AbortSignal
  /** called before it writes */
  readonly onWrite?: () => void
}

/** A run as it was planned. */
interface PlannedRun {
  readonly found: FoundRows
  readonly server: SyncServer
  readonly plan: DifferencePlan
  readonly review: Review
  /** why it is not applied */
  readonly refusals: readonly string[]
}

async function withRun<T>(
  env: Env,
  name: string | undefined,
  options: SyncOptions,
  use: (run: PlannedRun) => Promise<T>,
): Promise<T | undefined> {
  return withRows(name, async (found) => {
    const { file, temporary } = found
    // all revisions of a run have one reason in history
    const reasons = toReasons({
      reason: `sync ${file.owner}, rows ${found.digest.slice(0, 12)}`,
      ...toReasons(options),
    })
    const api = await apiEnvironment(env, { ...options, ...reasons })
    const server = new SyncServer({ ...api, name: file.owner, say: sayOnStderr })
    const plan = await withProgress('comparing', () => planDifferences(file, found, server, temporary))
    const review = await withProgress('planning', () => reviewPlan(plan, server))
    const refusals = findRefusals(file, plan.sections, review.removed, options.allowDeletes)
    return use({ found, server, plan, review, refusals })
  })
}

/** Prints the plan. Returns the exit code: as of `zerohop plan`. */
export async function planSync(env: Env, name: string | undefined, options: SyncPlanOptions): Promise<number> {
  const code = await withRun(env, name, options, async (run) => {
    if (options.out !== undefined) writeOut(options.out, `${JSON.stringify(makePlanFile(run), null, 2)}\n`)
    process.stdout.write(options.json ? `${JSON.stringify(toJson(run), null, 2)}\n` : formatRun(run, options))
    for (const refusal of run.refusals) process.stderr.write(`zerohop: apply would refuse it: ${plain(refusal)}\n`)
    if (countItems(run.plan) === 0) return DONE
    return run.review.complete ? CHANGES : NOT_COUNTED
  })
  return code ?? REFUSED
}

const CHANGES = 2
const NOT_COUNTED = 3

const formatRun = ({ found, server, plan, review }: PlannedRun, { details = false }: SyncOptions): string => {
  const { colour } = printOptions(process.stdout)
  return `Sync ${plain(found.file.owner)} of ${plain(server.place)}, revision ${plan.revision}\n\n${formatReview(plan, review, { colour, details })}`
}

const toJson = ({ found, server, plan, review, refusals }: PlannedRun) => ({
  ...makePlanFile({ found, server, plan, review }),
  sections: plan.sections,
  complete: review.complete,
  ...(review.access ?? { groups: review.groups, more_groups: plan.groups.count - review.groups.length }),
  removed: Object.fromEntries(review.removed),
  problems: review.problems,
  refusals,
})

const makePlanFile = ({ found, server, plan, review }: Omit<PlannedRun, 'refusals'>): SyncPlanFile =>
  makeSyncPlanFile(found.file.owner, server.place, plan, review)

/** Writes it. Returns the exit code: 1 when it was refused, or when rows were. */
export async function applySync(env: Env, name: string | undefined, options: SyncApplyOptions): Promise<number> {
  const saved = options.plan === undefined ? undefined : readPlanFile(options.plan)
  const code = await withRun(env, name, options, async (run) => {
    if (!options.json) process.stdout.write(formatRun(run, options))
    const isStale = saved !== undefined && findPlanChange(saved, makePlanFile(run))
    if (isStale) return refuse(`${isStale} since the plan was made: this is the plan now, and nothing was written`)
    for (const refusal of run.refusals) process.stderr.write(`zerohop: ${plain(refusal)}\n`)
    if (run.refusals.length > 0) return refuse('nothing was written')
    if (countItems(run.plan) === 0) {
      if (options.json)
        process.stdout.write(`${JSON.stringify({ revision: run.plan.revision, counts: {} }, null, 2)}\n`)
      return DONE
    }
    return (await mayWrite(run, options, saved !== undefined)) ?? write(run, name ?? SYNC_FILE, options)
  })
  return code ?? REFUSED
}

function refuse(reason: string): number {
  process.stderr.write(`zerohop: ${reason}\n`)
  return REFUSED
}

/** Asks. An exit code when it is not written. */
async function mayWrite(
  { review, server }: PlannedRun,
  { yes = false, force = false }: SyncApplyOptions,
  isPlanned: boolean,
): Promise<number | undefined> {
  const isAgreed = yes || isPlanned
  if (isAgreed && !review.complete && !force && !isPlanned)
    return refuse('--yes writes nothing whose effect on access could not be counted: add --force, or apply a plan')
  if (isAgreed) return undefined
  if (process.stdin.isTTY !== true) {
    refuse('cannot ask, because standard input is not a terminal: --yes applies')
    return WRONG_USAGE
  }
  return (await askToConfirm(`Write this to ${server.place}?`)) ? undefined : REFUSED
}

async function write(run: PlannedRun, path: string, options: SyncApplyOptions): Promise<number> {
  const { found, server, plan } = run
  if (options.signal?.aborted) return refuse('it was ended before it wrote anything')
  options.onWrite?.()
  const counter = startCounter('written', countItems(plan))
  let written: Written
  try {
    written = await writePlan(plan, server, {
      source: findSourceId(path, found.file),
      run: makeRandomId(),
      takesOver: options.takeOver ?? false,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      onSlice: (items) => counter.add(items),
    })
  } finally {
    counter.end()
  }
  process.stdout.write(options.json ? `${JSON.stringify(written, null, 2)}\n` : formatWritten(written))
  const refused = written.problems.filter(({ op }) => op === 'put').length
  if (refused > 0) return refuse(`${counted(refused, 'row')} of those listed could not be written`)
  return DONE
}

/** @throws CONFIG_INVALID */
function readPlanFile(path: string): SyncPlanFile {
  const invalid = (reason: string) => new ZerohopError('CONFIG_INVALID', { reason: `\`${path}\` ${reason}` })
  if (!existsSync(path)) throw invalid('does not exist')
  let content: Partial<SyncPlanFile> | null
  try {
    content = JSON.parse(readFileSync(path, 'utf8')) as Partial<SyncPlanFile> | null
  } catch {
    throw invalid('is not JSON')
  }
  if (content?.zerohop_sync_plan !== 1) throw invalid('is not a plan of a sync')
  return content as SyncPlanFile
}
