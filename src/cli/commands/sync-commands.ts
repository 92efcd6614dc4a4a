// The command line of syncs: names, options and help. Each command is in a file of its own, which is loaded only when it
// runs.
import type { Command } from 'commander'
import { attempt, examples, refusesUsage } from '../terminal/command-line.ts'

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
}
