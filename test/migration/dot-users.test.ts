// A user of the first API version whose key no URL can name: `zerohop migrate move` names it, and moves nothing.
import { afterAll, expect, it } from 'vitest'
import { openStore } from '../../src/store/store.ts'
import { BY, type TestUseCases } from '../store/support.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers } from '../support/server.ts'
import { FOREIGN, OURS, World } from './support.ts'

afterAll(endServers)

it('a user that no URL can name is refused by its key before anything is moved', async () => {
  const world = new World()
  await world.open()
  await world.call('PUT', '/v1/users', { key: 'eva' })
  const [project, environment] = FOREIGN.split('/')
  const { body } = await world.call('GET', `/v2/projects/${project}/envs/${environment}`)
  await endServers()
  const writerThread = new URL('../store/writer-thread.mjs', import.meta.url)
  const older = await openStore<TestUseCases>({ data: world.data, writerThread })
  await older.commit(body.id, 'createUser', { key: '..' }, BY)
  await older.close()
  await apiHere(world.data, world.port)
  const moved = await world.migrate(['move', '--foreign', FOREIGN, '--to', OURS])
  expect(moved.err).toContain(
    'user `..` cannot be moved, because its key cannot be part of a URL: delete the user by its id, then run the move again',
  )
  expect(moved.code).toBe(2)
  const { body: users } = await world.call('GET', `/v2/facts/${OURS}/users`)
  expect(users.data.map(({ key }: { key: string }) => key)).not.toContain('eva')
})
