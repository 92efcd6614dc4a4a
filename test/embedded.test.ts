// The door `zerohop/embedded`: a write is decided by as soon as it resolves, everything survives a restart, and errors are those of the use cases.
import { afterEach, describe, expect, it } from 'vitest'
import { open, type Zerohop } from '../src/embedded.ts'
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
