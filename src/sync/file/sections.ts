// The sections of a sync file: which kind of fact a row is, what names it, and which columns it may have. Fields and
// their forms are those of the kinds.
import type { Fields } from '../../kinds/fields.ts'
import { findFields } from '../../kinds/index.ts'

/** What a column can be read as. */
export const COLUMN_TYPES = ['text', 'number', 'boolean', 'time', 'json'] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

/** How a component of an identity is written. */
type Component = 'key' | 'user' | 'holder' | 'role' | 'instance'

interface SectionRule {
  readonly kind: 'user' | 'tenant' | 'resource_instance' | 'membership' | 'relationship_tuple' | 'role_assignment'
  readonly about: string
  /** what names a fact, in the order by which facts are sorted */
  readonly identity: Readonly<Record<string, Component>>
  /** components that may be left out as a column: they are empty then */
  readonly mayLack?: readonly string[]
  /** columns of the form `own` that are no identity */
  readonly own?: Readonly<Record<string, 'text' | 'key'>>
  /** own columns that each row must have */
  readonly required?: readonly string[]
}

/** In the order in which facts are written; they are deleted in the reverse order. */
export const SECTIONS = {
  users: {
    kind: 'user',
    about: 'users; only columns that are named here are ever changed',
    identity: { key: 'user' },
    own: { email: 'text' },
  },
  tenants: { kind: 'tenant', about: 'tenants', identity: { key: 'key' } },
  resource_instances: {
    kind: 'resource_instance',
    about: 'resource instances',
    identity: { resource: 'key', key: 'key' },
    own: { tenant: 'key' },
    required: ['tenant'],
  },
  memberships: {
    kind: 'membership',
    about: 'users who belong to a tenant, with or without a role there',
    identity: { user: 'user', tenant: 'key' },
  },
  relationship_tuples: {
    kind: 'relationship_tuple',
    about: 'relationship tuples between instances, each `type:key`',
    identity: { subject: 'instance', relation: 'key', object: 'instance' },
  },
  role_assignments: {
    kind: 'role_assignment',
    about: 'role assignments; the role on an instance, `type:key`, has the tenant of the instance',
    identity: { user: 'holder', role: 'role', tenant: 'key', resource_instance: 'instance' },
    mayLack: ['resource_instance'],
  },
} as const satisfies Readonly<Record<string, SectionRule>>
export type SectionName = keyof typeof SECTIONS
export const SECTION_NAMES = Object.keys(SECTIONS) as readonly SectionName[]

/** What a column is to the fact of its row. */
export type Column =
  | { readonly is: 'component'; readonly at: number; readonly form: Component }
  | { readonly is: 'field'; readonly name: string; readonly form: 'text' | 'key' | 'instant' }
  | { readonly is: 'attribute'; readonly name: string }

/** Forms of fields that a row may set: no suspension and no notes, which people write. */
const FORMS = {
  name: 'text',
  text: 'text',
  instant: 'instant',
  attributes: 'attributes',
  attributes_or_null: 'attributes',
} as const

const ATTRIBUTE = 'attributes.'

/** The columns that a section may have. */
export class Columns {
  readonly rule: SectionRule
  readonly components: readonly string[]
  readonly #known = new Map<string, Column>()
  readonly #takesAttributes: boolean

  constructor(section: SectionName) {
    this.rule = SECTIONS[section]
    this.components = Object.keys(this.rule.identity)
    const fields: Fields = findFields(this.rule.kind) ?? {}
    for (const [at, name] of this.components.entries())
      this.#known.set(name, { is: 'component', at, form: this.rule.identity[name]! })
    for (const [name, form] of Object.entries(this.rule.own ?? {})) this.#known.set(name, { is: 'field', name, form })
    let takesAttributes = false
    for (const [name, { form }] of Object.entries(fields)) {
      const read = FORMS[form as keyof typeof FORMS] as (typeof FORMS)[keyof typeof FORMS] | undefined
      if (read === undefined || this.#known.has(name)) continue
      if (read === 'attributes') takesAttributes = true
      else this.#known.set(name, { is: 'field', name, form: read })
    }
    this.#takesAttributes = takesAttributes
  }

  /** undefined when a section has no such column */
  find(name: string): Column | undefined {
    if (!name.startsWith(ATTRIBUTE) || !this.#takesAttributes) return this.#known.get(name)
    const attribute = name.slice(ATTRIBUTE.length)
    return attribute === '' ? undefined : { is: 'attribute', name: attribute }
  }

  /** For hints and documents. */
  list(): string[] {
    return [...this.#known.keys(), ...(this.#takesAttributes ? [`${ATTRIBUTE}NAME`] : [])]
  }

  /** Columns that each result must have. */
  required(): string[] {
    const { mayLack = [], required = [] } = this.rule
    return [...this.components.filter((name) => !mayLack.includes(name)), ...required]
  }
}
