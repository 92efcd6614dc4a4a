// Headers of answers that tell browsers and caches what they may do with them.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { managementServer, pooledPdpServer } from '../../src/server.ts'
import { TESTER } from '../support/environments.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type Installation, openInstallation } from './console/harness.ts'

let own: Installation
let key: string
beforeAll(async () => {
  own = await openInstallation(false)
  key = (await own.addKey('admin')).secret
})
afterAll(() => own.close())

describe('answers of the management API', () => {
  it.each([
    ['a list', 200, 'GET', '/v2/facts/default/development/users'],
    ['one object', 200, 'GET', '/v2/facts/default/development/users/ana'],
    ['an export', 200, 'GET', '/v2/projects/default/envs/development/export'],
    ['an error', 404, 'GET', '/v2/facts/default/development/users/nobody'],
    ['a path of no route', 404, 'GET', '/v2/none'],
    ['a secret', 200, 'GET', '/v2/api-key/default/development'],
  ] as const)('are kept by no cache, and are what they say they are: %s', async (_, status, method, url) => {
    const answer = await own.app.inject({ method, url, headers: { authorization: `Bearer ${key}` } })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })
})

describe('servers that listen with TLS', () => {
  const folder = temporaryFolder('tls')
  const [cert, secret] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  execFileSync('openssl', ['req', ...subject, '-keyout', secret, '-out', cert], { stdio: 'ignore' })
  const tls = { cert: readFileSync(cert), key: readFileSync(secret) }

  it('tell browsers to come by nothing else, and the others do not', async () => {
    const readHeader = async (app: FastifyInstance, url = '/health') =>
      (await app.inject({ url })).headers['strict-transport-security']
    const secure = [managementServer(own.management, { tls }), pooledPdpServer(own.management, { tls })]
    const plain = [own.app, pooledPdpServer(own.management)]
    for (const app of secure) {
      expect(await readHeader(app)).toBe('max-age=31536000')
      expect(await readHeader(app, '/none')).toBe('max-age=31536000')
    }
    for (const app of plain) expect(await readHeader(app)).toBeUndefined()
    await Promise.all([...secure, ...plain.slice(1)].map((app) => app.close()))
  })

  it('say so with each answer to a check, which leaves the framework out once the image is open', async () => {
    const app = pooledPdpServer(own.management, { tls })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const { store, organization } = own.management
    const of = { level: 'env', access: 'read', project: 'default', environment: 'development' } as const
    const { secret } = (await store.commit(organization, 'createApiKey', of, TESTER)).result
    const ask = async (body: string) => {
      const headers = {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'content-length': body.length,
      }
      const where = { host: '127.0.0.1', port, method: 'POST', path: '/allowed', agent: false } as const
      const asked = request({ ...where, headers, rejectUnauthorized: false }).end(body)
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      answer.resume()
      return [answer.statusCode, answer.headers['strict-transport-security']]
    }
    const good = '{"user":{"key":"ana"},"action":"read","resource":{"type":"document","tenant":"default"}}'
    for (let turn = 0; turn < 2; turn++) {
      expect(await ask(good)).toEqual([200, 'max-age=31536000'])
      expect(await ask('{"user":5,"action":"read","resource":"document"}')).toEqual([422, 'max-age=31536000'])
      expect(await ask('{"user":')).toEqual([422, 'max-age=31536000'])
    }
    await app.close()
  })
})
