// The command line of `zerohop database`: names, options and help. database.ts implements the commands.
import type { Command } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { attempt, DATA, examples, withSettings } from '../terminal/command-line.ts'

interface DatabaseOptions {
  readonly data?: string
  readonly again?: boolean
  readonly json?: boolean
}

const WITH_KEY = 'ZEROHOP_DATABASE_URL=postgres://… ZEROHOP_SECRETS_KEY_FILE=/run/secrets/key zerohop database'
const JSON_OPTION = 'as JSON'

/** Adds `database migrate|status|import|export|fork`. */
export function addDatabase(program: Command): void {
  const database = program
    .command('database')
    .description('the PostgreSQL of replicas, as ZEROHOP_DATABASE_URL names it: its tables, and moves into it and back')
  database
    .command('migrate')
    .description(
      'creates the tables or upgrades them, as a server does at its start unless ZEROHOP_DATABASE_MIGRATE=false',
    )
    .option('--json', JSON_OPTION)
    .addHelpText('after', examples('ZEROHOP_DATABASE_URL=postgres://… zerohop database migrate'))
    .action(({ json = false }: DatabaseOptions) =>
      attempt(async () => (await import('./database.ts')).migrateDatabase(readEnv(), json)),
    )
  database
    .command('status')
    .description(
      'prints what the database holds, how far each log is, and which replicas were seen; exit code 1 when servers cannot use it',
    )
    .option('--json', JSON_OPTION)
    .addHelpText('after', examples('ZEROHOP_DATABASE_URL=postgres://… zerohop database status --json'))
    .action(({ json = false }: DatabaseOptions) =>
      attempt(async () => (await import('./database.ts')).showStatus(readEnv(), json)),
    )
  addMove(
    database,
    'import',
    'moves a data folder that no server uses into an empty database; the folder is then marked as moved',
  )
  addMove(
    database,
    'export',
    'moves the data of a database that no server uses into an empty folder; the database then refuses servers',
  )
  database
    .command('fork')
    .description(
      'after the database was restored to an earlier point: makes PDPs that have what was lost take a fresh image',
    )
    .option('--json', JSON_OPTION)
    .addHelpText('after', examples(`${WITH_KEY} fork`))
    .action(({ json = false }: DatabaseOptions) =>
      attempt(async () => (await import('./database.ts')).forkDatabase(readEnv(), json)),
    )
}

function addMove(database: Command, name: 'import' | 'export', description: string): void {
  database
    .command(name)
    .description(description)
    .option('--data <folder>', DATA)
    .option('--again', 'begin again after one that was interrupted')
    .option('--json', JSON_OPTION)
    .addHelpText('after', examples(`${WITH_KEY} ${name} --data /var/lib/zerohop`))
    .action(({ data, again = false, json = false }: DatabaseOptions) =>
      attempt(async () => {
        const env = withSettings(readEnv(), data === undefined ? {} : { data })
        const { exportData, importData } = await import('./database.ts')
        return name === 'import' ? importData(env, { again, json }) : exportData(env, { again, json })
      }),
    )
}
