// The command lines of `zerohop suspend` and `resume`. suspensions.ts runs them and is loaded only then.
import { type Command, Option } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { addReasonOptions, examples, refusesUsage } from '../terminal/command-line.ts'
import { remote, runCommand } from './history-commands.ts'
import type { ResumeOptions, SuspendOptions } from './suspensions.ts'

/** Adds `suspend` and `resume`. */
export function addSuspensions(program: Command): void {
  remote(refusesUsage(program.command('suspend')))
    .description('denies a user everything, for a time or until the user is resumed; what was granted stays')
    .argument('<user>', 'user key')
    .requiredOption('--reason <text>', 'why, also for the history')
    .option('--ticket <text>', 'what it is done for, such as the key of an issue, for the history')
    .addOption(
      new Option('--for <time>', 'how long, such as 7d or 8h, from now or from --from').conflicts(['until', 'end']),
    )
    .addOption(
      new Option('--until <when>', 'until this time, exclusive, such as 2026-12-31T18:00:00+01:00').conflicts('end'),
    )
    .option('--from <when>', 'from this time on, or after a time such as 2h; by default at once')
    .option('--no-end', 'until the user is resumed')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'zerohop suspend ana --reason "left the company"',
        'zerohop suspend ana --reason "parental leave" --for 90d',
      ),
    )
    .action((user: string, options: SuspendOptions) =>
      runCommand(async () => (await import('./suspensions.ts')).suspend(readEnv(), user, options, Date.now())),
    )
  addReasonOptions(remote(refusesUsage(program.command('resume'))))
    .description('ends the suspension of a user')
    .argument('<user>', 'user key')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('zerohop resume ana'))
    .action((user: string, options: ResumeOptions) =>
      runCommand(async () => (await import('./suspensions.ts')).resume(readEnv(), user, options, Date.now())),
    )
}
