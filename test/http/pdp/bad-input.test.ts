// Bad input of any kind on every route of the PDP that takes a body: a 4xx in the contract's form, and the next
// question is answered.
import { once } from 'node:events'
import { connect as openSocket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../../src/image/image.ts'
import { BODY_BYTES_MAX, BULK_CHECKS_BYTES_MAX, JSON_MEMBERS_MAX } from '../../../src/model/limits.ts'
import { loadImage } from '../../../src/pdp/pdp.ts'
import { pdpServer } from '../../../src/server.ts'
import { HELLO } from '../../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../../support/deltas.ts'

const KEY = 'the key of the environment'
const LOCAL = { host: '127.0.0.1', port: 0 }
const app = pdpServer(loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save()), KEY)
const opa = app.opa()
const at = { pdp: '', opa: '' }
beforeAll(async () => {
  at.pdp = await app.listen(LOCAL)
  at.opa = await opa.listen(LOCAL)
})
afterAll(async () => {
  await opa.close()
  await app.close()
})

const PDP_ROUTES = ['/allowed', '/allowed/bulk', '/allowed/all-tenants', '/allowed_url', '/user-permissions']
const OPA_ROUTES = ['root', 'bulk', 'any_tenant', 'all_tenants', 'user_permissions', 'authorized_users']
const ROUTES = [
  ...[...PDP_ROUTES, '/user-tenants', '/authorized_users', '/filter'].map((path) => ['pdp', path] as const),
  ...OPA_ROUTES.map((path) => ['opa', `/v1/data/permit/${path}`] as const),
]
const check = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })
const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`

const BODIES: readonly (readonly [name: string, body: string | Uint8Array<ArrayBuffer> | undefined])[] = [
  ['nothing', undefined],
  ['an empty text', ''],
  ['half of a check', check.slice(0, 30)],
  ['a text', '"check"'],
  ['a number', '7'],
  ['null', 'null'],
  ['a list of numbers', '[1,2]'],
  ['wrong types everywhere', '{"user":7,"action":[],"resource":true,"context":"x","input":7,"url":{},"http_method":1}'],
  ['wrong types inside', '{"input":{"user":{"key":{}},"action":{},"resource":{"type":[]}},"user":{"key":[]}}'],
  ['too deep', deep],
  ['too deep inside', `{"user":{"key":"ana","attributes":{"a":${deep}}},"action":"say","resource":{"type":"hello"}}`],
  ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
]

async function send(
  server: 'pdp' | 'opa',
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
) {
  const headers = { authorization: `Bearer ${KEY}`, ...(body === undefined ? {} : { 'content-type': type }) }
  const response = await fetch(at[server] + path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) })
  const text = await response.text()
  return { status: response.status, type: response.headers.get('content-type'), body: JSON.parse(text) }
}
const isAnswered = async () => expect((await send('pdp', '/allowed', check)).body.allow).toBe(true)

describe.each(ROUTES)('%s %s', (server, path) => {
  it.each(BODIES)('%s is 4xx with a detail', async (_, body) => {
    const answer = await send(server, path, body)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect([answer.type, answer.body]).toEqual(['application/json', { detail: expect.anything() }])
  })

  it('a body that is too long or of another type is refused', async () => {
    const limit = path === '/allowed/bulk' || server === 'opa' ? BULK_CHECKS_BYTES_MAX : BODY_BYTES_MAX
    expect((await send(server, path, `"${'x'.repeat(limit)}"`)).status).toBe(413)
    expect((await send(server, path, 'user=ana', 'application/x-www-form-urlencoded')).status).toBe(415)
    await isAnswered()
  })

  it('more members than any check has are refused before they are parsed', async () => {
    const members = Array.from({ length: JSON_MEMBERS_MAX + 1 }, (_, at) => `"k${at}":1`).join()
    const answer = await send(server, path, `{"user":{"key":"ana","attributes":{${members}}}}`)
    expect(answer.status).toBe(422)
    expect(answer.body.detail[0]).toMatchObject({ loc: ['body'], type: 'value_error.members' })
    await isAnswered()
  })

  it('a body that is cut in the middle ends without an answer, and harms nobody', async () => {
    const { port } = new URL(at[server])
    const socket = openSocket(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.resume()
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n` +
        `content-type: application/json\r\ncontent-length: ${check.length}\r\n\r\n${check.slice(0, 20)}`,
    )
    socket.end()
    await once(socket, 'close')
    await isAnswered()
  })
})
