// `zerohop group-rules`: what it plans, writes, lists and refuses, at a management API and on a data folder; and
// `zerohop grants --claim`.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openManagementData } from '../../src/management/host/open.ts'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { BY } from '../management/harness.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'

const KEY = 'the-key-of-the-directory'
let api: Harness
let variables: Record<string, string>
beforeAll(async () => {
  api = await openHarness()
  await api.addKey('directory', 'write', KEY)
  await api.ask('POST', '$S/resources', { key: 'doc', name: 'Doc', actions: { read: {} } })
  for (const key of ['editor', 'viewer'])
    await api.ask('POST', '$S/roles', { key, name: key, permissions: ['doc:read'] })
  await api.ask('POST', '$F/tenants', { key: 'acme', name: 'Acme' })
  const scim = (path: string, body: object) => api.ask('POST', `/scim/v2${path}`, body, { key: KEY })
  const { id } = (await scim('/Users', { userName: 'ana' })).body
  await scim('/Groups', { displayName: 'Engineering', externalId: 'x-1', members: [{ value: id }] })
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  variables = { ZEROHOP_API: url, PDP_API_KEY: api.made.environments[0]!.secret }
})
afterAll(() => api.close())

const run = (...args: string[]) => runHere(['group-rules', ...args], variables)
const revision = () => api.store.head(api.environment).revision
const findId = (out: string) => /\((\w{32})\)/.exec(out)?.[1] ?? ''

it('plans, makes, lists, changes and deletes a rule', async () => {
  const wanted = ['create', 'editor', '--group', 'engineering', '--tenant', 'acme']
  const before = revision()
  const planned = await run(...wanted, '--dry-run')
  expect(planned).toMatchObject({ code: 2, out: expect.stringContaining('+ role assignment ana/editor/acme') })
  expect(planned.out).toContain('read doc in acme: 1 user, as editor')
  expect(JSON.parse((await run(...wanted, '--dry-run', '--json')).out)).toMatchObject({ changes: [{ op: 'create' }] })
  expect(await run(...wanted)).toMatchObject({ code: 64, err: expect.stringContaining('--yes makes the rule') })
  expect(revision()).toBe(before)
  const made = await run(...wanted, '--yes')
  expect(made.out).toMatch(/created: editor in tenant acme to groups whose name is "engineering" \(\w{32}\)\n$/)
  const id = findId(made.out)
  expect((await run('list')).out).toMatch(new RegExp(`${id} +name is "engineering" +editor +tenant acme.* 1 group\\s`))
  const changed = await run('update', id, '--role', 'viewer', '--until', '2098-01-01T00:00:00Z', '--yes')
  expect(changed.out).toMatch(/changed: viewer .* until 2098-01-01T00:00:00.000Z/)
  expect(JSON.parse((await run('list', '--json')).out)).toMatchObject({ id, role: 'viewer', tenant: 'acme' })
  const held = (...args: string[]) => runHere(['grants', ...args], variables)
  expect((await held('--claim', 'directory')).out).toMatch(/ana +viewer/)
  expect((await held('--claim', 'hand')).out).not.toContain('viewer')
  const gone = await run('delete', id, '--yes', '--json')
  expect(JSON.parse(gone.out)).toEqual({ deleted: id })
  expect((await run('list')).out).not.toContain(id)
})

it('makes a rule that gives nothing yet, and says so', async () => {
  const wanted = ['create', 'editor', '--external-id', 'eu-', '--prefix', '--tenant', 'acme']
  const says = 'No user gains or loses a role by it now.\n'
  expect(await run(...wanted, '--dry-run')).toMatchObject({ code: 0, out: says })
  const made = await run(...wanted, '--no-end', '--reason', 'new site', '--yes')
  expect(made.out).toContain('external id begins with "eu-"')
  expect((await run('delete', findId(made.out), '--yes')).out).toMatch(/deleted: rule \w{32}\n$/)
})

it.each([
  ['no group', ['create', 'editor'], 64, 'name --group or --external-id'],
  ['an empty group', ['create', 'editor', '--group', ''], 64, '--group: it is empty'],
  ['two ways to name it', ['create', 'editor', '--group', 'a', '--external-id', 'b'], 64, 'cannot be used with'],
  ['a change of nothing', ['update', 'f'.repeat(32)], 64, 'name what is to change'],
  ['a role that is not there', ['create', 'boss', '--group', 'a'], 1, 'boss'],
  ['a rule that is not there', ['delete', 'f'.repeat(32)], 1, 'does not exist'],
  ['a time that is none', ['create', 'editor', '--group', 'a', '--for', 'soon'], 64, '--for'],
])('refuses %s, and changes nothing', async (_, args, code, says) => {
  const before = revision()
  expect(await run(...args)).toMatchObject({ code, out: '', err: expect.stringContaining(says) })
  expect(revision()).toBe(before)
})

it('asks a data folder, too', async () => {
  const data = temporaryFolder('group-rules')
  const management = await openManagementData({ data, newId: () => randomBytes(16).toString('hex'), noExample: true })
  const { store, organization } = management
  const log = store.view(organization).require('environment', 'default/development').id
  await store.commit(log, 'createRole', { key: 'editor' }, BY)
  await store.close()
  const of = (...args: string[]) => runHere(['group-rules', ...args, '--data', data], {})
  expect((await of('create', 'editor', '--group', 'Staff', '--yes')).out).toContain('created: editor in tenant default')
  expect((await of('list')).out).toContain('name is "Staff"')
})
