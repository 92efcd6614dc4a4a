// The page of the console as files: which addresses answer with it, its headers, and that nothing but its files is ever
// answered, however a path is written.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpApp } from '../../../src/http/app.ts'
import { serveConsole } from '../../../src/http/console/console.ts'
import { markConsole } from '../../../src/http/console/console-request.ts'
import { managementError } from '../../../src/http/errors.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { builtPage, PAGE, SCRIPT, SECRET } from './harness.ts'

let app: FastifyInstance
beforeAll(async () => {
  app = appWith(builtPage())
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

function appWith(folder: string): FastifyInstance {
  const made = httpApp({ errorForm: managementError, duplicates: 'refuse', rewriteUrl: markConsole })
  serveConsole(made, { folder }, false)
  return made
}

/** The answer to a request line that no client would tidy up. */
async function raw(target: string, headers = ''): Promise<string> {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
  })
  socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost:${port}\r\nconnection: close\r\n${headers}\r\n`, 'latin1')
  await once(socket, 'close')
  return answer
}

describe('the page', () => {
  it.each(['/', '/console'])('is where %s leads', async (url) => {
    const answer = await app.inject(url)
    expect(answer.statusCode).toBe(302)
    expect(answer.headers.location).toBe('/console/')
  })

  it.each([
    '/console/',
    '/console/index.html',
    '/console/policy?role=a.b',
    '/console/users/ana@example.com/why',
    '/console/sign-in',
  ])('is the answer to %s, with what keeps others out of it', async (url) => {
    const answer = await app.inject(url)
    expect([answer.statusCode, answer.body]).toEqual([200, PAGE])
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  it('is not sent again while it is the same', async () => {
    const { headers } = await app.inject('/console/')
    const again = await app.inject({ url: '/console/', headers: { 'if-none-match': String(headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it('has files that never change under their names, and others that are asked for again', async () => {
    const script = await app.inject('/console/assets/index-1a2b.js')
    expect(script.body).toBe(SCRIPT)
    expect(script.headers).toMatchObject({
      'content-type': expect.stringMatching(/javascript/),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const icon = await app.inject('/console/icon.svg')
    expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' })
    const head = await app.inject({ method: 'HEAD', url: '/console/assets/index-1a2b.js' })
    expect([head.statusCode, head.body]).toEqual([200, ''])
  })

  it('is packed for who takes that, under the same name', async () => {
    for (const [url, text] of [
      ['/console/', PAGE],
      ['/console/assets/index-1a2b.js', SCRIPT],
    ] as const) {
      const packed = await app.inject({ url, headers: { 'accept-encoding': 'br, gzip' } })
      expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
      expect(packed.headers['content-length']).toBeUndefined()
      expect(gunzipSync(packed.rawPayload).toString()).toBe(text)
      for (const plain of ['', 'br', 'gzip;q=0', 'identity']) {
        const answer = await app.inject({ url, headers: { 'accept-encoding': plain } })
        expect([answer.headers['content-encoding'], answer.body]).toEqual([undefined, text])
      }
      const same = { 'accept-encoding': 'gzip', 'if-none-match': String(packed.headers.etag) }
      const again = await app.inject({ url, headers: same })
      expect([again.statusCode, again.headers['content-encoding'], again.body]).toEqual([304, undefined, ''])
    }
  })

  it.each(['/console/assets/gone-1a2b.js', '/console/assets/', '/console/gone.svg'])(
    'is not the answer to %s',
    async (url) => {
      const answer = await app.inject(url)
      expect([answer.statusCode, answer.json().error_code]).toEqual([404, 'NOT_FOUND'])
      expect(answer.headers['cache-control']).not.toBe('public, max-age=31536000, immutable')
    },
  )

  it('says what to do while it is not built', async () => {
    const missing = appWith(temporaryFolder('not-built'))
    const answer = await missing.inject('/console/')
    expect(answer.statusCode).toBe(404)
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.body).toContain('npm run build')
    await missing.close()
  })

  it.each([
    '/console/../secret.txt',
    '/console/assets/../../secret.txt',
    '/console/%2e%2e/secret.txt',
    '/console/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/console/assets/..%2f..%2fsecret.txt',
    '/console/assets/%252e%252e%252fsecret.txt',
    '/console/..%5csecret.txt',
    '/console/assets/..\\..\\secret.txt',
    '/console//etc/passwd',
    '/console/%2fetc%2fpasswd',
    '/console/assets//etc/passwd',
    '/console/file:///etc/passwd',
    '/console/assets/index-1a2b.js%00.html',
    '/console/secret.txt%00',
    '/console/assets/deep/secret.js',
    '/console/.hidden',
    '/console/assets/.hidden.js',
    '/console/%2ehidden',
    '/console/assets/%c0%ae%c0%ae/secret.txt',
    '/console/%',
    'http://localhost/console/../secret.txt',
    '/console/assets/con',
  ])('never answers with another file: %s', async (target) => {
    const answer = await raw(target)
    expect(answer).toMatch(/^HTTP\/1\.1 (200|400|404) /)
    expect(answer).not.toContain(SECRET)
    expect(answer).not.toContain('root:')
    if (answer.startsWith('HTTP/1.1 200')) expect(answer).toContain(PAGE)
  })

  it('takes the port that was bound for its own, and no other', async () => {
    const { port } = app.server.address() as AddressInfo
    const answer = await raw('/console/api/v2/projects', `origin: http://localhost:${port}\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    const foreign = await raw('/console/api/v2/projects', `origin: http://localhost:${port + 1}\r\n`)
    expect(foreign).toMatch(/^HTTP\/1\.1 403 /)
  })
})
