// The command line of `zerohop log`. log.ts runs it and is loaded only then.
import { type Command, Option } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { examples, refusesUsage } from '../terminal/command-line.ts'
import { WHEN } from '../terminal/when.ts'
import { answering, remote } from './history-commands.ts'
import type { LogOptions } from './log.ts'

/** Adds `log`. */
export function addLog(program: Command): void {
  remote(refusesUsage(program.command('log')))
    .description('recorded decisions of an environment, the newest last')
    .option('-f, --follow', 'go on with those that come, until Ctrl-C')
    .option('--user <keys...>', 'only questions about these users')
    .option('--action <keys...>', 'only about these actions')
    .option('--resource <resources...>', 'only about these resources: a type, or type:key')
    .option('--tenant <keys...>', 'only in these tenants')
    .addOption(new Option('--allow', 'only what was allowed').conflicts('deny'))
    .option('--deny', 'only what was denied')
    .option('--since <when>', `only from then on: ${WHEN}`)
    .option('--limit <number>', 'the newest of them, so many at most', '30')
    .option('--json', 'as JSON, one decision in each line')
    .addHelpText(
      'after',
      examples(
        'zerohop log --follow --deny',
        'zerohop log --user ana --resource invoice invoice:17 --since 24h',
        'zerohop log --environment production --json --limit 1000',
      ),
    )
    .action((options: LogOptions) =>
      answering(async () => {
        const end = new AbortController()
        if (options.follow) process.once('SIGINT', () => end.abort())
        await (await import('./log.ts')).printLog(readEnv(), options, Date.now(), end.signal)
      }),
    )
}
