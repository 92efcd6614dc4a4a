// `zerohop completion SHELL`: a script that makes the shell complete commands, options and their values. The script
// asks `zerohop complete -- WORDS`, which is not listed in the help. Both are made from the commands themselves.
import type { Command } from 'commander'
import { examples, refusesUsage } from '../terminal/command-line.ts'

/** Makes the shell offer files. */
const FILES = ':0'
const SHELLS = ['bash', 'zsh', 'fish'] as const

/** Adds `completion`. */
export function addCompletion(program: Command): void {
  refusesUsage(program.command('completion'))
    .description('prints a shell completion script')
    .addArgument(program.createArgument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        'source <(zerohop completion bash)   # now; in ~/.bashrc for good',
        'source <(zerohop completion zsh)',
        'zerohop completion fish > ~/.config/fish/completions/zerohop.fish',
      ),
    )
    .action(async (shell: string) => (await import('@bomb.sh/tab')).default.setup('zerohop', 'zerohop', shell))
}

/**
 * Answers the script: prints what the words can be followed by, a line each. Call it when all commands are added.
 * @param words what was typed so far, without the name of the program; the last one is being typed
 */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const { default: adapter } = await import('@bomb.sh/tab/commander')
  const root = adapter(program, { completionCommandName: 'completions' })
  const lines: string[] = []
  const { log } = console
  console.log = (line: string) => void lines.push(line) // where it prints
  try {
    root.parse([...words])
  } finally {
    console.log = log
  }
  // the last line tells the shell to offer no files: most of what has no words of its own is one
  process.stdout.write(`${lines.length <= 1 ? FILES : lines.join('\n')}\n`)
}
