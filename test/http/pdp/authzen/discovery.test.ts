// GET /.well-known/authzen-configuration: addresses from configuration or from the socket, never from a header.
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { pdpServer } from '../../../../src/server.ts'
import { imageOfPolicy, KEY } from './policy.ts'

const PATH = '/.well-known/authzen-configuration'
const pem = (name: string) => readFileSync(new URL(`../../../support/tls/one.${name}.pem`, import.meta.url))

let app: ReturnType<typeof pdpServer>
afterEach(() => app.close())

const serve = (options: Parameters<typeof pdpServer>[2] = {}, host = '127.0.0.1') => {
  app = pdpServer(imageOfPolicy(), KEY, options)
  return app.listen({ port: 0, host })
}
const endpoints = (base: string) => ({
  policy_decision_point: base,
  access_evaluation_endpoint: `${base}/access/v1/evaluation`,
  access_evaluations_endpoint: `${base}/access/v1/evaluations`,
  search_subject_endpoint: `${base}/access/v1/search/subject`,
  search_resource_endpoint: `${base}/access/v1/search/resource`,
  search_action_endpoint: `${base}/access/v1/search/action`,
})
/** What a client or a proxy may say about the address. */
const HEADERS = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example;proto=http' }

describe('GET /.well-known/authzen-configuration', () => {
  it('[A10] names the configured address without a key, whatever the headers are', async () => {
    await serve({ authzen: { publicUrl: 'https://pdp.example.com/' } })
    const response = await app.inject({ url: PATH, headers: { ...HEADERS, 'x-request-id': 'mine' } })
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json'])
    expect(response.json()).toEqual(endpoints('https://pdp.example.com'))
    expect(response.headers['x-request-id']).toBe('mine')
  })

  it('[A10] names the address that it listens on when none is configured, and how it listens there', async () => {
    const plain = await serve()
    expect((await app.inject({ url: PATH, headers: HEADERS })).json()).toEqual(endpoints(plain))
    expect(plain).toMatch(/^http:/)
    await app.close()
    const secret = await serve({ tls: { cert: pem('cert'), key: pem('key') } })
    expect((await app.inject({ url: PATH, headers: HEADERS })).json()).toEqual(endpoints(secret))
    expect(secret).toMatch(/^https:/)
  })

  it('[A10] stands behind the well-known part when the address has a path, and names the address with it', async () => {
    await serve({ authzen: { publicUrl: 'https://pdp.example.com/tenants/one:1/' } })
    const wanted = endpoints('https://pdp.example.com/tenants/one:1')
    for (const path of [`${PATH}/tenants/one:1`, `${PATH}/tenants/one:1?x=1`, PATH])
      expect((await app.inject({ url: path })).json(), path).toEqual(wanted)
    for (const path of [`${PATH}/tenants/one:2`, `${PATH}/tenants`, `${PATH}/`, `${PATH}/tenants/one:1/more`])
      expect((await app.inject({ url: path })).statusCode, path).toBe(404)
    await app.close()
    await serve({ authzen: { publicUrl: 'https://pdp.example.com' } })
    expect((await app.inject({ url: `${PATH}/tenants` })).statusCode).toBe(404)
  })

  it('[A10] never names an address that stands for all: where it listens on every one, it is the one that was called', async () => {
    for (const host of ['0.0.0.0', '::']) {
      await serve({}, host)
      const { port } = app.server.address() as AddressInfo
      const own = `http://127.0.0.1:${port}`
      expect(await (await fetch(own + PATH)).json(), host).toEqual(endpoints(own))
      await app.close()
    }
  })

  it.each([
    ['https://user:secret@pdp.example.com', 'must not hold a user name or a password'],
    ['https://:secret@pdp.example.com', 'must not hold a user name or a password'],
    ['http://0.0.0.0:7000', 'must name a host'],
    ['http://[::]:7000', 'must name a host'],
    ['http://0:7000', 'must name a host'],
    ['https://pdp.example.com/?a', 'must have no query'],
    ['ftp://pdp.example.com', 'must be an http or https URL'],
    ['pdp.example.com', 'must be an http or https URL'],
  ])('is not served with the public URL %s', async (publicUrl, says) => {
    await serve()
    const start = () => pdpServer(imageOfPolicy(), KEY, { authzen: { publicUrl } })
    expect(start).toThrow(says)
    expect(start).not.toThrow('secret')
  })
})
