// The command line of the commands on policy files: names, options and help. Each command is in a file of its own,
// which is loaded only when it runs.
import type { Command } from 'commander'
import { attempt, examples, refusesUsage } from '../terminal/command-line.ts'
import type { FormatOptions } from './format.ts'
import type { InitOptions } from './init.ts'
import type { ValidateOptions } from './validate.ts'

export const POLICY_FILES =
  'policy files and folders of them (`files` of zerohop.yaml, else policy.yaml); `-` is standard input'

/** Adds `init`, `validate` and `fmt`. */
export function addPolicyFiles(program: Command): void {
  refusesUsage(program.command('init'))
    .description('creates a working policy, a test and a zerohop.yaml in a folder')
    .argument('[folder]', 'the folder', '.')
    .option('--json', 'print the names of the files as JSON')
    .addHelpText(
      'after',
      examples('zerohop init', 'zerohop init authorization && cd authorization && zerohop validate'),
    )
    .action((folder: string, options: InitOptions) =>
      attempt(async () => (await import('./init.ts')).init(folder, options)),
    )
  refusesUsage(program.command('validate'))
    .description('checks policy files and lists all problems, without a server; exit code 1 when there are errors')
    .argument('[files...]', POLICY_FILES)
    .option('--strict', 'treat warnings as errors')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('zerohop validate', 'zerohop validate policy.yaml teams/ --strict'))
    .action((files: readonly string[], options: ValidateOptions) =>
      attempt(async () => {
        process.exitCode = (await import('./validate.ts')).validate(files, options)
      }),
    )
  refusesUsage(program.command('fmt'))
    .description('formats policy files; comments are kept')
    .argument('[files...]', POLICY_FILES)
    .option('--check', 'write nothing; exit code 1 if a file is not formatted')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('zerohop fmt', 'zerohop fmt --check policy.yaml'))
    .action((files: readonly string[], options: FormatOptions) =>
      attempt(async () => {
        process.exitCode = (await import('./format.ts')).format(files, options)
      }),
    )
}
