// What all commands of the command line share: how help, mistakes and failures read, and what the command line wins over.
import type { Command, HelpConfiguration } from 'commander'
import { type Env, inVariables, port } from '../configuration/env.ts'
import { fail } from '../process/process.ts'

/** Settings that stand on the command line as well as in variables. */
export interface Settings {
  readonly data?: string
  readonly host?: string
  readonly apiPort?: string
  readonly pdpPort?: string
}

export const DATA = `data folder ${inVariables('ZEROHOP_DATA')}`

/** Help names commands without their parts, so that descriptions have room. */
const HELP: HelpConfiguration = { subcommandTerm: (command) => command.name() }

/** How a command and all that are added to it speak: our words, and one prefix for whatever is wrong. Call it first. */
export function speak(program: Command, version: string): Command {
  return program
    .version(version, '-V, --version', 'prints the version')
    .helpOption('-h, --help', 'prints this help')
    .helpCommand('help [command]', 'prints the help of a command')
    .configureHelp(HELP)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'zerohop: ')) })
}

/** Has each command say, after a mistake, where its help is. Call it when all are there. */
export function pointToHelp(command: Command, name: string = command.name()): void {
  command.showHelpAfterError(
    command.commands.length > 0 ? `(${name} --help lists the commands)` : `(${name} --help shows how it is used)`,
  )
  for (const each of command.commands) pointToHelp(each, `${name} ${each.name()}`)
}

/** Whoever reads what we print may stop reading (`| head`): then the rest is for nobody, and nothing has failed. */
export function mayStopReading(output: NodeJS.WriteStream): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') fail(error)
  })
}

/** Runs a command; what it throws is one line and exit code 1. */
export async function attempt(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    fail(error)
  }
}

/** What the command line says wins over the variables. */
export function withSettings(env: Env, { data, host, apiPort, pdpPort }: Settings): Env {
  return {
    ...env,
    ...(data === undefined ? {} : { data }),
    ...(host === undefined ? {} : { host, pdpHost: host }),
    ...(apiPort === undefined ? {} : { apiPort: port(apiPort, '--api-port') }),
    ...(pdpPort === undefined ? {} : { pdpPort: port(pdpPort, '--pdp-port') }),
  }
}

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`
}
