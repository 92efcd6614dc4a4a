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
  casl: {
    takes:
      'rules as JSON, raw or packed: editor.json is the role `editor`; or a module whose rolesOf() answers those of each role',
    options: [
      { flags: '--closed-names', description: 'casl: only actions and subjects that rules name are ever asked about' },
      {
        flags: '--plain-values',
        description: 'casl: attributes hold values of the type that rules compare them with: no list, no null',
      },
      {
        flags: '--user-key <attribute>',
        description: 'casl: what templates call the key of a user, a text that is a key as it is: id of user.id',
      },
    ],
    load: () => import('./casl/importer.ts'),
  },
  cedar: {
    takes: 'policies.cedar, a schema, app.cedarschema or app.cedarschema.json, and entities.json',
    options: [
      { flags: '--closed-entities', description: 'cedar: only principals among the entities are ever asked about' },
    ],
    load: () => import('./cedar/importer.ts'),
  },
  csv: {
    takes: 'a mapping, mapping.yaml, which names the files and a policy',
    options: [],
    load: () => import('./csv/importer.ts'),
  },
  openfga: {
    takes: 'a store with its tests, store.fga.yaml; or a model, model.fga, fga.mod or model.json, and files of tuples',
    options: [
      {
        flags: '--openfga-url <url>',
        description: 'openfga: a running OpenFGA to ask, which gets a store for the proof',
      },
      {
        flags: '--present-time <parameter>',
        description: 'openfga: what conditions call the present time; default: current_time',
      },
    ],
    load: () => import('./openfga/importer.ts'),
  },
  permit: {
    takes: 'the address of a server, https://api.permit.io; PDP_API_KEY is the key of an environment',
    options: [
      { flags: '--pdp-url <url>', description: 'permit: a PDP of the environment, which is asked for the proof' },
    ],
    load: () => import('./permit/importer.ts'),
  },
} as const satisfies Readonly<Record<string, ImporterEntry>>

export type ImporterName = keyof typeof IMPORTERS
