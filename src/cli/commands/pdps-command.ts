// The command line of `zerohop pdps`. pdps.ts runs it and is loaded only then.
import type { Command } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { examples, refusesUsage } from '../terminal/command-line.ts'
import { answering } from './history-commands.ts'
import type { PdpsOptions } from './pdps.ts'

/** Adds `pdps`. A data folder alone has no PDPs, so it asks a server. */
export function addPdps(program: Command): void {
  refusesUsage(program.command('pdps'))
    .description('the PDPs that follow an environment: version, revision, how far behind, and when they were seen')
    .option('--api <url>', 'address of the management API (ZEROHOP_API, else `api` of zerohop.yaml)')
    .option('--project <project>', 'that of the key, else of zerohop.yaml')
    .option('--environment <environment>', 'that of the key, else of zerohop.yaml')
    .option('--stale', 'only those whose answers may be old')
    .option('--json', 'as JSON, one PDP in each line')
    .addHelpText('after', examples('zerohop pdps', 'zerohop pdps --environment production --stale --json'))
    .action((options: PdpsOptions) => answering(async () => (await import('./pdps.ts')).listPdps(readEnv(), options)))
}
