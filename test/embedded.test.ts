// The door `zerohop/embedded`: a write is decided by as soon as it resolves, everything survives a restart, and errors
// are those of the use cases.
import { afterEach, describe, expect, it } from 'vitest'
import { open, type WriteWarnings, type Zerohop } from '../src/embedded.ts'
import type { ErrorCode } from '../src/model/errors.ts'
import { temporaryFolder } from './support/folders.ts'

const code = (code: ErrorCode) => expect.objectContaining({ code })
const opened: Zerohop[] = []
afterEach(async () => {
  for (const zerohop of opened.splice(0)) await zerohop.close()
})

async function start(data: string): Promise<Zerohop> {
  const zerohop = await open({ data })
  opened.push(zerohop)
  return zerohop
}

async function writePolicy({ resources, roles, users, assignments }: Zerohop): Promise<void> {
  await resources.create({ key: 'document', actions: { read: {}, write: {} } })
  await roles.create({ key: 'reader', permissions: ['document:read'] })
  await roles.create({ key: 'editor', permissions: ['document:write'], extends: ['reader'] })
  await users.sync({ key: 'ana', email: 'ana@example.com' })
  await assignments.assign({ user: 'ana', role: 'editor' })
}

describe('the embedded door', () => {
  it.each([[undefined], ['./data'], [{}]])('does not open %j, and says what it needs', async (options) => {
    await expect(open(options as never)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('needs a data folder'),
    })
  })

  it('decides by each write when it resolves', async () => {
    const zerohop = await start(temporaryFolder('embedded'))
    await writePolicy(zerohop)
    const { pdp, roles, assignments, users } = zerohop
    const may = () => [pdp.check('ana', 'read', 'document'), pdp.check('ana', 'write', 'document')]
    expect(may()).toEqual([true, true])
    await roles.update('editor', { extends: [] })
    expect(may()).toEqual([false, true])
    await roles.addPermissions('editor', ['document:read'])
    await roles.removePermissions('editor', ['document:write'])
    expect(may()).toEqual([true, false])
    await assignments.unassign({ user: 'ana', role: 'editor' })
    expect(may()).toEqual([false, false])
    await assignments.assign({ user: 'ana', role: 'editor', tenant: 'default' })
    await users.delete('ana')
    expect([may(), assignments.list()]).toEqual([[false, false], []])
  })

  it('gives roles and relations for a time, and lists what has not ended', async () => {
    const { assignments, tuples, roles, users, resources } = await start(temporaryFolder('embedded'))
    await roles.create({ key: 'reader' })
    await resources.create({ key: 'doc', actions: {}, relations: { parent: 'doc' } })
    for (const key of ['ana', 'ben', 'eva']) await users.sync({ key })
    const now = Date.now()
    const until = new Date(now + 3_600_000).toISOString()
    await assignments.assign({ user: 'ana', role: 'reader', valid_until: until })
    await assignments.put({ user: 'ben', role: 'reader', valid_until: 5 })
    await assignments.put({ user: 'eva', role: 'reader', valid_from: until })
    await expect(assignments.put({ user: 'ana', role: 'reader' })).resolves.toMatchObject({
      valid_until: now + 3_600_000,
    })
    const related = { subject: 'doc:a', relation: 'parent', object: 'doc:b', tenant: 'default' }
    await expect(tuples.put({ ...related, valid_until: 5 })).resolves.toMatchObject({ valid_until: 5 })
    const listed = (state?: readonly ('scheduled' | 'in_force' | 'ended')[]) =>
      assignments.list(state === undefined ? {} : { state }).map(({ user }) => user)
    expect(listed()).toEqual(['ana', 'eva'])
    expect(listed(['ended', 'scheduled'])).toEqual(['ben', 'eva'])
    expect(assignments.list({ user: 'ben', state: ['ended'] })).toHaveLength(1)
    expect([tuples.list(), tuples.list({ state: ['ended'] }).length]).toEqual([[], 1])
    await expect(tuples.create(related)).resolves.not.toHaveProperty('valid_until')
  })

  it('nothing is ignored of what gives or takes access, as over HTTP: a misspelt end would give it for good', async () => {
    const { users, roles, assignments, tuples } = await start(temporaryFolder('embedded'))
    await roles.create({ key: 'reader' })
    await users.create({ key: 'ana' })
    const one = { user: 'ana', role: 'reader' }
    const refused = async (run: () => Promise<unknown>, path: readonly (string | number)[]) =>
      expect(run()).rejects.toMatchObject({ code: 'INPUT_INVALID', path: ['body', ...path] })
    const unknown = { valid_til: 5 } as object
    await refused(() => assignments.assign({ ...one, ...unknown }), ['valid_til'])
    await refused(() => assignments.put({ ...one, ...unknown }), ['valid_til'])
    await refused(() => assignments.put({ ...one, valid_until: 1.5 }), ['valid_until'])
    const related = { subject: 'a:1', relation: 'parent', object: 'b:2', ...unknown }
    await refused(() => tuples.create(related), ['valid_til'])
    await refused(() => tuples.put(related), ['valid_til'])
    const given = ['role_assignments', 0, 'valid_til']
    await refused(() => users.create({ key: 'ben', role_assignments: [{ role: 'reader', ...unknown }] }), given)
    await refused(() => users.sync({ key: 'ana', role_assignments: [{ role: 'reader', ...unknown }] }), given)
    await refused(() => users.replace('ana', { role_assignments: [{ role: 'reader', ...unknown }] }), given)
    await refused(() => users.suspend('ana', { reason: 'left', ...unknown }), ['valid_til'])
    await refused(() => users.suspend('ana', {} as { reason: string }), ['reason'])
    await refused(() => users.suspend('ana', undefined as never), [])
    await refused(() => users.update('ana', { suspended: true } as object), ['suspended'])
    expect(assignments.list()).toEqual([])
    await expect(assignments.put({ ...one, valid_until: undefined })).resolves.toMatchObject(one)
  })

  it('[D16] gives roles to everybody, for a time, and over a restart', async () => {
    const folder = temporaryFolder('embedded')
    const first = await start(folder)
    await writePolicy(first)
    const { assignments, roles, users } = first
    const all = { user: '*', role: 'reader' }
    await expect(assignments.assign(all)).rejects.toThrow(code('NOT_FOR_EVERYBODY'))
    await roles.update('reader', { everybody: true })
    const end = Date.now() + 3_600_000
    await expect(assignments.assign({ ...all, valid_until: end })).resolves.toMatchObject({ ...all, valid_until: end })
    await expect(assignments.put(all)).resolves.toMatchObject({ valid_until: end })
    await users.sync({ key: 'ben' })
    const may = ({ pdp }: Zerohop, t: number) =>
      ['ben', 'nobody', null].map((user) => pdp.at(t).check(user, 'read', 'document'))
    const both = (of: Zerohop) => [may(of, end - 1), may(of, end)]
    const [always, never] = [Array(3).fill(true), Array(3).fill(false)]
    expect(both(first)).toEqual([always, never])
    expect(users.list().map(({ key }) => key)).toEqual(['ana', 'ben'])
    expect(assignments.list({ user: '*' })).toMatchObject([all])
    await expect(roles.update('reader', { everybody: false })).rejects.toThrow(code('OBJECT_IN_USE'))
    await first.close()
    const again = await start(folder)
    expect(both(again)).toEqual([always, never])
    await again.assignments.unassign(all)
    expect(both(again)).toEqual([never, never])
    await again.roles.update('reader', { everybody: false })
  })

  it('[D11] a sync makes sure that a user is there, and changes only what is sent; a replacement resets', async () => {
    const { users, roles, assignments } = await start(temporaryFolder('embedded'))
    await roles.create({ key: 'reader' })
    await users.sync({ key: 'eva', email: 'eva@example.com', attributes: { suspended: true, level: 1 } })
    const kept = { email: 'eva@example.com', attributes: { suspended: true, level: 1 } }
    await expect(users.sync({ key: 'eva' })).resolves.toMatchObject(kept)
    await expect(users.sync({ key: 'eva', email: null, attributes: null })).resolves.toMatchObject(kept)
    const changed = await users.sync({ key: 'eva', attributes: { level: 2 }, role_assignments: [{ role: 'reader' }] })
    expect(changed).toMatchObject({ ...kept, attributes: { suspended: true, level: 2 } })
    expect(assignments.list().map(({ role }) => role)).toEqual(['reader'])
    await expect(users.replace('eva', {})).resolves.toMatchObject({ email: null, attributes: {} })
    await users.suspend('eva', { reason: 'left' })
    await expect(users.sync({ key: 'eva' })).resolves.toMatchObject({ suspension: { reason: 'left' } })
    expect((await users.sync({ key: 'eva', suspension: null })).suspension ?? null).toBeNull()
  })

  it('[D11] warns when a write removes what a condition relies on', async () => {
    const heard: WriteWarnings[] = []
    const zerohop = await open({ data: temporaryFolder('embedded'), onEvent: (event) => heard.push(event) })
    opened.push(zerohop)
    const { users, resources, conditionSets, setRules } = zerohop
    await resources.create({ key: 'doc', actions: { read: {} } })
    await conditionSets.create({ key: 'active', conditions: { not: { 'user.suspended': { equals: true } } } })
    await setRules.create({ user_set: 'active', permission: 'doc:read', resource_set: 'doc' })
    await users.create({ key: 'eva', attributes: { suspended: true } })
    expect(heard).toEqual([])
    await users.replace('eva', {})
    expect(heard).toEqual([
      {
        event: 'warnings',
        operation: 'replaceUser',
        warnings: [expect.stringMatching(/`user.suspended`.*user `eva`$/)],
      },
    ])
  })

  it('[D11] knows nobody who is deleted, also where it has asked before', async () => {
    const zerohop = await start(temporaryFolder('embedded'))
    await writePolicy(zerohop)
    const { pdp, users, assignments } = zerohop
    const ana = pdp.subject('ana')
    const answers = () => [pdp.knows('ana'), ana.can('read', 'document'), pdp.check('ana', 'read', 'document')]
    expect(answers()).toEqual([true, true, true])
    await users.delete('ana')
    expect(answers()).toEqual([false, false, false])
    await users.create({ key: 'ana' })
    expect(answers()).toEqual([true, false, false])
    await assignments.assign({ user: 'ana', role: 'editor' })
    expect(answers()).toEqual([true, true, true])
  })

  it('[D5] relates instances: a role on a folder reaches the documents in it', async () => {
    const { pdp, resources, users, instances, tuples, assignments } = await start(temporaryFolder('embedded'))
    await resources.create({ key: 'folder', actions: { open: {} }, roles: { owner: { permissions: ['open'] } } })
    await resources.create({
      key: 'document',
      actions: { read: {} },
      relations: { parent: 'folder' },
      roles: {
        owner: {
          permissions: ['read'],
          granted_to: { users_with_role: [{ role: 'owner', on_resource: 'folder', linked_by_relation: 'parent' }] },
        },
      },
    })
    await users.create({ key: 'ana' })
    await instances.create({ key: 'plans', resource: 'folder', tenant: 'default' })
    await instances.create({ key: 'budget', resource: 'document', tenant: 'default', attributes: { year: 2026 } })
    const tuple = { subject: 'folder:plans', relation: 'parent', object: 'document:budget' }
    await assignments.assign({ user: 'ana', role: 'owner', resource_instance: 'folder:plans' })
    expect(pdp.check('ana', 'read', 'document:budget')).toBe(false)
    await tuples.create(tuple)
    expect(pdp.check('ana', 'read', 'document:budget')).toBe(true)
    expect(instances.get('document:budget')?.attributes).toEqual({ year: 2026 })
    await tuples.delete(tuple)
    expect([pdp.check('ana', 'read', 'document:budget'), tuples.list()]).toEqual([false, []])
    await instances.delete('folder:plans')
    expect(assignments.list({ user: 'ana' })).toEqual([])
  })

  it('[D6] takes condition sets and set rules', async () => {
    const { pdp, resources, users, conditionSets, setRules } = await start(temporaryFolder('embedded'))
    await resources.create({ key: 'document', actions: { read: {} } })
    await users.create({ key: 'ana', attributes: { department: 'billing' } })
    const conditions = { 'user.department': { equals: 'billing' } }
    await conditionSets.create({ key: 'billing', type: 'userset', conditions })
    const rule = { user_set: 'billing', permission: 'document:read', resource_set: 'document' }
    await setRules.create(rule)
    expect(pdp.check('ana', 'read', 'document')).toBe(true)
    await conditionSets.update('billing', { conditions: { not: conditions } })
    expect(pdp.check('ana', 'read', 'document')).toBe(false)
    await setRules.delete(rule)
    await conditionSets.delete('billing')
    expect([setRules.list(), conditionSets.list()]).toEqual([[], []])
  })

  it('[D8] says what time it is to conditions that ask', async () => {
    const { pdp, resources, users, conditionSets, setRules } = await start(temporaryFolder('embedded'))
    await resources.create({ key: 'document', actions: { read: {}, write: {} } })
    await users.create({ key: 'ana' })
    const late = { 'context.now': { 'greater-than': '2001-01-01' } }
    await conditionSets.create({ key: 'late', conditions: late })
    await conditionSets.create({ key: 'early', conditions: { not: late } })
    await setRules.create({ user_set: 'late', permission: 'document:read', resource_set: 'document' })
    await setRules.create({ user_set: 'early', permission: 'document:write', resource_set: 'document' })
    expect(pdp.actions('ana', 'document')).toEqual(['read'])
    expect(pdp.actions('ana', 'document', { now: 0 })).toEqual(['write'])
  })

  it('keeps everything over a restart, and gives the folder back', async () => {
    const data = temporaryFolder('embedded')
    const first = await start(data)
    await writePolicy(first)
    await expect(open({ data })).rejects.toEqual(code('DATA_IN_USE'))
    const { revision } = first.pdp
    await first.close()
    expect(() => first.pdp.check('ana', 'read', 'document')).toThrow(code('CLOSED'))
    const second = await start(data)
    expect([second.pdp.check('ana', 'read', 'document'), second.pdp.revision]).toEqual([true, revision])
    expect(second.users.get('ana')?.email).toBe('ana@example.com')
    expect(second.roles.list().map(({ key }) => key)).toEqual(['reader', 'editor'])
    expect(second.assignments.list({ user: 'ana' }).map(({ role, tenant }) => [role, tenant])).toEqual([
      ['editor', 'default'],
    ])
  })

  it('keeps environments apart', async () => {
    const development = await start(temporaryFolder('embedded'))
    await writePolicy(development)
    const production = await development.environment('production')
    expect([production.pdp.check('ana', 'read', 'document'), production.pdp.revision]).toEqual([false, 1])
    await writePolicy(production)
    await development.roles.delete('editor')
    expect([development.pdp.check('ana', 'read', 'document'), production.pdp.check('ana', 'read', 'document')]).toEqual(
      [false, true],
    )
    expect(await development.environment('default/production')).toBe(production)
    await expect(development.environment('nowhere')).rejects.toEqual(code('OBJECT_NOT_FOUND'))
  })

  it('refuses what the use cases refuse, and changes nothing', async () => {
    const { users, roles, assignments, pdp } = await start(temporaryFolder('embedded'))
    await users.create({ key: 'ana' })
    const { revision } = pdp
    await expect(users.create({ key: 'ana' })).rejects.toEqual(code('OBJECT_EXISTS'))
    await expect(users.create({ key: 'a b' })).rejects.toEqual(code('KEY_INVALID'))
    await expect(roles.delete('nothing')).rejects.toEqual(code('OBJECT_NOT_FOUND'))
    await expect(assignments.assign({ user: 'ana', role: 'nothing' })).rejects.toEqual(code('OBJECT_NOT_FOUND'))
    expect(pdp.revision).toBe(revision)
  })

  it('answers many writes at once, each by its own revision', async () => {
    const { users, assignments, resources, roles, pdp } = await start(temporaryFolder('embedded'))
    await resources.create({ key: 'document', actions: { read: {} } })
    await roles.create({ key: 'reader', permissions: ['document:read'] })
    const allowed = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        await users.create({ key: `user${i}` })
        await assignments.assign({ user: `user${i}`, role: 'reader' })
        return pdp.check(`user${i}`, 'read', 'document')
      }),
    )
    expect(allowed).toEqual(allowed.map(() => true))
  })
})
