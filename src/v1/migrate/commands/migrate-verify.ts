// `zerohop migrate verify`: compares, prints the differences and writes the report that `finish` requires.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Env } from '../../../cli/configuration/env.ts'
import { writeOut } from '../../../cli/process/process.ts'
import { ZerohopError } from '../../../model/errors.ts'
import type { Api } from '../api-client.ts'
import { type Question, readQuestions } from '../checks.ts'
import type { Report } from '../report.ts'
import { foreignOf } from '../survey.ts'
import { type Pair, type VerifyOptions as VerifyAsked, verify } from '../verify-move.ts'
import { counted, refused, someOf } from '../world.ts'
import { apiOf, oursOf, readText } from './migrate-inputs.ts'
import type { VerifyOptions } from './migrate-options.ts'
import { print, printDifferences, printJson, progressOf } from './migrate-terminal.ts'

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
    if (report.unused.length > 0) print(`not moved, because nothing uses it: ${someOf(report.unused)}`)
    if (report.differences.length === 0) print('Next: zerohop migrate finish')
  }
  return report.differences.length === 0 ? 0 : 1
}

/**
 * Verifies, and writes the report. @throws CONFIG_INVALID, before anything is compared, when the report cannot be
 * written
 */
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

function pairOf(text: string): Pair {
  const [, environment, v1, v2] = /^([^=]+)=([^,]+),(.+)$/.exec(text) ?? []
  if (environment === undefined)
    throw refused(`\`${text}\` names no PDPs: write --pdps project/environment=V1URL,V2URL`)
  return { environment, v1: v1!, v2: v2! }
}
