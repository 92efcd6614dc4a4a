// TLS from files: both servers, a PDP that follows over it, files that change while a server runs, and files that are
// wrong. Needs the build.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { endServers, freePort, readKeys, Server } from '../support/server.ts'

const pem = (name: string) => fileURLToPath(new URL(`../support/tls/${name}.pem`, import.meta.url))
const fingerprint = (name: string) => new X509Certificate(readFileSync(pem(`${name}.cert`))).fingerprint256
const folder = temporaryFolder('tls')
const data = temporaryFolder('tls-data')
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
const tls = { PDP_TLS_CERT: cert, PDP_TLS_KEY: key }
const trusted = { NODE_EXTRA_CA_CERTS: pem('one.cert') }
const ports = { api: 0, pdp: 0 }
let server: Server

function use(name: 'one' | 'two'): void {
  copyFileSync(pem(`${name}.cert`), cert)
  copyFileSync(pem(`${name}.key`), key)
}

async function handshake(port: number, options: object = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

async function certificateAt(port: number): Promise<string> {
  const socket = await handshake(port)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

/** Status of a GET over TLS that trusts only the first certificate. */
async function status(port: number, path: string): Promise<number | undefined> {
  const call = request({ port, host: '127.0.0.1', path, ca: readFileSync(pem('one.cert')), agent: false })
  call.end()
  const [answer] = await once(call, 'response')
  answer.resume()
  return answer.statusCode
}

/** Status and body of a POST over TLS, whoever the server is. */
async function post(port: number, path: string, body: object) {
  const headers = {
    authorization: `Bearer ${readKeys(data).environments.development}`,
    'content-type': 'application/json',
  }
  const options = { port, host: '127.0.0.1', path, method: 'POST', headers, rejectUnauthorized: false, agent: false }
  const call = request(options)
  call.end(JSON.stringify(body))
  const [answer] = await once(call, 'response')
  let text = ''
  for await (const chunk of answer) text += chunk
  return { status: answer.statusCode, body: JSON.parse(text) }
}

beforeAll(async () => {
  use('one')
  ports.api = await freePort()
  ports.pdp = await freePort()
  const env = { ZEROHOP_DATA: data, ZEROHOP_API_PORT: `${ports.api}`, PDP_PORT: `${ports.pdp}`, ...tls, ...trusted }
  server = new Server('serve', env)
  await server.until(async () => (await status(ports.pdp, '/ready')) === 200)
})
afterAll(endServers)

describe('TLS from files', () => {
  it('is spoken by both servers, from 1.2 on', async () => {
    expect([await status(ports.api, '/health'), await status(ports.pdp, '/health')]).toEqual([200, 200])
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
    for (const port of [ports.api, ports.pdp]) {
      await expect(handshake(port, old)).rejects.toThrow(/protocol|version|alert/i)
      const socket = await handshake(port, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })
      expect(socket.getProtocol()).toBe('TLSv1.2')
      socket.destroy()
    }
    await expect(fetch(`http://127.0.0.1:${ports.pdp}/health`)).rejects.toThrow()
    expect(server.output).toContain(`https://127.0.0.1:${ports.pdp}`)
  })

  it('carries the feed to a PDP of another process', async () => {
    const port = await freePort()
    const pdp = new Server('pdp', {
      ZEROHOP_DATA: temporaryFolder('tls-pdp'),
      PDP_PORT: `${port}`,
      PDP_API_KEY: readKeys(data).environments.development,
      PDP_CONTROL_PLANE: `https://127.0.0.1:${ports.api}`,
      ...trusted,
    })
    await pdp.until(async () => (await fetch(`http://127.0.0.1:${port}/ready`)).ok)
    expect(await pdp.end()).toBe(0)
  })

  it('changes its certificate on SIGHUP, and keeps the old one when the files are wrong', async () => {
    expect([await certificateAt(ports.api), await certificateAt(ports.pdp)]).toEqual(Array(2).fill(fingerprint('one')))
    copyFileSync(pem('two.key'), key) // the key of another certificate
    server.signal('SIGHUP')
    await eventually(() => server.output.includes('the old ones stay in use'), true)
    expect(await certificateAt(ports.pdp)).toBe(fingerprint('one'))
    use('two')
    server.signal('SIGHUP')
    await eventually(() => certificateAt(ports.pdp), fingerprint('two'))
    await eventually(() => certificateAt(ports.api), fingerprint('two'))
  })

  it('passes facts on within the process, by a certificate that it does not trust, and the next check sees them', async () => {
    const facts = { user: 'ben', role: 'admin', tenant: 'default' }
    const check = { user: { key: 'ben' }, action: 'say', resource: { type: 'hello', tenant: 'default' } }
    expect(await post(ports.pdp, '/allowed', check)).toMatchObject({ status: 200, body: { allow: false } })
    expect(await post(ports.pdp, '/facts/role_assignments', facts)).toMatchObject({ status: 200 })
    expect(await post(ports.pdp, '/allowed', check)).toMatchObject({ status: 200, body: { allow: true } })
    expect(await server.end()).toBe(0)
  })

  it.each([
    ['a certificate without its key', { PDP_TLS_CERT: cert }, 'PDP_TLS_CERT is set and PDP_TLS_KEY is not'],
    ['a key without its certificate', { PDP_TLS_KEY: key }, 'PDP_TLS_KEY is set and PDP_TLS_CERT is not'],
    [
      'a file that is not there',
      { PDP_TLS_CERT: join(folder, 'none.pem'), PDP_TLS_KEY: key },
      'cannot be read: ENOENT',
    ],
    ['a file that is no certificate', { PDP_TLS_CERT: join(folder, 'bad.pem'), PDP_TLS_KEY: key }, 'cannot be used'],
  ])('ends a start with one line for %s', async (_, env, line) => {
    writeFileSync(join(folder, 'bad.pem'), 'nothing')
    const variables = { ZEROHOP_DATA: temporaryFolder('tls'), ZEROHOP_API_PORT: '0', ...env }
    const { code, out, err } = await runHere(['api'], variables)
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(`^zerohop: .*${line}.*\n$`)])
  })
})
