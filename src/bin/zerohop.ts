#!/usr/bin/env node
// The command `zerohop`: reads the command line, calls the command, turns an error into one line and an exit code. What a command does is
// in the file of its name, which is loaded only when it is called: a check needs neither Fastify nor LMDB.
import { Command, Option } from 'commander'
import type { Logger } from 'pino'
import type { NewKey } from '../pap/admin.ts'
import type { ExportOptions, ImportOptions } from './bundle.ts'
import type { CheckOptions } from './check.ts'
import { type Env, port, readEnv } from './env.ts'
import type { IntegrationOptions } from './integration.ts'
import { addMigrate } from './migrate-commands.ts'
import type { PdpCommandOptions } from './pdp.ts'
import { fail, packageVersion } from './process.ts'

/** Exit code of `check` when it could not decide, also because the command line is wrong. */
const UNDECIDED = 2

interface ServerOptions {
  readonly data?: string
  readonly host?: string
  readonly apiPort?: string
  readonly pdpPort?: string
  readonly example?: boolean
}

/** Options of the commands on a data folder. */
interface Administered {
  readonly data?: string | undefined
  readonly json?: boolean
}

const DATA = 'data folder (ZEROHOP_DATA, ./data)'
const AS_JSON = 'as JSON'
const ORGANIZATION = 'id or key of the organization (the oldest)'

const program = new Command('zerohop')
  .description('Authorization in the process that asks: management API, decision point and tools.')
  .version(packageVersion())
  .showHelpAfterError('(zerohop --help lists the commands)')

program
  .command('serve')
  .description(
    'management API and PDP in one process on a data folder; a new folder gets an organization, keys and an example policy',
  )
  .option('--data <folder>', 'data folder (ZEROHOP_DATA, ./data)')
  .option('--host <address>', 'listen address (ZEROHOP_HOST, 127.0.0.1)')
  .option('--api-port <port>', 'port of the management API (ZEROHOP_API_PORT, 8080; 0 = any free one)')
  .option('--pdp-port <port>', 'port of the PDP (PDP_PORT, 7000; 0 = any free one)')
  .option('--no-example', 'leave the example policy out of a new folder')
  .addHelpText(
    'after',
    examples(
      'zerohop serve',
      'zerohop serve --data /var/lib/zerohop --no-example',
      'ZEROHOP_API_PORT=0 PDP_PORT=0 zerohop serve',
    ),
  )
  .action((options: ServerOptions) =>
    run('serve', async (env, log) =>
      (await import('./serve.ts')).runServe(merged(env, options), { example: options.example ?? true }, log),
    ),
  )

program
  .command('api')
  .description('the management API alone, with the feed that PDPs follow')
  .option('--data <folder>', 'data folder (ZEROHOP_DATA, ./data)')
  .option('--host <address>', 'listen address (ZEROHOP_HOST, 127.0.0.1)')
  .option('--api-port <port>', 'port (ZEROHOP_API_PORT, 8080; 0 = any free one)')
  .option('--no-example', 'leave the example policy out of a new folder')
  .addHelpText('after', examples('zerohop api', 'zerohop api --data /var/lib/zerohop --host 0.0.0.0'))
  .action((options: ServerOptions) =>
    run('api', async (env, log) =>
      (await import('./api.ts')).runApi(merged(env, options), { example: options.example ?? true }, log),
    ),
  )

program
  .command('pdp')
  .description(
    'the PDP alone: follows the environment of PDP_API_KEY at PDP_CONTROL_PLANE, or answers from an image file',
  )
  .option('--host <address>', 'listen address (PDP_HOST, ZEROHOP_HOST, 127.0.0.1)')
  .option('--pdp-port <port>', 'port (PDP_PORT, 7000; 0 = any free one)')
  .option('--image <file>', 'answer from this file alone; PDP_API_KEY is then only what callers send')
  .option(
    '--v1',
    'for clients of the first API version, during a migration: allows also what objects outside of environments allow',
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
      return (await import('./pdp.ts')).runPdp(merged(env, options), command, log)
    }),
  )

program
  .command('check')
  .description('one check against a running PDP or an image file; exit code 0 allow, 1 deny, 2 could not decide')
  .argument('<user>', 'user key')
  .argument('<action>', 'action key')
  .argument('<resource>', 'resource type, or type:key')
  .option('--tenant <key>', 'tenant (default)')
  .option('--explain', 'say why')
  .option('--image <file>', 'ask an image file instead of a running PDP')
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
      const { runCheck } = await import('./check.ts')
      process.exitCode = await runCheck(readEnv(), [user, action, resource], options)
    } catch (error) {
      fail(error, UNDECIDED)
    }
  })

const image = program.command('image').description('image files')
image
  .command('verify')
  .description('loads an image file and tests everything in it, and its signature with the key of PDP_IMAGE_PUBLIC_KEY')
  .argument('<file>')
  .addHelpText(
    'after',
    examples('zerohop image verify policy.image', 'PDP_IMAGE_PUBLIC_KEY=public.pem zerohop image verify policy.image'),
  )
  .action((file: string) =>
    attempt(async () => (await import('./image.ts')).verifyImage(file, readEnv().imagePublicKey)),
  )
image
  .command('sign')
  .description('puts a signature behind an image file, with the key of ZEROHOP_IMAGE_SIGNING_KEY')
  .argument('<file>')
  .addHelpText('after', examples('ZEROHOP_IMAGE_SIGNING_KEY=/run/secrets/signing.pem zerohop image sign policy.image'))
  .action((file: string) =>
    attempt(async () => (await import('./image.ts')).signImage(file, readEnv().imageSigningKey)),
  )
image
  .command('inspect')
  .description('prints what an image file holds')
  .argument('<file>')
  .option('--json', 'as one JSON object')
  .addHelpText('after', examples('zerohop image inspect policy.image', 'zerohop image inspect policy.image --json'))
  .action((file: string, options: { json?: boolean }) =>
    attempt(async () => (await import('./image.ts')).inspectImage(file, options)),
  )
image
  .command('pull')
  .description('fetches the image of the environment of PDP_API_KEY from PDP_CONTROL_PLANE')
  .argument('<file>')
  .addHelpText(
    'after',
    examples('PDP_API_KEY=… PDP_CONTROL_PLANE=http://localhost:8080 zerohop image pull policy.image'),
  )
  .action((file: string) => attempt(async () => (await import('./image.ts')).pullImage(readEnv(), file)))

const org = program.command('org').description('organizations of a data folder')
org
  .command('create')
  .description('makes an organization with project `default`, and prints its key')
  .argument('<key>', 'key of the organization')
  .option('--name <name>', 'name (the key)')
  .option('--data <folder>', DATA)
  .option('--json', AS_JSON)
  .addHelpText('after', examples('zerohop org create acme', 'zerohop org create acme --name "Acme Inc." --json'))
  .action((key: string, options: Administered & { name?: string }) =>
    attempt(async () => (await import('./admin.ts')).createOrganization(folderOf(options), key, options)),
  )
org
  .command('list')
  .description('lists the organizations')
  .option('--data <folder>', DATA)
  .option('--json', AS_JSON)
  .addHelpText('after', examples('zerohop org list'))
  .action((options: Administered) =>
    attempt(async () => (await import('./admin.ts')).listOrganizations(folderOf(options), options)),
  )

const keys = program.command('keys').description('API keys of a data folder')
keys
  .command('list')
  .description('lists the keys, without their secrets')
  .option('--organization <key>', ORGANIZATION)
  .option('--data <folder>', DATA)
  .option('--json', AS_JSON)
  .addHelpText('after', examples('zerohop keys list', 'zerohop keys list --organization acme --json'))
  .action(({ data, ...options }: Administered & { organization?: string }) =>
    attempt(async () => (await import('./admin.ts')).listKeys(folderOf({ data }), options)),
  )
keys
  .command('create')
  .description('makes a key and prints it; it is told only once')
  .addOption(new Option('--level <level>', 'how far it reaches').choices(['org', 'project', 'env']).default('env'))
  .addOption(
    new Option('--access <access>', 'what it may do there')
      .choices(['admin', 'write', 'read', 'no_access'])
      .default('admin'),
  )
  .option('--project <project>', 'id or key of the project')
  .option('--environment <environment>', 'id or key of the environment')
  .option('--name <name>', 'what it is for')
  .option('--organization <key>', ORGANIZATION)
  .option('--data <folder>', DATA)
  .option('--json', AS_JSON)
  .addHelpText(
    'after',
    examples(
      'zerohop keys create --level org --name deploy',
      'zerohop keys create --project default --environment production --access read',
    ),
  )
  .action(({ data, ...options }: Administered & NewKey) =>
    attempt(async () => (await import('./admin.ts')).createKey(folderOf({ data }), options)),
  )
keys
  .command('rotate')
  .description('gives a key another secret and prints it; the old one is dead at once')
  .argument('<id>', 'id of the key, as `zerohop keys list` shows it')
  .option('--data <folder>', DATA)
  .option('--json', AS_JSON)
  .addHelpText('after', examples('zerohop keys rotate 01a1f8ee303d7a32a7234afc8af88026'))
  .action((id: string, options: Administered) =>
    attempt(async () => (await import('./admin.ts')).rotateKey(folderOf(options), id, options)),
  )
keys
  .command('delete')
  .description('takes a key back; it is dead at once')
  .argument('<id>', 'id of the key, as `zerohop keys list` shows it')
  .option('--data <folder>', DATA)
  .addHelpText('after', examples('zerohop keys delete 01a1f8ee303d7a32a7234afc8af88026'))
  .action((id: string, options: Administered) =>
    attempt(async () => (await import('./admin.ts')).deleteKey(folderOf(options), id)),
  )

program
  .command('backup')
  .description(
    'copies a data folder into a new folder while a server uses it; the keys that seal secrets and the records of decisions are not part of it',
  )
  .argument('<folder>', 'folder of the backup: a new or empty one')
  .option('--data <folder>', DATA)
  .option('--json', AS_JSON)
  .addHelpText('after', examples('zerohop backup /backups/2026-11-20', 'zerohop backup /backups/now --json'))
  .action((folder: string, options: Administered) =>
    attempt(async () => (await import('./admin.ts')).backup(folderOf(options), folder, options)),
  )
program
  .command('restore')
  .description('makes a data folder from a backup, without records of decisions; PDPs take fresh images')
  .argument('<folder>', 'folder of the backup')
  .option('--data <folder>', `${DATA}: a new or empty one`)
  .option('--json', AS_JSON)
  .addHelpText('after', examples('zerohop restore /backups/2026-11-20 --data /var/lib/zerohop'))
  .action((folder: string, options: Administered) =>
    attempt(async () => (await import('./admin.ts')).restore(folderOf(options), folder, options)),
  )

program
  .command('export')
  .description('writes the schema of an environment, and its facts when asked, as one JSON or YAML file')
  .argument('[file]', 'the file: YAML when it ends in .yaml or .yml, else JSON; printed when it is not named')
  .option('--project <project>', 'id or key of the project', 'default')
  .option('--environment <environment>', 'id or key of the environment', 'development')
  .option('--organization <key>', ORGANIZATION)
  .option('--facts', 'also users, tenants, role assignments, instances and tuples')
  .addOption(new Option('--format <format>', 'whatever the file is called').choices(['json', 'yaml']))
  .option('--data <folder>', DATA)
  .addHelpText(
    'after',
    examples('zerohop export policy.yaml', 'zerohop export --environment production --facts all.json'),
  )
  .action((file: string | undefined, { data, ...options }: Administered & ExportOptions) =>
    attempt(async () => (await import('./bundle.ts')).exportBundle(folderOf({ data }), file, options)),
  )
program
  .command('import')
  .description('makes an environment as a file says, in one revision; what the file does not name stays')
  .argument('<file>', 'a file as export writes it')
  .option('--project <project>', 'id or key of the project', 'default')
  .option('--environment <environment>', 'id or key of the environment', 'development')
  .option('--organization <key>', ORGANIZATION)
  .option('--dry-run', 'only say what would change')
  .option('--data <folder>', DATA)
  .option('--json', AS_JSON)
  .addHelpText(
    'after',
    examples('zerohop import policy.yaml --dry-run', 'zerohop import policy.yaml --environment production'),
  )
  .action((file: string, { data, ...options }: Administered & ImportOptions) =>
    attempt(async () => (await import('./bundle.ts')).importBundle(folderOf({ data }), file, options)),
  )

program
  .command('integration')
  .description("the reference integration backend: an identity provider's tokens on one side, Zerohop on the other")
  .option('--demo', 'with a page and a STAND-IN identity provider, for a try-out on this machine')
  .addOption(
    new Option('--client <client>', 'how Zerohop is asked: in this process, or with the published client over HTTP')
      .choices(['in-process', 'permitio'])
      .default('in-process'),
  )
  .option('--host <address>', 'listen address (ZEROHOP_HOST, 127.0.0.1)')
  .option('--data <folder>', 'with --demo: where keys.json is (ZEROHOP_DATA, ./data)')
  .addHelpText(
    'after',
    examples(
      'zerohop integration --demo',
      'USER_POOL_ID=eu-west-1_AbCdEf CLIENT_ID=… PERMIT_TOKEN_FILE=/run/secrets/key zerohop integration',
    ),
  )
  .action(({ host, data, ...options }: ServerOptions & IntegrationOptions) =>
    run('integration', async (env, log) =>
      (await import('./integration.ts')).runIntegration(
        merged(env, { ...(host ? { host } : {}), ...(data ? { data } : {}) }),
        options,
        log,
      ),
    ),
  )

addMigrate(program, examples)

await program.parseAsync()

async function run(name: string, command: (env: Env, log: Logger) => Promise<void>): Promise<void> {
  await attempt(async () => {
    const env = readEnv()
    const { createLogger } = await import('./logger.ts')
    return command(env, createLogger(env.logLevel, name))
  })
}

async function attempt(command: () => void | Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    fail(error)
  }
}

/** The settings, with the folder that the command line names. */
function folderOf({ data }: Administered): Env {
  return merged(readEnv(), data === undefined ? {} : { data })
}

/** What the command line says wins over the variables. */
function merged(env: Env, { data, host, apiPort, pdpPort }: ServerOptions): Env {
  return {
    ...env,
    ...(data === undefined ? {} : { data }),
    ...(host === undefined ? {} : { host, pdpHost: host }),
    ...(apiPort === undefined ? {} : { apiPort: port(apiPort, '--api-port') }),
    ...(pdpPort === undefined ? {} : { pdpPort: port(pdpPort, '--pdp-port') }),
  }
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`
}
