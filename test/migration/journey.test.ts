// A world written through /v1 with the key of an organization, moved to environments step by step with the command
// itself: survey, move, verify, finish, status. Decisions are the same before and after, and a difference that is
// planted is found.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCAN_FILE_BYTES_MAX } from '../../src/model/limits.ts'
import { eventually } from '../support/eventually.ts'
import { endServers, url } from '../support/server.ts'
import { FOREIGN, OURS, World } from './support.ts'

afterAll(endServers)

describe('a v1 world', () => {
  const world = new World()
  const expected = {
    users: ['auth0|1', 'auth0|2', 'auth0|3'],
    roles: ['reader', 'writer'],
    assignments: ['auth0|1/reader/acme', 'auth0|1/writer/default', 'auth0|2/reader/default'],
  }
  let v1 = 0
  let v2 = 0
  let pdps = ''
  const ask = async (port: number, user: string, action: string, tenant: string): Promise<boolean> => {
    const old = { user, action, resource: { type: 'report', context: { tenant } }, context: {} }
    const now = { user: { key: user }, action, resource: { type: 'report', tenant } }
    const response = await fetch(`${url(port)}/allowed`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.keys.environments.development}`, 'content-type': 'application/json' },
      body: JSON.stringify(port === v1 ? old : now),
    })
    expect(response.status).toBe(200)
    return ((await response.json()) as { allow: boolean }).allow
  }
  const matrix = async (port: number): Promise<boolean[]> => {
    const answers: boolean[] = []
    for (const user of [...expected.users, 'nobody'])
      for (const action of ['read', 'write'])
        for (const tenant of ['default', 'acme']) answers.push(await ask(port, user, action, tenant))
    return answers
  }

  beforeAll(async () => {
    await world.open()
    await world.writeV1()
    ;({ v1, v2 } = await world.startPair(world.keys.environments.development))
    await eventually(() => ask(v1, 'auth0|1', 'write', 'default'), true)
    pdps = `${OURS}=${url(v1)},${url(v2)}`
  })

  it('is surveyed: what there is, what it holds, and what looks foreign, with the reason', async () => {
    const { code, out } = await world.migrate(['survey', '--ours', 'ours.txt'])
    expect(code).toBe(0)
    expect(out).toContain(
      `FOREIGN  ${FOREIGN}  (not listed as created by the team; v1 keeps objects outside environments under this key)`,
    )
    expect(out).toContain('3 users, 2 roles, 2 tenants, 1 resource, 3 assignments')
    expect(out).toContain(`ours     ${OURS}  (listed as created by the team)`)
    expect((await world.migrate(['survey'])).out).toContain('which of these did your team create?')
    const json = await world.migrate(['survey', '--ours', 'ours.txt', '--json'])
    expect(
      JSON.parse(json.out).environments.map((one: { name: string; ours: boolean }) => [one.name, one.ours]),
    ).toContainEqual([FOREIGN, false])
  })

  it('is verified as different before it is moved', async () => {
    const { code, out } = await world.migrate(['verify', '--ours', 'ours.txt', '--to', OURS, '--pdps', pdps])
    expect(code).toBe(1)
    expect(out).toMatch(/user auth0\|1 +"there" +"missing"/)
    expect(out).toMatch(/auth0\|1 write report in default +true +false/)
    expect(await matrix(v2)).toEqual(Array(16).fill(false))
  })

  it('is not verified against the PDP of v1 itself, or by PDPs in the wrong order', async () => {
    const verify = ['verify', '--ours', 'ours.txt', '--to', OURS, '--pdps']
    const itself = await world.migrate([...verify, `${OURS}=${url(v1)},${url(v1)}`])
    expect([itself.code, itself.err]).toEqual([
      2,
      `zerohop: ${url(v1)} is a PDP of v1, but it was passed as the PDP of v2\n`,
    ])
    const late = await world.migrate([...verify, `${OURS}=${url(v2)},${url(v2)}`])
    expect([late.code, late.err]).toEqual([
      2,
      `zerohop: ${url(v2)} is a PDP of v2, but it was passed as the PDP of v1\n`,
    ])
  })

  it('shows what a move would make, by name and in total, without making it', async () => {
    const { code, out } = await world.migrate(['move', '--ours', 'ours.txt', '--to', OURS, '--dry-run'])
    expect(code).toBe(0)
    expect(out.split('\n')).toEqual([
      `${OURS}: make resource report`,
      `${OURS}: make role reader`,
      `${OURS}: make role writer`,
      `${OURS}: make tenant acme`,
      ...['auth0|1', 'auth0|2', 'auth0|3'].map((key) => `${OURS}: make user ${key}`),
      ...['auth0|1 is reader in acme', 'auth0|1 is writer in default', 'auth0|2 is reader in default'].map(
        (held) => `${OURS}: make ${held}`,
      ),
      `${OURS}: 3 users, 2 roles, 3 assignments; to write: 1 resource, 2 roles, 1 tenant, 3 users, 3 assignments`,
      'nothing was written',
      '',
    ])
    expect(await world.contents(OURS)).toEqual({ users: [], roles: [], assignments: [] })
  })

  it('is moved, and then there is nothing more to move', async () => {
    const first = await world.migrate(['move', '--ours', 'ours.txt', '--to', OURS])
    expect([first.code, first.err]).toEqual([0, 'moving: 0 of 10\nmoving: 10 of 10\n'])
    expect(first.out).toContain(`${OURS}: 3 users, 2 roles, 3 assignments; 10 calls`)
    expect(await world.contents(OURS)).toEqual(expected)
    const read = async (path: string) => (await world.call('GET', path)).body
    expect(await read(`/v2/schema/${OURS}/roles/writer`)).toMatchObject({
      description: 'writes',
      v1compat_attributes: { rank: 1 },
      v1compat_settings: { color: 'red' },
    })
    expect((await read(`/v2/schema/${OURS}/resources/report`)).actions.write).toMatchObject({ name: 'Write' })
    expect(await read(`/v2/facts/${OURS}/tenants/acme`)).toMatchObject({ name: 'Acme', description: 'a customer' })
    const again = await world.migrate(['move', '--ours', 'ours.txt', '--to', OURS])
    expect(again.out).toContain('everything was already there')
    const found = await world.migrate(['move', '--ours', 'ours.txt', '--json'])
    expect(JSON.parse(found.out)).toEqual({ dryRun: false, calls: [], conflicts: [], unused: [] })
  })

  it('decides the same by both PDPs for every user and permission', async () => {
    await eventually(() => ask(v2, 'auth0|2', 'read', 'default'), true)
    const decided = await matrix(v2)
    expect(decided).toEqual(await matrix(v1))
    expect(decided.filter(Boolean).length).toBe(4)
  })

  it('finds a difference that was planted in an object, and one in a decision', async () => {
    const [facts, schema] = [`/v2/facts/${OURS}`, `/v2/schema/${OURS}`]
    await world.call('PATCH', `${facts}/users/auth0%7C2`, { first_name: 'Bob' })
    const { revision } = await world.call('DELETE', `${schema}/roles/reader/permissions`, {
      permissions: ['report:read'],
    })
    await eventually(() => ask(v2, 'auth0|2', 'read', 'default'), false)
    const { code, out } = await world.migrate(['verify', '--ours', 'ours.txt', '--to', OURS, '--pdps', pdps])
    expect([code, Number(revision) > 0]).toEqual([1, true])
    expect(out).toMatch(/user auth0\|2, first_name +"Ben" +"Bob"/)
    expect(out).toMatch(/role reader, permissions +\["report:read"\] +\[\]/)
    expect(out).toMatch(/auth0\|2 read report in default +true +false/)
    const refused = await world.migrate(['finish', '--ours', 'ours.txt', '--yes'])
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/^zerohop: the report .* has \d+ differences.*\n$/),
    ])
  })

  it('stops at a conflict before its first write, and overwrites when told to', async () => {
    const stopped = await world.migrate(['move', '--ours', 'ours.txt', '--to', OURS])
    expect([stopped.code, stopped.err]).toEqual([
      2,
      expect.stringContaining('2 objects already exist with other values, and nothing was written'),
    ])
    expect(stopped.out).toContain(`conflict in ${OURS}: role reader`)
    expect((await world.migrate(['move', '--ours', 'ours.txt', '--to', OURS, '--overwrite'])).code).toBe(0)
    await eventually(() => ask(v2, 'auth0|2', 'read', 'default'), true)
  })

  it('is verified, with recorded checks too, and anything that changes afterwards is noticed', async () => {
    writeFileSync(
      join(world.folder, 'checks.jsonl'),
      '{"user":"auth0|1","action":"read","resource":"report:7","tenant":"acme"}\n\n{"user":"nobody","action":"read","resource":"report"}\n',
    )
    const args = ['verify', '--ours', 'ours.txt', '--to', OURS, '--pdps', pdps]
    const { code, out } = await world.migrate([...args, '--checks', 'checks.jsonl'])
    expect([code, out]).toEqual([0, expect.stringContaining('8 objects and 14 decisions compared, 0 differences')])
    await world.call('PUT', '/v1/users', { key: 'auth0|4', firstName: 'Late' })
    const refused = await world.migrate(['finish', '--ours', 'ours.txt', '--yes'])
    expect(refused.err).toContain(`${FOREIGN} changed since. Run zerohop migrate verify again`)
    await world.call('POST', '/v1/roles', { name: 'spare', permissions: [] })
    const unused = await world.migrate(['verify', '--ours', 'ours.txt', '--pdps', pdps])
    expect([unused.code, unused.out]).toEqual([
      0,
      expect.stringContaining('not moved, because nothing uses it: role spare, user auth0|4'),
    ])
    const lost = await world.migrate(['finish', '--ours', 'ours.txt', '--yes', '--drop-unused', 'default/production'])
    expect([lost.code, lost.err]).toEqual([2, expect.stringContaining('2 objects would be lost')])
    expect(lost.out).toMatch(/^- +role spare +no environment of the team has it\n- +user auth0\|4 /m)
    await world.call('DELETE', '/v1/users/auth0%7C4')
    await world.call('DELETE', '/v2/schema/v1compat_global_project/v1compat_global_env/roles/spare')
    writeFileSync(join(world.folder, 'checks.jsonl'), '{"user":"auth0|1"}\n')
    const bad = await world.migrate([...args, '--checks', 'checks.jsonl'])
    expect(bad.err).toContain('line 1 is not a check')
    expect((await world.migrate(args)).code).toBe(0)
  })

  it('is not deleted when an environment of the team no longer holds what it got', async () => {
    const held = { user: 'auth0|2', role: 'reader', tenant: 'default' }
    await world.call('DELETE', `/v2/facts/${OURS}/role_assignments`, held)
    const refused = await world.migrate(['finish', '--ours', 'ours.txt', '--yes'])
    expect(refused.err).toContain(
      `${OURS} changed since (auth0|2 is reader in default). Run zerohop migrate verify again`,
    )
    await world.call('POST', `/v2/facts/${OURS}/role_assignments`, held)
    await world.call('PUT', '/v2/facts/default/production/users/auth0%7C9', { key: 'auth0|9' })
    // what the migration is not about may change: services go on working
    await world.call('PUT', `/v2/facts/${OURS}/users/new`, { key: 'new' })
    await world.call('DELETE', `/v2/facts/${OURS}/users/new`)
  })

  it('is not complete while the foreign environment, a v1 PDP and uses in code are there', async () => {
    mkdirSync(join(world.folder, 'code'), { recursive: true })
    writeFileSync(join(world.folder, 'code', 'a.js'), "fetch('/v1/users')\n")
    writeFileSync(
      join(world.folder, 'expected.jsonl'),
      '{"user":"auth0|1","action":"write","resource":"report","allow":true}\n{"user":"auth0|3","action":"read","resource":"report","allow":false}\n',
    )
    const args = [
      'status',
      '--ours',
      'ours.txt',
      '--pdp',
      url(v1),
      url(v2),
      '--checks',
      'expected.jsonl',
      '--code',
      'code',
    ]
    const { code, out } = await world.migrate(args, { PDP_API_KEY: world.keys.environments.development })
    expect(code).toBe(1)
    expect(out).toContain(`${FOREIGN} is not in the list`)
    expect(out).toContain(`${url(v1)}: API version 1`)
    expect(out).toContain(`${OURS}: old till is a PDP of v1`)
    expect(out).toContain(`${FOREIGN}: a PDP that gives no name is a PDP of v1`)
    expect(out).toContain('code/a.js:1 /v1/users')
    const nothing = await world.migrate(['status', '--ours', 'ours.txt', '--json'])
    expect(JSON.parse(nothing.out).conditions.map(({ holds }: { holds: boolean }) => holds)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  it('asks before it deletes, and deletes the environment with its empty project', async () => {
    const given = ['--drop-unused', 'default/production']
    const unasked = await world.migrate(['finish', '--ours', 'ours.txt', ...given])
    expect([unasked.code, unasked.err]).toEqual([
      2,
      expect.stringContaining('confirmation needs a terminal: pass --yes to delete'),
    ])
    const { code, out } = await world.migrate(['finish', '--ours', 'ours.txt', '--yes', ...given])
    expect([code, out]).toEqual([0, `deleted ${FOREIGN}\ndeleted ${FOREIGN.split('/')[0]}\n`])
    const again = await world.migrate(['finish', '--ours', 'ours.txt', '--yes'])
    expect([again.code, again.out]).toEqual([0, 'there is no foreign environment: nothing to delete\n'])
    expect(await world.contents(OURS)).toEqual(expected)
    expect(await ask(v2, 'auth0|1', 'write', 'default')).toBe(true)
  })

  it('deletes the empty project that a finish which was cut off left behind', async () => {
    await world.call('POST', '/v2/projects', { key: 'left_over', name: 'Left over', initial_environments: [] })
    const survey = await world.migrate(['survey', '--ours', 'ours.txt'])
    expect(survey.out).toContain('nothing is left in left_over. Next: zerohop migrate finish')
    const unasked = await world.migrate(['finish', '--ours', 'ours.txt'])
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('confirmation needs a terminal')])
    const { code, out } = await world.migrate(['finish', '--ours', 'ours.txt', '--yes'])
    expect([code, out]).toEqual([0, 'deleted left_over\n'])
  })

  it('is not complete while a PDP of v1 follows that is not named', async () => {
    writeFileSync(join(world.folder, 'code', 'a.js'), "fetch('/v2/facts')\n")
    const args = ['status', '--ours', 'ours.txt', '--pdp', url(v2), '--checks', 'expected.jsonl', '--code', 'code']
    const key = { PDP_API_KEY: world.keys.environments.development }
    const { code, out } = await world.migrate(args, key)
    expect([code, out]).toEqual([1, expect.stringContaining(`NO   no PDP of v1 runs`)])
    expect(out).toContain(`${OURS}: old till is a PDP of v1`)
    expect(out).toContain('the migration is not complete')
    expect(out.match(/^NO /gm)).toHaveLength(1)
    await world.endPdp(v1)
  })

  it('is complete then', async () => {
    writeFileSync(join(world.folder, 'code', 'a.js'), "fetch('/v2/facts')\n")
    const args = ['status', '--ours', 'ours.txt', '--pdp', url(v2), '--checks', 'expected.jsonl', '--code', 'code']
    const { code, out } = await world.migrate(args, { PDP_API_KEY: world.keys.environments.development })
    expect([code, out]).toEqual([0, expect.stringContaining('the migration is complete')])
    expect(out).toContain('2 of 2 checks as expected')
    const key = { PDP_API_KEY: world.keys.environments.development }
    writeFileSync(join(world.folder, 'code', 'sync.sh'), 'curl -X PUT "$API/v1/users"\n')
    const used = await world.migrate(args, key)
    expect([used.code, used.out]).toEqual([1, expect.stringContaining('code/sync.sh:1 /v1/users')])
    writeFileSync(join(world.folder, 'code', 'sync.sh'), 'x'.repeat(SCAN_FILE_BYTES_MAX + 1))
    const unread = await world.migrate(args, key)
    expect([unread.code, unread.out]).toEqual([1, expect.stringContaining('not searched: 1 file, too large (sync.sh)')])
    expect(unread.out).toContain('the migration is not complete')
    const left = await world.migrate([...args, '--ignore', 'code/sync.sh'], key)
    expect([left.code, left.out]).toEqual([0, expect.stringContaining('left out with --ignore (sync.sh)')])
    expect((await world.migrate(['move', '--ours', 'ours.txt'])).out).toContain('there is nothing to move')
  })
})
