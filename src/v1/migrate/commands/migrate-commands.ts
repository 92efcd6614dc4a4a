// The command line of `zerohop migrate`: names, options and help. migrate.ts implements the steps and is loaded only
// when one runs.
import { type Command, Option } from 'commander'
import { inVariables, readEnv } from '../../../cli/configuration/env.ts'
import { fail } from '../../../cli/process/process.ts'
import { examples } from '../../../cli/terminal/command-line.ts'
import {
  type ApiOptions,
  type FinishOptions,
  type MoveOptions,
  RECORD,
  REPORT,
  type ScanCommandOptions,
  type StatusOptions,
  type UndoOptions,
  type VerifyOptions,
} from './migrate-options.ts'

/** Exit code when a step could not run; 1 means that it found something. */
const NOT_DONE = 2

/** Adds `migrate` and its steps. */
export function addMigrate(program: Command): void {
  const migrate = program
    .command('migrate')
    .description('migrates from the first API version to the second; docs/migration.md describes the order')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : NOT_DONE)) // the steps inherit it
    .addHelpText(
      'after',
      '\nThe key of the organization comes from ZEROHOP_ORGANIZATION_KEY or ZEROHOP_ORGANIZATION_KEY_FILE.' +
        '\nExit codes: 0 done; 1 a difference, a use of v1, or a condition that is not met; 2 failed.' +
        '\nOrder: survey, move, verify; then move your services one by one (scan finds what to change); finish, status.',
    )

  withApi(migrate.command('survey'))
    .description('lists projects and environments, their contents, and which look foreign')
    .addHelpText('after', examples('zerohop migrate survey', 'zerohop migrate survey --ours ours.txt --json'))
    .action((options: ApiOptions) => attempt(async (steps) => steps.runSurvey(readEnv(), options)))

  withForeign(withApi(migrate.command('move')))
    .description(
      'copies the roles and users of the foreign environment, with their assignments, to the environments that use them',
    )
    .addOption(
      several('--to <environment...>', 'environments that get everything', 'environments that use something of it'),
    )
    .option('--dry-run', 'print what would be written, by name and in total, and write nothing')
    .option('--record <file>', 'file that records what is written, for undo', RECORD)
    .option('--overwrite', 'overwrite existing objects that differ with the values of the foreign environment')
    .addHelpText(
      'after',
      examples(
        'zerohop migrate move --ours ours.txt --dry-run',
        'zerohop migrate move --ours ours.txt --to default/production',
      ),
    )
    .action((options: MoveOptions) => attempt(async (steps) => steps.runMove(readEnv(), options)))

  withApi(migrate.command('undo'))
    .description('undoes what move wrote, except what was changed or used since; exit code 1 when something stays')
    .option('--record <file>', 'the record of move', RECORD)
    .option('--dry-run', 'print what would be undone and what would stay, and write nothing')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('zerohop migrate undo --dry-run', 'zerohop migrate undo'))
    .action((options: UndoOptions) => attempt(async (steps) => steps.runUndo(readEnv(), options)))

  withForeign(withApi(migrate.command('verify')))
    .description('compares what was moved, field by field and decision by decision; exit code 1 on any difference')
    .addOption(several('--to <environment...>', 'environments that got everything, as with move'))
    .addOption(several('--pdps <pair...>', 'project/environment=V1URL,V2URL: the two PDPs of an environment'))
    .option('--checks <file>', 'recorded checks to compare as well: one JSON object per line')
    .option('--report <file>', 'file for the report', REPORT)
    .addHelpText(
      'after',
      examples(
        'zerohop migrate verify --ours ours.txt --pdps default/production=http://localhost:7000,http://localhost:7001',
        'zerohop migrate verify --ours ours.txt --pdps … --checks recorded.jsonl',
      ),
    )
    .action((options: VerifyOptions) => attempt(async (steps) => steps.runVerify(readEnv(), options)))

  withForeign(withApi(migrate.command('finish')))
    .description('deletes the foreign environment, after a recent verify without differences')
    .option('--report <file>', 'report of verify', REPORT)
    .option('--yes', 'do not ask')
    .addOption(
      several(
        '--drop-unused <key...>',
        'what to drop: keys of users and roles, and `project/environment` for everything that was not moved there',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'zerohop migrate finish --ours ours.txt',
        'zerohop migrate finish --ours ours.txt --drop-unused old-role default/sandbox',
      ),
    )
    .action((options: FinishOptions) => attempt(async (steps) => steps.runFinish(readEnv(), options)))

  withScan(migrate.command('scan'))
    .description(
      'finds uses of v1: calls, paths and hosts in JavaScript, TypeScript, Python, Go, Java and C#, paths and hosts in all other text; exit code 1 when there is one, or a file cannot be read',
    )
    .argument('<path>', 'a folder or a file')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('zerohop migrate scan .', 'zerohop migrate scan services/billing --json'))
    .action((path: string, options: ScanCommandOptions) => attempt(async (steps) => steps.runScan(path, options)))

  withScan(withApi(migrate.command('status')))
    .description(
      'shows the four conditions of a complete migration, each with its evidence; exit code 1 while one is not met',
    )
    .addOption(several('--pdp <url...>', 'addresses of all running PDPs'))
    .option('--checks <file>', 'checks with their expected answer (`allow`); the key of the PDPs is PDP_API_KEY')
    .addOption(several('--code <path...>', 'folders of code'))
    .addHelpText(
      'after',
      examples('zerohop migrate status --ours ours.txt --pdp http://localhost:7000 --checks expected.jsonl --code .'),
    )
    .action((options: StatusOptions) => attempt(async (steps) => steps.runStatus(readEnv(), options)))
}

function withApi(command: Command): Command {
  return command
    .option('--api <url>', `address of the management API ${inVariables('ZEROHOP_INTEGRATION_API_URL')}`)
    .option('--ours <file>', 'file that lists what your team created: `project` or `project/environment`, one per line')
    .option('--json', 'as JSON')
}

function withForeign(command: Command): Command {
  return command.addOption(
    several('--foreign <environment...>', 'the foreign environments', 'all that --ours does not name'),
  )
}

function withScan(command: Command): Command {
  return command
    .addOption(several('--ignore <path...>', 'files and folders to exclude from the search'))
    .addOption(several('--host <name...>', 'hosts that serve only v1, such as your v1 PDPs'))
}

/** An option with any number of values; the default is an empty list. */
function several(flags: string, description: string, none = 'none'): Option {
  return new Option(flags, description).default([], none)
}

async function attempt(step: (steps: typeof import('./migrate.ts')) => Promise<number>): Promise<void> {
  try {
    process.exitCode = await step(await import('./migrate.ts'))
  } catch (error) {
    fail(error, NOT_DONE)
  }
}
