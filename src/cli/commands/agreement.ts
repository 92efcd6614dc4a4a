// Whether a command that shows first what it does may go on: it asks someone at a terminal, or was told not to ask.
import type { AccessDiff } from '../../model/access-diff.ts'
import { isCounted } from '../../model/change-words.ts'
import { WRONG_USAGE } from '../terminal/command-line.ts'

/** Options of commands that may only show what they would do. */
export interface AgreementOptions {
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly force?: boolean
  readonly details?: boolean
  readonly json?: boolean
}

/** Exit codes of what was done or refused. */
export const DONE = 0
export const REFUSED = 1

/** Exit code of a plan that is only shown: 0 nothing, 2 changes, 3 changes whose effect could not be counted. */
export const planCode = (plan: AccessDiff, isNothing: boolean): number => (isNothing ? 0 : isCounted(plan) ? 2 : 3)

/** Why a command does not do it, and its exit code. */
export interface Refusal {
  readonly reason: string
  readonly code: number
}

/**
 * Why it is not done, before anyone is asked; undefined when someone can be asked, or need not be.
 * @param does completes "--yes …", such as `applies`
 * @param again completes "… on a terminal", such as `apply it`
 */
export function refusalToAsk(
  planned: AccessDiff,
  yes: boolean,
  { does, again }: { readonly does: string; readonly again: string },
): Refusal | undefined {
  if (!yes && process.stdin.isTTY !== true)
    return { reason: `cannot ask, because standard input is not a terminal: --yes ${does}`, code: WRONG_USAGE }
  if (yes && !isCounted(planned))
    return { reason: `--yes does nothing whose effect could not be counted: ${again} on a terminal`, code: REFUSED }
  return undefined
}
