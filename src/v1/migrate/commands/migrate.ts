// `zerohop migrate …`: the migration from v1 to v2 at a terminal or in a script (--json). src/v1/migrate implements the
// steps; here are their prompts and output. Exit codes: 0 done or nothing to do, 1 a difference, a use of v1 or an open
// condition, 2 a step could not run.

import type { Env } from '../../../cli/configuration/env.ts'
import { readQuestions } from '../checks.ts'
import { type ScanReport, scanFolder } from '../scan/scan.ts'
import { isWhole, notSearched } from '../scan-summary.ts'
import { statusOf } from '../status.ts'
import { type Survey, survey } from '../survey.ts'
import { counted } from '../world.ts'
import { apiOf, oursOf, readText } from './migrate-inputs.ts'
import type { ApiOptions, ScanCommandOptions, StatusOptions } from './migrate-options.ts'
import { confirm, print, printJson, progressOf } from './migrate-terminal.ts'

export { runFinish } from './migrate-finish.ts'
export { runMove } from './migrate-move.ts'
export { runUndo } from './migrate-undo.ts'
export { runVerify } from './migrate-verify.ts'

/** Prints what exists and which of it looks foreign. On a terminal it asks about environments that no list names. */
export async function runSurvey(env: Env, options: ApiOptions): Promise<number> {
  const api = apiOf(env, options)
  const ours = oursOf(options)
  const asks = process.stdin.isTTY && options.json !== true && options.ours === undefined
  const found = await survey(api, ours, asks ? ({ name }) => confirm(`did your team create ${name}?`) : undefined)
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
  if (!isKnown) return 'which of these did your team create? List them in a file, one per line, and pass it with --ours'
  const foreign = environments.filter((one) => !one.ours)
  if (foreign.length > 0) return `to move: ${foreign.map(({ name }) => name).join(', ')}. Next: zerohop migrate move`
  if (strangeProjects.length > 0)
    return `nothing is left in ${strangeProjects.join(', ')}. Next: zerohop migrate finish`
  return 'the team created everything: there is nothing to move'
}

/** Finds uses of v1 in code. */
export function runScan(path: string, { json, ignore, host }: ScanCommandOptions): number {
  const progress = progressOf(json)
  progress.begin('reading files', 0)
  let report: ScanReport
  try {
    report = scanFolder(path, { ignore, hosts: host, progress: () => progress.step() })
  } finally {
    progress.end()
  }
  if (json) printJson(report)
  else {
    for (const { file, line, column, kind, found, instead } of report.findings) {
      print(`${file}:${line}:${column}  ${kind}  ${found}\n    instead: ${instead}`)
    }
    for (const words of notSearched(report)) print(words)
    print(`${counted(report.findings.length, 'uses')} of v1 in ${counted(report.files, 'files')}`)
  }
  return report.findings.length === 0 && isWhole(report) ? 0 : 1
}

/** Prints the four conditions, each with its evidence. */
export async function runStatus(env: Env, options: StatusOptions): Promise<number> {
  const conditions = await statusOf(apiOf(env, options), {
    ours: oursOf(options),
    pdps: options.pdp,
    expected: options.checks === undefined ? [] : readQuestions(readText(options.checks)),
    pdpKey: env.pdpApiKey,
    code: options.code,
    ignore: options.ignore,
    hosts: options.host,
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
