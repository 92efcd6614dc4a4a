// An empty database is set up by one replica, however many start at once; further organizations come later.
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAdmin } from '../../src/management/host/admin.ts'
import { listAllOrganizations, type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import type { ZerohopError } from '../../src/model/errors.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'

const newId = () => randomBytes(16).toString('hex')

type Replica = ManagementData & { readonly data: string }

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('three replicas that start over an empty database', () => {
  let replicas: readonly [Replica, Replica, Replica]
  beforeAll(async () => {
    const url = await (await startPostgres()).database()
    const secretsKey = randomBytes(32)
    const open = async () => {
      const data = temporaryFolder('setup')
      const replica = { settings: { url, replica: randomUUID(), version: 'test' }, secretsKey }
      return { data, ...(await openManagementData({ data, newId, replica })) }
    }
    replicas = await Promise.all([open(), open(), open()])
  })
  afterAll(async () => {
    for (const { store } of replicas) await store.close()
    await endPostgres()
  })

  const organizations = async () => {
    for (const { store } of replicas) await store.confirm()
    return replicas.map(({ store }) => listAllOrganizations(store))
  }

  it('make one organization, and one of them has made it', async () => {
    const [{ organization }] = replicas
    expect(replicas.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(await organizations()).toEqual([[organization], [organization], [organization]])
  })

  it('refuse a backup, and say whose tools make one', async () => {
    const folder = join(temporaryFolder('backup'), 'copy')
    const [{ store, data }] = replicas
    await expect(runAdmin({ store, data, newId }, 'backup', { folder })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/its own tools, such as pg_dump/),
    })
    expect(existsSync(folder)).toBe(false)
  })

  it('make further ones on request', async () => {
    const [first, second] = replicas
    const create = ({ store, data }: Replica, key: string) => runAdmin({ store, data, newId }, 'org.create', { key })
    await create(first, 'one')
    await create(second, 'two')
    expect((await organizations()).map((found) => found.length)).toEqual([3, 3, 3])
  })

  it('make one of the same key once, however many requests come at the same moment', async () => {
    const [before] = await organizations()
    const create = ({ store, data }: Replica) => runAdmin({ store, data, newId }, 'org.create', { key: 'same' })
    const made = await Promise.allSettled([...replicas, ...replicas].map(create))
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason as ZerohopError] : []))
    expect(refused.map(({ code, message }) => `${code}: ${message}`)).toEqual(
      Array(5).fill('OBJECT_EXISTS: organization `same` already exists'),
    )
    expect((await organizations()).map((found) => found.length)).toEqual(Array(3).fill(before!.length + 1))
    // and a name that is taken is refused later, too
    for (const replica of replicas) await expect(create(replica)).rejects.toMatchObject({ code: 'OBJECT_EXISTS' })
  })
})
