// The command lines of `zerohop proposals`. proposals.ts runs them and is loaded only then.
import { type Command, Option } from 'commander'
import { PROPOSAL_STATES } from '../../kinds/proposal.ts'
import { readEnv } from '../configuration/env.ts'
import { ALL, addReasonOptions, DETAILS, examples, FORCE, refusesUsage, YES } from '../terminal/command-line.ts'
import { remote, runCommand } from './history-commands.ts'
import type { DecideOptions, ListOptions, ShowOptions } from './proposals.ts'

const ID = 'id of the proposal'

/** Adds `proposals` with its subcommands. Options that both have are read by `proposals`. */
export function addProposals(program: Command): void {
  const proposals = remote(refusesUsage(program.command('proposals')))
    .description('changes of the policy that one proposes with plan --propose and another applies')
    .addOption(new Option('--state <state...>', 'only those in this state').choices([...PROPOSAL_STATES]))
    .option('--all', ALL)
    .option('--json', 'as JSON, one proposal per line; of a subcommand the answer of the API')
    .addHelpText(
      'after',
      examples('zerohop proposals --state proposed', 'zerohop proposals show 018f…', 'zerohop proposals apply 018f…'),
    )
    .action((options: ListOptions) =>
      runCommand(async () => (await import('./proposals.ts')).listProposals(readEnv(), options)),
    )
  remote(refusesUsage(proposals.command('show')))
    .description('what a proposal would change now, and who would gain and lose access')
    .argument('<id>', ID)
    .option('--details', DETAILS)
    .addHelpText('after', examples('zerohop proposals show 018f…'))
    .action((id: string, _: object, command: Command) =>
      runCommand(async () =>
        (await import('./proposals.ts')).showProposal(readEnv(), id, command.optsWithGlobals<ShowOptions>()),
      ),
    )
  addReasonOptions(remote(refusesUsage(proposals.command('apply'))))
    .description('applies a proposal of someone else; shows what would change and asks before doing it')
    .argument('<id>', ID)
    .option('--yes', YES)
    .option('--force', FORCE)
    .option('--details', DETAILS)
    .addHelpText('after', examples('zerohop proposals apply 018f… --reason "looked at with ana"'))
    .action((id: string, _: object, command: Command) =>
      runCommand(async () => {
        const options = command.optsWithGlobals<DecideOptions>()
        process.exitCode = await (await import('./proposals.ts')).applyProposal(readEnv(), id, options)
      }),
    )
  for (const [how, says] of [
    ['reject', 'rejects a proposal of someone else'],
    ['withdraw', 'withdraws a proposal of your own'],
  ] as const)
    addReasonOptions(remote(refusesUsage(proposals.command(how))))
      .description(says)
      .argument('<id>', ID)
      .addHelpText('after', examples(`zerohop proposals ${how} 018f… --reason "too wide"`))
      .action((id: string, _: object, command: Command) =>
        runCommand(async () =>
          (await import('./proposals.ts')).endProposal(readEnv(), id, how, command.optsWithGlobals<DecideOptions>()),
        ),
      )
}
