// The story of the published client, unmodified, against the built command: the policy is written through the
// management API, the same answers come from the PDP, from the library, and from a PDP that was killed and started
// again.
import { Permit } from 'permitio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import {
  endServers,
  freePort,
  type Keys,
  type Ports,
  readKeys,
  type Server,
  startServe,
  url,
} from '../support/server.ts'
import { answers, firstHalf, type Setting, secondHalf } from './story.ts'

describe('the published client', () => {
  const data = temporaryFolder('story')
  let ports: Ports
  let server: Server
  let keys: Keys
  const of = {} as Setting

  beforeAll(async () => {
    ports = { api: await freePort(), pdp: await freePort() }
    server = await startServe(data, ports)
    keys = readKeys(data)
    of.apiUrl = url(ports.api)
    of.key = keys.environments.development
    of.permit = new Permit({
      token: of.key,
      apiUrl: of.apiUrl,
      pdp: url(ports.pdp),
      log: { level: 'silent' },
      throwOnError: true,
    })
  })
  afterAll(endServers)

  firstHalf(of)

  it('the answers survive kill -9 of the server', async () => {
    const before = await answers(of.permit)
    await server.end('SIGKILL')
    await expect(of.permit.check('ana@acme.com', 'say', { type: 'hello', tenant: 'acme' })).rejects.toThrow()
    server = await startServe(data, ports)
    // the kept-alive connection of before is dead
    await of.permit.check('ana@acme.com', 'say', 'hello').catch(() => undefined)
    expect(await answers(of.permit)).toEqual(before)
  })

  secondHalf(of)

  it('the log holds no key', () => {
    for (const key of [keys.organization, ...Object.values(keys.environments)]) expect(server.output).not.toContain(key)
  })
})
