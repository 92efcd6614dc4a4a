// Options of the steps of `zerohop migrate`, and the command line of a next step. Imports little, because every command
// loads it.

/** The default path of the report of verify. */
export const REPORT = 'zerohop-migration.json'

/** The default path of the record of a move, for undo. */
export const RECORD = 'zerohop-migration.moves.jsonl'

/** Options of every step that calls a management API. */
export interface ApiOptions {
  readonly api?: string
  readonly ours?: string
  readonly json?: boolean
}

export interface ForeignOptions extends ApiOptions {
  readonly foreign: readonly string[]
}

export interface MoveOptions extends ForeignOptions {
  readonly to: readonly string[]
  readonly dryRun?: boolean
  readonly overwrite?: boolean
  readonly record: string
}

export interface UndoOptions extends ApiOptions {
  readonly record: string
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export interface VerifyOptions extends ForeignOptions {
  readonly to: readonly string[]
  readonly pdps: readonly string[]
  readonly checks?: string
  readonly report: string
}

export interface FinishOptions extends ForeignOptions {
  readonly report: string
  readonly yes?: boolean
  /** keys of users and roles, and names of environments, that are given up */
  readonly dropUnused: readonly string[]
}

export interface ScanCommandOptions {
  readonly json?: boolean
  /** files and folders that are left out */
  readonly ignore: readonly string[]
  /** hosts that speak v1 only */
  readonly host: readonly string[]
}

export interface StatusOptions extends ApiOptions, ScanCommandOptions {
  readonly pdp: readonly string[]
  readonly checks?: string
  readonly code: readonly string[]
}

/** The command line of a step about the same organization, ready to be pasted into a shell. */
export function commandOf(step: string, { api, ours, foreign }: ForeignOptions, further: readonly string[]): string {
  const given = [
    ...(api === undefined ? [] : ['--api', api]),
    ...(ours === undefined ? [] : ['--ours', ours]),
    ...(foreign.length === 0 ? [] : ['--foreign', ...foreign]),
  ]
  return ['zerohop', 'migrate', step, ...[...given, ...further].map(quoted)].join(' ')
}

/** Quotes the text for a shell where needed. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
