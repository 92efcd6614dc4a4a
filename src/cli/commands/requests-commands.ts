// The command lines of `zerohop requests`. requests.ts runs them and is loaded only then.
import { type Command, Option } from 'commander'
import { REQUEST_STATES, type RequestState } from '../../kinds/access-request.ts'
import { readEnv } from '../configuration/env.ts'
import { ALL, examples, refusesUsage } from '../terminal/command-line.ts'
import { remote, runCommand } from './history-commands.ts'
import type { ApproveOptions, AskOptions, DecideOptions, RequestsOptions } from './requests.ts'

const ID = 'id of the request, as `zerohop requests list` shows it'
const AS_JSON = 'as JSON'
const DECIDED = {
  deny: 'denies a request that is pending',
  cancel: 'cancels a request that is pending, as the user who asked',
  revoke: 'revokes what a request gave; what the user had before is restored',
} as const

/** Adds `requests`. */
export function addRequests(program: Command): void {
  const requests = refusesUsage(program.command('requests')).description(
    'requests of users for a role for a time: lists, makes and decides them',
  )
  remote(refusesUsage(requests.command('list')))
    .description('the requests of an environment, in the order in which they were made')
    .addOption(
      new Option('--state <state...>', 'only those in these states; by default those that are pending').choices([
        ...REQUEST_STATES,
      ]),
    )
    .option('--user <key>', 'only those of this user')
    .option('--role <key>', 'only those for this role')
    .option('--tenant <key>', 'only those in this tenant')
    .option('--all', ALL)
    .option('--json', 'as JSON, one per line: all of them')
    .addHelpText('after', examples('zerohop requests list', 'zerohop requests list --user ana --state approved ended'))
    .action((options: RequestsOptions & { readonly state?: readonly RequestState[] }) =>
      runCommand(async () => (await import('./requests.ts')).listRequests(readEnv(), options)),
    )
  acting(requests.command('ask'))
    .description('asks for a role for a user')
    .argument('<role>', 'role key')
    .option('--tenant <key>', 'key or id of the tenant (default)')
    .option('--on <instance>', 'a resource instance, `type:key`: the role is then one of its resource type')
    .addOption(new Option('--for <time>', 'how long from the approval on, such as 2h').conflicts('until'))
    .option('--until <when>', 'until this time, such as 2026-12-31T18:00:00+01:00')
    .option('--ticket <text>', 'what it is for, such as the key of an issue')
    .addHelpText(
      'after',
      examples('zerohop requests ask responder --as ana --tenant acme --for 2h --reason "disk full"'),
    )
    .action((role: string, options: AskOptions) =>
      runCommand(async () => (await import('./requests.ts')).ask(readEnv(), role, options)),
    )
  acting(requests.command('approve'))
    .description('approves a request that is pending; a time shortens it')
    .argument('<id>', ID)
    .addOption(new Option('--for <time>', 'how long, such as 1h').conflicts('until'))
    .option('--until <when>', 'until this time, such as 2026-12-31T18:00:00+01:00')
    .addHelpText('after', examples('zerohop requests approve 01a2… --as ben --for 1h'))
    .action((id: string, options: ApproveOptions) =>
      runCommand(async () => (await import('./requests.ts')).decide(readEnv(), 'approve', id, options)),
    )
  for (const verb of Object.keys(DECIDED) as (keyof typeof DECIDED)[]) {
    acting(requests.command(verb))
      .description(DECIDED[verb])
      .argument('<id>', ID)
      .addHelpText('after', examples(`zerohop requests ${verb} 01a2… --as ${verb === 'cancel' ? 'ana' : 'ben'}`))
      .action((id: string, options: DecideOptions) =>
        runCommand(async () => (await import('./requests.ts')).decide(readEnv(), verb, id, options)),
      )
  }
}

/** Options of a command that acts as a user. */
const acting = (command: Command): Command =>
  remote(refusesUsage(command))
    .requiredOption('--as <user>', 'key or id of the user who acts')
    .option('--reason <text>', 'why, for people')
    .option('--json', AS_JSON)
