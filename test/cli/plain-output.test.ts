// What commands print of files and policies: no character in it turns the text around it or acts on the terminal.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'

const TURN = '\u202e'
/** What is not to be printed as it is. */
const ACTS = /(?!\n)[\p{Cc}\p{Cf}]/u

const policy = (name: string, more = ''): string => `zerohop: 2
user_attributes: { team: { type: string } }
resources: [{ key: note, actions: { read: {} } }]
roles: [{ key: reader, name: "${name}", permissions: ['note:read'] }]
condition_sets: [{ key: own, type: userset, conditions: { user.team: { equals: "a${TURN}b" } } }]
set_rules: [{ user_set: own, permission: 'note:read', resource_set: note }]
users: [{ key: ana, attributes: { team: "x${TURN}y" } }]
${more}`

it('every command on policy files shows such characters by their codes', async () => {
  const folder = temporaryFolder('plain-output')
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('a.yaml', policy('Reader'))
  write('b.yaml', policy(`Re${TURN}ader`))
  write('wrong.yaml', policy('Reader', `"field${TURN}": 1\n`))
  write(`file${TURN}.yaml`, 'zerohop:   2\nroles: [{ key:  x }]\n')
  write('test.yaml', `expect: ["ana may read note", "ana may re${TURN}ad note"]\n`)
  const asked: readonly (readonly string[])[] = [
    ['diff', 'a.yaml', 'b.yaml'],
    ['validate', 'wrong.yaml'],
    ['why', 'ana', 'read', 'note', '--policy', 'a.yaml'],
    ['why', 'ana', 'read', 'note', '--policy', 'a.yaml', '--tree'],
    ['test', 'test.yaml', '--policy', 'a.yaml'],
    ['fmt', '--check', `file${TURN}.yaml`],
    ['validate', `nowhere${TURN}.yaml`],
  ]
  for (const args of asked) {
    const { out, err } = await runHere(args, {}, folder)
    const printed = out + err
    expect(printed.match(ACTS), args.join(' ')).toBeNull()
    expect(printed, args.join(' ')).toMatch(/\\u\{?202e|\ufffd/)
  }
})
