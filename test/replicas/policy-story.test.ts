// From an empty folder to a policy on two replicas, each command at the other one. Needs the build.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { tellPolicyStory } from '../support/policy-story.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { endServers, freePort, readKeys, Server, url } from '../support/server.ts'

const KEY = 'an-organization-key'

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('a policy on replicas', () => {
  const apis: string[] = []
  let pdp = ''
  let key = ''

  beforeAll(async () => {
    const database = await (await startPostgres()).database()
    const secrets = randomBytes(32).toString('hex')
    const data = temporaryFolder('replica')
    const port = await freePort()
    // decisions are recorded into a database only when that is asked for
    const recording = { PDP_PORT: String(port), PDP_DECISION_LOG: 'api' }
    apis.push(await start('serve', { ...recording, ...replicaEnv(data, database, secrets) }))
    apis.push(await start('api', replicaEnv(temporaryFolder('replica'), database, secrets)))
    pdp = url(port)
    key = readKeys(data).environments.development
  })
  afterAll(async () => {
    await endServers()
    await endPostgres()
  })

  it('goes from an empty folder through plan and apply to the reasons of a past decision', async () => {
    await tellPolicyStory({ apis, pdp, key, isBrief: true })
  })

  it('is planned at one and applied at another, once, also of two at once and of one that is sent again', async () => {
    const [one, other] = apis as [string, string]
    const ask = async (api: string, action: string, body: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${api}/v2/projects/default/envs/production/${action}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      return { status: response.status, revision: response.headers.get('x-revision'), body: await response.json() }
    }
    const role = (key: string) => ({ policy: { zerohop: 2, roles: [{ key, permissions: [] }] } })
    const planned = async (key: string) => {
      const { fingerprints, policy, access } = (await ask(one, 'plan', role(key))).body
      return { ...role(key), fingerprints, expected: { policy, access } }
    }
    const agreed = await planned('reader')
    const again = { 'idempotency-key': 'apply-reader' }
    const applied = await ask(other, 'apply', agreed, again)
    expect(applied).toMatchObject({ status: 200, body: { changes: [{ op: 'create', kind: 'role', key: 'reader' }] } })
    for (const api of apis) expect(await ask(api, 'apply', agreed, again)).toEqual(applied)
    // the key is that of another request, and without it the plan is outdated
    expect((await ask(one, 'apply', await planned('writer'), again)).status).toBe(422)
    expect((await ask(one, 'apply', agreed)).status).toBe(409)

    const both = await planned('writer')
    const raced = await Promise.all(apis.map((api) => ask(api, 'apply', both)))
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await ask(other, 'plan', role('writer'))).body).toMatchObject({
      changes: [],
      revision: applied.body.revision + 1,
    })
  })
})

const replicaEnv = (data: string, database: string, secrets: string): Record<string, string> => ({
  ZEROHOP_DATA: data,
  ZEROHOP_BOOTSTRAP_KEY: KEY,
  ZEROHOP_DATABASE_URL: database,
  ZEROHOP_SECRETS_KEY: secrets,
})

/** Starts a replica; the address of its management API. */
async function start(command: 'serve' | 'api', env: Record<string, string>): Promise<string> {
  const port = await freePort()
  const server = new Server(command, { ...env, ZEROHOP_API_PORT: String(port) }, ['--no-example'])
  await server.until(async () => (await fetch(`${url(port)}/ready`)).ok)
  return url(port)
}
