// The integration backend when something is against it: requests that no client sends, a Zerohop that never answers, a
// provider that is down. There is an answer each time, and nothing in the log that a caller could use.
import { connect } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeTokens } from '../../src/integration/tokens.ts'
import { CLIENT_ID, ISSUER, Provider, ScriptedPermissions, startBackend } from './support.ts'

const provider = new Provider()
const permissions = new ScriptedPermissions()
const log: string[] = []
let backend: Awaited<ReturnType<typeof startBackend>>

beforeAll(async () => {
  await provider.addKey('first')
  const logger = pino({}, { write: (line: string) => void log.push(line) })
  backend = await startBackend({ tokens: provider.tokens(), permissions, logger, timeoutMs: 50 })
})
beforeEach(() => {
  log.length = 0
})
afterAll(() => backend.app.close())

/** What comes back for these bytes until the other side closes. */
function send(bytes: string): Promise<string> {
  const { port } = backend.app.server.address() as { port: number }
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      answer += chunk
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}

const ask = (path: string, ...headers: string[]): Promise<string> =>
  send([`GET ${path} HTTP/1.1`, 'host: x', 'connection: close', ...headers, '', ''].join('\r\n'))

describe('a request that no client sends', () => {
  it('holds with one token, and not with two, whichever of them is good', async () => {
    const good = `authorization: Bearer ${await provider.token('id')}`
    expect(await ask('/api/id', good)).toMatch(/^HTTP\/1.1 200 /)
    const bad = 'authorization: Bearer a.b.c'
    for (const headers of [
      [good, bad],
      [bad, good],
      [good, good],
    ])
      expect(await ask('/api/id', ...headers)).toMatch(/^HTTP\/1.1 400 .*The header authorization was sent twice$/s)
  })

  it('may be of HTTP/1.0 and without a host', async () => {
    const token = await provider.token('id')
    expect(await send(`GET /api/id HTTP/1.0\r\nauthorization: Bearer ${token}\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /)
    expect(await send('GET /api/id HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 403 .*Token not valid!$/s)
  })

  it.each([
    ['a header of 100 KB', 403, '/api/id', `authorization: Bearer ${'a'.repeat(100_000)}`],
    ['a header of other bytes', 403, '/api/id', 'authorization: Bearer ключ'],
    ['a path that cannot be decoded', 404, '/api/%zz', 'accept: */*'],
    ['a path with a slash too many', 404, '/api/id/', 'accept: */*'],
  ])('is answered in text: %s', async (_, status, path, header) => {
    const answer = await ask(path, header)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer.toLowerCase()).toContain('content-type: text/plain; charset=utf-8')
  })
})

describe('when Zerohop never answers', () => {
  it('answers all the same', async () => {
    const never = (): Promise<never> => new Promise(() => undefined)
    const before = { sync: permissions.sync, check: permissions.check }
    Object.assign(permissions, { sync: never, check: never })
    const bearer = async (use: 'id' | 'access') => ({ authorization: `Bearer ${await provider.token(use)}` })
    const sync = await backend.call('POST', '/api/sync', await bearer('access'))
    expect([sync.status, sync.text]).toEqual([502, 'The user could not be synced'])
    const say = await backend.call('POST', '/say_hello', await bearer('id'))
    expect([say.status, say.text]).toEqual([403, 'The permission could not be checked'])
    Object.assign(permissions, before)
  })

  it('permits nothing for an answer that is not a decision', async () => {
    const before = permissions.check
    permissions.check = async () => 'denied' as never
    const authorization = `Bearer ${await provider.token('id')}`
    const wave = await backend.call('POST', '/wave_hello', { authorization })
    expect([wave.status, wave.text]).toEqual([403, 'The permission could not be checked'])
    permissions.check = before
  })
})

it('the log says why a token was refused, in one short line without the token', async () => {
  const token = await provider.token('id', {}, { kid: 'k'.repeat(5_000) })
  await backend.call('POST', '/wave_hello', { authorization: `Bearer ${token}` })
  expect(log).toHaveLength(1)
  const [line = ''] = log
  expect(JSON.parse(line)).toMatchObject({ path: '/wave_hello', reason: expect.stringMatching(/^JWK for kid "kkk/) })
  expect(line.length).toBeLessThan(600)
  for (const part of token.split('.')) expect(line).not.toContain(part.slice(0, 40))
})

it('a provider that is down is asked once for many tokens', async () => {
  let asked = 0
  const tokens = makeTokens({
    issuer: ISSUER,
    clientId: CLIENT_ID,
    fetchJwks: async () => {
      asked++
      if (asked === 1) throw new Error('down')
      return Buffer.from('no keys')
    },
  })
  const header = `Bearer ${await provider.token('id')}`
  for (let at = 0; at < 50; at++)
    await expect(tokens.verify(header, 'id')).rejects.toMatchObject({ code: 'TOKEN_INVALID' })
  expect(asked).toBe(1)
})
