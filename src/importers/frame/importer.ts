// What an importer is: it reads the files of another engine and says what they mean here. Everything else is the same
// for all of them and lies beside this file: keys, the files that are written, the report, and the proof, which asks
// both engines the same questions. An importer never widens: what has no equal is a finding, and gives nothing.
// docs/adr/0054-importers.md; src/importers/index.ts lists the importers.
import type { FactLists } from '../../management/policy-file/export.ts'
import type { Problem, Source } from '../../management/policy-file/problem.ts'
import type { JsonObject } from '../../model/objects.ts'
import type { FactKind } from '../../model/policy-kinds.ts'

export interface Importer {
  /**
   * Reads the files.
   * @param named the arguments of the command line: files, or what else the importer takes
   * @param hear for an importer that asks a server
   * @throws CONFIG_INVALID when a file cannot be read
   */
  read(named: readonly string[], options: ImporterOptions, hear?: HearRetry): Promise<Reading>
}

/** Hears why something is asked again, and when. */
export type HearRetry = (retry: { readonly reason: string; readonly waitMs: number }) => void

/** Values of the options that the importer declares in src/importers/index.ts. */
export type ImporterOptions = Readonly<Record<string, string | boolean | undefined>>

/** What the files hold, or everything that is wrong with their form. */
export type Reading =
  | { readonly imported: Imported; readonly problems: readonly [] }
  | { readonly imported?: undefined; readonly problems: readonly Problem[]; readonly sources: readonly Source[] }

export interface Imported<Old = unknown> {
  /** in the form of a policy file, without facts */
  readonly policy: { readonly zerohop: 2; readonly [section: string]: unknown }
  /** a fact names only facts before it */
  readonly facts: readonly Fact[]
  readonly findings: readonly Finding[]
  /** JavaScript of `toQuestion` and what it needs, for the application; it may call `key` and `userKey` */
  readonly helper: string
  readonly questions: Questions<Old>
  /**
   * In place of questions, where nothing can be asked: compares what was written with what was read.
   * @param seed of the proof
   */
  readonly compare?: (written: Partial<FactLists>, seed: number) => Proof
  /** tests of the old files, which become policy tests */
  readonly tests?: readonly ImportedTest[]
  /** Opens the old engine on the same files. @throws PACKAGE_MISSING when its package is not installed */
  open(): Promise<OldEngine<Old>>
}

/** A policy test (docs/policy-tests.md). */
export interface ImportedTest {
  /** of the file, which questions name that are asked with its facts */
  readonly key: string
  readonly name: string
  /** all of them: a policy test has none but its own. A fact names only facts before it */
  readonly facts: readonly Fact[]
  readonly expect: readonly object[]
}

export interface Fact {
  readonly kind: FactKind
  readonly fact: Readonly<Record<string, unknown>>
}

/** What a construct of the old files became, where that is not the same. */
export interface Finding {
  /** `unsaid`: it has no equal and gives nothing. `note`: nothing is lost, but a reader should know */
  readonly kind: 'unsaid' | 'note'
  readonly file: string
  readonly line: number
  /** the construct, as it stands there */
  readonly what: string
  readonly reason: string
  /** the nearest way to say it here */
  readonly nearest: string
}

/** A universe of questions, which both engines can be asked. */
export interface Questions<Old> {
  /** what it consists of, for the report */
  readonly stated: string
  readonly total: number
  /** the first ones, which a sample always has */
  readonly always: number
  /** @param index from 0 to below `total` */
  at(index: number): Question<Old>
}

export interface Question<Old> {
  /** as the old engine is asked, for the report */
  readonly text: string
  readonly old: Old
  readonly check: Check
}

/** A question to a PDP. */
export interface Check {
  /** null: no one is signed in */
  readonly user: string | null
  readonly action: string
  readonly resource: {
    readonly type: string
    readonly key?: string
    readonly tenant: string
    /** sent with the question */
    readonly attributes?: JsonObject
  }
  /** sent with the question */
  readonly context?: JsonObject
  /** the time of the question, in ms since 1970; without it that of the clock */
  readonly now?: number
  /** the key of the test with whose facts it is asked; without it with the facts of the import */
  readonly test?: string
}

export interface OldEngine<Old> {
  /** its name and version */
  readonly name: string
  /** What it answers; rejects where it fails to answer. */
  ask(old: Old): Promise<boolean>
  close(): Promise<void>
}

/** A question that the engines answer differently. */
export interface Difference {
  readonly question: string
  /** `failed`: it did not answer */
  readonly old: 'allow' | 'deny' | 'failed'
  readonly new: 'allow' | 'deny'
  /** of an old engine that did not answer */
  readonly reason?: string
}

export interface Proof {
  readonly engine: string
  /** of what the questions are made */
  readonly universe: string
  readonly questions: number
  readonly asked: number
  readonly seed: number
  /** questions that both engines allow: a proof over denials alone says little */
  readonly allowed: number
  /** all of them, also those that the list has no room for */
  readonly different: number
  /** those that Zerohop allows and the old engine does not */
  readonly wider: number
  readonly differences: readonly Difference[]
}
