// Two environments whose clients depend on the same objects outside of environments, moved one after the other while
// their clients go on asking. What `finish` may delete, and what `verify` must have compared before.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Api } from '../../src/v1/migrate/api-client.ts'
import { deleteAll, revisionsOf } from '../../src/v1/migrate/finish.ts'
import { needsOf } from '../../src/v1/migrate/needs.ts'
import { type Divided, foreignOf } from '../../src/v1/migrate/survey.ts'
import { eventually } from '../support/eventually.ts'
import { endServers, url } from '../support/server.ts'
import { FOREIGN, OURS, RecordingClient, World } from './support.ts'

const PRODUCTION = 'default/production'
const ALLOWED = [
  { user: 'auth0|1', action: 'write', tenant: 'default' },
  { user: 'auth0|1', action: 'read', tenant: 'default' },
  { user: 'auth0|1', action: 'read', tenant: 'acme' },
  { user: 'auth0|2', action: 'read', tenant: 'default' },
]

afterAll(endServers)

describe('two environments that share objects', () => {
  const world = new World()
  const clients: RecordingClient[] = []
  let pairs = { development: '', production: '' }
  const verify = (...args: string[]) => world.migrate(['verify', '--ours', 'ours.txt', ...args])
  const finish = (...args: string[]) => world.migrate(['finish', '--ours', 'ours.txt', '--yes', ...args])

  beforeAll(async () => {
    await world.open()
    await world.writeV1()
    const { development, production } = world.keys.environments
    const [dev, prod] = [await world.startPair(development), await world.startPair(production)]
    pairs = {
      development: `${OURS}=${url(dev.v1)},${url(dev.v2)}`,
      production: `${PRODUCTION}=${url(prod.v1)},${url(prod.v2)}`,
    }
    clients.push(new RecordingClient(dev.v1, development, ALLOWED), new RecordingClient(prod.v1, production, ALLOWED))
    for (const client of clients) await eventually(() => client.askAll(), [])
    for (const client of clients) client.start()
  })
  afterAll(async () => {
    for (const client of clients) await client.stop()
  })

  it('does not verify what is not there, or nothing', async () => {
    const refused: [string[], string][] = [
      [['--pdps', pairs.development.replace(OURS, 'default/nowhere')], 'is not an environment of the team'],
      [['--pdps', pairs.development.replace(OURS, FOREIGN)], 'is not an environment of the team'],
      [['--pdps', pairs.production], 'there is nothing to ask the PDPs of default/production'],
      [
        ['--to', OURS, '--pdps', pairs.development, pairs.production],
        'there is nothing to ask the PDPs of default/production',
      ],
      [[], 'nothing was compared: no environment of the team has anything of'],
    ]
    const ended = await Promise.all(refused.map(([args]) => verify(...args)))
    for (const [at, { code, out, err }] of ended.entries())
      expect([code, out, err]).toEqual([2, '', expect.stringContaining(refused[at]![1])])
  })

  it('asks recorded checks of every pair, also of a second pair of one environment', async () => {
    writeFileSync(join(world.folder, 'checks.jsonl'), '{"user":"auth0|1","action":"read","resource":"report"}\n')
    const { code, out } = await verify('--pdps', pairs.production, pairs.production, '--checks', 'checks.jsonl')
    expect(code).toBe(1)
    expect(out.match(/auth0\|1 read report in default +true +false/g)).toHaveLength(2)
    expect(out).toContain('0 objects and 2 decisions compared, 2 differences')
  })

  it('keeps what the other environment needs when only one was moved to, and says what and how to go on', async () => {
    expect((await world.migrate(['move', '--ours', 'ours.txt', '--to', OURS])).code).toBe(0)
    await eventually(async () => (await verify('--to', OURS, '--pdps', pairs.development)).code, 0)
    const { code, out, err } = await finish()
    expect(code).toBe(2)
    expect(err).toBe(
      `zerohop: 3 objects would be lost, and nothing was deleted; next: zerohop migrate move --ours ours.txt --to ${PRODUCTION}\n`,
    )
    for (const held of ['auth0|1 is reader in acme', 'auth0|1 is writer in default', 'auth0|2 is reader in default'])
      expect(out).toMatch(new RegExp(`^${PRODUCTION} +${held.replace('|', '\\|')} +not there$`, 'm'))
    expect(out).not.toContain(OURS.concat('  '))
    expect(out).toContain(`zerohop migrate finish --ours ours.txt --drop-unused ${PRODUCTION}`)
    expect((await world.migrate(['survey', '--ours', 'ours.txt'])).out).toContain(`FOREIGN  ${FOREIGN}`)
  })

  it('leaves out what is given up by name, and takes a name of nothing for a slip', async () => {
    const slip = await finish('--drop-unused', 'auth0|7')
    expect([slip.code, slip.err]).toEqual([2, expect.stringContaining('--drop-unused names `auth0|7`')])
    const { out } = await finish('--json', '--drop-unused', 'auth0|1')
    expect(JSON.parse(out)).toMatchObject({
      deleted: [],
      missing: [{ environment: PRODUCTION, what: 'auth0|2 is reader in default', why: 'not there' }],
    })
  })

  it('moves what a known user needs, in the tenant `default` too, and verifies that together with --to', async () => {
    await world.call('PUT', `/v2/facts/${PRODUCTION}/users/auth0%7C2`, {
      key: 'auth0|2',
      first_name: 'Ben',
      email: 'ben@example.com',
      attributes: { level: 3 },
    })
    const mixed = ['--to', OURS, '--pdps', pairs.development, pairs.production]
    const before = await verify(...mixed)
    expect([before.code, before.out]).toEqual([
      1,
      expect.stringMatching(/^default\/production +role reader +"there" +"missing"$/m),
    ])
    const moved = await world.migrate(['move', '--ours', 'ours.txt'])
    expect(moved.out).toContain(`${PRODUCTION}: 1 user, 1 role, 1 assignment; 3 calls`)
    await eventually(async () => (await verify(...mixed)).code, 0)
    const { out } = await finish()
    expect(out).toContain('auth0|1 is writer in default')
    expect(out).not.toContain('auth0|2 is')
  })

  it('is finished when both have everything and both were verified, and no client was denied', async () => {
    expect((await world.migrate(['move', '--ours', 'ours.txt', '--to', PRODUCTION])).code).toBe(0)
    const unverified = await verify('--to', OURS, '--pdps', pairs.development)
    expect(unverified.code).toBe(0)
    const refused = await finish()
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining(
        `nothing was deleted, because no verify compared the decisions of ${PRODUCTION}. Next: zerohop migrate verify --ours ours.txt --to ${OURS} ${PRODUCTION} --pdps`,
      ),
    ])
    const both = ['--to', OURS, PRODUCTION, '--pdps', pairs.development, pairs.production]
    await eventually(async () => (await verify(...both)).code, 0)
    expect((await finish()).out).toContain(`deleted ${FOREIGN}`)
    for (const client of clients) {
      await eventually(() => client.followsOutside(), false)
      expect(await client.askAll()).toEqual([])
    }
    for (const client of clients) {
      expect(await client.stop()).toEqual([])
      expect(client.asked).toBeGreaterThan(20) // how often depends on the machine, not on what is tested
    }
  })
})

describe('a delete', () => {
  const world = new World()
  let api: Api
  let divided: Divided
  beforeAll(async () => {
    await world.open()
    await world.writeV1()
    api = new Api(url(world.port), world.keys.organization)
    divided = await foreignOf(api, ['default'], [])
  })

  it('would lose what a role of the same name does not allow, and what no move carries', async () => {
    const [facts, schema] = [`/v2/facts/${PRODUCTION}`, `/v2/schema/${PRODUCTION}`]
    await world.call('POST', `${schema}/resources`, { key: 'report', actions: { read: {} } })
    await world.call('POST', `${schema}/roles`, { key: 'writer', permissions: ['report:read'] })
    await world.call('POST', `${facts}/users`, { key: 'auth0|1', role_assignments: [{ role: 'writer' }] })
    await world.call('POST', `/v2/schema/${FOREIGN}/resources/report/roles`, { key: 'owner', permissions: ['write'] })
    const instance = { user: 'auth0|3', role: 'owner', resource_instance: 'report:7', tenant: 'default' }
    await world.call('POST', `/v2/facts/${FOREIGN}/resource_instances`, {
      resource: 'report',
      key: '7',
      tenant: 'default',
    })
    await world.call('POST', `/v2/facts/${FOREIGN}/role_assignments`, instance)
    const { missing } = await needsOf(api, divided, [OURS, 'auth0|2', 'reader'])
    expect(missing.map(({ environment, what, why }) => [environment, what, why])).toEqual([
      [PRODUCTION, 'role writer', 'there without report:write'],
      [null, 'user auth0|3', 'no environment of the team has it'],
      [null, 'auth0|3 is owner of report:7', 'it affects decisions, and a move cannot copy it'],
    ])
  })

  it('is refused when the environment changed after it was looked at', async () => {
    const revisions = await revisionsOf(api, divided.foreign)
    await world.call('PUT', '/v1/users', { key: 'late' })
    await expect(deleteAll(api, divided, revisions)).rejects.toThrow(`${FOREIGN} changed in the meantime`)
    const path = `/v2/projects/${FOREIGN.replace('/', '/envs/')}`
    for (const [header, status] of [
      ['"0"', 412],
      ['"one"', 400],
    ] as const) {
      const answer = await api.call('DELETE', path, undefined, { 'if-match': header })
      expect(answer.status).toBe(status)
    }
    await expect(api.find('/v1/users/late')).resolves.toMatchObject({ customId: 'late' })
    expect(await deleteAll(api, divided, await revisionsOf(api, divided.foreign))).toContain(FOREIGN)
  })
})
