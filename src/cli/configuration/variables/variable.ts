// One variable of the environment: its schema and everything else that is known of it. Parsing, the help of commands
// and the table in docs/operations.md are made from it.
import * as t from '../../../model/json-schema.ts'

/** The commands of `zerohop`, in the order of its help. */
export const COMMANDS = [
  'serve',
  'api',
  'pdp',
  'pdps',
  'log',
  'grant',
  'revoke',
  'grants',
  'history',
  'check',
  'image',
  'types',
  'why',
  'plan',
  'apply',
  'diff',
  'copy',
  'org',
  'keys',
  'backup',
  'restore',
  'export',
  'import',
  'data',
  'database',
  'integration',
  'migrate',
] as const
type Command = (typeof COMMANDS)[number]

export interface Facts {
  readonly about: string
  /** the commands whose work it changes; each command refuses to start with a value that cannot be used */
  readonly readBy: readonly Command[]
  /** further names, which count when the variable itself is not set */
  readonly aliases?: readonly string[]
  /** no log may hold it; the variable NAME_FILE may name a file instead */
  readonly isSecret?: true
  /** in Markdown: what the table says instead of the default */
  readonly unset?: string
  /** what the help of a command adds to the default */
  readonly hint?: string
}

type Optional<S extends t.TSchema> = ReturnType<typeof t.optional<S>>

/** A variable that has a value even when it is not set. */
export const withDefault = <S extends t.TSchema>(type: S, value: t.Static<S>, facts: Facts): S =>
  t.described(type, facts.about, { ...facts, default: value })

/** A variable that may be absent. */
export const variable = <S extends t.TSchema>(type: S, facts: Facts): Optional<S> =>
  t.optional(t.described(type, facts.about, { ...facts }))

/** What is known of a variable. */
export const variableFacts = (schema: t.TSchema): Facts & { readonly default?: unknown } =>
  t.findDocumentation(schema) as unknown as Facts & { readonly default?: unknown }
