// The command line of `zerohop shadow`: names, options and help. shadow-report.ts implements it.
import type { Command } from 'commander'
import { attempt, examples } from '../terminal/command-line.ts'
import type { ShadowReportOptions } from './shadow-report.ts'

/** Adds `shadow report`. */
export function addShadow(program: Command): void {
  const shadow = program.command('shadow').description('reads what a shadow run has found')
  shadow
    .command('report')
    .description(
      'groups the differences of a shadow run by cause, those that would give access first. Exit code 1 while there is one',
    )
    .argument('<files...>', 'files that `zerohop/shadow` wrote')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('zerohop shadow report differences.ndjson'))
    .action((files: readonly string[], options: ShadowReportOptions) =>
      attempt(async () => {
        process.exitCode = await (await import('./shadow-report.ts')).reportShadow(files, options)
      }),
    )
}
