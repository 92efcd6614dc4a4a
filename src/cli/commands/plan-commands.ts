// The command line of plans: names, options and help. Each command is in a file of its own, which is loaded only when
// it runs.
import { type Command, Option } from 'commander'
import { readEnv } from '../configuration/env.ts'
import {
  API,
  addReasonOptions,
  addTargetOptions,
  attempt,
  DETAILS,
  DRY_RUN,
  examples,
  FOLDER,
  FORCE,
  ORGANIZATION,
  PROJECT,
  refusesUsage,
  YES,
} from '../terminal/command-line.ts'
import type { CopyOptions } from './copy.ts'
import type { DiffOptions } from './diff.ts'
import { runCommand } from './history-commands.ts'
import type { ApplyOptions, PlanOptions, UpcomingOptions } from './plan.ts'

const FILES = 'policy files and folders of them (`files` of zerohop.yaml, else policy.yaml); `-` is standard input'

/** Adds `plan`, `upcoming`, `apply`, `diff` and `copy`. */
export function addPlans(program: Command): void {
  addReasonOptions(addTargetOptions(refusesUsage(program.command('plan'))))
    .description(
      'what policy files would change, and who gains and loses access; exit code 0 nothing, 2 changes, 3 changes whose effect could not be counted, 1 error',
    )
    .argument('[files...]', FILES)
    .option('--prune', 'also delete objects removed from the files')
    .option('--cascade', 'also delete facts that the files do not manage, where objects they need are deleted')
    .addOption(
      new Option(
        '--at <when>',
        'compare access from now to this time, such as 2027-01-01 or 30d: what starts and ends until then counts too',
      ).conflicts(['out', 'markdown']),
    )
    .addOption(
      new Option('--propose', 'propose it, for someone else to apply: zerohop proposals').conflicts(['out', 'at']),
    )
    .option('--out <file>', 'write the plan to a file, for apply')
    .option('--markdown', 'as a pull request comment, without keys of users and tenants')
    .option('--names', 'with --markdown: include these keys')
    .option('--details', DETAILS)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'PDP_API_KEY=… zerohop plan --api https://zerohop.example.com',
        'zerohop plan policy/ --prune --out plan.json',
        'zerohop plan --propose --ticket OPS-1741',
        'zerohop plan --markdown >> "$GITHUB_STEP_SUMMARY"',
        'zerohop plan --at 30d',
        'zerohop plan policy.yaml --data ./data --environment staging',
      ),
    )
    .action((files: readonly string[], options: PlanOptions) =>
      attempt(async () => {
        process.exitCode = await (await import('./plan.ts')).plan(readEnv(), files, options)
      }),
    )
  addTargetOptions(refusesUsage(program.command('upcoming')))
    .description('what starts and ends by itself, and who gains and loses access by it and when; exit codes as of plan')
    .option('--at <when>', 'until this time, such as 2027-01-01 or 30d (default)')
    .option('--details', DETAILS)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'PDP_API_KEY=… zerohop upcoming --api https://zerohop.example.com',
        'zerohop upcoming --at 2027-01-01 --details --data ./data',
      ),
    )
    .action((options: UpcomingOptions) =>
      attempt(async () => {
        process.exitCode = await (await import('./plan.ts')).upcoming(readEnv(), options)
      }),
    )
  addReasonOptions(addTargetOptions(refusesUsage(program.command('apply'))))
    .description('applies policy files or a plan to an environment; asks before doing it')
    .argument('[files...]', `${FILES}, or a plan that \`plan --out\` wrote`)
    .option('--prune', 'also delete objects removed from the files')
    .option('--cascade', 'also delete facts that the files do not manage, where objects they need are deleted')
    .option('--yes', YES)
    .option('--force', 'even if more access would change than planned')
    .option('--details', DETAILS)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'PDP_API_KEY=… zerohop apply --api https://zerohop.example.com --ticket OPS-1741',
        'zerohop apply plan.json --yes',
        'zerohop apply policy/ --prune --cascade --data ./data',
      ),
    )
    .action((files: readonly string[], options: ApplyOptions) =>
      attempt(async () => {
        process.exitCode = await (await import('./plan.ts')).apply(readEnv(), files, options)
      }),
    )
  addTargetOptions(refusesUsage(program.command('diff')))
    .description(
      'differences between two environments, revisions, policy files or image files, and in access; exit code 0 none, 2 differences, 3 differences that could not be counted, 1 error',
    )
    .argument(
      '<from>',
      'a file or folder of policies, an image file, or an environment: environment or project/environment, with @revision for an earlier state',
    )
    .argument('<to>', 'the same')
    .option('--details', DETAILS)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'PDP_API_KEY=… zerohop diff staging production --api https://zerohop.example.com',
        'zerohop diff production policy.yaml',
        'zerohop diff production@118 production',
        'zerohop diff before.image after.image',
      ),
    )
    .action((from: string, to: string, options: DiffOptions) =>
      attempt(async () => {
        process.exitCode = await (await import('./diff.ts')).diff(readEnv(), [from, to], options)
      }),
    )
  addCopy(program)
}

function addCopy(program: Command): void {
  addReasonOptions(refusesUsage(program.command('copy')))
    .description(
      'copies the policy of an environment to another one; shows what would change and for whom, and asks before doing it',
    )
    .argument('<from>', 'environment, or project/environment')
    .argument('<to>', 'environment of the same project')
    .option('--new', 'create the environment')
    .option('--overwrite', 'also overwrite existing objects; objects that only the target has are kept')
    .option('--tenant-roles', 'also copy the roles of tenants that the target has')
    .option('--scope <json>', 'what to copy, as in the API: {"roles": {"include": ["reader"]}}')
    .option('--dry-run', DRY_RUN)
    .option('--yes', YES)
    .option('--force', FORCE)
    .option('--details', DETAILS)
    .option('--json', 'the plan as JSON')
    .option('--api <url>', API)
    .option('--project <project>', PROJECT)
    .option('--data <folder>', FOLDER)
    .option('--organization <key>', ORGANIZATION)
    .addHelpText(
      'after',
      examples(
        'PDP_API_KEY=… zerohop copy staging production --overwrite --dry-run',
        'zerohop copy production load-test --new --yes',
      ),
    )
    .action((from: string, to: string, options: CopyOptions) =>
      runCommand(async () => {
        process.exitCode = await (await import('./copy.ts')).copyEnvironment(readEnv(), [from, to], options)
      }),
    )
}
