// The demo answers under names of this machine alone: a page elsewhere whose name was pointed here may neither read it
// nor sign in.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { STAND_IN_ISSUER, standIn } from '../../src/integration/demo/provider.ts'
import { demoRoutes } from '../../src/integration/demo/routes.ts'
import { integrationApp } from '../../src/integration/integration-app.ts'
import { makeTokens } from '../../src/integration/tokens.ts'
import { ScriptedPermissions } from './support.ts'

const clientId = 'zerohop-demo'
let app: ReturnType<typeof integrationApp>
beforeAll(async () => {
  const provider = await standIn(clientId)
  const tokens = makeTokens({ issuer: STAND_IN_ISSUER, clientId, fetchJwks: async () => provider.jwks() })
  app = integrationApp({ tokens, permissions: new ScriptedPermissions() })
  demoRoutes(app, { standIn: provider, clientId, origins: () => ['http://localhost:8000'] })
})
afterAll(() => app.close())

const ask = async (method: 'GET' | 'POST', url: string, host: string) => {
  const { statusCode, body } = await app.inject({ method, url, headers: { host } })
  return { status: statusCode, body }
}

it.each(['localhost:8000', 'LOCALHOST', '127.0.0.1:8000', '127.1.2.3', '[::1]:8000', 'localhost:9000'])(
  'a request to %s is answered',
  async (host) => {
    expect(await ask('GET', '/', host)).toMatchObject({ status: 200, body: expect.stringContaining('STAND-IN') })
    expect((await ask('GET', '/stand-in/.well-known/jwks.json', host)).status).toBe(200)
    expect((await ask('GET', '/api/id', host)).status).toBe(403)
  },
)

it.each(['evil.example:8000', 'evil.example', '127.evil.example', 'localhost.evil.example', '192.168.0.7', 'a b'])(
  'a request to `%s` is refused on every route',
  async (host) => {
    const text = 'This demo answers on this machine only: use http://localhost\n'
    for (const [method, url] of [
      ['GET', '/'],
      ['GET', '/demo.js'],
      ['GET', '/stand-in/authorize?user=ana'],
      ['POST', '/stand-in/token'],
      ['GET', '/stand-in/.well-known/jwks.json'],
      ['GET', '/api/id'],
      ['POST', '/say_hello'],
      ['GET', '/no/such/path'],
    ] as const)
      expect([url, await ask(method, url, host)]).toEqual([url, { status: 421, body: text }])
  },
)
