// A header that a request may have only once, sent twice: every server that we listen with refuses it on every route,
// before it looks at a key.
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveAdmin } from '../../src/http/admin-socket.ts'
import { integrationApp } from '../../src/integration/integration-app.ts'
import { pooledPdpServer, readKeys } from '../../src/server.ts'
import { Provider, ScriptedPermissions } from '../integration/support.ts'
import { temporaryFolder } from '../support/folders.ts'
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
  return askAt({ port, host: '127.0.0.1' }, ...lines)
}

function askAt(at: { port: number; host: string } | { path: string }, ...lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(at, () => socket.write([...lines, '', ''].join('\r\n')))
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
const GZIP = 'Transfer-Encoding: gzip'
const CHUNKED = 'Transfer-Encoding: chunked'

/** Headers that no request may have: the first ones would pass Node's own look. */
const REPEATED: readonly (readonly [name: string, headers: readonly string[]])[] = [
  ['Host', ['Host: localhost', 'HOST: other.example.com', KEY]],
  ['Authorization', ['Host: localhost', KEY, 'authorization: Bearer zh_env_other']],
  ['Authorization, also when both are the same', ['Host: localhost', KEY, KEY]],
  ['Transfer-Encoding', ['Host: localhost', KEY, GZIP, CHUNKED]],
  ['Transfer-Encoding, the last one unknown', ['Host: localhost', KEY, CHUNKED, GZIP]],
  ['Content-Length', ['Host: localhost', KEY, 'Content-Length: 0', 'Content-Length: 0']],
]

describe.each(['the management API', 'the PDP', 'the OPA-shaped API'])('%s', (name) => {
  it.each(REPEATED)('refuses two headers %s on every route', async (_, headers) => {
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

it('the routes are also those with which a visitor of the console signs in', () => {
  const urls = own.app.noted.map(({ method, url }) => `${method} ${url}`)
  expect(urls).toEqual(expect.arrayContaining([expect.stringMatching(/^POST .*session/)]))
})

it.each(REPEATED)('the integration backend refuses two headers %s', async (_, headers) => {
  const provider = new Provider()
  await provider.addKey('first')
  const app = integrationApp({ tokens: provider.tokens(), permissions: new ScriptedPermissions() })
  await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    for (const line of ['GET /api/id', 'POST /api/sync', 'POST /say_hello', 'GET /no/such/route'])
      expect(await ask(app, `${line} HTTP/1.1`, ...headers, CLOSE)).toBe('HTTP/1.1 400 Bad Request')
    expect(await ask(app, 'GET /api/id HTTP/1.1', 'Host: a', CLOSE)).toBe('HTTP/1.1 403 Forbidden')
  } finally {
    await app.close()
  }
})

it.each(REPEATED)('the socket of the operator refuses two headers %s, and runs nothing', async (_, headers) => {
  const path = join(temporaryFolder('repeated-headers'), 'admin.sock')
  const ran: string[] = []
  const stop = await serveAdmin(path, async (command) => ran.push(command))
  try {
    const body = ['Content-Length: 2', '', '{}']
    const framed = headers.some((header) => /^(?:content-length|transfer-encoding)/i.test(header))
    const line = 'POST /backup HTTP/1.1'
    expect(await askAt({ path }, line, ...headers, CLOSE, ...(framed ? ['', '0'] : body))).toBe(
      'HTTP/1.1 400 Bad Request',
    )
    expect(ran).toEqual([])
    expect(await askAt({ path }, line, 'Host: localhost', CLOSE, ...body)).toBe('HTTP/1.1 200 OK')
    expect(ran).toEqual(['backup'])
  } finally {
    await stop()
  }
})

it('no other file makes a server', () => {
  const root = join(import.meta.dirname, '../../src')
  const makes = /\b(?:Fastify|createServer|createTlsServer|createSecureServer)\(/
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && makes.test(readFileSync(join(root, file), 'utf8')),
  )
  // openapi.ts never listens, early-server.ts makes the server of an app of app.ts
  expect(files.sort()).toEqual([
    'http/admin-socket.ts',
    'http/app.ts',
    'http/early-server.ts',
    'http/openapi.ts',
    'integration/integration-app.ts',
  ])
})
