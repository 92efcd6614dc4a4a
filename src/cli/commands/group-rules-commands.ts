// The command lines of `zerohop group-rules`. group-rules.ts runs them and is loaded only then.
import { type Command, Option } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { ALL, addReasonOptions, DETAILS, DRY_RUN, examples, refusesUsage, YES } from '../terminal/command-line.ts'
import type { ListOptions, WriteOptions } from './group-rules.ts'
import { remote, runCommand } from './history-commands.ts'

const ID = 'id of the rule, as `zerohop group-rules list` shows it'

/** Adds `group-rules`. */
export function addGroupRules(program: Command): void {
  const rules = refusesUsage(program.command('group-rules')).description(
    'rules that give roles to the members of groups of a directory (SCIM): lists, makes, changes and deletes them',
  )
  remote(refusesUsage(rules.command('list')))
    .description('the rules of an environment, in the order in which they were made')
    .option('--all', ALL)
    .option('--json', 'as JSON, one per line: all of them')
    .addHelpText('after', examples('zerohop group-rules list', 'zerohop group-rules list --json'))
    .action((options: ListOptions) =>
      runCommand(async () => (await import('./group-rules.ts')).listGroupRules(readEnv(), options)),
    )
  writing(ofGroups(rules.command('create')))
    .description('gives a role to the members of a group; shows who would gain access and asks before doing it')
    .argument('<role>', 'role key')
    .addHelpText(
      'after',
      examples(
        'zerohop group-rules create editor --group Engineering --tenant acme --dry-run',
        'zerohop group-rules create viewer --external-id eu- --prefix --on folder:europe --until 2027-01-01T00:00:00Z',
      ),
    )
    .action((role: string, options: WriteOptions) =>
      runCommand(async () => {
        process.exitCode = await (await import('./group-rules.ts')).createRule(readEnv(), role, options, Date.now())
      }),
    )
  writing(ofGroups(rules.command('update')))
    .description('changes what is named of a rule; shows who would gain and lose access and asks before doing it')
    .argument('<id>', ID)
    .option('--role <key>', 'another role')
    .option('--exact', 'the whole name or external id is compared, not its beginning')
    .addHelpText(
      'after',
      examples('zerohop group-rules update 01a2… --role viewer', 'zerohop group-rules update 01a2… --no-end'),
    )
    .action((id: string, options: WriteOptions) =>
      runCommand(async () => {
        process.exitCode = await (await import('./group-rules.ts')).updateRule(readEnv(), id, options, Date.now())
      }),
    )
  writing(rules.command('delete'))
    .description('deletes a rule and what it alone gives; shows who would lose access and asks before doing it')
    .argument('<id>', ID)
    .addHelpText(
      'after',
      examples('zerohop group-rules delete 01a2… --dry-run', 'zerohop group-rules delete 01a2… --yes'),
    )
    .action((id: string, options: WriteOptions) =>
      runCommand(async () => {
        process.exitCode = await (await import('./group-rules.ts')).deleteRule(readEnv(), id, options)
      }),
    )
}

/** Options that say which groups, where, and for how long. */
const ofGroups = (command: Command): Command =>
  command
    .addOption(
      new Option('--group <name>', 'groups with this display name; letter case does not count').conflicts('externalId'),
    )
    .option('--external-id <id>', 'groups with this external id: that of the directory, which no one renames')
    .option('--prefix', 'groups whose name or external id begins so')
    .addOption(new Option('--tenant <key>', 'key or id of the tenant (default)').conflicts('on'))
    .option('--on <instance>', 'a resource instance, `type:key`: the role is then one of its resource type')
    .addOption(
      new Option('--for <time>', 'how long, such as 7d or 8h, from now or from --from').conflicts(['until', 'end']),
    )
    .addOption(
      new Option('--until <when>', 'until this time, exclusive, such as 2026-12-31T18:00:00+01:00').conflicts('end'),
    )
    .option('--from <when>', 'from this time on, or after a time such as 2h; by default at once')
    .option('--no-end', 'without an end')

/** Options of a command that shows a plan, and writes. */
const writing = (command: Command): Command =>
  addReasonOptions(remote(refusesUsage(command)))
    .option('--dry-run', DRY_RUN)
    .option('--yes', YES)
    .option('--details', DETAILS)
    .option('--json', 'as JSON: the rule, with --dry-run the plan')
