// `zerohop migrate finish`: deletes the foreign environments when nothing is lost; otherwise prints what would be lost
// and the next step.

import type { Env } from '../../../cli/configuration/env.ts'
import type { Api } from '../api-client.ts'
import { deleteAll, revisionsOf } from '../finish.ts'
import { IMMOVABLE, type Need, type Needs, needsOf } from '../needs.ts'
import { type Report, whyNot } from '../report.ts'
import { type Divided, foreignOf } from '../survey.ts'
import { counted, refused } from '../world.ts'
import { apiOf, oursOf, readReport } from './migrate-inputs.ts'
import { commandOf, type FinishOptions, REPORT } from './migrate-options.ts'
import { confirm, print, printJson, printRows } from './migrate-terminal.ts'

/**
 * Deletes the foreign environments. @throws MIGRATION_REFUSED when an environment of the team still needs something of
 * it
 */
export async function runFinish(env: Env, options: FinishOptions): Promise<number> {
  const api = apiOf(env, options)
  const divided = await foreignOf(api, oursOf(options), options.foreign)
  const { foreign, projects } = divided
  if (foreign.length + projects.length === 0) {
    if (options.json) printJson({ deleted: [] })
    else print('there is no foreign environment: nothing to delete')
    return 0
  }
  const revisions = await revisionsOf(api, foreign)
  await requireNothingLost(api, options, divided)
  if (options.yes !== true) {
    await requireYes(divided)
    // the confirmation may have taken long
    await requireNothingLost(api, options, divided)
  }
  const deleted = await deleteAll(api, divided, revisions)
  if (options.json) return printJson({ deleted })
  for (const name of deleted) print(`deleted ${name}`)
  return 0
}

async function requireYes({ foreign, projects }: Divided): Promise<void> {
  const names = [...foreign.map(({ name }) => name), ...projects.map((key) => `the empty project ${key}`)].join(', ')
  if (!process.stdin.isTTY) throw refused('confirmation needs a terminal: pass --yes to delete')
  if (!(await confirm(`delete ${names} with everything in it? PDPs that follow it will no longer get its policy`)))
    throw refused('nothing was deleted')
}

/**
 * @throws MIGRATION_REFUSED unless a verify shows, for each environment in which something foreign decides, that it has
 * all of it
 */
async function requireNothingLost(api: Api, options: FinishOptions, divided: Divided): Promise<void> {
  if (divided.foreign.length === 0) return
  const dropped = options.dropUnused
  const needs = await needsOf(api, divided, dropped)
  if (!needs.isAnythingLeft) return requireNamed(divided, dropped)
  const report = readReport(options.report)
  const reason = await whyNot(api, report, divided, { now: Date.now(), dropped })
  if (reason !== undefined)
    throw refused(`the report ${options.report} is not valid: ${reason}. Run zerohop migrate verify again`)
  if (needs.missing.length > 0) throw lost(needs, report, divided, options)
  const unverified = needs.deciding.filter((name) => !report.own.includes(name))
  if (unverified.length > 0)
    throw refused(
      `nothing was deleted, because no verify compared the decisions of ${unverified.join(', ')}. Next: ${verifyOf(options, report, unverified)}`,
    )
}

/**
 * An environment without objects cannot be verified, but deleting it ends its keys and PDPs. @throws MIGRATION_REFUSED
 */
function requireNamed({ foreign }: Divided, dropped: readonly string[]): void {
  const unnamed = foreign.filter(({ name }) => !dropped.includes(name)).map(({ name }) => name)
  if (unnamed.length > 0)
    throw refused(
      `nothing is left in ${unnamed.join(', ')} that a verify could compare: to delete it anyway, also name it with --drop-unused`,
    )
}

/** Prints what would be lost, where and why, and the next step. */
function lost({ missing }: Needs, report: Report, { own }: Divided, options: FinishOptions): Error {
  const next = nextAfter(
    missing,
    report,
    own.map(({ name }) => name),
    options,
  )
  if (options.json) printJson({ deleted: [], missing, next })
  else {
    printRows([
      ['environment', 'what', 'why'],
      ...missing.map(({ environment, what, why }) => [environment ?? '-', what, why]),
    ])
    for (const { when, command } of next) print(`${when}:\n  ${command}`)
  }
  return refused(
    `${counted(missing.length, 'objects')} would be lost, and nothing was deleted; next: ${next[0]?.command ?? ''}`,
  )
}

interface Next {
  readonly when: string
  readonly command: string
}

function nextAfter(missing: readonly Need[], report: Report, own: readonly string[], options: FinishOptions): Next[] {
  const movable = missing.filter(({ why }) => why !== IMMOVABLE)
  const named = [...new Set(movable.flatMap(({ environment }) => environment ?? []))]
  const kept = own.filter((name) => !options.dropUnused.includes(name))
  const to = named.length > 0 || movable.length === 0 ? named : kept
  const unmoved = missing.filter(({ environment }) => environment === null).flatMap(({ keys }) => keys[0] ?? [])
  const given = options.report === REPORT ? [] : ['--report', options.report]
  const dropped = [...new Set([...options.dropUnused, ...named, ...unmoved])]
  const drop = {
    when: 'or, if no client of v1 uses it',
    command: commandOf('finish', options, [...given, '--drop-unused', ...dropped]),
  }
  if (to.length === 0) return [drop]
  return [
    { when: 'to move it', command: commandOf('move', options, ['--to', ...to]) },
    { when: 'then', command: verifyOf(options, report, to) },
    drop,
  ]
}

/** The command line of a verify of the report's environments and of further ones. */
function verifyOf(options: FinishOptions, { own, to }: Report, further: readonly string[]): string {
  const pairs = [...new Set([...own, ...further])].map((name) => `${name}=V1URL,V2URL`)
  const given = options.report === REPORT ? [] : ['--report', options.report]
  return commandOf('verify', options, ['--to', ...new Set([...to, ...further]), '--pdps', ...pairs, ...given])
}
