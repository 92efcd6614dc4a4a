// Idempotency-Key with replicas: each attempt of a write goes to another one, and the connections are cut.
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Management, managementServer, openManagement } from '../../src/server.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { histories, repeatWrites } from '../support/repeated-writes.ts'
import { SECRETS_KEY } from '../support/replica-stores.ts'

const KEY = 'an-organization-key-of-the-test'

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('writes with an idempotency key', () => {
  interface Server {
    readonly management: Management
    readonly app: ReturnType<typeof managementServer>
  }
  let url: string
  const servers: Server[] = []
  const start = async (): Promise<Server> => {
    const settings = { url, replica: randomUUID(), version: 'test' }
    const management = await openManagement({
      data: temporaryFolder('replica'),
      bootstrapKey: KEY,
      replica: { settings, secretsKey: SECRETS_KEY },
    })
    const app = managementServer(management)
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { management, app }
  }
  const stop = async ({ app, management }: Server) => {
    await app.close()
    await management.store.close()
  }
  beforeAll(async () => {
    url = await (await startPostgres()).database()
    servers.push(await start(), await start())
  })
  afterAll(async () => {
    for (const server of servers) await stop(server)
    await endPostgres()
  })

  it('are as if each had been sent once, whichever replica gets it', async () => {
    const first = () => servers[0]!.management
    const ports = () => servers.map(({ app }) => (app.server.address() as AddressInfo).port)
    const serving = {
      key: KEY,
      organization: () => first().organization,
      ports,
      settled: async () => {
        for (const port of ports()) await fetch(`http://127.0.0.1:${port}/health`)
        for (const { management } of servers) while (management.store.writer.waiting > 0) await turn()
      },
      restart: async () => {
        await stop(servers.pop()!)
        servers.push(await start())
      },
      look: async () => {
        const { store, organization } = first()
        await store.confirm()
        const { id } = store.view(organization).require('environment', 'default/development')
        const view = store.view(id)
        const users = [...view.list('user')].map(({ key, first_name }) => {
          const roles = [...view.by('assignments_of_user', key)].map(({ role }) => role)
          return `${key} ${first_name ?? ''} ${roles.join()}`
        })
        return { revision: view.position.revision, keys: store.view(organization).count('api_key'), users }
      },
    }
    let round = 0
    await fc.assert(
      fc.asyncProperty(histories(30), (steps) => repeatWrites(serving, steps, String(round++))),
      { numRuns: 2, seed: 53, endOnFailure: true },
    )
    expect(round).toBe(2)
  })
})
