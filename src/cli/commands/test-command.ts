// The command line of `zerohop test`. test.ts runs it and is loaded only then.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { attempt, examples, refusesUsage } from '../terminal/command-line.ts'
import type { TestOptions } from './test.ts'

/** Adds `test`. */
export function addTest(program: Command): void {
  refusesUsage(program.command('test'))
    .description('runs the tests of a policy, without a server; exit code 1 when an expectation is not met')
    .argument('[files...]', 'test files and folders of them (`tests` of zerohop.yaml, else tests)')
    .option('--policy <files...>', 'policy files and folders of them (`files` of zerohop.yaml, else policy.yaml)')
    .option(
      '--coverage [percent]',
      'say which rules no expectation uses; with a number fail when fewer percent of them are used',
      percent,
    )
    .option('--mutants', 'leave out or turn around each rule in turn, and say which changes no expectation notices')
    .addOption(
      new Option('--reporter <form>', 'form of the report')
        .choices(['pretty', 'junit', 'tap', 'json'])
        .default('pretty'),
    )
    .addOption(new Option('--json', 'as `--reporter json`').implies({ reporter: 'json' }))
    .addHelpText(
      'after',
      examples(
        'zerohop test',
        'zerohop test tests/invoices.yaml --policy policy.yaml --mutants',
        'zerohop test --coverage 90 --reporter junit > junit.xml',
      ),
    )
    .action((files: readonly string[], options: TestOptions) =>
      attempt(async () => {
        process.exitCode = (await import('./test.ts')).test(files, options)
      }),
    )
}

function percent(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 100)) throw new InvalidArgumentError('It is not a percentage.')
  return value
}
