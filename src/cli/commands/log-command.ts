// The command line of `zerohop log`. log.ts runs it and is loaded only then.
import { type Command, Option } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { ALL, examples, refusesUsage } from '../terminal/command-line.ts'
import { WHEN } from '../terminal/when.ts'
import { remote, runCommand } from './history-commands.ts'
import type { LogOptions } from './log.ts'

/** Adds `log`. */
export function addLog(program: Command): void {
  remote(refusesUsage(program.command('log')))
    .description('recorded decisions of an environment, latest last')
    .option('-f, --follow', 'keep printing new decisions until Ctrl-C')
    .option('--user <keys...>', 'only checks of these users')
    .option('--action <keys...>', 'only about these actions')
    .option('--resource <resources...>', 'only about these resources: a type, or type:key')
    .option('--tenant <keys...>', 'only in these tenants')
    .addOption(new Option('--allow', 'only what was allowed').conflicts('deny'))
    .option('--deny', 'only what was denied')
    .option('--since <when>', `from this time: ${WHEN}`)
    .option('--limit <number>', 'at most this many, the latest', '30')
    .option('--all', ALL)
    .option('--json', 'as JSON, one decision per line')
    .addHelpText(
      'after',
      examples(
        'zerohop log --follow --deny',
        'zerohop log --user ana --resource invoice invoice:17 --since 24h',
        'zerohop log --environment production --json --limit 1000',
      ),
    )
    .action((options: LogOptions) =>
      runCommand(async () => {
        const end = new AbortController()
        if (options.follow) process.once('SIGINT', () => end.abort())
        await (await import('./log.ts')).printLog(readEnv(), options, Date.now(), end.signal)
      }),
    )
}
