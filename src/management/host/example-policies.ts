// The example policies that a new data folder can start with, as data: `zerohop serve --example NAME`. Pure.

export interface ExamplePolicy {
  /** in a few words, for the help of the command */
  readonly about: string
  readonly resource: string
  readonly actions: readonly string[]
  readonly roles: readonly { readonly key: string; readonly name: string; readonly may: readonly string[] }[]
  /** users with their role in the tenant `default` */
  readonly users: Readonly<Record<string, string>>
  /** a question that the first user may and the second may not do, with what the second one may */
  readonly try: { readonly action: string; readonly denied: string; readonly deniedMay: string }
}

/** The first of them is the one that a new folder gets when none is named. */
export const EXAMPLES = {
  hello: {
    about: 'admins say and wave, viewers wave',
    resource: 'hello',
    actions: ['say', 'wave'],
    roles: [
      { key: 'admin', name: 'Admin', may: ['say', 'wave'] },
      { key: 'viewer', name: 'Viewer', may: ['wave'] },
    ],
    users: { ana: 'admin', ben: 'viewer' },
    try: { action: 'say', denied: 'ben', deniedMay: 'wave' },
  },
  articles: {
    about: 'editors read, write and publish articles, readers read them',
    resource: 'article',
    actions: ['read', 'write', 'publish'],
    roles: [
      { key: 'editor', name: 'Editor', may: ['read', 'write', 'publish'] },
      { key: 'reader', name: 'Reader', may: ['read'] },
    ],
    users: { ana: 'editor', ben: 'reader' },
    try: { action: 'publish', denied: 'ben', deniedMay: 'read' },
  },
} as const satisfies Readonly<Record<string, ExamplePolicy>>

export type ExampleName = keyof typeof EXAMPLES

export const EXAMPLE_NAMES = Object.keys(EXAMPLES) as readonly ExampleName[]
