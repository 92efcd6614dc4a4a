// What a process does about a rejection or an exception that nobody handled, injected from outside: it goes on, or ends
// on purpose, and says why.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { HELLO } from '../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, readKeys, Server, url } from '../support/server.ts'

const INJECT = new URL('./preload/inject.mjs', import.meta.url).href
const PRIVATE = 'a-key-of-somebody-0123456789'
const OPERATOR = 'the-token-of-the-operator'

afterEach(endServers)

/** A command with something to meet on SIGUSR2. */
function start(command: string, inject: string, env: Record<string, string> = {}, args: readonly string[] = []) {
  const all = {
    NODE_OPTIONS: `--import=${INJECT}`,
    INJECT: inject,
    PDP_API_KEY: PRIVATE,
    ZEROHOP_METRICS_TOKEN: OPERATOR,
    ...env,
  }
  return new Server(command, all, args)
}

async function startServe(inject: string) {
  const [api, pdp] = [await freePort(), await freePort()]
  const data = temporaryFolder('unhandled')
  const env = { ZEROHOP_DATA: data, ZEROHOP_API_PORT: String(api), PDP_PORT: String(pdp) }
  const server = start('serve', inject, env)
  await server.until(async () => (await fetch(`${url(pdp)}/ready`)).ok)
  return { server, api: url(api), pdp: url(pdp), key: readKeys(data).environments.development }
}

/** A PDP that answers from a file. */
async function startPdp(env: Record<string, string>) {
  const image = join(temporaryFolder('unhandled'), 'policy.image')
  writeFileSync(image, Image.build(ENVIRONMENT, makePosition(1), HELLO).save())
  const port = await freePort()
  const server = start('pdp', '', { PDP_PORT: String(port), ...env }, ['--image', image])
  await server.until(async () => (await fetch(`${url(port)}/ready`)).ok)
  return { server, port }
}

/** The line of the log that holds the text. */
function lineWith(server: Server, text: string) {
  const line = server.output.split('\n').find((each) => each.startsWith('{') && each.includes(text))
  return line === undefined ? undefined : JSON.parse(line)
}

function expectNoKey({ output }: Server): void {
  expect(output).not.toContain('SECRET1')
  expect(output).not.toContain(PRIVATE)
}

describe('what nobody handled', () => {
  it('is logged and counted when it is a rejection, and the process goes on', async () => {
    const { server, api, pdp, key } = await startServe('rejection in main')
    server.signal('SIGUSR2')
    await eventually(() => lineWith(server, 'injected')?.level, 50)
    expect(lineWith(server, 'injected')).toMatchObject({
      name: 'serve',
      reason: expect.stringContaining('the deeper reason'),
      msg: expect.stringContaining('the process continues'),
    })
    expectNoKey(server)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })
    const answer = await fetch(`${pdp}/allowed`, { method: 'POST', headers, body })
    expect(await answer.json()).toMatchObject({ allow: true })
    const operator = { authorization: `Bearer ${OPERATOR}` }
    for (const base of [api, pdp]) {
      const metrics = await (await fetch(`${base}/metrics`, { headers: operator })).text()
      expect(metrics).toContain('\nzerohop_unhandled_rejections_total 1\n')
    }
    expect(await server.end()).toBe(0)
  })

  it('ends the process with exit code 1 when it is an exception', async () => {
    const { server } = await startPdp({ INJECT: 'exception in main' })
    server.signal('SIGUSR2')
    await eventually(() => server.ended, true)
    expect(lineWith(server, 'injected')).toMatchObject({ level: 60, reason: expect.stringContaining('deeper reason') })
    expectNoKey(server)
    expect(await server.end()).toBe(1)
  })

  it('ends the process with exit code 1 when it was met by the thread that writes', async () => {
    const port = await freePort()
    const env = { ZEROHOP_DATA: temporaryFolder('unhandled'), ZEROHOP_API_PORT: String(port) }
    const server = start('api', 'rejection in writer', env, ['--no-example'])
    await server.until(async () => (await fetch(`${url(port)}/ready`)).ok)
    server.signal('SIGUSR2')
    await eventually(() => server.ended, true)
    expect(lineWith(server, 'injected')).toMatchObject({ level: 60, code: 'WRITER_DEAD' })
    expectNoKey(server)
    expect(await server.end()).toBe(1)
  })

  it('lets a PDP of several workers go on', async () => {
    const when = join(temporaryFolder('unhandled'), 'now')
    const { server, port } = await startPdp({ INJECT: 'rejection in main', PDP_WORKERS: '2', INJECT_WHEN: when })
    writeFileSync(when, '')
    // The first process and both workers meet it.
    await eventually(() => server.output.split('\n').filter((line) => line.includes('injected')).length, 3)
    expectNoKey(server)
    const headers = { authorization: `Bearer ${PRIVATE}` }
    const counted = async () => {
      const metrics = await (await fetch(`${url(port)}/metrics`, { headers })).text()
      return /^zerohop_unhandled_rejections_total (\d+)$/m.exec(metrics)?.[1]
    }
    await eventually(counted, '2')
    expect(await server.end()).toBe(0)
  })

  it('is not a deny when a check met it', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const pdp = url((silent.address() as AddressInfo).port)
    const when = join(temporaryFolder('unhandled'), 'now')
    silent.once('connection', () => writeFileSync(when, ''))
    const server = start('check', 'rejection in main', { INJECT_WHEN: when }, ['ana', 'say', 'hello', '--pdp', pdp])
    await eventually(() => server.ended, true)
    expect(server.output).toContain('zerohop: injected')
    expectNoKey(server)
    expect(await server.end()).toBe(2)
    silent.close()
  })
})
