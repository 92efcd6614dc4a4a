// `loadPolicy`: a decision point for policy files in the process of a unit test. Everything that is wrong is said with
// its place, and what it decides is what a server decides that has the same files.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { isZerohopError, type ZerohopError } from '../../src/model/errors.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import {
  imageOfFiles,
  type LoadPolicyOptions,
  loadPolicy,
  type PolicySource,
} from '../../src/policy-test/load-policy.ts'
import { temporaryFolder } from '../support/folders.ts'
import { POLICY } from './invoices.ts'

const FACTS = {
  tenants: [{ key: 'acme' }],
  users: [{ key: 'ana', attributes: { department: 'finance' } }, { key: 'ben' }, { key: 'eve' }],
  memberships: [{ user: 'eve', tenant: 'acme' }],
  role_assignments: [
    { user: 'ana', role: 'editor', tenant: 'acme' },
    { user: 'eve', role: 'owner', resource_instance: 'folder:f1' },
  ],
  resource_instances: [
    { resource: 'folder', key: 'f1', tenant: 'acme' },
    { resource: 'invoice', key: '17', tenant: 'acme', attributes: { amount: 500 } },
  ],
  relationship_tuples: [{ subject: 'folder:f1', relation: 'parent', object: 'invoice:17' }],
}
const SMALL = {
  zerohop: 2 as const,
  resources: [{ key: 'note', actions: { read: {} } }],
  roles: [{ key: 'reader', permissions: ['note:read'] }],
}

/** A folder with the policy of the invoices, and the path of its file. */
function makeFolder(text: string = POLICY.text): { folder: string; file: string } {
  const folder = temporaryFolder('load-policy')
  const file = join(folder, 'policy.yaml')
  writeFileSync(file, text)
  return { folder, file }
}

function refused(files: PolicySource | readonly PolicySource[], options?: LoadPolicyOptions): ZerohopError {
  try {
    loadPolicy(files, options)
  } catch (error) {
    if (isZerohopError(error)) return error
    throw error
  }
  throw new Error('it was loaded')
}

describe('loadPolicy', () => {
  const opened: Pdp[] = []
  const load = (files: PolicySource | readonly PolicySource[], options?: LoadPolicyOptions): Pdp => {
    const pdp = loadPolicy(files, options)
    opened.push(pdp)
    return pdp
  }
  afterEach(async () => {
    for (const pdp of opened.splice(0)) await pdp.close()
  })

  it('decides by the files with the facts: roles, relations, set rules', () => {
    const pdp = load(makeFolder().file, { facts: FACTS })
    const asked = [
      pdp.check('ana', 'write', { type: 'invoice', tenant: 'acme' }),
      pdp.check('ana', 'approve', 'invoice:17'),
      pdp.check('eve', 'write', 'invoice:17'),
      pdp.check('ben', 'read', 'invoice:17'),
    ]
    expect(asked).toEqual([true, true, true, false])
    expect(pdp.revision).toBe(1)
  })

  it('takes a path, a URL, a folder, an object, and several of them as one policy', () => {
    const { folder, file } = makeFolder()
    const more = join(folder, 'more')
    mkdirSync(more)
    writeFileSync(join(more, 'notes.json'), JSON.stringify({ ...SMALL, roles: [] }))
    const reader = { zerohop: 2, roles: [{ key: 'note-reader', permissions: ['note:read'] }] }
    const facts = { users: [{ key: 'ana' }], role_assignments: [{ user: 'ana', role: 'note-reader' }] }
    for (const files of [[folder], [file, more], [pathToFileURL(file), join(more, 'notes.json')], [folder, file]])
      expect(load([...files, reader], { facts }).check('ana', 'read', 'note')).toBe(true)
    expect(load(relative(process.cwd(), file)).check('ana', 'read', 'invoice')).toBe(false)
    expect(load({ ...SMALL, users: [{ key: 'ana' }] }).check('ana', 'read', 'note')).toBe(false)
  })

  it('is strict: an unknown name and an attribute of another type are errors, unless an option says otherwise', () => {
    const { file } = makeFolder()
    const pdp = load(file, { facts: FACTS })
    expect(() => pdp.check('ana', 'raed', 'invoice')).toThrow(/unknown action `raed`.*did you mean `read`/)
    const wrong = { type: 'invoice', key: '17', attributes: { amount: '500' } }
    expect(() => pdp.check('ana', 'approve', wrong)).toThrow(/`resource.amount` is declared as number/)
    const lenient = load(file, { facts: FACTS, strict: false, strictAttributes: false })
    expect([lenient.check('ana', 'raed', 'invoice'), lenient.check('ana', 'approve', wrong)]).toEqual([false, false])
  })

  it('says everything that is wrong with files, as `validate` says it', () => {
    const { folder, file } = makeFolder(
      "zerohop: 2\nroles:\n  - { key: a, permissions: ['note:read'] }\n  - { kye: b }\n",
    )
    const other = join(folder, 'b.yaml')
    writeFileSync(other, 'zerohop: 2\nroles: [{ key: a }]\n')
    const error = refused([file, other])
    expect(error.code).toBe('POLICY_INVALID')
    expect(String(error.details.problems).split('\n')).toEqual([
      `${file}:3:29: error: resource type \`note\` does not exist`,
      `${file}:4:5: error: \`key\` is missing`,
      `${file}:4:7: error: unknown field \`kye\`: did you mean \`key\`?`,
      `${other}:2:16: error: \`a\` is defined twice: keep one of them (first here: ${file}:3:12)`,
    ])
    expect(error.message).toBe(`the policy has errors: ${String(error.details.problems).replaceAll('\n', '; ')}`)
  })

  it('says where in an object, and in the facts, something is wrong', () => {
    const wrong = { ...SMALL, roles: [{ key: 'reader', permissions: ['note:raed'] }, { key: 4 }], 'odd name': {} }
    expect(String(refused(wrong).details.problems).split('\n')).toEqual([
      'policy object: roles[0].permissions[0]: error: resource type `note` has no action `raed`: did you mean `read`?',
      'policy object: roles[1].key: error: expected a text, found the number 4: put it in quotes',
      expect.stringMatching(/^policy object: \["odd name"\]: error: unknown field `odd name`/),
    ])
    expect(refused([SMALL, { zerohop: 7 }]).message).toContain('policy object 2: zerohop: error: version `7`')
    const facts = { users: [{ key: 'ana' }], role_assignments: [{ user: 'ann', role: 'reader' }] }
    expect(refused(SMALL, { facts }).message).toBe(
      'the policy has errors: facts.role_assignments[0].user: error: user `ann` does not exist: did you mean `ana`?',
    )
    const roles = { roles: [] } as LoadPolicyOptions['facts']
    expect(refused(SMALL, { facts: roles }).message).toContain('facts.roles: error: unknown field `roles`')
  })

  it('refuses an assignment of a user whom neither the files nor the facts have', () => {
    const assigned = { ...SMALL, role_assignments: [{ user: 'ana', role: 'reader' }] }
    expect(refused(assigned).message).toContain('role_assignments[0].user: error: user `ana` does not exist')
  })

  it('refuses what is not a policy', () => {
    expect(refused('nowhere.yaml').message).toBe('`nowhere.yaml` does not exist')
    expect(refused([]).message).toBe('no policy file is named')
    expect(refused(new URL('http://localhost/policy.yaml')).message).toContain('`http:` is not supported')
    for (const none of [undefined, null, 4, new Uint8Array(4)])
      expect(refused(none as unknown as string).code).toBe('INPUT_INVALID')
    const circular: Record<string, unknown> = { zerohop: 2 }
    circular.roles = circular
    expect(refused(circular as { zerohop: number }).code).toBe('INPUT_INVALID')
    const { file } = makeFolder()
    writeFileSync(file, Buffer.from([0xc3, 0x28]))
    expect(refused(file).message).toContain(`${file}:1:1: error: the file is not text in UTF-8`)
  })

  it('makes the same image of the same files', () => {
    const { file } = makeFolder()
    expect(imageOfFiles(file, FACTS).hash()).toBe(imageOfFiles(file, FACTS).hash())
    expect(imageOfFiles(file).hash()).not.toBe(imageOfFiles(file, FACTS).hash())
  })
})
