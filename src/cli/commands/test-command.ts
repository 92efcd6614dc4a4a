// The command line of `zerohop test`. test.ts runs it and is loaded only then.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { attempt, examples, refusesUsage } from '../terminal/command-line.ts'
import type { TestOptions } from './test.ts'

/** Adds `test`. */
export function addTest(program: Command): void {
  refusesUsage(program.command('test'))
    .description('runs the tests of a policy, without a server; exit code 1 if a test fails')
    .argument('[files...]', 'test files and folders of them (`tests` of zerohop.yaml, else tests)')
    .option('--policy <files...>', 'policy files and folders of them (`files` of zerohop.yaml, else policy.yaml)')
    .option(
      '--coverage [percent]',
      'list rules that no test uses; with a number, fail if coverage is below that percentage',
      percent,
    )
    .option('--mutants', 'change each rule in turn and list changes that no test notices')
    .addOption(
      new Option('--reporter <form>', 'report format').choices(['pretty', 'junit', 'tap', 'json']).default('pretty'),
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
  if (text.trim() === '' || !(value >= 0 && value <= 100)) throw new InvalidArgumentError('Must be a percentage.')
  return value
}
