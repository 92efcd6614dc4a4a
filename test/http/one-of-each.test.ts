// Two `Host` or two `Authorization` headers: every server refuses them on every route, before it looks at a key.
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { integrationApp } from '../../src/integration/integration-app.ts'
import { pooledPdpServer, readKeys } from '../../src/server.ts'
import { Provider, ScriptedPermissions } from '../integration/support.ts'
import { type Installation, openInstallation } from './console/harness.ts'

let own: Installation
const apps = new Map<string, FastifyInstance>()
beforeAll(async () => {
  own = await openInstallation(false)
  const pdp = pooledPdpServer(own.management)
  apps.set('the management API', own.app)
  apps.set('the PDP', pdp)
  apps.set('the OPA-shaped API', pdp.opa() as FastifyInstance)
  for (const app of apps.values()) await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await Promise.all([...apps.values()].reverse().map((app) => app.close()))
  await own.close()
})

/** The first line of the answer to a request with these lines. */
function ask(app: FastifyInstance, ...lines: readonly string[]): Promise<string> {
  const { port } = app.server.address() as { port: number }
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write([...lines, '', ''].join('\r\n')))
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      answer += chunk
      if (!answer.includes('\r\n')) return
      resolve(answer.slice(0, answer.indexOf('\r\n')))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

const CLOSE = 'connection: close'
const KEY = 'Authorization: Bearer zh_env_unknown'

describe.each(['the management API', 'the PDP', 'the OPA-shaped API'])('%s', (name) => {
  it.each([
    ['Host', ['Host: localhost', 'HOST: other.example.com', KEY]],
    ['Authorization', ['Host: localhost', KEY, 'authorization: Bearer zh_env_other']],
    ['Authorization, also when both are the same', ['Host: localhost', KEY, KEY]],
  ])('refuses two headers %s on every route', async (_, headers) => {
    const app = apps.get(name)!
    const lines = app.noted.map(({ method, url }) => `${method} ${url.replaceAll(/[:*]/g, 'x')} HTTP/1.1`)
    const answers = new Set<string>()
    for (const line of [...lines, 'GET /no/such/route HTTP/1.1']) {
      // what upgrades or tunnels has no answer of a route
      if (/^(?:CONNECT|TRACE|QUERY) /.test(line)) continue
      answers.add(await ask(app, line, ...headers, CLOSE))
    }
    expect(lines.length).toBeGreaterThan(0)
    expect([...answers]).toEqual(['HTTP/1.1 400 Bad Request'])
  })

  it('answers a request that has one of each', async () => {
    expect(await ask(apps.get(name)!, 'GET /no/such/route HTTP/1.1', 'Host: localhost', KEY, CLOSE)).toBe(
      'HTTP/1.1 404 Not Found',
    )
  })
})

it('the common check is refused with a good key, too', async () => {
  const key = readKeys(own.management.store.folder)?.environments.development
  const body = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello', tenant: 'default' } })
  const head = ['POST /allowed HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${key}`, CLOSE]
  const about = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  const pdp = apps.get('the PDP')!
  const answered = (...more: string[]) => ask(pdp, ...head, ...more, ...about, '', body)
  expect(await answered()).toBe('HTTP/1.1 200 OK')
  expect(await answered('Host: localhost')).toBe('HTTP/1.1 400 Bad Request')
  expect(await answered('Authorization: Bearer zh_env_other')).toBe('HTTP/1.1 400 Bad Request')
})

it('the integration backend refuses two hosts', async () => {
  const provider = new Provider()
  await provider.addKey('first')
  const app = integrationApp({ tokens: provider.tokens(), permissions: new ScriptedPermissions() })
  await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    expect(await ask(app, 'GET /api/id HTTP/1.1', 'Host: a', 'Host: b', CLOSE)).toBe('HTTP/1.1 400 Bad Request')
    expect(await ask(app, 'GET /api/id HTTP/1.1', 'Host: a', CLOSE)).toBe('HTTP/1.1 403 Forbidden')
  } finally {
    await app.close()
  }
})
