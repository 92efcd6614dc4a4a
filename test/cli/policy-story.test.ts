// From an empty folder to a policy on a server, by the commands alone. Needs the build.
import { afterAll, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { tellPolicyStory } from '../support/policy-story.ts'
import { endServers, freePort, readKeys, startApi, url } from '../support/server.ts'

afterAll(endServers)

it('goes from an empty folder through plan and apply to the reasons of a past decision', async () => {
  const data = temporaryFolder('policy-server')
  const port = await freePort()
  await startApi(data, port)
  await tellPolicyStory({ apis: [url(port)], key: readKeys(data).environments.production })
})
