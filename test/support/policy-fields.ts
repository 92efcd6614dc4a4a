// The fields of a policy file in docs/policy-file.md, from the schema: a section for each field of a file, with a row
// for every field inside it and an example.

import { inFiles } from '../../src/http/policy-json-schema.ts'
import { PolicyFile } from '../../src/management/schemas/policy-file.ts'
import { findDocumentation, schemaName } from '../../src/model/json-schema.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly nullable?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

const BEGIN = '<!-- Generated from the schema: ZEROHOP_WRITE_DOCS=1 npx vitest run test/management/policy-file -->\n'
const END = '<!-- End of what is generated. -->'

/** An example of each field; together they are one policy without errors and warnings. */
export const EXAMPLES: Readonly<Record<keyof typeof PolicyFile.properties, string>> = {
  zerohop: 'zerohop: 2\n',
  manages: 'manages:\n  - kind: resource\n  - kind: role\n    keys: [shop-*, admin]\n',
  moved: 'moved:\n  - { kind: role, from: owner, to: admin }\n',
  user_attributes: 'user_attributes:\n  department: { type: string, description: where the user works }\n',
  tenant_attributes: 'tenant_attributes:\n  plan: { type: string }\n',
  context_attributes: 'context_attributes:\n  address: { type: string }\n',
  resources: `resources:
  - key: document
    name: Document
    actions:
      read: {}
      edit: { name: Edit, description: change the text }
    attributes:
      department: { type: string }
    action_groups:
      all: { actions: [read, edit] }
    relations:
      parent: folder
      copy: { subject_resource: document, description: what it was copied from }
    roles:
      reader:
        permissions: [read]
      editor:
        permissions: [edit]
        extends: [reader]
        granted_to:
          users_with_role:
            - { role: owner, on_resource: folder, linked_by_relation: parent }
  - key: folder
    actions:
      read: {}
    roles:
      owner:
        permissions: [read]
`,
  roles: `roles:
  - key: admin
    permissions: [document:edit]
    extends: [shop-clerk]
  - key: shop-clerk
    name: Clerk
    permissions: [document:read]
`,
  condition_sets: `condition_sets:
  - key: staff
    type: userset
    conditions:
      user.department: { not-equals: external }
  - key: own-department
    type: resourceset
    resource: document
    conditions:
      resource.department: { equals: { ref: user.department } }
`,
  set_rules: 'set_rules:\n  - { user_set: staff, permission: document:edit, resource_set: own-department }\n',
  tenants: 'tenants:\n  - key: acme\n    attributes: { plan: free }\n',
  users: 'users:\n  - key: ana\n    email: ana@example.org\n    attributes: { department: sales }\n  - key: ben\n',
  memberships: 'memberships:\n  - { user: ben, tenant: acme }\n',
  resource_instances: `resource_instances:
  - { key: plans, resource: folder, tenant: acme }
  - { key: roadmap, resource: document, tenant: acme, attributes: { department: sales } }
`,
  relationship_tuples:
    'relationship_tuples:\n  - { subject: folder:plans, relation: parent, object: document:roadmap }\n',
  role_assignments: `role_assignments:
  - { user: ana, role: admin, tenant: acme }
  - { user: ben, role: owner, tenant: acme, resource_instance: folder:plans }
`,
}

/** The page with the sections as they should be. @throws when it has no place for them */
export function withPolicyFields(page: string): string {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (start < 0 || end < 0) throw new Error('docs/policy-file.md has no place for the fields')
  const fields = Object.entries(PolicyFile.properties as unknown as Readonly<Record<string, Schema>>)
  const sections = fields.map(([name, schema]) => formatSection(name, schema))
  return `${page.slice(0, start)}${BEGIN}${sections.join('')}\n${page.slice(end)}`
}

function formatSection(name: string, schema: Schema): string {
  const rows = formatRows(itemSchema(schema), '')
  const table = rows.length === 0 ? '' : `| field | value | meaning |\n|---|---|---|\n${rows.join('\n')}\n\n`
  const example = EXAMPLES[name as keyof typeof EXAMPLES]
  return `\n### ${name}\n\n${capital(schema.description ?? '')}.\n\n${table}\`\`\`yaml\n${example}\`\`\`\n`
}

/** What a list or a map holds. */
const itemSchema = (schema: Schema): Schema => schema.items ?? (schema.additionalProperties || schema)

function formatRows({ properties = {}, required = [] }: Schema, before: string): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = before + name
    const need = required.includes(name) ? '; required' : ''
    const row = `| \`${path}\` | ${formatType(schema)}${need} | ${formatMeaning(name, schema)} |`
    const inside = objectIn(itemSchema(schema))
    const below = schema.items ? `${path}[].` : schema.additionalProperties ? `${path}.KEY.` : `${path}.`
    return [row, ...(inside === undefined ? [] : formatRows(inside, below))]
  })
}

const objectIn = (schema: Schema): Schema | undefined =>
  [schema, ...(schema.anyOf ?? [])].find(({ properties }) => properties !== undefined)

function formatMeaning(name: string, schema: Schema): string {
  if (schema.enum?.includes('userset')) return 'of users, which is the default, or of resources'
  return inFiles(schema.description ?? MEANINGS[name] ?? '')
}

/** Fields that mean the same everywhere. */
const MEANINGS: Readonly<Record<string, string>> = {
  attributes: 'stored with it, as JSON',
  type: 'what values it has',
  actions: 'by key',
  action_groups: 'names for several actions, by key: for user interfaces',
  relations: 'by key; each with the key of the resource type that it comes from, or as an object',
  roles: 'roles on single instances, by key',
  granted_to: 'who has the role without an assignment',
  when: 'settings',
  permission: '`resource:action`',
  user: 'key of the user',
  tenant: 'key of the tenant',
  email: 'an address, shown to people',
  first_name: 'shown to people',
  last_name: 'shown to people',
  urn: 'a name in other systems',
  kind: 'what it is',
  description: 'shown to people',
}

function formatType(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(formatType).join(' or ')
  if (schema.enum)
    return schema.enum
      .filter((word) => word !== null)
      .map((word) => `\`${word}\``)
      .join(', ')
  if (schema.items) return schema.items.properties || schemaName(schema.items) ? 'list of maps' : 'list of texts'
  const { pattern } = findDocumentation(schema)
  if (pattern !== undefined) return 'key'
  if (schema.type === 'boolean') return '`true` or `false`'
  if (Array.isArray(schema.type)) return schema.type.map((type) => formatType({ type })).join(' or ')
  if (schema.type === 'integer') return 'whole number'
  return schema.type === 'object' ? 'map' : 'text'
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
