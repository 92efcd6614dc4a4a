// The command line of `zerohop pdps`. pdps.ts runs it and is loaded only then.
import type { Command } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { ALL, examples, refusesUsage } from '../terminal/command-line.ts'
import { runCommand } from './history-commands.ts'
import type { PdpsOptions } from './pdps.ts'

/** Adds `pdps`. A data folder alone has no PDPs, so it asks a server. */
export function addPdps(program: Command): void {
  refusesUsage(program.command('pdps'))
    .description('the PDPs that follow an environment: version, revision, how far behind, and when they were seen')
    .option('--api <url>', 'address of the management API (ZEROHOP_API, else `api` of zerohop.yaml)')
    .option('--project <project>', 'from the key, else from zerohop.yaml')
    .option('--environment <environment>', 'from the key, else from zerohop.yaml')
    .option('--stale', 'only PDPs that might be outdated')
    .option('--all', ALL)
    .option('--json', 'as JSON, one PDP per line')
    .addHelpText('after', examples('zerohop pdps', 'zerohop pdps --environment production --stale --json'))
    .action((options: PdpsOptions) => runCommand(async () => (await import('./pdps.ts')).listPdps(readEnv(), options)))
}
