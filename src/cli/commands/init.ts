// `zerohop init`: a policy, a test and a configuration to begin with. They pass, and show the common parts of the form.
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { PROJECT_FILE } from '../../management/policy-file/find-files.ts'
import { SCHEMA_LINE } from '../../management/policy-file/format.ts'
import { ZerohopError } from '../../model/errors.ts'
import { makeFolder } from '../../model/folder.ts'
import { schemaFor } from './format.ts'

export interface InitOptions {
  readonly json?: boolean
}

const POLICY = `zerohop: 2
user_attributes:
  department: { type: string, description: where the user works }
resources:
  - key: document
    name: Document
    actions:
      read: {}
      edit: {}
      delete: {}
    attributes:
      department: { type: string }
    relations: { parent: folder }
    roles:
      editor:
        permissions: [read, edit]
        granted_to:
          users_with_role:
            - { role: owner, on_resource: folder, linked_by_relation: parent }
  - key: folder
    name: Folder
    actions:
      read: {}
    roles:
      owner:
        permissions: [read]
roles:
  - key: admin
    permissions: [document:delete]
    extends: [viewer]
  - key: viewer
    permissions: [document:read, folder:read]
condition_sets:
  - key: staff
    type: userset
    conditions:
      user.department: { not-equals: external }
  - key: own-department
    type: resourceset
    resource: document
    conditions:
      resource.department: { equals: { ref: user.department } }
set_rules:
  - { user_set: staff, permission: document:edit, resource_set: own-department }
`

const TEST = `# What the policy allows, with a few users that exist only here. Run by \`zerohop test\`.
facts:
  tenants: [{ key: acme }]
  users:
    - { key: ana }
    - { key: ben }
    - { key: eve, attributes: { department: sales } }
  resource_instances:
    - { key: plans, resource: folder, tenant: acme }
    - { key: roadmap, resource: document, tenant: acme }
  relationship_tuples:
    - { subject: "folder:plans", relation: parent, object: "document:roadmap" }
  role_assignments:
    - { user: ana, role: admin, tenant: acme }
    - { user: ben, role: owner, tenant: acme, resource_instance: "folder:plans" }
expect:
  - ana may [read, delete] document in acme
  - ben may [read, edit] document:roadmap in acme
  - ben may not delete document:roadmap in acme
  - { user: eve, action: edit, resource: { type: document, tenant: acme, attributes: { department: sales } }, allow: true }
  - { user: eve, action: edit, resource: { type: document, tenant: acme, attributes: { department: hr } }, allow: false }
`

const PROJECT = `# Where the policy is applied: \`zerohop plan\` and \`zerohop apply\`. The key comes from PDP_API_KEY.
api: http://localhost:8080
project: default
environment: development
files: [policy.yaml]
tests: [tests]
`

const withSchema = (text: string, schema: string | undefined): string =>
  schema === undefined ? text : `${SCHEMA_LINE}${schema}\n\n${text}`

/** Writes the files. @throws CONFIG_INVALID when one of them is there, before anything is written */
export function init(folder: string, { json = false }: InitOptions): void {
  const policy = join(folder, 'policy.yaml')
  const test = join(folder, 'tests', 'policy.yaml')
  const files: readonly [string, string][] = [
    [policy, withSchema(POLICY, schemaFor(resolve(policy)))],
    [test, withSchema(TEST, schemaFor(resolve(test), 'policy-test.schema.json'))],
    [join(folder, PROJECT_FILE), PROJECT],
  ]
  const there = files.find(([file]) => existsSync(file))
  if (there !== undefined)
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${there[0]}\` already exists: nothing was written` })
  for (const [file, text] of files) {
    try {
      makeFolder(dirname(file))
      writeFileSync(file, text, { flag: 'wx' })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be written: ${code}` }, { cause: error })
    }
  }
  const names = files.map(([file]) => file)
  process.stdout.write(json ? `${JSON.stringify({ files: names }, null, 2)}\n` : `${names.join('\n')}\n`)
}
