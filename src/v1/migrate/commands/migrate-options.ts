// Options of the steps of `zerohop migrate`, and how a step names the next one. It loads nothing: the command line reads it before a step is called.

/** Where the report of verify goes, unless it is told otherwise. */
export const REPORT = 'zerohop-migration.json'

/** Where a move keeps what it writes, for undo. */
export const RECORD = 'zerohop-migration.moves.jsonl'

/** Options of every step that speaks to a management API. */
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

/** As a shell reads it as one word. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
