// The command lines of `zerohop grant`, `revoke` and `grants`. grants.ts runs them and is loaded only then.
import { type Command, Option } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { ALL, examples, refusesUsage } from '../terminal/command-line.ts'
import type { GrantOptions, GrantsOptions, RevokeOptions } from './grants.ts'
import { remote, runCommand } from './history-commands.ts'

const TENANT = 'key or id of the tenant'
const ON = 'a resource instance, `type:key`: the role is then one of its resource type'
const USER = "user key; '*' (in quotes) is everyone, also users who are not signed in"
const AS_JSON = 'as JSON'
const REASON = 'why, for people'
const TICKET = 'what it is given for, such as the key of an issue: it can be listed and revoked by it'

/** Adds `grant`, `revoke` and `grants`. */
export function addGrants(program: Command): void {
  remote(refusesUsage(program.command('grant')))
    .description(
      'gives a user a role, for a time or without an end; of a role that the user has, changes what is named',
    )
    .argument('<user>', USER)
    .argument('<role>', 'role key')
    .option('--tenant <key>', `${TENANT} (default)`)
    .option('--on <instance>', ON)
    .addOption(
      new Option('--for <time>', 'how long, such as 7d or 8h, from now or from --from').conflicts(['until', 'end']),
    )
    .addOption(
      new Option('--until <when>', 'until this time, exclusive, such as 2026-12-31T18:00:00+01:00').conflicts('end'),
    )
    .option('--from <when>', 'from this time on, or after a time such as 2h; by default at once')
    .option('--no-end', 'without an end')
    .option('--reason <text>', REASON)
    .option('--ticket <text>', TICKET)
    .option('--json', AS_JSON)
    .addHelpText(
      'after',
      examples(
        'zerohop grant ana editor --tenant acme --for 7d',
        'zerohop grant ana editor --tenant acme --for 8h --ticket OPS-1741 --reason "restores the archive"',
        'zerohop grant ana owner --on document:plan --until 2026-12-31T18:00:00Z',
        'zerohop grant ana editor --tenant acme --no-end',
        "zerohop grant '*' viewer --on document:plan --for 7d",
      ),
    )
    .action((user: string, role: string, options: GrantOptions) =>
      runCommand(async () => (await import('./grants.ts')).grant(readEnv(), { user, role }, options, Date.now())),
    )
  remote(refusesUsage(program.command('revoke')))
    .description('takes a role from a user, everything with --all, or what was given for a ticket')
    .argument('[user]', USER)
    .argument('[role]', 'role key')
    .option('--tenant <key>', `${TENANT} (default; with --all or --ticket every one)`)
    .option('--on <instance>', ON)
    .option('--all', 'every role of the user, also on instances and in groups')
    .option('--ticket <text>', 'every role that was given for this ticket, or only those of the user')
    .option('--reason <text>', 'why, for the history')
    .option('--yes', 'do not ask')
    .option('--json', AS_JSON)
    .addHelpText(
      'after',
      examples(
        'zerohop revoke ana editor --tenant acme',
        'zerohop revoke ana --all --yes',
        'zerohop revoke --ticket OPS-1741',
      ),
    )
    .action((user: string | undefined, role: string | undefined, options: RevokeOptions) =>
      runCommand(async () => {
        process.exitCode = await (await import('./grants.ts')).revoke(readEnv(), user, role, options)
      }),
    )
  remote(refusesUsage(program.command('grants')))
    .description('who has which role, and for how long')
    .option('--ending <time>', 'only what ends within this time, such as 7d, the first one first')
    .addOption(
      new Option('--unused <time>', 'only what no one used for this time, such as 90d, by the decision log').conflicts([
        ...['ending', 'on', 'ticket', 'state', 'claim'],
      ]),
    )
    .option('--user <key>', "only those of this user; '*' for those of everyone")
    .option('--role <key>', 'only those of this role')
    .option('--tenant <key>', 'only those in this tenant')
    .option('--on <instance>', 'only those on this resource instance, `type:key`')
    .option('--ticket <text>', 'only those that were given for this ticket')
    .option('--claim <name>', 'only those that this writer says: hand, directory, or the name of a sync')
    .addOption(
      new Option('--state <state...>', 'only those in these states; by default those that have not ended').choices([
        'scheduled',
        'in_force',
        'ended',
      ]),
    )
    .option('--all', ALL)
    .option('--json', 'as JSON, one per line: all of them')
    .addHelpText(
      'after',
      examples(
        'zerohop grants --ending 7d',
        'zerohop grants --unused 90d',
        'zerohop grants --user ana',
        'zerohop grants --claim directory',
        'zerohop grants --state ended --json',
      ),
    )
    .action((options: GrantsOptions) =>
      runCommand(async () => (await import('./grants.ts')).listGrants(readEnv(), options, Date.now())),
    )
}
