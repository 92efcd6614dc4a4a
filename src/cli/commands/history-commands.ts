// The command line of `zerohop history` and its subcommands. Each is in a file of its own, which is loaded only when it
// runs.
import type { Command } from 'commander'
import { isZerohopError } from '../../model/errors.ts'
import { readEnv } from '../configuration/env.ts'
import { fail } from '../process/process.ts'
import {
  ALL,
  DETAILS,
  DRY_RUN,
  examples,
  FOLDER,
  FORCE,
  ORGANIZATION,
  refusesUsage,
  WRONG_USAGE,
  YES,
} from '../terminal/command-line.ts'
import { WHEN } from '../terminal/when.ts'
import type { HistoryOptions } from './history.ts'
import type { RevertOptions } from './history-revert.ts'
import type { HistoryShowOptions } from './history-show.ts'

/**
 * Adds `history` with its subcommands. Options that both have are read by `history`, also after the name of a
 * subcommand.
 */
export function addHistory(program: Command): void {
  const history = remote(refusesUsage(program.command('history')))
    .description('the revisions of an environment, the newest first: when, by whom, which operation')
    .option('--since <when>', `from this time: ${WHEN}`)
    .option('--until <when>', 'until this time')
    .option('--actor <key>', 'only changes by this API key: its id or part of its name')
    .option('--reason <text>', 'only changes with this as part of their reason; of `revert` its reason')
    .option('--ticket <text>', 'only changes for this ticket; of `revert` its ticket')
    .option('--limit <number>', 'at most this many', '30')
    .option('--all', ALL)
    .option('--json', 'as JSON, one revision per line')
    .addHelpText(
      'after',
      examples(
        'zerohop history',
        'zerohop history --environment production --since 7d --actor console',
        'zerohop history --ticket OPS-1741',
        'zerohop history --limit 1000 --json',
        'zerohop history show 118',
      ),
    )
    .action((options: HistoryOptions) =>
      runCommand(async () => (await import('./history.ts')).listHistory(readEnv(), options, Date.now())),
    )
  addShow(history)
  addRevert(history)
}

function addShow(history: Command): void {
  remote(refusesUsage(history.command('show')))
    .description('what a revision changed, field by field, and who gained and lost access by it')
    .argument('<revision>', 'number of the revision')
    .option('--no-access', 'leave out who gained and lost access, which is slower')
    .option('--details', DETAILS)
    .option('--json', 'as JSON')
    .addHelpText('after', examples('zerohop history show 118', 'zerohop history show 118 --no-access --json'))
    .action((revision: string, _: object, command: Command) =>
      runCommand(async () => {
        const options: HistoryShowOptions = command.optsWithGlobals()
        await (await import('./history-show.ts')).showRevision(readEnv(), revision, options)
      }),
    )
}

function addRevert(history: Command): void {
  remote(refusesUsage(history.command('revert')))
    .description('undoes a revision and keeps later changes; shows what would change and asks before doing it')
    .argument('<revision>', 'number of the revision')
    .option('--only <kind:key...>', 'only these objects of the revision')
    .option('--cascade', 'also delete what others added since to the objects that are deleted')
    .option('--dry-run', DRY_RUN)
    .option('--yes', YES)
    .option('--force', FORCE)
    .option('--details', DETAILS)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'zerohop history revert 118 --reason "too many editors"',
        'zerohop history revert 118 --only role:reader --dry-run',
      ),
    )
    .action((revision: string, _: object, command: Command) =>
      runCommand(async () => {
        const options: RevertOptions = command.optsWithGlobals()
        process.exitCode = await (await import('./history-revert.ts')).revertRevision(readEnv(), revision, options)
      }),
    )
}

/** Options of every command that asks about an environment, of a management API or a data folder. */
export function remote(command: Command): Command {
  return command
    .option('--api <url>', 'address of the management API (ZEROHOP_API, else `api` of zerohop.yaml)')
    .option('--project <project>', 'from the key, else from zerohop.yaml')
    .option('--environment <environment>', 'from the key, else from zerohop.yaml')
    .option('--data <folder>', FOLDER)
    .option('--organization <key>', ORGANIZATION)
}

/** Runs a command; what the caller wrote and cannot be read is wrong usage. */
export async function runCommand(command: () => Promise<void>, failed = 1): Promise<void> {
  try {
    await command()
  } catch (error) {
    fail(error, isZerohopError(error, 'INPUT_INVALID') ? WRONG_USAGE : failed)
  }
}
