#!/usr/bin/env node
// The command `zerohop`: reads the command line, calls the command, turns an error into one line and an exit code. Each
// command is in a file of its own, which is loaded only when it runs: a check needs neither Fastify nor LMDB.
import { Command, Option } from 'commander'
import type { Logger } from 'pino'
import { EXAMPLE_NAMES, EXAMPLES, type ExampleName } from '../management/host/example-policies.ts'
import { VERSION } from '../model/version.ts'
import { addMigrate } from '../v1/migrate/commands/migrate-commands.ts'
import type { CheckOptions } from './commands/check.ts'
import { addCompletion, complete } from './commands/completion.ts'
import { addData } from './commands/data-commands.ts'
import { addDatabase } from './commands/database-commands.ts'
import { addGrants } from './commands/grants-commands.ts'
import { addGroupRules } from './commands/group-rules-commands.ts'
import { addHistory } from './commands/history-commands.ts'
import { addImage } from './commands/image-commands.ts'
import type { IntegrationOptions } from './commands/integration.ts'
import { addLog } from './commands/log-command.ts'
import { addAdministration } from './commands/operator-commands.ts'
import type { PdpCommandOptions } from './commands/pdp.ts'
import { addPdps } from './commands/pdps-command.ts'
import { addPlans } from './commands/plan-commands.ts'
import { addPolicyFiles } from './commands/policy-commands.ts'
import { addProposals } from './commands/proposals-commands.ts'
import { addRequests } from './commands/requests-commands.ts'
import { addShadow } from './commands/shadow-command.ts'
import { addSuspensions } from './commands/suspensions-commands.ts'
import { addSync } from './commands/sync-commands.ts'
import { addTest } from './commands/test-command.ts'
import { addTypes } from './commands/types-command.ts'
import { addWhy } from './commands/why-command.ts'
import { type Env, envSecrets, inVariables, readEnv } from './configuration/env.ts'
import { fail } from './process/process.ts'
import { endOnUnhandled, outliveRejections } from './process/unhandled.ts'
import {
  attempt,
  DATA,
  examples,
  mayStopReading,
  pointToHelp,
  refusesUsage,
  type Settings,
  speak,
  withSettings,
} from './terminal/command-line.ts'

/** Exit code of `check` for an undecided check, also for a wrong command line. */
const UNDECIDED = 2

interface ServerOptions extends Settings {
  readonly example?: boolean | ExampleName
  readonly verify?: boolean
}

const startOptions = ({ example = true, verify = false }: ServerOptions) => ({ example, verify })

const exampleOption = (): Option => {
  const about = EXAMPLE_NAMES.map((name) => `${name}: ${EXAMPLES[name].about}`).join('; ')
  return new Option('--example <name>', `example policy of a new folder (${about})`).choices(EXAMPLE_NAMES)
}

// These use exit code 1 for an answer.
endOnUnhandled(/^(check|why|migrate|data)$/.test(process.argv[2] ?? '') ? UNDECIDED : 1)

// the other commands inherit it, but for those that use exit code 2
const program = refusesUsage(speak(new Command('zerohop'), VERSION)).description(
  'Authorization decisions in your own process: management API, decision point and tools.',
)

program
  .command('serve')
  .description(
    'management API and PDP in one process on a data folder; a new folder starts with an organization, keys and an example policy',
  )
  .option('--data <folder>', DATA)
  .option('--host <address>', `listen address ${inVariables('ZEROHOP_HOST')}`)
  .option('--api-port <port>', `port of the management API ${inVariables('ZEROHOP_API_PORT')}`)
  .option('--pdp-port <port>', `port of the PDP ${inVariables('PDP_PORT')}`)
  .addOption(exampleOption())
  .option('--no-example', 'create a new folder without an example policy')
  .option('--verify', 'verify the data folder first, and do not start if it is damaged')
  .addHelpText(
    'after',
    examples(
      'zerohop serve',
      'zerohop serve --data /var/lib/zerohop --no-example',
      'zerohop serve --example articles',
      'ZEROHOP_API_PORT=0 PDP_PORT=0 zerohop serve',
    ),
  )
  .action((options: ServerOptions) =>
    run('serve', async (env, log) =>
      (await import('./commands/serve.ts')).runServe(withSettings(env, options), startOptions(options), log),
    ),
  )

program
  .command('api')
  .description('the management API alone, with the feed that PDPs follow')
  .option('--data <folder>', DATA)
  .option('--host <address>', `listen address ${inVariables('ZEROHOP_HOST')}`)
  .option('--api-port <port>', `port ${inVariables('ZEROHOP_API_PORT')}`)
  .addOption(exampleOption())
  .option('--no-example', 'create a new folder without an example policy')
  .option('--verify', 'verify the data folder first, and do not start if it is damaged')
  .addHelpText('after', examples('zerohop api', 'zerohop api --data /var/lib/zerohop --host 0.0.0.0'))
  .action((options: ServerOptions) =>
    run('api', async (env, log) =>
      (await import('./commands/api.ts')).runApi(withSettings(env, options), startOptions(options), log),
    ),
  )

program
  .command('pdp')
  .description(
    'the PDP alone: follows the environment of PDP_API_KEY at PDP_CONTROL_PLANE, or answers from an image file',
  )
  .option('--host <address>', `listen address ${inVariables('PDP_HOST', 'ZEROHOP_HOST')}`)
  .option('--pdp-port <port>', `port ${inVariables('PDP_PORT')}`)
  .option('--image <file>', 'answer from this file only; PDP_API_KEY is then only used to authenticate callers')
  .option(
    '--v1',
    'for clients of the first API version during a migration: also allows what its objects outside environments allow',
  )
  .option('--keyless-checks', 'with --v1: answers checks without a key, as the Node client of that version sends them')
  .addHelpText(
    'after',
    examples(
      'PDP_API_KEY=… PDP_CONTROL_PLANE=http://localhost:8080 zerohop pdp',
      'PDP_API_KEY_FILE=/run/secrets/key PDP_MAX_STALENESS=300 zerohop pdp',
      'PDP_API_KEY=… zerohop pdp --image policy.image',
      'PDP_PORT=7001 zerohop pdp --v1',
    ),
  )
  .action(({ image, v1, keylessChecks, ...options }: ServerOptions & PdpCommandOptions) =>
    run('pdp', async (env, log) => {
      const command = {
        ...(image === undefined ? {} : { image }),
        v1: v1 ?? false,
        keylessChecks: keylessChecks ?? false,
      }
      return (await import('./commands/pdp.ts')).runPdp(withSettings(env, options), command, log)
    }),
  )

program
  .command('check')
  .description('one check against a running PDP or an image file; exit code 0 allow, 1 deny, 2 could not decide')
  .argument('<user>', 'user key')
  .argument('<action>', 'action key')
  .argument('<resource>', 'resource type, or type:key')
  .option('--tenant <key>', 'tenant (default)')
  .option('--explain', 'print the reasons')
  .option('--json', 'as one JSON object')
  .addOption(new Option('--image <file>', 'ask an image file instead of a running PDP').conflicts('pdp'))
  .option(
    '--pdp <url>',
    'address of the PDP (http://127.0.0.1:7000); the key is PDP_API_KEY, or that of development in keys.json',
  )
  .addHelpText(
    'after',
    examples(
      'zerohop check ana say hello',
      'zerohop check ben say hello --tenant default --explain',
      'zerohop check ana say hello --image policy.image',
    ),
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : UNDECIDED))
  .action(async (user: string, action: string, resource: string, options: CheckOptions) => {
    try {
      const { runCheck } = await import('./commands/check.ts')
      process.exitCode = await runCheck(readEnv(), [user, action, resource], options)
    } catch (error) {
      fail(error, UNDECIDED)
    }
  })

addWhy(program)
addTest(program)
addImage(program)
addPolicyFiles(program)
addTypes(program)
addPlans(program)
addPdps(program)
addGrants(program)
addRequests(program)
addGroupRules(program)
addSuspensions(program)
addShadow(program)
addHistory(program)
addProposals(program)
addLog(program)
addAdministration(program)
addSync(program)
addData(program)
addDatabase(program)

program
  .command('integration')
  .description("the reference integration backend: an identity provider's tokens on one side, Zerohop on the other")
  .option('--demo', 'with a demo page and a STAND-IN identity provider, to try it on this machine')
  .addOption(
    new Option('--client <client>', 'how Zerohop is called: in this process, or with the published client over HTTP')
      .choices(['in-process', 'permitio'])
      .default('in-process'),
  )
  .option('--host <address>', `listen address ${inVariables('ZEROHOP_HOST')}`)
  .option('--data <folder>', `with --demo: where keys.json is ${inVariables('ZEROHOP_DATA')}`)
  .addHelpText(
    'after',
    examples(
      'zerohop integration --demo',
      'USER_POOL_ID=eu-west-1_AbCdEf CLIENT_ID=… PERMIT_TOKEN_FILE=/run/secrets/key zerohop integration',
    ),
  )
  .action(({ host, data, ...options }: ServerOptions & IntegrationOptions) =>
    run('integration', async (env, log) =>
      (await import('./commands/integration.ts')).runIntegration(
        withSettings(env, { ...(host ? { host } : {}), ...(data ? { data } : {}) }),
        options,
        log,
      ),
    ),
  )

addMigrate(program)
addCompletion(program)
pointToHelp(program)
mayStopReading(process.stdout)

if (process.argv[2] === 'complete' && process.argv[3] === '--') await complete(program, process.argv.slice(4))
else await program.parseAsync()

/** Runs a server: from here on it survives unhandled rejections. */
async function run(name: string, command: (env: Env, log: Logger) => Promise<void>): Promise<void> {
  await attempt(async () => {
    const env = readEnv()
    const { createLogger } = await import('./process/logger.ts')
    const log = createLogger(env.logLevel, name)
    outliveRejections(log, envSecrets(env))
    return command(env, log)
  })
}
