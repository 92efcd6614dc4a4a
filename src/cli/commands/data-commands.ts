// The command line of `zerohop data`: names, options and help. data.ts implements the commands.
import type { Command } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { fail } from '../process/process.ts'
import { DATA, examples, withSettings } from '../terminal/command-line.ts'

/** Exit code when nothing was verified, also for a wrong command line. */
const COULD_NOT = 2

interface DataOptions {
  readonly data?: string
  readonly json?: boolean
}

/** Adds `data verify` and `data repair`. */
export function addData(program: Command): void {
  const data = program.command('data').description('verifies and repairs a data folder')
  data
    .command('verify')
    .description(
      'verifies every record of a data folder that no server uses: checksums, counts, digests, indexes and the chain of the log; exit code 0 intact, 1 damaged, 2 could not verify',
    )
    .option('--data <folder>', DATA)
    .option('--json', 'as JSON')
    .addHelpText('after', examples('zerohop data verify', 'zerohop data verify --data /var/lib/zerohop --json'))
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : COULD_NOT))
    .action(({ data: folder, json }: DataOptions) =>
      orCouldNot(async () => {
        const env = withSettings(readEnv(), folder === undefined ? {} : { data: folder })
        process.exitCode = await (await import('./data.ts')).verify(env.data, json ?? false)
      }),
    )
  data
    .command('repair')
    .description(
      'repairs damaged data as far as possible and keeps the damaged file; exit code 0 intact, 1 damage is left, 2 could not repair',
    )
    .option('--data <folder>', DATA)
    .addHelpText('after', examples('zerohop data repair', 'zerohop data repair --data /var/lib/zerohop'))
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : COULD_NOT))
    .action(({ data: folder }: DataOptions) =>
      orCouldNot(async () => {
        const env = withSettings(readEnv(), folder === undefined ? {} : { data: folder })
        process.exitCode = await (await import('./data.ts')).repair(env.data)
      }),
    )
}

async function orCouldNot(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    fail(error, COULD_NOT)
  }
}
