// From an empty folder to a policy on two replicas, each command at the other one. Needs the build.
import { randomBytes } from 'node:crypto'
import { afterAll, describe, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { tellPolicyStory } from '../support/policy-story.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { endServers, freePort, Server, url } from '../support/server.ts'

const KEY = 'an-organization-key'

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('a policy on replicas', () => {
  afterAll(async () => {
    await endServers()
    await endPostgres()
  })

  it('goes from an empty folder through plan and apply to the reasons of a past decision', async () => {
    const database = await (await startPostgres()).database()
    const secrets = randomBytes(32).toString('hex')
    const start = async (): Promise<string> => {
      const port = await freePort()
      const server = new Server(
        'api',
        {
          ZEROHOP_DATA: temporaryFolder('replica'),
          ZEROHOP_API_PORT: String(port),
          ZEROHOP_BOOTSTRAP_KEY: KEY,
          ZEROHOP_DATABASE_URL: database,
          ZEROHOP_SECRETS_KEY: secrets,
        },
        ['--no-example'],
      )
      await server.until(async () => (await fetch(`${url(port)}/ready`)).ok)
      return url(port)
    }
    await tellPolicyStory({ apis: [await start(), await start()], key: KEY })
  })
})
