// Idempotency-Key where one process has the data: what was answered is kept with the write, and given again after a cut
// connection, a restart and a restore.
import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { describeBackup } from '../../../src/management/host/admin.ts'
import { type Management, managementServer, openManagement } from '../../../src/server.ts'
import { makeBackupFolder, restoreBackup } from '../../../src/store/backup.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { otherBuild } from '../../support/other-build.ts'
import { ANSWERS_AFTER_THEIR_WRITE, histories, repeatWrites, type Serving } from '../../support/repeated-writes.ts'

const KEY = 'an-organization-key-of-the-test'
const USERS = '/v2/facts/default/development/users'
const SCALE = Number(process.env.ZEROHOP_TEST_SCALE ?? 1)

interface Program {
  readonly openManagement: typeof openManagement
  readonly managementServer: typeof managementServer
}
const OWN: Program = { openManagement, managementServer }

interface Server {
  management: Management
  readonly app: ReturnType<typeof managementServer>
  readonly port: number
}
const running: Server[] = []
afterEach(async () => {
  for (const server of running.splice(0)) await stop(server)
})

async function stop({ app, management }: Server): Promise<void> {
  await app.close()
  await management.store.close()
}

async function start(data: string, program = OWN, more: { readonly secretsKeyFile?: string } = {}): Promise<Server> {
  const management = await program.openManagement({ data, bootstrapKey: KEY, noExample: false, ...more } as never)
  const app = program.managementServer(management)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const server = { management, app, port: (app.server.address() as AddressInfo).port }
  running.push(server)
  return server
}

async function serve(program = OWN): Promise<Serving> {
  const data = temporaryFolder('repeated')
  let server = await start(data, program)
  return {
    key: KEY,
    organization: () => server.management.organization,
    ports: () => [server.port],
    settled: async () => {
      await fetch(`http://127.0.0.1:${server.port}/health`)
      while (server.management.store.writer.waiting > 0) await turn()
    },
    restart: async () => {
      running.splice(running.indexOf(server), 1)
      await stop(server)
      server = await start(data, program)
    },
    look: async () => {
      const { store, organization } = server.management
      const { id } = store.view(organization).require('environment', 'default/development')
      const view = store.view(id)
      const users = [...view.list('user')].map(({ key, first_name }) => {
        const roles = [...view.by('assignments_of_user', key)].map(({ role }) => role)
        return `${key} ${first_name ?? ''} ${roles.join()}`
      })
      return { revision: view.position.revision, keys: store.view(organization).count('api_key'), users }
    },
  }
}

interface Sent {
  readonly method?: 'POST' | 'DELETE' | 'PATCH'
  readonly url?: string
  readonly body?: object
  readonly acting?: string
}

const ask = async ({ app }: Server, once: string, { method = 'POST', url = USERS, body, acting }: Sent) => {
  const headers = {
    ...{ authorization: `Bearer ${KEY}`, 'idempotency-key': once },
    ...(acting && { 'x-acting-user': acting }),
  }
  const answer = await app.inject({ method, url, headers, ...(body && { payload: body }) })
  return { status: answer.statusCode, text: answer.body, headers: answer.headers }
}

describe('a write with an idempotency key', () => {
  it('is as if it had been sent once, however often it is cut off, also over restarts', async () => {
    const serving = await serve()
    let round = 0
    await fc.assert(
      fc.asyncProperty(histories(50), (steps) => repeatWrites(serving, steps, String(round++))),
      { numRuns: Math.ceil(4 * SCALE), seed: 53, endOnFailure: true },
    )
  })

  it('would be carried out twice if its answer were kept after the write, and that is found', async () => {
    const folder = await otherBuild(ANSWERS_AFTER_THEIR_WRITE)
    const program = (await import(pathToFileURL(join(folder, 'server.js')).href)) as Program
    const serving = await serve(program)
    let round = 0
    const found = fc.assert(
      fc.asyncProperty(histories(50), (steps) => repeatWrites(serving, steps, String(round++))),
      { numRuns: 5, seed: 53, endOnFailure: true },
    )
    await expect(found).rejects.toThrow('Property failed')
  })

  it('is answered again word for word, and refused with another body, path, method or acting user', async () => {
    const server = await start(temporaryFolder('repeated'))
    const once = randomUUID()
    const first = await ask(server, once, { body: { key: 'ida' } })
    const again = await ask(server, once, { body: { key: 'ida' } })
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
    expect(again.headers['x-revision']).toBe(first.headers['x-revision'])
    expect([first.headers['x-idempotency'], again.headers['x-idempotency']]).toEqual(['24h', '24h'])
    for (const other of [
      { body: { key: 'eve' } },
      { url: `${USERS}?on_duplicate=ignore`, body: { key: 'ida' } },
      { method: 'DELETE', url: `${USERS}/ida` },
      { acting: 'eve', body: { key: 'ida' } },
    ] as const) {
      const refused = await ask(server, once, other)
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('used with another request')])
    }
    for (const wrong of ['', 'two words', 'x'.repeat(256)])
      expect((await ask(server, wrong, { body: { key: 'eve' } })).status).toBe(400)
    // what was refused is not kept: the same request may succeed later
    const late = randomUUID()
    expect((await ask(server, late, { method: 'PATCH', url: `${USERS}/late`, body: { first_name: 'L' } })).status).toBe(
      404,
    )
    await ask(server, randomUUID(), { body: { key: 'late' } })
    expect((await ask(server, late, { method: 'PATCH', url: `${USERS}/late`, body: { first_name: 'L' } })).status).toBe(
      200,
    )
  })

  it('is answered again where it removed what its path names', async () => {
    const server = await start(temporaryFolder('repeated'))
    const { organization } = server.management
    const made = await ask(server, randomUUID(), {
      url: '/v2/api-key',
      body: { organization_id: organization, object_type: 'org', name: 'gone' },
    })
    const url = `/v2/api-key/${JSON.parse(made.text).id}`
    const once = randomUUID()
    const gone = await ask(server, once, { method: 'DELETE', url })
    expect([gone.status, (await ask(server, once, { method: 'DELETE', url })).status]).toEqual([204, 204])
    expect((await ask(server, randomUUID(), { method: 'DELETE', url })).status).toBe(404)
  })

  it('is answered again after a backup was restored; 409 where its answer cannot be read', async () => {
    const [data, backup] = [temporaryFolder('repeated'), join(temporaryFolder('backup'), 'one')]
    const server = await start(data)
    const body = { key: 'kim', role_assignments: [{ role: 'admin', tenant: 'default' }] }
    const first = await ask(server, 'before-the-backup', { body })
    makeBackupFolder(backup)
    await server.management.store.copyData(backup)
    await describeBackup(backup, Date.now())
    const restored = async (secretsKeyFile?: string) => {
      const folder = temporaryFolder('restored')
      await restoreBackup(backup, folder, () => randomBytes(32).toString('hex'))
      return start(folder, OWN, secretsKeyFile === undefined ? {} : { secretsKeyFile })
    }
    const same = await restored(join(data, 'secrets.key'))
    const again = await ask(same, 'before-the-backup', { body })
    expect([again.status, again.text]).toEqual([200, first.text])
    // under another key: it was carried out, and is not again
    const other = await restored()
    const unreadable = await ask(other, 'before-the-backup', { body })
    expect([unreadable.status, unreadable.text]).toEqual([409, expect.stringContaining('was carried out')])
    expect((await ask(other, 'before-the-backup', { body: { key: 'eve' } })).status).toBe(422)
  })
})
