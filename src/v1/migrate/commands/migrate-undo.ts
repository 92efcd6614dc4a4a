// `zerohop migrate undo`: undoes what moves wrote, and prints for each object that stays the reason.

import type { Env } from '../../../cli/configuration/env.ts'
import { MoveRecord } from '../move-record.ts'
import { undo } from '../undo.ts'
import { counted, refused } from '../world.ts'
import { apiOf } from './migrate-inputs.ts'
import type { UndoOptions } from './migrate-options.ts'
import { confirm, print, printJson, printRows, progressOf } from './migrate-terminal.ts'

/** Undoes what is in the record. Returns 1 when some of it stays. */
export async function runUndo(env: Env, options: UndoOptions): Promise<number> {
  const api = apiOf(env, options)
  const { dryRun = false, yes, json } = options
  const record = new MoveRecord(options.record)
  const moves = record.read()
  if (!dryRun && yes !== true && moves.length > 0) await requireYes(moves.map(({ environment }) => environment.name))
  const progress = progressOf(json)
  try {
    const { undone, kept } = await undo(api, record, dryRun, progress)
    if (json) printJson({ dryRun, undone, kept })
    else {
      for (const { environment, what, how } of undone)
        print(`${environment}: ${dryRun ? 'would be ' : ''}${how}: ${what}`)
      if (kept.length > 0) {
        print('kept:')
        printRows([['environment', 'what', 'why'], ...kept.map((one) => [one.environment, one.what, one.why])])
      }
      print(`${counted(undone.length, 'objects')} ${dryRun ? 'would be undone' : 'undone'}, ${kept.length} kept`)
    }
    return kept.length === 0 ? 0 : 1
  } finally {
    progress.end()
    record.close()
  }
}

async function requireYes(names: readonly string[]): Promise<void> {
  if (!process.stdin.isTTY) throw refused('confirmation needs a terminal: pass --yes to undo the move')
  const question = `undo what was moved to ${[...new Set(names)].join(', ')}? PDPs of v2 will no longer allow what it allowed`
  if (!(await confirm(question))) throw refused('nothing was undone')
}
