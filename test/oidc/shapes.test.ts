// Tokens of the form that five providers document: each holds for its own use and audience at the middleware and at the
// integration backend, and for no other; its groups are found.
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, describe, expect, it } from 'vitest'
import { integrationApp } from '../../src/integration/integration-app.ts'
import { makeTokens } from '../../src/integration/tokens.ts'
import { type JwtSubjectOptions, subjectFromJwt } from '../../src/middleware/fastify.ts'
import { ScriptedPermissions } from '../integration/support.ts'
import { KEYS, OwnProvider, signToken } from './own-provider.ts'
import { COGNITO, SHAPES, type Shape } from './shapes.ts'

const provider = await new OwnProvider().open()
const closing: FastifyInstance[] = []
afterAll(async () => {
  for (const app of closing) await app.close()
  provider.close()
})

/** The token, of now. */
function makeToken({ header, claims }: Shape): string {
  const { iss, iat, exp } = provider.usual
  return signToken({ ...header }, { ...claims, ...('nbf' in claims ? { nbf: iat } : {}), iss, iat, exp }, KEYS.rsa)
}

async function askMiddleware(shape: Shape, options: Partial<JwtSubjectOptions>) {
  const { audience, groups } = shape
  const app = Fastify()
  closing.push(app)
  const { user, verify } = subjectFromJwt({
    issuer: provider.issuer,
    audience,
    onError: () => undefined,
    ...(groups === undefined ? {} : { groups }),
    ...options,
  })
  app.addHook('onRequest', verify)
  app.get('/', async (request) => user(request) ?? null)
  return app.inject({ url: '/', headers: { authorization: `Bearer ${makeToken(shape)}` } })
}

async function askBackend(shape: Shape, use: 'id' | 'access', audience: string) {
  const tokens = makeTokens({ claims: 'oidc', issuer: provider.issuer, clientId: audience })
  const app = integrationApp({ tokens, permissions: new ScriptedPermissions() })
  closing.push(app)
  const headers = { authorization: `Bearer ${makeToken(shape)}` }
  return (await app.inject({ url: `/api/${use}`, headers })).statusCode
}

describe('a token as documented', () => {
  it.each(SHAPES.map((shape) => [`${shape.provider}, ${shape.use}`, shape] as const))('holds: %s', async (_, shape) => {
    const { use, audience, claims, groups } = shape
    const other = use === 'id' ? 'access' : 'id'
    const answer = await askMiddleware(shape, { token: use })
    expect([answer.statusCode, answer.json().key]).toEqual([200, claims.sub])
    if (groups !== undefined) expect(answer.json().attributes.groups.length).toBeGreaterThan(0)
    expect((await askMiddleware(shape, { token: use, audience: 'another' })).statusCode).toBe(401)
    expect(await askBackend(shape, use, audience)).toBe(200)
    expect(await askBackend(shape, use, 'another')).toBe(403)
    expect(await askBackend(shape, other, audience)).toBe(403)
  })

  it.each(COGNITO.map((shape) => [shape.use, shape] as const))(
    'of Cognito holds with its claims: %s',
    async (use, shape) => {
      const { claims, audience } = shape
      const answer = await askMiddleware(shape, { token: use, claims: 'cognito' })
      expect([answer.statusCode, answer.json()]).toEqual([
        200,
        { key: claims.sub, attributes: { groups: ['editors'] } },
      ])
      const others = [
        { audience: 'another' },
        { token: use === 'id' ? 'access' : 'id' } as const,
        { claims: 'oidc' } as const,
      ]
      const refused = use === 'id' ? others.slice(0, 2) : others // its ID tokens are those of OpenID Connect
      for (const options of refused)
        expect((await askMiddleware(shape, { token: use, claims: 'cognito', ...options })).statusCode).toBe(401)
      expect(await askBackend(shape, use, audience)).toBe(use === 'id' ? 200 : 403)
    },
  )

  it('of Zitadel without an action has roles in an object, which is refused by name', async () => {
    const shape = SHAPES.find(({ provider: name }) => name === 'Zitadel')!
    const answer = await askMiddleware(shape, { groups: 'urn:zitadel:iam:org:project:roles' })
    expect([answer.statusCode, answer.json().message]).toEqual([403, expect.stringContaining('neither a text nor')])
  })
})
