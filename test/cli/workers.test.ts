// Several processes on one port: readiness of all, one that is killed, revisions that all of them have, metrics of all,
// an end without a reset, and one line for what is wrong. Needs the build.
import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { parseMetrics } from '../support/prometheus.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, Server, url } from '../support/server.ts'

const WORKERS = 3
const data = temporaryFolder('workers')
let pdp: Server
let key: string
let ports: { api: number; pdp: number }

/** Ids of the processes that the first one started. */
const children = (): number[] => {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=']).toString().trim().split('\n')
  return rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .flatMap(([pid = 0, parent]) => (parent === pdp.pid ? [pid] : []))
}

/** One request on a connection of its own, so that it may reach any worker. */
function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, agent?: Agent) {
  return new Promise<{ status: number; text: string; revision: number; ends: boolean }>((resolve, reject) => {
    const options = {
      port: ports.pdp,
      method,
      path,
      agent: agent ?? new Agent({ maxSockets: 1 }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    }
    const call = request(options, (answer) => {
      const { headers, statusCode: status = 0 } = answer
      const revision = Number(headers['x-revision'])
      const ends = headers.connection === 'close'
      // an answer that breaks off is an error of this request
      buffer(answer).then((bytes) => resolve({ status, text: bytes.toString(), revision, ends }), reject)
    })
    call.on('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const check = (user: string, agent?: Agent) =>
  ask('POST', '/allowed', { user: { key: user }, action: 'say', resource: { type: 'hello' } }, {}, agent)

/** Writes over the management API; returns the revision. */
async function write(path: string, body: unknown): Promise<number> {
  const response = await fetch(`${url(ports.api)}/v2/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.ok).toBe(true)
  return Number(response.headers.get('x-revision'))
}

beforeAll(async () => {
  ports = { api: await freePort(), pdp: await freePort() }
  await apiHere(data, ports.api)
  key = readKeys(data).environments.development
  await write('schema/default/development/resources', { key: 'hello', name: 'hello', actions: { say: {} } })
  await write('schema/default/development/roles', { key: 'admin', name: 'admin', permissions: ['hello:say'] })
  pdp = new Server('pdp', {
    ZEROHOP_DATA: data,
    PDP_PORT: `${ports.pdp}`,
    PDP_API_KEY: key,
    PDP_CONTROL_PLANE: url(ports.api),
    PDP_WORKERS: `${WORKERS}`,
  })
  await pdp.until(async () => (await fetch(`${url(ports.pdp)}/ready`)).ok)
})
afterAll(endServers)

describe('a PDP of several workers', () => {
  it('is ready when all of them are', async () => {
    expect(children()).toHaveLength(WORKERS)
    const ready = async () => {
      const { status, source, revision } = JSON.parse((await ask('GET', '/ready')).text)
      return { status, source, hasRevision: typeof revision === 'number' }
    }
    // a worker that does not answer within a second, on a busy machine, counts as one that is not ready
    await eventually(ready, { status: 'ok', source: 'feed', hasRevision: true })
  })

  it('answers a write that was waited for from every worker', async () => {
    for (let at = 0; at < 5; at++) {
      const facts = `/facts/users/sync-${at}`
      const written = await ask('PUT', facts, { key: `sync-${at}` }, { 'x-wait-timeout': '10' })
      expect(written.status).toBeLessThan(300)
      const answers = await Promise.all(Array.from({ length: 4 * WORKERS }, () => check('nobody')))
      for (const { revision } of answers) expect(revision).toBeGreaterThanOrEqual(written.revision)
    }
  })

  it('sums the metrics of all workers', async () => {
    const count = async () => {
      const { text } = await ask('GET', '/metrics')
      return Number(
        /^zerohop_http_requests_total\{[^}]*route="\/allowed"[^}]*status="200"[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0,
      )
    }
    const before = await count()
    await Promise.all(Array.from({ length: 20 }, () => check('nobody')))
    expect(await count()).toBe(before + 20)
    const { text } = await ask('GET', '/metrics')
    const metrics = parseMetrics(text)
    const findValue = (name: string) => metrics.get(name)?.samples[0]?.value
    expect(findValue('zerohop_image_revision')).toBe((await check('nobody')).revision)
    expect(findValue('zerohop_feed_connected')).toBe(1)
  })

  it('goes on when one is killed, and starts it again', async () => {
    const before = children()
    const [victim = 0, ...others] = before
    process.kill(victim, 'SIGKILL')
    await eventually(() => children().includes(victim), false)
    for (let at = 0; at < 20; at++) expect((await check('nobody')).status).toBe(200)
    await eventually(() => children().length, WORKERS)
    expect(others.every((pid) => children().includes(pid))).toBe(true)
    await eventually(async () => (await ask('GET', '/ready')).status, 200)
    expect(pdp.output).toContain('a worker ended and is being restarted')
  })

  it('that loses a worker in the middle of bulks answers each whole or not at all, and goes on', async () => {
    const checks = Array.from({ length: 5_000 }, () => ({
      user: { key: 'ana' },
      action: 'say',
      resource: { type: 'hello' },
    }))
    // connections that workers have taken: one on its way to a worker that dies is left open by node:cluster
    const agent = new Agent({ keepAlive: true, maxSockets: 24 })
    await Promise.all(Array.from({ length: 24 }, () => check('ana', agent)))
    const bulk = () => ask('POST', '/allowed/bulk', checks, {}, agent).catch(() => undefined)
    const bulks = Array.from({ length: 24 }, bulk)
    const [lost] = children()
    await Promise.race(bulks)
    process.kill(lost!, 'SIGKILL')
    const answers = (await Promise.all(bulks)).filter((answer) => answer !== undefined)
    agent.destroy()
    // those of the other workers, and what the lost one had answered before
    expect(answers.length).toBeGreaterThan(0)
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(JSON.parse(text).allow).toHaveLength(checks.length)
    }
    expect(pdp.ended).toBe(false)
    await eventually(async () => [children().includes(lost!), (await ask('GET', '/ready')).status], [false, 200])
    expect((await check('ana')).status).toBe(200)
  })

  it('ends on SIGTERM under load: nothing is unanswered, no connection is reset', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    let answered = 0
    const failures: unknown[] = []
    // Asks without a pause on a connection that it keeps, until an answer closes the connection.
    const client = async () => {
      for (let ends = false; !ends; answered++) {
        const answer = await check('nobody', agent)
        if (answer.status !== 200) failures.push(answer.status)
        ends = answer.ends
      }
    }
    const clients = Array.from({ length: 16 }, () => client().catch((error: unknown) => failures.push(error)))
    await eventually(() => answered > 200, true)
    const code = await pdp.end()
    await Promise.all(clients)
    expect([code, failures]).toEqual([0, []])
    expect(children()).toEqual([])
  })

  it('ends with one line when no worker can start', async () => {
    const env = { PDP_WORKERS: '2', PDP_API_KEY: 'wrong', PDP_CONTROL_PLANE: url(ports.api), PDP_PORT: '0' }
    const wrong = new Server('pdp', { ZEROHOP_DATA: temporaryFolder('workers'), ...env })
    await eventually(() => wrong.ended, true)
    expect(await wrong.end()).toBe(1)
    expect(wrong.output.match(/^zerohop: /gm)).toHaveLength(1)
    const nothing = new Server('pdp', { PDP_WORKERS: '2' })
    await eventually(() => nothing.ended, true)
    expect([await nothing.end(), nothing.output]).toEqual([
      1,
      expect.stringMatching(/^zerohop: PDP_API_KEY is not set.*\n$/),
    ])
  })
})
