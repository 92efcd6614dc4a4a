// Signing in at a real OpenID provider by the authorization code flow: at the console, and with its tokens at the
// integration backend and at the middleware of each framework.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAccessRule } from '../../src/http/console/user-access.ts'
import { Image } from '../../src/image/image.ts'
import { makeTokens } from '../../src/integration/tokens.ts'
import { authorization as forExpress, subjectFromJwt as fromExpress } from '../../src/middleware/express.ts'
import { authorization as forFastify, subjectFromJwt as fromFastify } from '../../src/middleware/fastify.ts'
import { authorization as forHono, subjectFromJwt as fromHono } from '../../src/middleware/hono.ts'
import { ALGORITHMS } from '../../src/oidc/provider-metadata.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import { openInstallation, Visitor } from '../http/console/harness.ts'
import { ScriptedPermissions, startBackend } from '../integration/support.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { GROUPS_DECIDE } from './policy.ts'
import { AUDIENCE, makeClientId, openRealProvider, type RealProvider } from './real-provider.ts'

const START = '/console/api/session/provider'
const pdp = loadImage(Image.build(ENVIRONMENT, makePosition(1), GROUPS_DECIDE).save())
const closing: (() => unknown)[] = []
let provider: RealProvider

beforeAll(async () => {
  provider = await openRealProvider(`http://localhost${START}/callback`)
})
afterAll(async () => {
  for (const close of closing) await close()
  provider.close()
})

describe('the console, with a real provider', () => {
  it('signs in who comes back, by the groups of the ID token, and refuses who comes without', async () => {
    const rules = ['editors=editor', '*=viewer'].map((rule) => readAccessRule(rule)!)
    const { issuer } = provider
    const own = await openInstallation(true, { issuer, clientId: 'console', scopes: 'openid', claim: 'groups', rules })
    closing.push(own.close)
    const signIn = async (claims: Record<string, unknown>) => {
      provider.claims = claims
      const visitor = new Visitor(own.app)
      const begun = await visitor.ask('GET', START)
      const back = new URL(await provider.signIn(String(begun.headers.location), 'ana'))
      const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
      const { headers: answered } = await visitor.ask('GET', `${back.pathname}${back.search}`, { headers })
      return { location: answered.location, session: await visitor.ask('GET', '/console/api/session') }
    }
    const { location, session } = await signIn({ groups: ['editors'], name: 'Ana' })
    expect(location).toBe('/console/')
    expect(session.json()).toMatchObject({
      access: { access_level: 'write' },
      user: { issuer, subject: 'ana', name: 'Ana' },
    })
    expect((await signIn({ groups: [] })).session.json().access.access_level).toBe('read')
    expect((await signIn({})).location).toBe('/console/sign-in?error=CLAIM_REFUSED')
  })
})

describe('the integration backend, with a real provider', () => {
  it.each(ALGORITHMS)('takes its tokens, each for its own use alone: %s', async (algorithm) => {
    const settings = {
      claims: 'oidc',
      issuer: provider.issuer,
      clientId: makeClientId(algorithm),
      audience: AUDIENCE,
    } as const
    const backend = await startBackend({ tokens: makeTokens(settings), permissions: new ScriptedPermissions() })
    closing.push(() => backend.app.close())
    const { id_token, access_token } = await provider.fetchTokens(algorithm, 'ben')
    expect(decodeProtectedHeader(id_token).alg).toBe(algorithm)
    const ask = async (method: string, path: string, token: string) => {
      const { status, text } = await backend.call(method, path, { authorization: `Bearer ${token}` })
      return [status, text]
    }
    expect(JSON.parse(String((await ask('GET', '/api/id', id_token))[1]))).toMatchObject({ sub: 'ben' })
    expect(JSON.parse(String((await ask('GET', '/api/access', access_token))[1]))).toMatchObject({ aud: AUDIENCE })
    expect(await ask('POST', '/wave_hello', id_token)).toEqual([200, 'Permitted! to wave hello'])
    expect((await ask('POST', '/api/sync', access_token))[0]).toBe(200)
    expect(await ask('GET', '/api/id', access_token)).toEqual([403, 'Token not valid!'])
    expect(await ask('GET', '/api/access', id_token)).toEqual([403, 'Token not valid!'])
  })
})

describe.each([
  ['zerohop/express', onExpress],
  ['zerohop/fastify', onFastify],
  ['zerohop/hono', onHono],
])('%s, with a real provider', (_, start) => {
  it('decides by the groups of its tokens, and takes no missing groups for none', async () => {
    const { url, close } = await start()
    closing.push(close)
    const ask = async (claims: Record<string, unknown> | undefined) => {
      provider.claims = claims ?? {}
      const token = claims === undefined ? undefined : (await provider.fetchTokens('RS256', 'ana')).access_token
      const response = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
      return [response.status, await response.text()]
    }
    expect(await ask({ groups: ['editors', 'others'] })).toEqual([200, 'said'])
    expect((await ask({ groups: ['others'] }))[0]).toBe(403)
    expect((await ask(undefined))[0]).toBe(401)
    const [status, body] = await ask({ hasgroups: true })
    expect([status, JSON.parse(String(body))]).toEqual([
      403,
      { error: 'claim_refused', message: expect.stringContaining('the claim `groups`: it has too many to send') },
    ])
  })
})

const settings = () => ({ issuer: provider.issuer, audience: AUDIENCE, groups: 'groups', onError: () => undefined })

async function onExpress() {
  const { user, verify } = fromExpress(settings())
  const { allow } = forExpress(pdp, { user })
  const app = express()
  app.use(verify)
  app.get('/', allow('say', 'hello'), (_, response) => void response.send('said'))
  const server = createServer(app as Parameters<typeof createServer>[1])
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

async function onFastify() {
  const { user, verify } = fromFastify(settings())
  const { allow } = forFastify(pdp, { user })
  const app = Fastify()
  app.addHook('onRequest', verify)
  app.get('/', { onRequest: allow('say', 'hello') }, async () => 'said')
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
}

async function onHono() {
  const { user, verify } = fromHono(settings())
  const { allow } = forHono(pdp, { user })
  const app = new Hono()
  app.use(verify)
  app.get('/', allow('say', 'hello'), (context) => context.text('said'))
  const { url, server } = await new Promise<{ url: string; server: ReturnType<typeof serve> }>((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve({ url: `http://127.0.0.1:${port}`, server }),
    )
  })
  return { url, close: () => server.close() }
}
