// The command line of syncs: names, options and help. Each command is in a file of its own, which is loaded only when it
// runs.
import { type Command, InvalidArgumentError } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { API, addReasonOptions, attempt, DETAILS, examples, PROJECT, refusesUsage } from '../terminal/command-line.ts'
import type { SyncApplyOptions, SyncPlanOptions } from './sync.ts'
import type { SyncWatchOptions } from './sync-watch.ts'

const FILE = 'the sync file (sync.yaml)'

/** Adds `sync`. */
export function addSync(program: Command): void {
  const sync = program.command('sync').description('keeps facts in step with rows of your own database: docs/sync.md')
  refusesUsage(sync.command('check'))
    .description('reads the rows and says what is wrong with them, without a server; exit code 1 when something is')
    .argument('[file]', FILE)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples('APP_DATABASE_URL=… zerohop sync check', 'zerohop sync check staging/sync.yaml --json'),
    )
    .action((file: string | undefined, options: { readonly json?: boolean }) =>
      attempt(async () => {
        process.exitCode = await (await import('./sync-rows.ts')).checkRows(file, options)
      }),
    )
  addTarget(sync.command('plan'))
    .description(
      'what the rows would change, and who gains and loses access; exit code 0 nothing, 2 changes, 3 changes whose effect could not be counted, 1 error',
    )
    .option('--out <file>', 'write what the plan promises to a file, for apply')
    .addHelpText('after', examples('PDP_API_KEY=… zerohop sync plan', 'zerohop sync plan sync.yaml --out plan.json'))
    .action((file: string | undefined, options: SyncPlanOptions) =>
      attempt(async () => {
        process.exitCode = await (await import('./sync.ts')).planSync(readEnv(), file, options)
      }),
    )
  addTarget(sync.command('apply'))
    .description('writes the facts of the rows, after a look at what changes; asks before doing it')
    .option('--plan <file>', 'only if rows, changes and access are as `sync plan --out` wrote them; does not ask')
    .option('--yes', 'do not ask; refuse if not all effects could be counted')
    .option('--force', 'with --yes: also if not all effects could be counted')
    .option('--take-over', 'end the run that holds the sync: of one that has crashed')
    .addHelpText(
      'after',
      examples(
        'PDP_API_KEY=… zerohop sync apply --yes',
        'zerohop sync apply --plan plan.json',
        'zerohop sync apply --allow-deletes 5000 --ticket OPS-1741',
      ),
    )
    .action((file: string | undefined, options: SyncApplyOptions) =>
      attempt(async () => {
        process.exitCode = await (await import('./sync.ts')).applySync(readEnv(), file, options)
      }),
    )
  addTarget(sync.command('watch'))
    .description(
      'applies again and again, without asking, within the limits for deletions; ends with SIGTERM or SIGINT',
    )
    .option('--every <time>', 'pause between two runs, such as 30s or 5m', '5m')
    .option('--listen <channel>', 'of PostgreSQL: also run when the database notifies this channel')
    .addHelpText(
      'after',
      examples('PDP_API_KEY=… zerohop sync watch --every 10m', 'zerohop sync watch --listen memberships_changed'),
    )
    .action((file: string | undefined, options: SyncWatchOptions) =>
      attempt(async () => {
        process.exit(await (await import('./sync-watch.ts')).watchSync(readEnv(), file, options))
      }),
    )
}

/** Options of the commands that ask a server. */
function addTarget(command: Command): Command {
  return addReasonOptions(refusesUsage(command))
    .argument('[file]', FILE)
    .option('--api <url>', API)
    .option('--project <project>', PROJECT)
    .option(
      '--environment <environment>',
      'id or key of the environment (default: from the key, else from zerohop.yaml)',
    )
    .option('--allow-deletes <n>', 'how many facts of each kind may be deleted, in place of the limits', readCount)
    .option('--details', DETAILS)
    .option('--json', 'as JSON')
}

function readCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Must be a number.')
  return Number(text)
}
