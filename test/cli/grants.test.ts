// `zerohop grant`, `revoke` and `grants`: what they write, say and refuse, at a management API and on a data folder.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openManagementData } from '../../src/management/host/open.ts'
import { PAGE_ROWS_MAX } from '../../src/model/limits.ts'
import { type Harness, openHarness } from '../http/management/harness.ts'
import { BY } from '../management/harness.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let api: Harness
let variables: Record<string, string>
beforeAll(async () => {
  api = await openHarness()
  const policy = {
    zerohop: 2,
    resources: [{ key: 'document', actions: { read: {} }, roles: { owner: {} } }],
    roles: [{ key: 'editor' }, { key: 'viewer' }],
    tenants: [{ key: 'acme' }],
    users: [{ key: 'ana' }, { key: 'ben' }],
    resource_instances: [{ key: 'plan', resource: 'document', tenant: 'acme' }],
  }
  await api.ask('POST', '/v2/projects/default/envs/development/apply', { policy })
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  variables = { ZEROHOP_API: url, PDP_API_KEY: api.made.environments[0]!.secret }
})
afterAll(() => api.close())
beforeEach(async () => {
  for (const key of ['ana', 'ben']) {
    await api.ask('DELETE', `$F/users/${key}`)
    await api.ask('POST', '$F/users', { key })
  }
})

const run = (...args: string[]) => runHere(args, variables)
const revision = () => api.store.head(api.environment).revision
const stored = (key: string) => api.store.view(api.environment).get('role_assignment', key)
const ACME = ['--tenant', 'acme'] as const
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`

describe('zerohop grant', () => {
  it('gives a role for a time, from a time, or without an end', async () => {
    const before = Date.now()
    const { code, out } = await run('grant', 'ana', 'editor', ...ACME, '--for', '7d')
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`^granted: ana editor in tenant acme, until ${TIME}\n$`))
    const { valid_until: until = 0 } = stored('ana/editor/acme')!
    expect(until).toBeGreaterThanOrEqual(before + 7 * DAY)
    expect(until).toBeLessThanOrEqual(Date.now() + 7 * DAY)
    expect((await run('grant', 'ana', 'viewer', ...ACME)).out).toBe('granted: ana viewer in tenant acme\n')
    expect(stored('ana/viewer/acme')).not.toHaveProperty('valid_until')
    const from = '2031-06-01T10:00:00+02:00'
    await run('grant', 'ana', 'owner', '--on', 'document:plan', '--from', from, '--for', '2h')
    const start = Date.parse(from)
    expect(stored('ana/owner/acme/document:plan')).toMatchObject({ valid_from: start, valid_until: start + 2 * HOUR })
  })

  it('changes the times of a role that the user has, and says whether it is longer or shorter', async () => {
    await run('grant', 'ana', 'editor', ...ACME, '--until', '2031-01-01T00:00:00Z')
    const { id } = stored('ana/editor/acme')!
    const say = async (...args: string[]) => (await run('grant', 'ana', 'editor', ...ACME, ...args)).out
    expect(await say('--until', '2032-01-01T00:00:00Z')).toBe(
      'longer: ana editor in tenant acme, until 2032-01-01T00:00:00.000Z (before: until 2031-01-01T00:00:00.000Z)\n',
    )
    expect(await say('--until', '2030-01-01T00:00:00Z')).toMatch(/^shorter: .*until 2030/)
    expect(await say('--until', '2030-01-01T00:00:00Z')).toMatch(/^unchanged: .*until 2030-01-01T00:00:00.000Z\n$/)
    expect(await say()).toMatch(/^unchanged: /)
    expect(await say('--from', '2029-01-01T00:00:00Z')).toMatch(/^shorter: .*from 2029.*until 2030/)
    expect(await say('--from', '2028-01-01T00:00:00Z')).toMatch(/^longer: /)
    expect(await say('--no-end')).toMatch(
      /^longer: ana editor in tenant acme, from 2028[^,]* \(before: from 2028.*until 2030/,
    )
    expect(await say('--until', '2033-01-01T00:00:00Z')).toMatch(
      /^shorter: .*\(before: from 2028\S+ without an end\)\n$/,
    )
    expect(stored('ana/editor/acme')).toMatchObject({ id })
  })

  it('makes anew what has ended', async () => {
    await api.ask('POST', '$F/role_assignments', { user: 'ana', role: 'editor', tenant: 'acme', valid_until: 5 })
    expect((await run('grant', 'ana', 'editor', ...ACME, '--for', '1h')).out).toMatch(/^granted: /)
    await api.ask('PUT', '$F/role_assignments', { user: 'ana', role: 'editor', tenant: 'acme', valid_until: 5 })
    expect((await run('grant', 'ana', 'editor', ...ACME)).out).toBe('granted: ana editor in tenant acme\n')
  })

  it('as JSON answers the assignment, with what became of it', async () => {
    const first = JSON.parse((await run('grant', 'ana', 'editor', ...ACME, '--for', '1h', '--json')).out)
    expect(first).toMatchObject({ change: 'granted', user: 'ana', role: 'editor', tenant: 'acme' })
    const second = JSON.parse((await run('grant', 'ana', 'editor', ...ACME, '--for', '2h', '--json')).out)
    expect(second).toMatchObject({ change: 'longer', id: first.id })
  })

  it.each([
    [['--for', 'soon'], 64, '--for: a time such as 24h, 30d or 90m is needed'],
    [['--for', '0'], 64, '--for: a time such as'],
    [['--until', '2031-01-01'], 64, '--until: a time with its offset is needed'],
    [['--until', '2031-01-01T00:00:00'], 64, '--until: a time with its offset is needed'],
    [['--from', 'tomorrow'], 64, '--from: a time with its offset is needed'],
    [['--for', '1h', '--until', '2031-01-01T00:00:00Z'], 64, 'cannot be used with'],
    [['--for', '1h', '--no-end'], 64, 'cannot be used with'],
    [['--from', '2031-01-01T00:00:00Z', '--until', '2030-01-01T00:00:00Z'], 1, 'valid_until'],
    [['--on', 'document:none'], 1, 'document:none'],
  ])('refuses %j', async (args, code, text) => {
    const ran = await run('grant', 'ana', 'editor', ...args)
    expect([ran.code, ran.out]).toEqual([code, ''])
    expect(ran.err).toContain(text)
    expect(api.store.view(api.environment).countBy('assignments_of_user', 'ana')).toBe(0)
  })
})

describe('grants of everyone', () => {
  it('are given for a time, listed and revoked by `*`, and only where the role says so', async () => {
    const refused = await run('grant', '*', 'viewer', ...ACME)
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.err).toContain('role `viewer` cannot be given to everyone: set its `everybody` to true first')
    await api.ask('PATCH', '$S/roles/viewer', { everybody: true })
    const given = await run('grant', '*', 'viewer', ...ACME, '--for', '7d')
    expect(given.out).toMatch(new RegExp(String.raw`^granted: everyone \(\*\) viewer in tenant acme, until ${TIME}\n$`))
    expect((await run('grants', '--user', '*')).out).toMatch(/\n *everyone \(\*\) +viewer +tenant acme /)
    expect((await run('grant', '*', 'viewer', ...ACME, '--no-end')).out).toMatch(/^longer: everyone /)
    expect((await run('revoke', '*', 'viewer', ...ACME)).out).toBe('revoked: everyone (*) viewer in tenant acme\n')
    await run('grant', '*', 'viewer', ...ACME)
    expect((await run('revoke', '*', '--all', '--yes')).out).toContain('revoked: 1 role of everyone (*)')
    await api.ask('PATCH', '$S/roles/viewer', { everybody: false })
  })
})

describe('zerohop revoke', () => {
  it('takes one role', async () => {
    await run('grant', 'ana', 'editor', ...ACME, '--until', '2031-01-01T00:00:00Z')
    const { code, out } = await run('revoke', 'ana', 'editor', ...ACME)
    expect([code, out]).toEqual([0, 'revoked: ana editor in tenant acme, until 2031-01-01T00:00:00.000Z\n'])
    const again = await run('revoke', 'ana', 'editor', ...ACME)
    expect([again.code, again.out]).toEqual([1, ''])
    await run('grant', 'ana', 'owner', '--on', 'document:plan')
    expect((await run('revoke', 'ana', 'owner', '--on', 'document:plan', '--json')).out).toContain('"document:plan"')
  })

  it('takes everything of a user, and nothing of others; without a terminal only with --yes', async () => {
    for (const user of ['ana', 'ben']) {
      await run('grant', user, 'editor', ...ACME, '--for', '1h')
      await run('grant', user, 'viewer')
      await run('grant', user, 'owner', '--on', 'document:plan', '--from', '2h')
    }
    const asked = await run('revoke', 'ana', '--all')
    expect(asked.code).toBe(64)
    expect(asked.err).toContain('--yes revokes')
    expect(asked.out.split('\n').filter((line) => line.startsWith('- ana '))).toHaveLength(3)
    const inTenant = await run('revoke', 'ana', '--all', '--tenant', 'default', '--yes')
    expect(inTenant.out).toBe('- ana viewer in tenant default\nrevoked: 1 role of ana\n')
    expect((await run('revoke', 'ana', '--all', '--yes', '--json')).out).toBe('{"revoked":2}\n')
    const view = api.store.view(api.environment)
    expect(['ana', 'ben'].map((user) => view.countBy('assignments_of_user', user))).toEqual([0, 3])
    expect((await run('revoke', 'ana', '--all', '--yes')).out).toBe('revoked: 0 roles of ana\n')
  })

  it('takes what was given for a ticket, of everybody or of one user', async () => {
    for (const user of ['ana', 'ben']) {
      const out = (await run('grant', user, 'editor', ...ACME, '--ticket', 'OPS-1', '--reason', 'restores')).out
      expect(out).toBe(`granted: ${user} editor in tenant acme, ticket OPS-1\n`)
      await run('grant', user, 'viewer', '--ticket', 'OPS-2')
      await run('grant', user, 'owner', '--on', 'document:plan')
    }
    expect((await run('grant', 'ana', 'owner', '--on', 'document:plan', '--ticket', 'OPS-1')).out).toMatch(/^changed: /)
    const table = (await run('grants', '--ticket', 'OPS-1')).out.trimEnd().split('\n')
    expect(table[0]).toMatch(/ state +ticket +reason$/)
    expect(table[1]).toMatch(/^ana +editor .* OPS-1 +restores$/)
    expect(table).toHaveLength(4)
    const one = await run('revoke', 'ana', '--ticket', 'OPS-1', '--yes')
    expect(one.out).toMatch(/revoked: 2 roles of ana and ticket OPS-1\n$/)
    expect((await run('revoke', '--ticket', 'OPS-1')).code).toBe(64)
    const all = await run('revoke', '--ticket', 'OPS-1', '--yes')
    expect(all.out).toBe('- ben editor in tenant acme, ticket OPS-1\nrevoked: 1 role of ticket OPS-1\n')
    const view = api.store.view(api.environment)
    expect(['ana', 'ben'].map((user) => view.countBy('assignments_of_user', user))).toEqual([1, 2])
  })

  it('refuses an empty name, which would leave out a filter and take everything', async () => {
    const before = revision()
    for (const args of [
      ['--ticket', ''],
      ['', '--all'],
      ['ana', '--all', '--tenant', ''],
      ['ana', '--all', '--on', ''],
      ['ana', '--ticket', ''],
      ['', 'editor', '--tenant', 'acme'],
    ]) {
      const refused = await run('revoke', ...args, '--yes')
      expect([args, refused.code]).toEqual([args, 64])
      expect(refused.err).toContain('it is empty')
    }
    expect(revision()).toBe(before)
    expect((await run('grants', '--user', '')).code).toBe(64)
  })

  it('needs a role or --all', async () => {
    expect((await run('revoke', 'ana')).code).toBe(64)
    expect((await run('revoke', 'ana', 'editor', '--all')).code).toBe(64)
    expect((await run('revoke', 'ana', 'editor', '--ticket', 'OPS-1')).code).toBe(64)
    for (const args of [[], ['--all']]) expect((await run('revoke', ...args)).code).toBe(64)
  })
})

describe('zerohop grants', () => {
  it('lists who has what, and what ends first', async () => {
    await run('grant', 'ana', 'editor', ...ACME, '--for', '5d')
    await run('grant', 'ben', 'editor', ...ACME, '--for', '2d')
    await run('grant', 'ben', 'viewer', '--from', '1h', '--for', '30d')
    await run('grant', 'ana', 'owner', '--on', 'document:plan')
    await api.ask('POST', '$F/role_assignments', { user: 'ana', role: 'viewer', tenant: 'acme', valid_until: 5 })
    const lines = (await run('grants')).out.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^user +role +where +from +until +state$/)
    expect(lines.slice(1).map((line) => line.split(/ +/).slice(0, 2).join(' '))).toEqual([
      'ana editor',
      'ben editor',
      'ben viewer',
      'ana owner',
    ])
    expect(lines[3]).toMatch(new RegExp(`^ben +viewer +tenant default +${TIME} +${TIME} +scheduled$`))
    expect(lines[4]).toMatch(/^ana +owner +document:plan +in force$/)
    const names = async (...args: string[]) =>
      (await run('grants', '--json', ...args)).out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { user: string; role: string })
        .map(({ user, role }) => `${user} ${role}`)
    expect(await names('--ending', '7d')).toEqual(['ben editor', 'ana editor'])
    expect(await names('--ending', '60d')).toEqual(['ben editor', 'ana editor', 'ben viewer'])
    expect(await names('--user', 'ben', '--ending', '7d')).toEqual(['ben editor'])
    expect(await names('--state', 'ended')).toEqual(['ana viewer'])
    expect(await names('--state', 'ended', 'scheduled')).toEqual(['ben viewer', 'ana viewer'])
    expect(await names('--role', 'viewer', '--tenant', 'default')).toEqual(['ben viewer'])
    expect(await names('--on', 'document:plan')).toEqual(['ana owner'])
  })

  it('refuses what is no time and no state', async () => {
    expect((await run('grants', '--ending', 'soon')).code).toBe(64)
    expect((await run('grants', '--state', 'over')).code).toBe(64)
  })

  it('reads every page', async () => {
    const users = Array.from({ length: 230 }, (_, at) => ({
      key: `many-${at}`,
      role_assignments: [{ role: 'viewer', tenant: 'acme' }],
    }))
    await api.ask('POST', '$F/bulk/users', { operations: users })
    expect((await run('grants', '--role', 'viewer', '--json')).out.trimEnd().split('\n')).toHaveLength(230)
    await api.ask('DELETE', '$F/bulk/users', { idents: users.map(({ key }) => key) })
  })
})

it('the three ask a data folder, too', async () => {
  const data = temporaryFolder('grants')
  const management = await openManagementData({ data, newId: () => randomBytes(16).toString('hex'), noExample: true })
  const { store, organization } = management
  const log = store.view(organization).require('environment', 'default/development').id
  await store.commit(log, 'createRole', { key: 'editor' }, BY)
  await store.commit(log, 'createUser', { key: 'ana' }, BY)
  await store.close()
  const of = (...args: string[]) => runHere([...args, '--data', data], {})
  expect((await of('grant', 'ana', 'editor', '--for', '1h')).out).toMatch(
    /^granted: ana editor in tenant default, until /,
  )
  expect((await of('grant', 'ana', 'editor', '--no-end')).out).toMatch(/^longer: /)
  expect((await of('grants', '--json')).out).toContain('"user":"ana"')
  expect((await of('revoke', 'ana', '--all', '--yes')).out).toContain('revoked: 1 role of ana')
  expect((await of('grants')).out.trimEnd().split('\n')).toHaveLength(1)

  // page after page
  const tenants = Array.from({ length: PAGE_ROWS_MAX + 5 }, (_, at) => `tenant-${at}`)
  const facts = [
    { zerohop_facts: 1 },
    ...tenants.map((key) => ({ tenant: { key } })),
    ...tenants.map((tenant) => ({ role_assignment: { user: 'ana', role: 'editor', tenant } })),
  ]
  const file = join(data, 'many.ndjson')
  writeFileSync(file, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''))
  expect((await of('import', file)).code).toBe(0)
  expect((await of('grants', '--json')).out.trimEnd().split('\n')).toHaveLength(tenants.length)
  expect((await of('revoke', 'ana', '--all', '--yes')).out).toContain(`revoked: ${tenants.length} roles of ana`)
})

describe('zerohop grants --unused', () => {
  it('lists what was not used, and says what is known', async () => {
    await run('grant', 'ana', 'editor', ...ACME)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const { code, out, err } = await run('grants', '--unused', '1s', '--user', 'ana')
    expect(code).toBe(0)
    expect(out).toMatch(/ana +editor +tenant acme .*not known: no decisions were recorded in this time/)
    expect(err).toBe('zerohop: no uses are known\n')
    const rows = (await run('grants', '--unused', '1s', ...ACME, '--role', 'editor', '--json')).out.trim().split('\n')
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([{ user: 'ana', last_used: null, unused: null }])
    expect((await run('grants', '--unused', '30d', '--user', 'ana')).out).not.toContain('editor') // given since
  })

  it.each([
    [['--unused', 'soon']],
    [['--unused', '9999d']],
    [['--unused', '1d', '--state', 'ended']],
    [['--unused', '']],
  ])('refuses %j', async (args) => {
    expect((await run('grants', ...args)).code).not.toBe(0)
  })
})
