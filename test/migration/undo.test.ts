// `zerohop migrate undo`: what a move made goes again and what it overwrote comes back, also after the move was killed;
// what somebody changed or used since stays, with the reason.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MoveRecord } from '../../src/v1/migrate/move-record.ts'
import { endServers } from '../support/server.ts'
import { FOREIGN, OURS, World } from './support.ts'

const PRODUCTION = 'default/production'
const RECORD = 'zerohop-migration.moves.jsonl'
const EMPTY = { users: [], roles: [], assignments: [] }

afterAll(endServers)

const bodyKey = (body: unknown): string => (body as { key: string }).key

/** Keys of the users whose creation was answered, as the last move has it in the record. */
function answeredUsers(path: string): string[] {
  const last = new MoveRecord(path).read().findLast(({ environment }) => environment.name === PRODUCTION)
  const users = [...(last?.made.values() ?? [])].filter(({ call, id }) => call.kind === 'user' && id !== undefined)
  return users.map(({ call }) => (call.body as { key: string }).key)
}

describe('undo', () => {
  const world = new World()
  const [facts, schema] = [`/v2/facts/${OURS}`, `/v2/schema/${OURS}`]
  const undo = (...args: string[]) => world.migrate(['undo', ...args])
  const read = async (path: string) => (await world.call('GET', path)).body
  const kept = [
    ['user auth0|3', 'changed since'],
    ['user auth0|1', 'used since: auth0|1 is own in default'],
    ['tenant acme', 'used since: new is own in acme'],
    ['role reader', 'used since: new is reader in default'],
  ]

  beforeAll(async () => {
    await world.open()
    await world.writeV1()
    // what the move finds: a resource without one of the actions, and a user with another name
    await world.call('POST', `${schema}/resources`, {
      key: 'report',
      name: 'Report',
      actions: { read: { name: 'Look' } },
    })
    await world.call('POST', `${schema}/roles`, { key: 'own', permissions: ['report:read'] })
    await world.call('PUT', `${facts}/users/auth0%7C2`, { key: 'auth0|2', first_name: 'Benjamin' })
  })

  it('has nothing to take back without a record, and takes no other file for one', async () => {
    expect((await undo('--yes')).err).toContain(`the record ${RECORD} does not exist`)
    writeFileSync(join(world.folder, 'other.jsonl'), '{"a":1}\n')
    const { code, err } = await undo('--record', 'other.jsonl')
    expect([code, err]).toEqual([2, 'zerohop: other.jsonl is not a record of zerohop migrate move\n'])
  })

  it('keeps what was changed or used since, and says why; the rest goes, and what was overwritten comes back', async () => {
    const moved = await world.migrate(['move', '--ours', 'ours.txt', '--to', OURS, '--overwrite'])
    expect([moved.code, moved.out]).toEqual([0, expect.stringContaining('11 calls')])
    expect((await read(`${facts}/users/auth0%7C2`)).first_name).toBe('Ben')
    // new users are made, not replaced: one who is there by then keeps what access depends on; the one with another name is
    const calls = new MoveRecord(join(world.folder, RECORD)).read().flatMap(({ made }) => [...made.values()])
    const methods = calls.flatMap(({ call }) => (call.kind === 'user' ? [`${call.method} ${bodyKey(call.body)}`] : []))
    expect(methods.filter((each) => each.startsWith('PUT'))).toEqual(['PUT auth0|2'])
    await world.call('PATCH', `${facts}/users/auth0%7C3`, { first_name: 'Zoey' })
    await world.call('POST', `${facts}/role_assignments`, { user: 'auth0|1', role: 'own', tenant: 'default' })
    await world.call('PUT', `${facts}/users/new`, { key: 'new' })
    for (const [role, tenant] of [
      ['own', 'acme'],
      ['reader', 'default'],
    ])
      await world.call('POST', `${facts}/role_assignments`, { user: 'new', role, tenant })
    const before = await world.contents(OURS)
    const dry = await undo('--dry-run', '--json')
    expect(dry.code).toBe(1)
    expect(await world.contents(OURS)).toEqual(before)
    expect((await undo()).err).toContain('confirmation needs a terminal: pass --yes')

    const { code, out } = await undo('--yes', '--json')
    const report = JSON.parse(out)
    expect([code, report.kept.map((one: { what: string; why: string }) => [one.what, one.why])]).toEqual([1, kept])
    expect({ ...JSON.parse(dry.out), dryRun: false }).toEqual(report)
    expect(report.undone.map(({ what, how }: { what: string; how: string }) => `${how} ${what}`).sort()).toEqual([
      'removed action report:write',
      'removed auth0|1 is reader in acme',
      'removed auth0|1 is writer in default',
      'removed auth0|2 is reader in default',
      'removed role writer',
      'restored action report:read',
      'restored user auth0|2',
    ])
    expect(await world.contents(OURS)).toEqual({
      users: ['auth0|1', 'auth0|2', 'auth0|3', 'new'],
      roles: ['own', 'reader'],
      assignments: ['auth0|1/own/default', 'new/own/acme', 'new/reader/default'],
    })
    expect(await read(`${facts}/users/auth0%7C2`)).toMatchObject({ first_name: 'Benjamin', email: null })
    const { actions } = await read(`${schema}/resources/report`)
    expect([Object.keys(actions), actions.read.name]).toEqual([['read'], 'Look'])
  })

  it('takes back the rest when nobody uses it any more', async () => {
    await world.call('DELETE', `${facts}/users/new`)
    await world.call('DELETE', `${facts}/role_assignments`, { user: 'auth0|1', role: 'own', tenant: 'default' })
    await world.call('PATCH', `${facts}/users/auth0%7C3`, { first_name: 'Zoe' })
    const { code, out } = await undo('--yes')
    expect([code, out]).toEqual([0, expect.stringContaining('4 objects undone, 0 kept\n')])
    expect(await world.contents(OURS)).toEqual({ users: ['auth0|2'], roles: ['own'], assignments: [] })
    expect((await undo('--yes')).out).toBe('0 objects undone, 0 kept\n')
  })

  it('does not take for its own what was made again, nor what was there when the move was killed', async () => {
    const roles = [{ role: 'reader' }]
    await Promise.all(
      Array.from({ length: 60 }, (_, at) => world.call('PUT', '/v1/users', { key: `user-${at}`, roles })),
    )
    await world.call('PUT', `/v2/facts/${PRODUCTION}/users/theirs`, { key: 'theirs' })
    const { child, ended } = world.start(['move', '--ours', 'ours.txt', '--to', PRODUCTION])
    const answered = () => answeredUsers(join(world.folder, RECORD))
    while (answered().length < 5 && child.exitCode === null) await pause(1)
    child.kill('SIGKILL')
    await ended
    expect((await world.contents(PRODUCTION)).users.length).toBeLessThan(64)
    const [again = ''] = answered()
    const user = await read(`/v2/facts/${PRODUCTION}/users/${encodeURIComponent(again)}`)
    await world.call('DELETE', `/v2/facts/${PRODUCTION}/users/${encodeURIComponent(again)}`)
    const { first_name, last_name, email, attributes } = user
    await world.call('POST', `/v2/facts/${PRODUCTION}/users`, { key: again, first_name, last_name, email, attributes })
    const { code, out } = await undo('--yes')
    expect([code, out]).toEqual([1, expect.stringMatching(/user auth0\|1 +recreated since\n.* 1 kept\n$/)])
    expect(await world.contents(PRODUCTION)).toEqual({ ...EMPTY, users: [again, 'theirs'] })
  })

  it('is refused when the foreign environment is gone: what was moved is all that is left', async () => {
    await world.call('DELETE', `/v2/projects/${FOREIGN.replace('/', '/envs/')}`)
    const { code, err } = await undo('--yes')
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`${FOREIGN} was deleted: what was moved from it is the only copy`),
    ])
  })

  it('reads a record whose last line a kill cut off, and adds to it on a line of its own', () => {
    const path = join(world.folder, RECORD)
    const whole = readFileSync(path, 'utf8')
    const before = new MoveRecord(path).read()
    const [number] = before[0]!.made.keys()
    appendFileSync(path, '{"call":0,"und')
    expect(new MoveRecord(path).read()).toEqual(before)
    const record = new MoveRecord(path)
    record.undone(number!)
    record.close()
    expect(new MoveRecord(path).read()).toEqual([])
    expect(readFileSync(path, 'utf8').startsWith(whole)).toBe(true)
  })
})
