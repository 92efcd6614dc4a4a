// The command line of the operator's commands: names, options and help. operator.ts, keys.ts and export-import.ts
// implement them and are loaded only when one runs.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { IMPORTERS } from '../../importers/index.ts'
import { KEY_LEVELS } from '../../kinds/api-key.ts'
import { ZerohopError } from '../../model/errors.ts'
import { IMPORT_QUESTIONS_MAX } from '../../model/limits.ts'
import { type Env, readEnv } from '../configuration/env.ts'
import {
  ALL,
  API,
  addReasonOptions,
  addTargetOptions,
  attempt,
  DATA,
  examples,
  FOLDER,
  ORGANIZATION,
  withSettings,
} from '../terminal/command-line.ts'
import type { ExportOptions, ImportOptions } from './export-import.ts'
import type { FromOptions } from './import-from.ts'
import type { CreateKeyOptions, KeyOptions, ListOptions, RotateKeyOptions } from './keys.ts'

interface Administered {
  readonly data?: string | undefined
  readonly json?: boolean
}

const AS_JSON = 'as JSON'

/** Adds `org`, `keys`, `console-link`, `backup`, `restore`, `export` and `import`. */
export function addAdministration(program: Command): void {
  addOrganizations(program)
  addKeys(program)
  addConsoleLink(program)
  addBackups(program)
  addBundles(program)
}

function addOrganizations(program: Command): void {
  const org = program.command('org').description('creates and lists organizations')
  org
    .command('create')
    .description('creates an organization with project `default`, and prints its key')
    .argument('<key>', 'key of the organization')
    .option('--name <name>', 'name (the key)')
    .option('--data <folder>', DATA)
    .option('--json', AS_JSON)
    .addHelpText('after', examples('zerohop org create acme', 'zerohop org create acme --name "Acme Inc." --json'))
    .action((key: string, options: Administered & { name?: string }) =>
      attempt(async () => (await import('./operator.ts')).createOrganization(resolveEnv(options), key, options)),
    )
  listing(org.command('list'), 'organization')
    .description('lists organizations; with an API, only that of the key')
    .addHelpText('after', examples('zerohop org list'))
    .action((options: ListOptions) =>
      attempt(async () => (await import('./keys.ts')).listOrganizations(readEnv(), options)),
    )
}

function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('lists, creates, rotates and deletes API keys, on a server or in a data folder')
  listing(keys.command('list'), 'key')
    .description('lists the keys, without their secrets')
    .addHelpText('after', examples('zerohop keys list', 'zerohop keys list --organization acme --data ./data --json'))
    .action((options: ListOptions) => attempt(async () => (await import('./keys.ts')).listKeys(readEnv(), options)))
  ofKeys(keys.command('create'))
    .description('creates a key and prints it; it is shown only once')
    .addOption(new Option('--level <level>', 'scope of the key').choices([...KEY_LEVELS]).default('env'))
    .addOption(
      new Option('--access <access>', 'access of the key in its scope')
        .choices(['admin', 'write', 'read', 'no_access'])
        .default('admin'),
    )
    .option('--project <project>', 'id or key of the project (default, for a key of level env, tenant or directory)')
    .option('--environment <environment>', 'id or key of the environment')
    .option('--tenant <tenant>', 'id or key of the tenant, for a key of level tenant')
    .addOption(
      new Option(
        '--user-key <field>',
        'for a key of level directory: what becomes the key of a new user (default: user_name)',
      ).choices(['user_name', 'external_id']),
    )
    .option('--name <name>', 'what the key is for')
    .option('--expires <when>', 'when it expires: after a time such as 90d, or at a time such as 2027-06-30T00:00:00Z')
    .addOption(
      new Option('--form <form>', 'a form other than that of Zerohop: `permit`, for permit-cli').choices(['permit']),
    )
    .addHelpText(
      'after',
      examples(
        'zerohop keys create --level org --name deploy --data ./data',
        'zerohop keys create --environment production --access read --name ci --expires 90d',
        'zerohop keys create --level tenant --environment production --tenant acme --access write --name acme-admins',
        'zerohop keys create --level directory --environment production --access write --name okta',
        'PDP_API_KEY=… zerohop keys create --environment production --access read --name pdp --api https://zerohop.example.com',
      ),
    )
    .action((options: CreateKeyOptions) =>
      attempt(async () => (await import('./keys.ts')).createKey(readEnv(), options)),
    )
  ofKeys(keys.command('rotate'))
    .description(
      'replaces the secret of a key and prints it; the old secret stops working immediately, unless it is kept',
    )
    .argument('<id>', 'id of the key, as `zerohop keys list` shows it')
    .option('--keep-old <time>', 'how long the old secret stays valid, such as 24h; at most 30d', '0')
    .addHelpText(
      'after',
      examples(
        'zerohop keys rotate 01a1f8ee303d7a32a7234afc8af88026',
        'zerohop keys rotate 01a1f8ee303d7a32a7234afc8af88026 --keep-old 24h',
      ),
    )
    .action((id: string, options: RotateKeyOptions) =>
      attempt(async () => (await import('./keys.ts')).rotateKey(readEnv(), id, options)),
    )
  ofKeys(keys.command('end-old'))
    .description('ends the old secret that a rotation kept; it stops working immediately')
    .argument('<id>', 'id of the key, as `zerohop keys list` shows it')
    .addHelpText('after', examples('zerohop keys end-old 01a1f8ee303d7a32a7234afc8af88026'))
    .action((id: string, options: KeyOptions) =>
      attempt(async () => (await import('./keys.ts')).endOldSecret(readEnv(), id, options)),
    )
  ofKeys(keys.command('delete'))
    .description('deletes a key; it stops working immediately')
    .argument('<id>', 'id of the key, as `zerohop keys list` shows it')
    .addHelpText('after', examples('zerohop keys delete 01a1f8ee303d7a32a7234afc8af88026'))
    .action((id: string, options: KeyOptions) =>
      attempt(async () => (await import('./keys.ts')).deleteKey(readEnv(), id, options)),
    )
}

/** Options of the commands on keys and organizations. */
function ofKeys(command: Command): Command {
  return at(command).option('--json', AS_JSON)
}

function listing(command: Command, row: string): Command {
  return at(command).option('--all', ALL).option('--json', `as JSON, one ${row} per line`)
}

const at = (command: Command): Command =>
  command.option('--api <url>', API).option('--data <folder>', FOLDER).option('--organization <key>', ORGANIZATION)

function addConsoleLink(program: Command): void {
  program
    .command('console-link')
    .description('prints a link that signs in to the console once, within five minutes, in a browser on this machine')
    .option('--data <folder>', `${DATA} of the running server`)
    .option('--json', AS_JSON)
    .addHelpText('after', examples('zerohop console-link', 'zerohop console-link --data /var/lib/zerohop'))
    .action((options: Administered) =>
      attempt(async () => (await import('./operator.ts')).printConsoleLink(resolveEnv(options), options)),
    )
}

function addBackups(program: Command): void {
  program
    .command('backup')
    .description(
      'copies a data folder into a new folder, even while a server uses it; the encryption keys of secrets and the decision records are not included',
    )
    .argument('<folder>', 'folder of the backup: new or empty')
    .option('--data <folder>', DATA)
    .option('--json', AS_JSON)
    .addHelpText('after', examples('zerohop backup /backups/2026-11-20', 'zerohop backup /backups/now --json'))
    .action((folder: string, options: Administered) =>
      attempt(async () => (await import('./operator.ts')).backup(resolveEnv(options), folder, options)),
    )
  program
    .command('restore')
    .description('creates a data folder from a backup, without decision records; PDPs load fresh images')
    .argument('<folder>', 'folder of the backup')
    .option('--data <folder>', `${DATA}: new or empty`)
    .option('--json', AS_JSON)
    .addHelpText('after', examples('zerohop restore /backups/2026-11-20 --data /var/lib/zerohop'))
    .action((folder: string, options: Administered) =>
      attempt(async () => (await import('./operator.ts')).restore(resolveEnv(options), folder, options)),
    )
}

function addBundles(program: Command): void {
  addTargetOptions(program.command('export'))
    .description('writes the schema of an environment, its facts, or both into a file')
    .argument(
      '[file]',
      'the file: YAML when it ends in .yaml or .yml, facts as lines in .ndjson or .ndjson.gz, else JSON; `-` or none is standard output',
    )
    .option('--facts', 'also users, tenants, role assignments, instances and tuples')
    .option('--at <when>', 'as of a revision, or a time such as 2026-11-20T08:30:00Z')
    .addOption(
      new Option('--format <format>', 'format, regardless of the file extension').choices(['json', 'yaml', 'ndjson']),
    )
    .option('--resume', 'go on with what an earlier export of facts as lines left')
    .addHelpText(
      'after',
      examples('zerohop export policy.yaml', 'zerohop export --environment production --facts facts.ndjson.gz'),
    )
    .action((file: string | undefined, options: ExportOptions) =>
      attempt(async () => (await import('./export-import.ts')).exportBundle(readEnv(), file, options)),
    )
  addImport(program)
}

function addImport(program: Command): void {
  const command = addReasonOptions(addTargetOptions(program.command('import')))
    .description(
      'applies a file to an environment, and keeps what is not in the file; with --from: converts the files of another engine into files, and asks both engines the same questions',
    )
    .argument(
      '<files...>',
      'a file written by export, `-` for standard input; with --from the files of the other engine',
    )
    .option('--dry-run', 'only print what would change; of facts as lines only check their form')
    .addOption(new Option('--format <format>', 'format, regardless of the file extension').choices(['ndjson']))
    .option('--from-line <n>', 'apply facts as lines from this line on', lineNumber)
    .option('--json', AS_JSON)
  addImporters(command)
    .addHelpText(
      'after',
      examples(
        'zerohop import policy.yaml --dry-run',
        'zerohop import facts.ndjson.gz --environment production',
        'zerohop import --from casbin model.conf policy.csv --out converted',
      ),
    )
    .action((files: readonly string[], options: ImportOptions & FromOptions) =>
      attempt(async () => {
        process.exitCode =
          options.from === undefined
            ? await importFile(files, options)
            : await (await import('./import-from.ts')).importFrom(files, options)
      }),
    )
}

/** Options that only an import from another engine has. */
const FROM_ONLY = ['--out <folder>', '--force', '--questions <n>', '--seed <n>'].map((flags) => new Option(flags))

/** Options for files of other engines; what each importer takes stands in src/importers/index.ts. */
function addImporters(command: Command): Command {
  const names = Object.keys(IMPORTERS)
  const takes = Object.entries(IMPORTERS).map(([name, entry]) => `${name} (${entry.takes})`)
  command
    .addOption(new Option('--from <engine>', `another engine: ${takes.join('; ')}`).choices(names))
    .option('--out <folder>', 'with --from: folder for policy.yaml, facts.ndjson, questions.mjs and report.json')
    .option('--force', 'with --from: write over files that are there')
    .option('--questions <n>', 'with --from: how many questions both engines are asked at most', readQuestions)
    .option('--seed <n>', 'with --from: chooses the questions when there are more', readSeed)
  for (const { options } of Object.values(IMPORTERS))
    for (const { flags, description } of options) command.option(flags, description)
  return command
}

async function importFile(files: readonly string[], sent: ImportOptions & FromOptions): Promise<number> {
  const [file = '', ...more] = files
  const { from: _, ...options } = sent
  const own = Object.values(IMPORTERS).flatMap((entry) => entry.options.map(({ flags }) => new Option(flags)))
  const foreign = [...FROM_ONLY, ...own].find((option) => options[option.attributeName()] !== undefined)
  if (foreign !== undefined)
    throw new ZerohopError('CONFIG_INVALID', { reason: `${foreign.long ?? foreign.flags} is for --from` })
  if (more.length > 0) throw new ZerohopError('CONFIG_INVALID', { reason: 'one file is imported at a time' })
  return (await import('./export-import.ts')).importBundle(readEnv(), file, options)
}

const readQuestions = (text: string): number => readWhole(text, 1, IMPORT_QUESTIONS_MAX)
const readSeed = (text: string): number => readWhole(text, 0, 0xffff_ffff)

function readWhole(text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1
  if (value < least || value > most) throw new InvalidArgumentError(`Must be a number from ${least} to ${most}.`)
  return value
}

function lineNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Must be the number of a line.')
  return Number(text)
}

/** The settings, with the folder of the command line. */
function resolveEnv({ data }: Administered): Env {
  return withSettings(readEnv(), data === undefined ? {} : { data })
}
