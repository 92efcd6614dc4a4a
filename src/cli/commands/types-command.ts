// The command line of `zerohop types`: names, options and help. types.ts implements the command.
import { type Command, Option } from 'commander'
import { inVariables, readEnv } from '../configuration/env.ts'
import { attempt, examples } from '../terminal/command-line.ts'
import { POLICY_FILES } from './policy-commands.ts'
import type { TypesOptions } from './types.ts'

/** Adds `types`. */
export function addTypes(program: Command): void {
  program
    .command('types')
    .description('prints the names of a policy as TypeScript types, for `connect<Policy>()`')
    .argument('[files...]', POLICY_FILES)
    .addOption(new Option('--image <file>', 'of an image file').conflicts(['url', 'apiKey']))
    .option(
      '--url <url>',
      `of the environment of an API key, at this management API ${inVariables('PDP_CONTROL_PLANE')}`,
    )
    .option(
      '--api-key <key>',
      'API key of the environment (PDP_API_KEY, which no process list shows, or that of development in keys.json)',
    )
    .option('--tenants', 'also type tenants as a fixed set; by default a tenant is any string')
    .addHelpText(
      'after',
      examples(
        'zerohop types > zerohop.d.ts',
        'zerohop types policy.yaml > zerohop.d.ts',
        'PDP_API_KEY=… zerohop types --url http://localhost:8080 > zerohop.d.ts',
        'zerohop types --image policy.image > zerohop.d.ts',
      ),
    )
    .action((files: readonly string[], options: TypesOptions) =>
      attempt(async () => {
        process.stdout.write(await (await import('./types.ts')).makeTypes(readEnv(), files, options))
      }),
    )
}
