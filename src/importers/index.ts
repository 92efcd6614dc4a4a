// The importers, by the word of `zerohop import --from`. Each is loaded when it is asked for. To add one: a folder beside
// `casbin` with a module that exports `importer` (frame/importer.ts says what it must do), a line here, and its section
// in docs/moving.md.
import type { Importer } from './frame/importer.ts'

export interface ImporterEntry {
  /** what it takes, for the help */
  readonly takes: string
  readonly options: readonly ImporterOption[]
  readonly load: () => Promise<{ readonly importer: Importer }>
}

export interface ImporterOption {
  /** as commander takes it: `--closed-actions`, `--openfga-url <url>` */
  readonly flags: string
  readonly description: string
}

export const IMPORTERS = {
  casbin: {
    takes: 'model.conf and files with rules: policy.csv, or rows of a database adapter as JSON',
    options: [
      { flags: '--closed-actions', description: 'casbin: only actions that rules name are ever asked about' },
      { flags: '--roles-as-users', description: 'casbin: roles are also asked about as subjects' },
    ],
    load: () => import('./casbin/importer.ts'),
  },
} as const satisfies Readonly<Record<string, ImporterEntry>>

export type ImporterName = keyof typeof IMPORTERS
