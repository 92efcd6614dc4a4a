// GET /.well-known/authzen-configuration: addresses from configuration or from the socket, never from a header.
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { pdpServer } from '../../../../src/server.ts'
import { imageOfPolicy, KEY } from './policy.ts'

const PATH = '/.well-known/authzen-configuration'
const pem = (name: string) => readFileSync(new URL(`../../../support/tls/one.${name}.pem`, import.meta.url))

let app: ReturnType<typeof pdpServer>
afterEach(() => app.close())

const serve = (options: Parameters<typeof pdpServer>[2] = {}) => {
  app = pdpServer(imageOfPolicy(), KEY, options)
  return app.listen({ port: 0, host: '127.0.0.1' })
}
const endpoints = (base: string) => ({
  policy_decision_point: base,
  access_evaluation_endpoint: `${base}/access/v1/evaluation`,
  access_evaluations_endpoint: `${base}/access/v1/evaluations`,
  search_subject_endpoint: `${base}/access/v1/search/subject`,
  search_resource_endpoint: `${base}/access/v1/search/resource`,
  search_action_endpoint: `${base}/access/v1/search/action`,
  capabilities: [],
})
/** What a client or a proxy may say about the address. */
const HEADERS = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example;proto=http' }

describe('GET /.well-known/authzen-configuration', () => {
  it('[A10] names the configured address, whatever the headers say, to everybody', async () => {
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
})
