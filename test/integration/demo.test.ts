// `zerohop integration --demo` beside `zerohop serve`, as two processes: the whole way from the stand-in's sign-in to a
// decision, with both clients, and what the stand-in and the command refuse.
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, readKeys, Server, startServe, url } from '../support/server.ts'

const CLIENT = 'zerohop-demo'
const data = temporaryFolder('integration')
let api = 0
let pdp = 0

beforeAll(async () => {
  ;[api, pdp] = [await freePort(), await freePort()]
  await startServe(data, { api, pdp }, [])
})
afterAll(endServers)

async function startDemo(...args: string[]): Promise<{ server: Server; base: string }> {
  const port = await freePort()
  const env = { INTEGRATION_PORT: String(port), API_URL: url(api), PDP_URL: url(pdp), ZEROHOP_DATA: data }
  const server = new Server('integration', env, ['--demo', ...args])
  const base = `http://localhost:${port}`
  await server.until(async () => (await fetch(`${base}/`)).ok)
  return { server, base }
}

const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** Where the provider sends the browser, or its refusal. */
async function authorize(base: string, changed: Record<string, string | undefined> = {}) {
  const query = {
    response_type: 'code',
    client_id: CLIENT,
    redirect_uri: `${base}/`,
    state: 'of this page',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    user: 'ben',
    ...changed,
  }
  const sent = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = await fetch(`${base}/stand-in/authorize?${new URLSearchParams(sent)}`, { redirect: 'manual' })
  const location = response.headers.get('location')
  return {
    status: response.status,
    text: await response.text(),
    policy: response.headers.get('content-security-policy'),
    target: location === null ? undefined : new URL(location),
  }
}

async function exchange(base: string, code: string, changed: Record<string, string> = {}) {
  const form = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: CLIENT,
    redirect_uri: `${base}/`,
    ...changed,
  }
  const response = await fetch(`${base}/stand-in/token`, { method: 'POST', body: new URLSearchParams(form) })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

async function signIn(base: string, user: string) {
  const { target } = await authorize(base, { user })
  return (await exchange(base, target!.searchParams.get('code')!)).body
}

const post = async (base: string, path: string, token: string | undefined) => {
  const response = await fetch(base + path, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  return { status: response.status, text: await response.text() }
}

describe.each(['in-process', 'permitio'])('the whole way, asking Zerohop %s', (client) => {
  it('signs in, syncs, waves, and may not say', async () => {
    const { server, base } = await startDemo('--client', client)
    const ben = await signIn(base, 'ben')
    const synced = await post(base, '/api/sync', ben.access_token)
    expect([synced.status, JSON.parse(synced.text)]).toMatchObject([
      200,
      { key: 'ben', roles: [{ role: 'viewer', tenant: 'default' }] },
    ])
    expect(await post(base, '/wave_hello', ben.id_token)).toEqual({ status: 200, text: 'Permitted! to wave hello' })
    expect(await post(base, '/say_hello', ben.id_token)).toEqual({ status: 403, text: 'Not permitted to say hello' })
    const stranger = `stranger-${client}`
    const nobody = await signIn(base, stranger)
    const made = await post(base, '/api/sync', nobody.access_token)
    expect([made.status, JSON.parse(made.text)]).toMatchObject([200, { key: stranger, email: null, roles: [] }])
    expect((await post(base, '/wave_hello', nobody.id_token)).status).toBe(403)
    expect(await server.end()).toBe(0)
  })
})

describe('the stand-in', () => {
  let base = ''
  beforeAll(async () => {
    base = (await startDemo()).base
  })

  it('asks who signs in, marked as a stand-in, and repeats what it was asked as text alone', async () => {
    const { status, text } = await authorize(base, { user: undefined, state: '"><script>alert(1)</script>' })
    expect(status).toBe(200)
    expect(text).toContain('STAND-IN identity provider')
    expect(text).not.toContain('<script>')
    expect((await authorize(base, { user: undefined })).policy).toContain("frame-ancestors 'none'")
    const page = await fetch(`${base}/`)
    expect(await page.text()).toContain('STAND-IN identity provider')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('puts the nonce of a sign-in into its ID token, and refuses a wrong one', async () => {
    const { target } = await authorize(base, { nonce: 'of-this-sign-in' })
    const { body } = await exchange(base, target!.searchParams.get('code')!)
    const claims = (token: string | undefined) => JSON.parse(Buffer.from(token!.split('.')[1]!, 'base64url').toString())
    expect([claims(body.id_token).nonce, claims(body.access_token).nonce]).toEqual(['of-this-sign-in', undefined])
    expect((await authorize(base, { nonce: 'x'.repeat(10_000) })).status).toBe(400)
  })

  it.each([
    ['another client', { client_id: 'other' }],
    ['another address to go back to', { redirect_uri: 'https://evil.example/' }],
    ['no address to go back to', { redirect_uri: undefined }],
    ['a token at once', { response_type: 'token' }],
    ['no challenge', { code_challenge: undefined }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['a challenge without a method', { code_challenge_method: undefined }],
    ['a user that is no key', { user: 'a b' }],
  ])('refuses a sign-in with %s, and sends the browser nowhere', async (_, changed) => {
    const { status, target } = await authorize(base, changed)
    expect([status, target]).toEqual([400, undefined])
  })

  it('gives tokens for a code once, to who holds the verifier', async () => {
    const code = async () => (await authorize(base)).target!.searchParams.get('code')!
    const { target } = await authorize(base)
    expect([target!.origin, target!.searchParams.get('state')]).toEqual([base, 'of this page'])
    const used = await code()
    expect((await exchange(base, used)).status).toBe(200)
    const refused = [
      await exchange(base, used),
      await exchange(base, 'made up'),
      await exchange(base, await code(), { code_verifier: randomBytes(32).toString('base64url') }),
      await exchange(base, await code(), { code_verifier: '' }),
      await exchange(base, await code(), { redirect_uri: `${base}/other` }),
      await exchange(base, await code(), { client_id: 'other' }),
      await exchange(base, await code(), { grant_type: 'client_credentials' }),
    ]
    for (const { status, body } of refused) expect([status, Object.keys(body)]).toEqual([400, ['error']])
  })
})

describe('the command', () => {
  const ending = async (env: Record<string, string>, ...args: string[]) => {
    const server = new Server('integration', { INTEGRATION_PORT: '0', ...env }, args)
    const trouble = await server.until(async () => true).then(() => server)
    while (!trouble.ended) await new Promise((resolve) => setTimeout(resolve, 20))
    return { code: await server.end(), line: server.output.trim() }
  }

  it.each([
    ['CLIENT_ID is not set', {}, []],
    ['are read over https alone', { CLIENT_ID: 'x', PERMIT_TOKEN: 'y', ISSUER: 'http://idp.example' }, []],
    [
      'are read over https alone, not from `http://idp.example/keys`: set JWKS_URI',
      { CLIENT_ID: 'x', PERMIT_TOKEN: 'y', ISSUER: 'https://idp.example', JWKS_URI: 'http://idp.example/keys' },
      [],
    ],
    ['USER_POOL_ID is not set', { CLIENT_ID: 'x', PERMIT_TOKEN: 'y' }, []],
    ['USER_POOL_ID must be the id of a user pool', { CLIENT_ID: 'x', USER_POOL_ID: 'z', PERMIT_TOKEN: 'y' }, []],
    ['PERMIT_TOKEN is not set', { CLIENT_ID: 'x', USER_POOL_ID: 'eu-west-1_AbCdEf' }, []],
    ['FRONTEND_ORIGIN must be an origin', { FRONTEND_ORIGIN: 'https://app.example.com/path' }, []],
    ['FRONTEND_ORIGIN must be an origin', { FRONTEND_ORIGIN: '*' }, []],
    ['--demo lets everyone sign in as anyone', { ZEROHOP_HOST: '0.0.0.0' }, ['--demo']],
    ['has no keys.json', { ZEROHOP_DATA: temporaryFolder('nothing') }, ['--demo']],
  ])('ends with one line: %s', async (words, env, args) => {
    const { code, line } = await ending(env, ...args)
    expect(code).toBe(1)
    expect(line).toMatch(/^zerohop: [^\n]*$/)
    expect(line).toContain(words)
  })

  it('ends with one line when the key is wrong', async () => {
    const env = { CLIENT_ID: 'x', USER_POOL_ID: 'eu-west-1_AbCdEf', PERMIT_TOKEN: 'a wrong key', API_URL: url(api) }
    const { code, line } = await ending(env)
    expect([code, line]).toEqual([1, 'zerohop: this API key is not known'])
    expect(readKeys(data).environments.development).toBeTruthy()
  })
})
