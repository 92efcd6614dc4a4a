// The OPA-shaped API beside the PDP as an operator meets it: when it opens, what a busy port means, and a process that
// is ended from outside.

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import pino from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { readEnv, resolveOpaPort } from '../../src/cli/configuration/env.ts'
import { Closers, listenOpa } from '../../src/cli/process/process.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { endServers, freePort, readKeys, Server, url } from '../support/server.ts'

afterAll(endServers)

describe('the port', () => {
  it('is 8181 beside a PDP on 7000, none beside another, or what is set', () => {
    expect(resolveOpaPort(readEnv({}))).toBe(8181)
    expect(resolveOpaPort(readEnv({ PDP_PORT: '7001' }))).toBeUndefined()
    expect(resolveOpaPort(readEnv({ PDP_PORT: '7001', PDP_OPA_PORT: '9000' }))).toBe(9000)
    expect(resolveOpaPort(readEnv({ PDP_OPA_PORT: '0' }))).toBe(0)
  })

  it('that is busy is a warning when it is only the default, else an error', async () => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const busy = {
      listen: () => Promise.reject(Object.assign(new Error('busy'), { code: 'EADDRINUSE' })),
      close: async () => undefined,
      drain: async () => undefined,
      closing: { announced: false },
      addresses: () => [],
      server: createHttpServer(),
    }
    expect(await listenOpa({ opa: () => busy }, readEnv({}), log, new Closers())).toEqual([])
    expect(lines.join()).toContain('8181')
    const set = listenOpa({ opa: () => busy }, readEnv({ PDP_OPA_PORT: '8181' }), log, new Closers())
    await expect(set).rejects.toMatchObject({ code: 'PORT_BUSY' })
  })
})

describe('serve', () => {
  it('answers there for the environment of the key, passes facts on to itself, and ends on request', async () => {
    const data = temporaryFolder('opa-port')
    const [api, pdp, opa] = [await freePort(), await freePort(), await freePort()]
    const env = {
      ZEROHOP_DATA: data,
      ZEROHOP_API_PORT: String(api),
      PDP_PORT: String(pdp),
      PDP_OPA_PORT: String(opa),
      PDP_CONTAINER_CONTROL_KEY: 'ends the process',
    }
    const server = new Server('serve', env)
    await server.until(async () => (await fetch(`${url(pdp)}/ready`)).ok)
    const key = await server.until(async () => readKeys(data).environments.development)
    const send = (address: string, body: object, bearer = key) =>
      fetch(address, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const say = (user: string) => ({
      input: { user: { key: user }, action: 'wave', resource: { type: 'hello', tenant: 'default' } },
    })
    const root = `${url(opa)}/v1/data/permit/root`
    expect(await (await send(root, say('ana'))).json()).toMatchObject({ result: { allow: true } })
    expect(await (await send(root, say('eve'))).json()).toMatchObject({ result: { allow: false } })
    expect((await send(`${url(pdp)}/facts/users`, { key: 'eve' })).status).toBe(200)
    expect((await send(`${url(pdp)}/facts/users/eve/roles`, { role: 'viewer', tenant: 'default' })).status).toBe(200)
    expect(await (await send(root, say('eve'))).json()).toMatchObject({ result: { allow: true } })
    const version = (await (await fetch(`${url(pdp)}/version`)).json()) as { version: string }
    expect(version.version).toMatch(/^\d+\.\d+\.\d+/)
    expect((await send(`${url(pdp)}/_exit`, {})).status).toBe(403)
    expect((await send(`${url(pdp)}/_exit`, {}, 'ends the process')).status).toBe(202)
    await expect.poll(() => server.ended, { timeout: 60_000 }).toBe(true)
    expect(await server.end()).toBe(0)
  })

  it('ends with one line when a port that was set is busy', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const { port } = blocker.address() as { port: number }
    const env = {
      ZEROHOP_DATA: temporaryFolder('opa-busy'),
      ZEROHOP_API_PORT: '0',
      PDP_PORT: '0',
      PDP_OPA_PORT: String(port),
    }
    const { code, err } = await runHere(['serve'], env)
    expect([code, err]).toEqual([1, expect.stringContaining(`zerohop: port ${port} on 127.0.0.1 is in use`)])
    blocker.close()
  })
})
