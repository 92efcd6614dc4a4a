// The mapping of CSV files: for each kind of facts the file, and the column or the value of each field.
import { formSentence } from '../../management/policy-file/form-sentence.ts'
import type { Place, Problem, Source } from '../../management/policy-file/problem.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import type { Path } from '../../management/rules/fields.ts'
import { misfits } from '../../management/rules/shape.ts'
import * as t from '../../model/json-schema.ts'
import type { FactKind } from '../../model/policy-kinds.ts'
import type { RowForm } from '../frame/rows.ts'

/** How the text of a cell becomes what a field holds. */
export type CellForm = 'text' | 'user' | 'key' | 'object' | 'time' | 'number' | 'bool' | 'json'

export interface Column {
  /** as the header of the file has it; undefined for a value that each row has */
  readonly column: string | undefined
  readonly value: string | undefined
  readonly form: CellForm
  /** what a text of the column means here */
  readonly values: ReadonlyMap<string, string> | undefined
  readonly isRequired: boolean
  /** of an attribute, else of a field */
  readonly isAttribute: boolean
  readonly place: Place
}

export interface Section {
  readonly kind: FactKind
  readonly file: string
  readonly columns: ReadonlyMap<string, Column>
  readonly form: RowForm
  readonly place: Place
}

export interface Mapping {
  readonly policy: string
  readonly sections: readonly Section[]
}

type Fields = Readonly<Record<string, { readonly form: CellForm; readonly isRequired?: true }>>

/** Fields of facts that files can have, and those by which two rows are the same fact. */
export const SECTIONS = {
  tenants: {
    kind: 'tenant',
    fields: { key: { form: 'key', isRequired: true }, name: { form: 'text' } },
    identity: ['key'],
    hasAttributes: true,
  },
  users: {
    kind: 'user',
    fields: {
      key: { form: 'user', isRequired: true },
      ...{ email: { form: 'text' }, first_name: { form: 'text' }, last_name: { form: 'text' } },
    },
    identity: ['key'],
    hasAttributes: true,
  },
  memberships: {
    kind: 'membership',
    fields: { user: { form: 'user', isRequired: true }, tenant: { form: 'key', isRequired: true } },
    identity: ['user', 'tenant'],
    hasAttributes: false,
  },
  resource_instances: {
    kind: 'resource_instance',
    fields: {
      ...{ resource: { form: 'key', isRequired: true }, key: { form: 'key', isRequired: true } },
      tenant: { form: 'key', isRequired: true },
    },
    identity: ['resource', 'key'],
    hasAttributes: true,
  },
  relationship_tuples: {
    kind: 'relationship_tuple',
    fields: {
      ...{ subject: { form: 'object', isRequired: true }, relation: { form: 'key', isRequired: true } },
      ...{ object: { form: 'object', isRequired: true }, valid_from: { form: 'time' }, valid_until: { form: 'time' } },
    },
    identity: ['subject', 'relation', 'object'],
    hasAttributes: false,
  },
  role_assignments: {
    kind: 'role_assignment',
    fields: {
      ...{ user: { form: 'user', isRequired: true }, role: { form: 'key', isRequired: true } },
      ...{ tenant: { form: 'key' }, resource_instance: { form: 'object' } },
      ...{ valid_from: { form: 'time' }, valid_until: { form: 'time' } },
    },
    identity: ['user', 'role', 'tenant', 'resource_instance'],
    hasAttributes: false,
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly kind: FactKind
      readonly fields: Fields
      readonly identity: readonly string[]
      readonly hasAttributes: boolean
    }
  >
>
export type SectionName = keyof typeof SECTIONS
const NAMES = Object.keys(SECTIONS) as SectionName[]

const CellMap = t.closed({
  column: t.maybe(t.Text),
  value: t.maybe(t.Text),
  values: t.maybe(t.mapOf(t.Text)),
})
const AttributeMap = t.closed({ column: t.Text, type: t.maybe(t.enumOf('text', 'number', 'bool', 'json')) })
const Cell = t.anyOf(t.Text, CellMap)
const Attribute = t.anyOf(t.Text, AttributeMap)
type Cell = string | { readonly column?: string; readonly value?: string; readonly values?: Record<string, string> }
type Attribute = string | { readonly column: string; readonly type?: CellForm }

const Form = t.closed({
  csv: t.schemaOf<number>({ enum: [1] }),
  policy: t.Text,
  delimiter: t.maybe(t.Text),
  comment: t.maybe(t.Text),
  ...Object.fromEntries(
    NAMES.map((name) => {
      const { fields, hasAttributes } = SECTIONS[name]
      const cells = Object.entries(fields as Fields).map(([field, { isRequired }]) => [
        field,
        isRequired ? Cell : t.maybe(Cell),
      ])
      return [
        name,
        t.maybe(
          t.closed({
            file: t.Text,
            ...(Object.fromEntries(cells) as Record<string, t.TSchema>),
            ...(hasAttributes ? { attributes: t.maybe(t.mapOf(Attribute)) } : {}),
          }),
        ),
      ]
    }),
  ),
})

/** undefined after an error */
export function readMapping(source: Source, problems: Problem[]): Mapping | undefined {
  const document = new YamlDocument(source)
  problems.push(...document.problems)
  if (document.problems.length > 0) return undefined
  const refuse = (message: string, path: Path): void => {
    problems.push({ severity: 'error', message, place: document.place(path) })
  }
  const before = problems.length
  for (const misfit of misfits(Form, document.value, [])) refuse(formSentence(misfit), misfit.path)
  if (problems.length > before) return undefined
  const value = document.value as {
    readonly policy: string
    readonly delimiter?: string
    readonly comment?: string
  } & Partial<Record<SectionName, Readonly<Record<string, unknown>> & { readonly file: string }>>
  const { delimiter = ',', comment } = value
  if (delimiter.length !== 1 || /["\r\n]/.test(delimiter))
    refuse('the delimiter is one sign, such as `;`', ['delimiter'])
  if (comment === '' || comment?.startsWith('"') === true)
    refuse('a comment begins with a sign, such as `#`', ['comment'])
  const form: RowForm = { delimiter, ...(comment === undefined ? {} : { comment }) }
  const sections = NAMES.flatMap((name): Section[] => {
    const section = value[name]
    if (section === undefined || section === null) return []
    const { kind, fields } = SECTIONS[name]
    const columns = new Map<string, Column>()
    for (const [field, { form: cell, isRequired = false }] of Object.entries(fields as Fields)) {
      const given = section[field] as Cell | undefined | null
      if (given === undefined || given === null) continue
      const { column, value: fixed, values } = typeof given === 'string' ? { column: given } : given
      if ((column === undefined) === (fixed === undefined))
        refuse(`\`${field}\` has either a column or a value`, [name, field])
      columns.set(field, {
        ...{ column, value: fixed, form: cell, isRequired, isAttribute: false, place: document.place([name, field]) },
        values: values === undefined || values === null ? undefined : new Map(Object.entries(values)),
      })
    }
    for (const [attribute, given] of Object.entries(
      (section.attributes ?? {}) as Readonly<Record<string, Attribute>>,
    )) {
      const { column, type = 'text' } = typeof given === 'string' ? { column: given } : given
      columns.set(`attributes.${attribute}`, {
        ...{ column, value: undefined, values: undefined, form: type ?? 'text', isRequired: false, isAttribute: true },
        place: document.place([name, 'attributes', attribute]),
      })
    }
    return [{ kind, file: section.file, columns, form, place: document.place([name]) }]
  })
  if (sections.length === 0) refuse(`nothing is mapped: ${NAMES.join(', ')}`, [])
  return problems.length > before ? undefined : { policy: value.policy, sections }
}
