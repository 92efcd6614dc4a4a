// Two versions side by side: what the tables say of themselves decides which replicas may use them.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { withoutRequest } from '../../src/log/change.ts'
import { type ManagementData, openManagementData } from '../../src/management/open.ts'
import { DATABASE_FORMAT } from '../../src/store/postgres/migrations.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'

const BY = withoutRequest('test')
const NEWER = DATABASE_FORMAT + 1

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('tables of another version', () => {
  const secretsKey = randomBytes(32)
  const replicas: ManagementData[] = []
  let server: Postgres
  let url: string
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => {
    for (const { store } of replicas.splice(0)) await store.close()
  })
  afterAll(endPostgres)

  const start = async (migrate = true) => {
    const settings = { url, replica: randomUUID(), version: 'test', migrate }
    const newId = () => randomBytes(16).toString('hex')
    const opened = await openManagementData({
      data: temporaryFolder('replica'),
      newId,
      replica: { settings, secretsKey },
    })
    replicas.push(opened)
    return opened
  }
  const upgradeTo = (format: number, readableFrom: number) =>
    server.query(url, 'UPDATE zerohop.meta SET format = $1, readable_from = $2', [format, readableFrom])

  it('that this one can read are used by replicas that run and by new ones, and are not changed back', async () => {
    url = await server.database()
    const running = await start()
    await upgradeTo(NEWER, DATABASE_FORMAT)
    const environment = running.store.logs().find((log) => log !== running.organization) ?? ''
    await running.store.commit(environment, 'createUser', { key: 'ida' }, BY)
    const later = await start()
    expect(later.store.view(environment).get('user', 'ida')).toBeDefined()
    await later.store.commit(environment, 'createUser', { key: 'eve' }, BY)
    await running.store.confirm()
    expect(running.store.view(environment).get('user', 'eve')).toBeDefined()
    expect(await server.query(url, 'SELECT format, readable_from FROM zerohop.meta')).toEqual([
      { format: NEWER, readable_from: DATABASE_FORMAT },
    ])
  })

  it('that this one cannot read stop no replica that runs, and let none start', async () => {
    url = await server.database()
    const running = await start()
    await upgradeTo(NEWER, NEWER)
    const environment = running.store.logs().find((log) => log !== running.organization) ?? ''
    await running.store.commit(environment, 'createUser', { key: 'ida' }, BY)
    await expect(start()).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: expect.stringContaining(`format ${NEWER}, which this version cannot read: install a newer one`),
    })
  })

  it('that are older wait for a migration', async () => {
    url = await server.database()
    await start()
    await upgradeTo(DATABASE_FORMAT - 1, DATABASE_FORMAT - 1)
    await expect(start(false)).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: expect.stringContaining('run `zerohop database migrate`'),
    })
  })
})
