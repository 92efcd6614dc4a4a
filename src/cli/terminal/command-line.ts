// Shared by all commands: the form of help, usage errors and failures, and the precedence of options over variables.
import type { Command, HelpConfiguration } from 'commander'
import { contained } from '../../model/contained.ts'
import { type Env, inVariables, port } from '../configuration/env.ts'
import { fail } from '../process/process.ts'

/** Settings that exist as options and as variables. */
export interface Settings {
  readonly data?: string
  readonly host?: string
  readonly apiPort?: string
  readonly pdpPort?: string
}

export const DATA = `data folder ${inVariables('ZEROHOP_DATA')}`

/** Help lists commands without their arguments, to leave room for descriptions. */
const HELP: HelpConfiguration = { subcommandTerm: (command) => command.name() }

/** Configures help and error texts of a command and its subcommands. Call it first. */
export function speak(program: Command, version: string): Command {
  return program
    .version(version, '-V, --version', 'prints the version')
    .helpOption('-h, --help', 'prints this help')
    .helpCommand('help [command]', 'prints the help of a command')
    .configureHelp(HELP)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'zerohop: ')) })
}

/** Makes each command point to its help after a usage error. Call it when all commands are added. */
export function pointToHelp(command: Command, name: string = command.name()): void {
  command.showHelpAfterError(
    command.commands.length > 0 ? `(${name} --help lists the commands)` : `(${name} --help shows how it is used)`,
  )
  for (const each of command.commands) pointToHelp(each, `${name} ${each.name()}`)
}

/** The reader of the output may stop reading (`| head`): then the rest is dropped, which is not a failure. */
export function mayStopReading(output: NodeJS.WriteStream): void {
  const failed = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') fail(error)
  }
  output.on('error', contained('an output that cannot be written', failed))
}

/** Runs a command; an error is printed as one line and gives exit code 1. */
export async function attempt(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    fail(error)
  }
}

/** Options take precedence over variables. */
export function withSettings(env: Env, { data, host, apiPort, pdpPort }: Settings): Env {
  return {
    ...env,
    ...(data === undefined ? {} : { data }),
    ...(host === undefined ? {} : { host, pdpHost: host }),
    ...(apiPort === undefined ? {} : { apiPort: port(apiPort, '--api-port') }),
    ...(pdpPort === undefined ? {} : { pdpPort: port(pdpPort, '--pdp-port') }),
  }
}

/** Exit code for a command line that is wrong, which no script can take for an answer (`EX_USAGE` of sysexits.h). */
export const WRONG_USAGE = 64

/** Gives the command that exit code for options and arguments that it does not have. */
export function refusesUsage(command: Command): Command {
  return command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : WRONG_USAGE))
}

export const DRY_RUN =
  'only show what would change; exit code 0 nothing, 2 changes, 3 changes that could not be counted, 1 error'
export const YES = 'do not ask; refuse if not all effects could be counted'
export const FORCE = 'even if more access would change than was shown'
/** Of every command that lists. */
export const ALL = 'all of them, however many there are'
export const DETAILS = 'show everything, not just the first of each list'
export const API = `address of the management API, asked with PDP_API_KEY ${inVariables('ZEROHOP_API')}`
export const PROJECT = 'id or key of the project (default: from the key, else from zerohop.yaml)'
export const FOLDER = `${DATA}, instead of an API`
export const ORGANIZATION = 'with --data: id or key of the organization (default: the oldest)'

/** Options that say which environment is meant. */
export function addTargetOptions(command: Command): Command {
  return command
    .option('--api <url>', API)
    .option('--project <project>', PROJECT)
    .option(
      '--environment <environment>',
      'id or key of the environment (default: from the key, else from zerohop.yaml)',
    )
    .option('--data <folder>', FOLDER)
    .option('--organization <key>', ORGANIZATION)
}

/** Options of a command that writes: why, and what for. The history shows both. */
export function addReasonOptions(command: Command): Command {
  return command
    .option('--reason <text>', 'why, for the history')
    .option('--ticket <text>', 'what it is done for, such as the key of an issue, for the history')
}

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`
}
