// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates in rules of CASL
// Rules of CASL as files: what is wrong with them, modules, packed rules, what the policy looks like, and the module for
// the application. The laws are in casl-law.test.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { importer } from '../../src/importers/casl/importer.ts'
import type { ImporterOptions } from '../../src/importers/frame/importer.ts'
import { temporaryFolder } from '../support/folders.ts'
import { convertWith } from './converted.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder('casl')
})

async function convert(files: Readonly<Record<string, unknown>>, options: ImporterOptions = {}) {
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  const from = { importer, from: 'casl', questions: 500 }
  const converted = await convertWith(from, folder, Object.keys(files), options)
  const policy = converted.report && parse(readFileSync(join(converted.folder, 'policy.yaml'), 'utf8'))
  return { ...converted, policy: policy as Readonly<Record<string, unknown>> }
}

const RULE = { action: 'read', subject: 'Post' }

describe('files that are wrong say where', () => {
  it.each([
    [
      'editor.json',
      '[\n  { "action": "read",\n    "condition": {} }\n]',
      [3, 'unknown field `condition`: did you mean `conditions`?'],
    ],
    ['editor.json', '[{ "subject": "Post" }]', [1, '`action` is missing']],
    ['editor.json', '[{ "action": 7 }]', [1, 'expected a text or a list, found the number 7']],
    ['editor.json', '[{ "action": [] }]', [1, 'an action or a subject has no name']],
    ['editor.json', '[{ "action": "" }]', [1, 'an action or a subject has no name']],
    ['editor.json', '[{ "action": "read", "fields": [] }]', [1, '`fields` is empty, which CASL refuses']],
    ['editor.json', '[{ "action": "read", "inverted": "yes" }]', [1, 'expected true or false, found `yes`']],
    ['editor.json', '{ "a": 1 }', [1, 'expected a list, found the number 1']],
    ['editor.json', '7', [1, 'expected a map, found the number 7']],
    [
      'editor.json',
      '[\n["read", "Post"],\n{ "action": "read" }]',
      [1, 'rules are either packed or not: this list has both'],
    ],
    [
      'editor.json',
      '[["read"]]',
      [1, 'a packed rule is [actions, subjects, conditions, inverted, fields, reason], texts first'],
    ],
    [
      'editor.json',
      '[["read", "Post", 0, 2]]',
      [1, 'a packed rule is [actions, subjects, conditions, inverted, fields, reason], texts first'],
    ],
    ['editor.json', '[{ "action": "read", "action": "all" }]', [1, 'key `action` appears twice']],
    ['roles.mjs', 'export const rolesOf = () => ({ a: [{ action: [] }] })', [1, 'a, rule 1: ']],
  ])('%s: %s', async (name, text, [line, message]) => {
    const { problems } = await convert({ [name]: text })
    expect([problems[0]?.place.line, problems[0]?.message]).toEqual([line, expect.stringContaining(String(message))])
  })

  it('two files of one role', async () => {
    const { problems } = await convert({ 'editor.json': [RULE], 'all.json': { editor: [RULE] } })
    expect(problems.map(({ message }) => message)).toEqual(['there are rules of the role `editor` already'])
  })

  it.each([
    ['export const other = 1', 'the module exports no function `rolesOf`'],
    ['export const rolesOf = async () => { throw new Error("no database") }', 'no database'],
    ['export const', 'Unexpected'],
  ])('a module that answers nothing: %s', async (text, reason) => {
    await expect(convert({ 'roles.mjs': text })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(reason),
    })
  })
})

describe('rules', () => {
  it('become permissions, and set rules where they have conditions', async () => {
    const { policy, report } = await convert(
      {
        'editor.json': [
          { action: ['read', 'update'], subject: 'Post' },
          { action: 'update', subject: 'Post', inverted: true, conditions: { locked: true } },
        ],
      },
      { plainValues: true },
    )
    expect(report?.findings).toEqual([])
    expect(policy).toMatchObject({
      roles: [{ key: 'editor', permissions: ['Post:read'] }],
      condition_sets: [
        { key: 'Post_editor_1', resource: 'Post', conditions: { not: { 'resource.locked': { equals: true } } } },
      ],
      set_rules: [{ user_set: 'editor', permission: 'Post:update', resource_set: 'Post_editor_1' }],
    })
  })

  it('come from a module, by role, with a key of users that templates name', async () => {
    const module =
      'export const rolesOf = async () => ({ "team lead": [{ action: "read", subject: "Blog Post", conditions: { owner: "${user.id}" } }] })'
    const converted = await convert({ 'roles.mjs': module }, { plainValues: true, userKey: 'id' })
    expect(converted.report).toMatchObject({ exact: true, proof: { different: 0 } })
    expect(converted.policy).toMatchObject({
      resources: [{ key: 'Blog--20Post', name: 'Blog Post' }],
      roles: [{ key: 'team--20lead', name: 'team lead' }],
      condition_sets: [{ conditions: { 'resource.owner': { equals: { ref: 'user.key' } } } }],
    })
    const made = (await import(
      /* @vite-ignore */ String(pathToFileURL(join('folder' in converted ? converted.folder : '', 'questions.mjs')))
    )) as {
      toQuestion: (...parts: unknown[]) => object
    }
    expect(made.toQuestion('ana b', 'read', 'Blog Post', { owner: 1 })).toEqual({
      user: 'ana--20b',
      action: 'read',
      resource: { type: 'Blog--20Post', tenant: 'default', attributes: { owner: 1 } },
    })
  })

  it('that take away say that they do so from their own role alone', async () => {
    const { report } = await convert({ 'a.json': [RULE, { ...RULE, inverted: true }], 'b.json': [RULE] })
    expect(report?.findings.map(({ kind, reason }) => [kind, reason])).toEqual([
      ['note', 'it takes away from its own role alone: who also has another role keeps what that gives'],
    ])
  })

  it.each([
    [{ owner: '${id}' }, '`${id}` does not name an attribute of `user`'],
    [{ owner: '${user.roles}' }, '`user.roles` is known by the server and not an attribute of the user'],
    [{ type: 'a' }, '`type` is what a check names the resource by, not an attribute'],
    [{ 'a.0': 1 }, '`a.0` is not a path of names'],
    [{ a: { b: 1 } }, '`a` is compared with an object, which is equal to no other'],
    [{ a: { $mod: [2, 0] } }, "CASL's matcher has no `$mod`"],
    [{ a: 2 ** 60 }, 'the number 1152921504606847000 is beyond what conditions hold'],
    [{ a: { $lt: '😀' } }, 'CASL orders text such as `😀` by UTF-16 units'],
    [{ a: { $in: [null, 1] } }, 'null in a list is not a missing value in CASL'],
    [{ a: { $lt: 3 } }, '`$lt` also compares what is missing, lists and values of other types in CASL'],
  ])('with conditions that have no equal: %j', async (conditions, reason) => {
    const { report } = await convert({ 'a.json': [{ ...RULE, conditions }] })
    expect(report?.exact).toBe(false)
    expect(report?.findings.map((each) => each.reason)).toContain(reason)
    expect(report?.proof.wider).toBe(0)
  })

  it('that CASL refuses end the import', async () => {
    const rule = { ...RULE, conditions: { a: { $in: 'x' } } }
    const { report } = await convert({ 'a.json': [rule] })
    // it says so when it is asked
    expect(report?.findings.map((each) => each.reason)).toEqual(['`x` is not a list'])
  })

  it('of everything, where no rule names a subject, give nothing that could be asked about', async () => {
    const { report } = await convert({ 'admin.json': [{ action: 'manage', subject: 'all' }] }, { closedNames: true })
    expect(report).toMatchObject({ exact: false, proof: { questions: 0 } })
  })
})
