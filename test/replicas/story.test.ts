// The story of the published client against two servers over one database, behind a load balancer. In the middle, while
// many requests are on their way, one of the servers is killed: no request fails, none is carried out twice, and the
// PDPs go on following at the other one.
import { randomBytes, randomUUID } from 'node:crypto'
import { Permit } from 'permitio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Pdp } from '../../src/index.ts'
import { answers, firstHalf, type Setting, secondHalf } from '../clients/story.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { LoadBalancer } from '../support/load-balancer.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { endServers, freePort, readKeys, Server, startPdp, url } from '../support/server.ts'

/** Users that are created while a server is killed. */
const USERS = 150
/** As many of them exist by then. */
const USERS_BEFORE = 40
/** Answers to writes that are lost on their way, so that the other server is asked the same. */
const LOST = 20

interface Replica {
  readonly env: Record<string, string>
  readonly port: number
  server: Server
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('the published client, at two servers behind a load balancer', () => {
  const of = {} as Setting
  const replicas: Replica[] = []
  let balancer: LoadBalancer
  let library: Pdp
  let killed: Replica
  let images: number

  const start = async ({ env, port }: Omit<Replica, 'server'>): Promise<Server> => {
    const server = new Server('serve', env, ['--no-example'])
    await server.until(async () => (await fetch(`${url(port)}/health`)).ok)
    return server
  }
  const putUser = async (address: string) => {
    const response = await fetch(`${address}/v2/facts/default/development/users/head`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${of.key}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify({ first_name: randomUUID() }),
    })
    expect(response.ok).toBe(true)
    return Number(response.headers.get('x-revision'))
  }

  beforeAll(async () => {
    const database = await (await startPostgres()).database()
    const secretsKey = randomBytes(32).toString('hex')
    for (let number = 0; number < 2; number++) {
      const port = await freePort()
      const env = {
        ZEROHOP_DATA: temporaryFolder('story-replica'),
        ZEROHOP_DATABASE_URL: database,
        ZEROHOP_SECRETS_KEY: secretsKey,
        ZEROHOP_API_PORT: String(port),
        PDP_PORT: String(await freePort()),
      }
      replicas.push({ env, port, server: await start({ env, port }) })
    }
    balancer = await new LoadBalancer(replicas.map(({ port }) => port)).listen()
    of.apiUrl = balancer.url
    of.key = readKeys(replicas[0]!.env.ZEROHOP_DATA!).environments.development
    const pdpPort = await freePort()
    await startPdp(temporaryFolder('story-pdp'), pdpPort, of.key, balancer.port)
    library = await connect({ url: balancer.url, apiKey: of.key })
    of.permit = new Permit({
      token: of.key,
      apiUrl: of.apiUrl,
      pdp: url(pdpPort),
      log: { level: 'silent' },
      throwOnError: true,
    })
    of.permit.config.axiosInstance.interceptors.request.use((request) => {
      if (request.method !== 'get') request.headers.set('idempotency-key', randomUUID())
      return request
    })
  })
  afterAll(async () => {
    await library?.close()
    balancer?.close()
    await endServers()
    await endPostgres()
  })

  firstHalf(of)

  it('has no request that fails, or is carried out twice, when one of them is killed', async () => {
    const { api } = of.permit
    const before = await putUser(balancer.url)
    killed = replicas.find(({ port }) => balancer.streams(port) > 0)!
    images = balancer.images
    balancer.losing = LOST
    let created = 0
    const create = async (user: string) => {
      // a second time would be refused: both exist then
      await api.users.create({ key: user })
      if (++created === USERS_BEFORE) await killed.server.end('SIGKILL')
      await api.users.assignRole({ user, role: 'viewer', tenant: 'acme' })
      expect((await api.users.get(user)).key).toBe(user)
    }
    const users = Array.from({ length: USERS }, (_, number) => `user-${number}`)
    await Promise.all(users.map(create))
    expect(killed.server.ended).toBe(true)
    expect(balancer.losing).toBe(0)
    expect(balancer.repeated).toBeGreaterThan(LOST)
    expect(await putUser(balancer.url)).toBe(before + 2 * USERS + 1)
    const assigned = await api.roleAssignments.list({ role: 'viewer', perPage: 100 })
    expect(assigned.length).toBe(100)
    const all = await api.users.list({ perPage: 1 })
    expect(all.total_count).toBe(USERS + 3)
  })

  it('has PDPs that move over to the other one, and miss nothing', async () => {
    const survivor = replicas.find((one) => one !== killed)!
    await eventually(() => balancer.streams(survivor.port), 2)
    const resource = { type: 'hello', tenant: 'acme' }
    const last = await putUser(balancer.url)
    await eventually(() => library.revision, last)
    for (let number = 0; number < USERS; number++) {
      expect(library.check(`user-${number}`, 'wave', resource)).toBe(true)
      await eventually(() => of.permit.check(`user-${number}`, 'wave', resource), true)
    }
    // the other one continues the same log: nobody needs an image again
    expect(balancer.images).toBe(images)
  })

  it('has the same answers from the one that was killed, when it is started again', async () => {
    const before = await answers(of.permit)
    killed.server = await start(killed)
    const { data, total_count } = await (
      await fetch(`${url(killed.port)}/v2/facts/default/development/users?per_page=100`, {
        headers: { authorization: `Bearer ${of.key}` },
      })
    ).json()
    expect([data.length, total_count]).toEqual([100, USERS + 3])
    expect(await answers(of.permit)).toEqual(before)
    const { api } = of.permit
    for (let number = 0; number < USERS; number++) await api.users.delete(`user-${number}`)
    await api.users.delete('head')
  })

  secondHalf(of)
})
