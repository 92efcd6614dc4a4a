// A move that ends halfway: killed outright, and run again.
import { afterAll, describe, expect, it } from 'vitest'
import { endServers } from '../support/server.ts'
import { World } from './support.ts'

afterAll(endServers)

describe('a move that is killed', () => {
  it('goes on where it stopped, and ends in the same state', async () => {
    const world = new World()
    await world.open()
    await world.writeV1()
    const roles = [{ role: 'reader', tenant: 'default' }]
    await Promise.all(
      Array.from({ length: 80 }, (_, at) => world.call('PUT', '/v1/users', { key: `user-${at}`, roles })),
    )
    const environment = 'default/production'
    const countObjects = async (kind: string): Promise<number> =>
      (await world.call('GET', `/v2/facts/${environment}/${kind}?include_total_count=true`)).body.total_count
    const args = ['move', '--ours', 'ours.txt', '--to', environment]
    const { child, ended } = world.start(args)
    while ((await countObjects('users')) < 5 && child.exitCode === null);
    child.kill('SIGKILL')
    expect((await ended).code).toBeNull()
    expect(await countObjects('users')).toBeLessThan(83)
    const done = await world.migrate(args)
    expect([done.code, done.err]).toEqual([0, expect.not.stringContaining('zerohop')])
    expect([await countObjects('users'), await countObjects('role_assignments')]).toEqual([83, 83])
    expect((await world.migrate([...args, '--dry-run'])).out).toContain(
      'everything is already there\nnothing was written',
    )
  })
})
