// Without --to, `zerohop migrate move` finds which environments use something of the foreign one, and says what none of
// them does; several foreign environments are moved together as long as they agree.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endServers } from '../support/server.ts'
import { OURS, World } from './support.ts'

const PRODUCTION = 'default/production'
const world = new World()

interface Planned {
  readonly calls: readonly { readonly what: string; readonly path: string }[]
  readonly unused: readonly string[]
}

async function planned(...args: string[]): Promise<Planned> {
  const { out, err } = await world.migrate(['move', '--ours', 'ours.txt', '--dry-run', '--json', ...args])
  expect(err).toBe('')
  return JSON.parse(out) as Planned
}

beforeAll(async () => {
  await world.open()
  await world.writeV1()
  writeFileSync(join(world.folder, 'ours.txt'), `${OURS}\n${PRODUCTION}\n`)
})
afterAll(endServers)

it('a move without --to refuses to guess while no environment uses anything', async () => {
  const { code, err } = await world.migrate(['move', '--ours', 'ours.txt'])
  expect([code, err]).toEqual([2, expect.stringContaining('name the environments that need it with --to')])
})

it('a move finds two environments, by a tenant and by a role, and what neither of them gets', async () => {
  await world.call('POST', `/v2/facts/${OURS}/tenants`, { key: 'acme', name: 'Acme' })
  await world.call('POST', `/v2/schema/${PRODUCTION}/resources`, { key: 'report', actions: { read: {} } })
  await world.call('POST', `/v2/schema/${PRODUCTION}/roles`, { key: 'writer', permissions: ['report:read'] })
  await world.call('POST', `/v2/facts/${PRODUCTION}/users`, { key: 'zed' })
  await world.call('POST', `/v2/facts/${PRODUCTION}/role_assignments`, { user: 'zed', role: 'writer' })
  const { calls, unused } = await planned('--overwrite')
  const environments = (await world.call('GET', '/v2/projects/default/envs')).body as { id: string; key: string }[]
  const listCalls = (key: string) => {
    const { id = '' } = environments.find((one) => one.key === key) ?? {}
    return calls.filter(({ path }) => path.includes(id)).map(({ what }) => what)
  }
  expect(listCalls('development')).toEqual([
    'resource report',
    'role reader',
    'role writer',
    'tenant acme',
    'user auth0|1',
    'auth0|1 is reader in acme',
    'auth0|1 is writer in default',
  ])
  expect(listCalls('production')).toEqual(['action report:read', 'action report:write', 'role writer'])
  expect(unused).toEqual(['user auth0|2', 'user auth0|3', 'auth0|2 is reader in default'])
})

it('a move stops before its first write at tenants, resources and actions that differ', async () => {
  const { code, out, err } = await world.migrate(['move', '--ours', 'ours.txt'])
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('3 objects already exist with other values, and nothing was'),
  ])
  expect(out).toContain(
    `conflict in ${OURS}: tenant acme\n  to move  {"description":"a customer"}\n  is there {"description":`,
  )
  expect(out).toContain(`conflict in ${PRODUCTION}: action report:read\n  to move  {"name":"Read"}`)
  expect(out).toContain(`conflict in ${PRODUCTION}: role writer\n`)
  await world.call('PATCH', `/v2/facts/${OURS}/tenants/acme`, { description: 'a customer' })
})

it('two foreign environments are moved together, unless they differ in a user', async () => {
  const staging = 'default/staging'
  await world.call('POST', '/v2/projects/default/envs', { key: 'staging', name: 'Staging' })
  await world.call('PUT', `/v2/facts/${staging}/users/only-there`, { key: 'only-there' })
  const { calls } = await planned('--to', OURS)
  expect(calls.map(({ what }) => what)).toContain('user only-there')
  expect(calls.map(({ what }) => what)).toContain('user auth0|1')
  await world.call('PUT', `/v2/facts/${staging}/users/auth0%7C1`, { key: 'auth0|1', first_name: 'Other' })
  const { code, err } = await world.migrate(['move', '--ours', 'ours.txt', '--to', OURS])
  expect([code, err]).toEqual([2, expect.stringMatching(/^zerohop: `auth0\|1` differs between .* with --foreign\n$/)])
  expect((await planned('--to', OURS, '--foreign', staging)).calls.map(({ what }) => what)).toEqual([
    'user auth0|1',
    'user only-there',
  ])
})

it('a move copies what a role needs with its names, texts and attributes', async () => {
  const action = { name: 'Read', description: 'to read', attributes: { rest: true } }
  const foreign = 'v1compat_global_project/v1compat_global_env'
  await world.call('PATCH', `/v2/schema/${foreign}/resources/report/actions/read`, action)
  const { out } = await world.migrate([
    'move',
    '--ours',
    'ours.txt',
    '--to',
    OURS,
    '--dry-run',
    '--json',
    '--foreign',
    foreign,
  ])
  expect(out).toContain(`"actions":{"read":${JSON.stringify({ ...action, v1compat_name: 'read' })}`)
  expect(out).toContain(
    '"key":"writer","name":"writer","description":"writes","attributes":null,"v1compat_attributes":{"rank":1}',
  )
})
