// The command line of plans: names, options and help. Each command is in a file of its own, which is loaded only when
// it runs.
import type { Command } from 'commander'
import { readEnv } from '../configuration/env.ts'
import {
  API,
  attempt,
  examples,
  FOLDER,
  ORGANIZATION,
  PROJECT,
  refusesUsage,
  targeted,
} from '../terminal/command-line.ts'
import type { CopyOptions } from './copy.ts'
import type { DiffOptions } from './diff.ts'
import { answering } from './history-commands.ts'
import type { ApplyOptions, PlanOptions } from './plan.ts'

const FILES = 'policy files and folders of them (`files` of zerohop.yaml, else policy.yaml); `-` is standard input'

/** Adds `plan`, `apply`, `diff` and `copy`. */
export function addPlans(program: Command): void {
  targeted(refusesUsage(program.command('plan')))
    .description(
      'what policy files would change, and who gains and loses access; exit code 0 nothing, 2 changes, 3 changes whose effect could not be counted, 1 error',
    )
    .argument('[files...]', FILES)
    .option('--prune', 'also delete what the files manage and do not name')
    .option('--cascade', 'also where deletes take facts along that the files do not manage')
    .option('--out <file>', 'write the plan to a file, for apply')
    .option('--markdown', 'as a comment for a pull request, without keys of users and tenants')
    .option('--names', 'with --markdown: with these keys')
    .option('--details', 'everything, instead of the first of each list')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'PDP_API_KEY=… zerohop plan --api https://zerohop.example.com',
        'zerohop plan policy/ --prune --out plan.json',
        'zerohop plan --markdown >> "$GITHUB_STEP_SUMMARY"',
        'zerohop plan policy.yaml --data ./data --environment staging',
      ),
    )
    .action((files: readonly string[], options: PlanOptions) =>
      attempt(async () => {
        process.exitCode = await (await import('./plan.ts')).plan(readEnv(), files, options)
      }),
    )
  targeted(refusesUsage(program.command('apply')))
    .description('makes an environment what policy files say, or does what a plan says; asks before')
    .argument('[files...]', `${FILES}, or a plan that \`plan --out\` wrote`)
    .option('--prune', 'also delete what the files manage and do not name')
    .option('--cascade', 'also where deletes take facts along that the files do not manage')
    .option('--yes', 'do not ask; what could not be counted is refused')
    .option('--force', 'also when more access changes than the plan says')
    .option('--details', 'everything, instead of the first of each list')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'PDP_API_KEY=… zerohop apply --api https://zerohop.example.com',
        'zerohop apply plan.json --yes',
        'zerohop apply policy/ --prune --cascade --data ./data',
      ),
    )
    .action((files: readonly string[], options: ApplyOptions) =>
      attempt(async () => {
        process.exitCode = await (await import('./plan.ts')).apply(readEnv(), files, options)
      }),
    )
  targeted(refusesUsage(program.command('diff')))
    .description(
      'what differs between two environments, revisions, policy files or image files, and in access; exit code 0 nothing, 2 something, 3 something that could not be counted, 1 error',
    )
    .argument(
      '<from>',
      'a file or folder of policies, an image file, or an environment: environment or project/environment, with @revision as it was then',
    )
    .argument('<to>', 'the same')
    .option('--details', 'everything, instead of the first of each list')
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
  refusesUsage(program.command('copy'))
    .description('copies the policy of an environment into another one; shows what that changes and for whom, and asks')
    .argument('<from>', 'environment, or project/environment')
    .argument('<to>', 'environment of the same project')
    .option('--new', 'make the environment')
    .option('--overwrite', 'also objects that are there already; what only the target has stays')
    .option('--scope <json>', 'what is copied, as in the API: {"roles": {"include": ["reader"]}}')
    .option('--dry-run', 'only show it; exit code 0 nothing, 2 changes, 3 changes that could not be counted, 1 error')
    .option('--yes', 'do not ask; what could not be counted is refused')
    .option('--force', 'also when more access changes than was shown')
    .option('--details', 'everything, instead of the first of each list')
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
      answering(async () => {
        process.exitCode = await (await import('./copy.ts')).copyEnvironment(readEnv(), [from, to], options)
      }),
    )
}
