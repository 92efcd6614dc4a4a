// `zerohop migrate move`: copies the foreign objects to where they are used, or (--dry-run) lists what it would write.

import type { Env } from '../../../cli/configuration/env.ts'
import { plural } from '../../../model/counted.ts'
import type { Api } from '../api-client.ts'
import { move, type PlannedMove, planMove } from '../move.ts'
import { MoveRecord } from '../move-record.ts'
import type { CallKind, Conflict, Plan } from '../plan.ts'
import { type Divided, foreignOf } from '../survey.ts'
import { counted, refused, someOf } from '../world.ts'
import { apiOf, oursOf } from './migrate-inputs.ts'
import type { MoveOptions } from './migrate-options.ts'
import { print, printJson, progressOf } from './migrate-terminal.ts'

/**
 * Copies the foreign objects to where they are used. @throws MIGRATION_REFUSED before the first write when an existing
 * object differs
 */
export async function runMove(env: Env, options: MoveOptions): Promise<number> {
  const api = apiOf(env, options)
  const divided = await foreignOf(api, oursOf(options), options.foreign)
  const { to, overwrite = false, dryRun = false, json } = options
  const planned = await planMove(api, { ...divided, to, overwrite })
  requireUse(planned, divided)
  const { plans, unused } = planned
  const conflicts = plans.flatMap((plan) => plan.conflicts)
  const calls = plans.flatMap((plan) => plan.calls)
  if (json) printJson({ dryRun, calls, conflicts, unused })
  requireNoConflict(conflicts, json)
  if (!dryRun) await write(api, plans, divided, options)
  if (json) return 0
  for (const plan of plans) {
    if (dryRun) printPlan(plan)
    else
      printTotals(plan, plan.calls.length === 0 ? 'everything was already there' : counted(plan.calls.length, 'calls'))
  }
  if (unused.length > 0) print(`not moved, because nothing uses it: ${someOf(unused)}`)
  if (plans.length === 0) print('there is nothing to move')
  else print(dryRun ? 'nothing was written' : 'Next: zerohop migrate verify')
  return 0
}

function requireUse({ plans, unused }: PlannedMove, { foreign }: Divided): void {
  if (plans.length > 0 || unused.length === 0) return
  const names = foreign.map(({ name }) => name).join(', ')
  throw refused(
    `no environment of the team shows that it uses anything of ${names}: name the environments that need it with --to`,
  )
}

function requireNoConflict(conflicts: readonly Conflict[], json: boolean | undefined): void {
  if (conflicts.length === 0) return
  for (const { environment, kind, key, foreign, own } of json ? [] : conflicts) {
    print(
      `conflict in ${environment}: ${kind} ${key}\n  to move  ${JSON.stringify(foreign)}\n  is there ${JSON.stringify(own)}`,
    )
  }
  throw refused(
    `${counted(conflicts.length, 'objects')} already ${plural(conflicts.length, 'exists', 'exist')} with other values, and nothing was written: change one side, or add --overwrite`,
  )
}

async function write(api: Api, plans: readonly Plan[], { foreign }: Divided, options: MoveOptions): Promise<void> {
  const record = new MoveRecord(options.record)
  const progress = progressOf(options.json)
  progress.begin(
    'moving',
    plans.reduce((sum, { calls }) => sum + calls.length, 0),
  )
  try {
    await move(api, plans, { foreign, record, now: Date.now(), done: () => progress.step() })
  } finally {
    progress.end()
    record.close()
  }
}

const KINDS: readonly CallKind[] = ['resource', 'action', 'role', 'tenant', 'user', 'assignment']

/** Prints each object that would be written, and the number of each kind. */
function printPlan(plan: Plan): void {
  const { environment, calls } = plan
  for (const { what, before } of calls)
    print(`${environment.name}: ${before === undefined ? 'make' : 'overwrite'} ${what}`)
  const totals = KINDS.map((kind) => [kind, calls.filter((call) => call.kind === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => counted(count, `${kind}s`))
  printTotals(plan, calls.length === 0 ? 'everything is already there' : `to write: ${totals.join(', ')}`)
}

function printTotals({ environment, users, roles, assignments }: Plan, rest: string): void {
  const there = [
    counted(users.length, 'users'),
    counted(roles.length, 'roles'),
    counted(assignments.length, 'assignments'),
  ].join(', ')
  print(`${environment.name}: ${there}; ${rest}`)
}
