// Records of decisions over HTTP: one for each answer, on every way that answers, and none that is answered without
// one.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DecisionLog } from '../../src/decision-log/decision-log.ts'
import { Image } from '../../src/image/image.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import { pdpServer } from '../../src/server.ts'
import { HELLO } from '../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { temporaryFolder } from '../support/folders.ts'
import { open } from './support.ts'

const KEY = 'the-key-of-the-environment'
const check = (user: string, more = {}) => ({
  user: { key: user },
  action: 'say',
  resource: { type: 'hello' },
  ...more,
})

describe('a PDP that records its decisions', () => {
  const folder = temporaryFolder('decisions')
  let log: DecisionLog
  let app: ReturnType<typeof pdpServer>
  let url: string
  beforeAll(async () => {
    log = await open(folder)
    const decisionLog = { recorder: log.recorder, attributes: true, reasons: true, keyId: () => 'k'.repeat(32) }
    app = pdpServer(loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save()), KEY, { decisionLog })
    url = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    await app.close()
    await log.close()
  })

  const post = async (path: string, body: unknown, headers = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: answer.status, id: answer.headers.get('x-request-id'), body: await answer.json() }
  }
  const records = (): Record<string, unknown>[] =>
    readdirSync(join(folder, '0'))
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) =>
        readFileSync(join(folder, '0', name), 'utf8')
          .trim()
          .split('\n'),
      )
      .map((line) => JSON.parse(line))

  it('writes who asked what, and what was answered, before the answer', async () => {
    const context = { mfa: true }
    await post('/allowed', check('ana', { context }), { 'x-request-id': 'mine' })
    expect(records().at(-1)).toMatchObject({
      seq: 1,
      request_id: 'mine',
      environment: ENVIRONMENT,
      revision: 7,
      api_key: 'k'.repeat(32),
      user: 'ana',
      tenant: 'default',
      action: 'say',
      resource_type: 'hello',
      resource_key: null,
      decision: true,
      reason: 'rbac',
      sent: { context },
    })
    expect(JSON.stringify(records())).not.toContain(KEY)
    await post('/allowed', check('nobody'))
    expect(records().at(-1)).toMatchObject({ seq: 2, request_id: null, decision: false, reason: 'user_not_synced' })
  })

  it('writes the same by the route as over the socket, and one record for each item of a bulk', async () => {
    const before = records().length
    const { id } = await post('/allowed', check('ana'), { 'x-explain': 'true' })
    expect(records().at(-1)).toMatchObject({ request_id: id, user: 'ana', decision: true, reason: 'rbac' })
    await post('/allowed/bulk', [check('ana'), check('ben'), check('ana', { resource: { type: 'hello', key: 'one' } })])
    expect(
      records()
        .slice(before + 1)
        .map(({ user, resource_key, decision }) => [user, resource_key, decision]),
    ).toEqual([
      ['ana', null, true],
      ['ben', null, false],
      ['ana', 'one', true],
    ])
  })

  it('writes one for each AuthZEN evaluation that is answered, under the id that the answer carries', async () => {
    const before = records().length
    const subject = { type: 'user', id: 'ana', properties: { level: 3 } }
    const asked = { subject, action: { name: 'say', properties: { dry: true } }, resource: { type: 'hello', id: 'x' } }
    const service = { subject: { type: 'service', id: 'ana' } }
    const body = { ...asked, evaluations: [{}, service, { action: {} }, {}] }
    const { id } = await post('/access/v1/evaluations', body, { 'x-request-id': 'my own "id"' })
    expect(id).toBe('my own "id"')
    expect(
      records()
        .slice(before)
        .map(({ request_id, user, resource_key, decision, reason }) => [
          request_id,
          user,
          resource_key,
          decision,
          reason,
        ]),
    ).toEqual([
      [id, 'ana', 'x', true, 'rbac'],
      [id, 'ana', 'x', false, 'unknown_subject_type'],
      [id, 'ana', 'x', true, 'rbac'],
    ])
    expect(records().at(-1)?.sent).toEqual({ user: { level: 3 }, action: { dry: true } })
    const short = { ...body, evaluations: [service, {}], options: { evaluations_semantic: 'deny_on_first_deny' } }
    await post('/access/v1/evaluations', short)
    expect(records().length).toBe(before + 4)
  })

  it('writes sent relations together with the attributes', async () => {
    const relations = { parent: ['folder:f1'] }
    await post(
      '/allowed',
      check('ana', { resource: { type: 'hello', key: 'new', attributes: { level: 3 }, relations } }),
    )
    expect(records().at(-1)).toMatchObject({ resource_key: 'new', sent: { resource: { level: 3 }, relations } })
  })

  it('writes none for a question that is refused', async () => {
    const before = records().length
    expect((await post('/allowed', { user: { key: 'ana' } })).status).toBe(422)
    expect((await post('/allowed', check('ana'), { authorization: 'Bearer wrong' })).status).toBe(403)
    expect((await post('/allowed/bulk', [check('ana'), {}])).status).toBe(422)
    expect(records().length).toBe(before)
  })
})

describe('a PDP that is not told to record attributes', () => {
  it('writes no value that was sent with a question, on any way', async () => {
    const folder = temporaryFolder('decisions')
    const log = await open(folder)
    const { recorder } = log
    const app = pdpServer(loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save()), KEY, {
      decisionLog: { recorder, reasons: true },
    })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const secret = 'a value of nobody else'
    const attributes = { secret }
    const question = {
      user: { key: 'ana', first_name: secret, email: secret, attributes },
      action: 'say',
      resource: {
        type: 'hello',
        key: 'one',
        attributes,
        relations: { parent: ['folder:f1'] },
        context: attributes,
      },
      context: attributes,
    }
    const entity = { properties: attributes }
    const evaluation = {
      subject: { type: 'user', id: 'ana', ...entity },
      action: { name: 'say', ...entity },
      resource: { type: 'hello', id: 'one', ...entity },
      context: attributes,
    }
    const asked: [path: string, body: unknown, headers?: Record<string, string>][] = [
      ['/allowed', question],
      ['/allowed', question, { 'x-explain': 'true' }],
      ['/allowed/bulk', [question]],
      ['/allowed/all-tenants', question],
      ['/access/v1/evaluation', evaluation],
      ['/access/v1/evaluation', { ...evaluation, subject: { type: 'service', id: 'ana', ...entity } }],
      ['/access/v1/evaluations', { ...evaluation, evaluations: [{}] }],
    ]
    for (const [path, body, more = {}] of asked) {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...more }
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      expect([path, answer.status]).toEqual([path, 200])
    }
    const text = readFileSync(join(folder, '0', '0000000000000001.jsonl'), 'utf8')
    expect(text.trim().split('\n')).toHaveLength(asked.length)
    expect(text).not.toContain(secret)
    const records = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const aboutKeys = { relations: { parent: ['folder:f1'] } }
    // relations are keys: they are recorded, and of attributes the names
    expect(records.map(({ sent }) => sent)).toEqual([...Array(4).fill(aboutKeys), ...Array(3).fill(undefined)])
    expect(records.at(-2)).toMatchObject({ user: 'ana', decision: false, reason: 'unknown_subject_type' })
    expect(records[0].omitted).toEqual(['user.secret', 'resource.secret', 'context.secret'])
    for (const { now, time } of records) expect(Math.abs(now - Date.parse(time))).toBeLessThan(60_000)
    await app.close()
    await log.close()
  })
})

describe('a PDP whose decision log is full', () => {
  it('answers no decision that is not recorded, on any way, and counts them', async () => {
    const folder = temporaryFolder('decisions')
    const down = { name: 'api', windowMs: 0, send: () => Promise.reject(new Error('down')) }
    const log = await open(folder, { sinks: [down], keepFiles: undefined, fileBytes: 1_000, bufferBytes: 1_000 })
    const { recorder } = log
    const app = pdpServer(loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save()), KEY, {
      decisionLog: { recorder },
      openMetrics: true,
    })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const post = (path: string, body: unknown, more = {}) =>
      fetch(url + path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) })
    let answered = 0
    let last = await post('/allowed', check('ana'))
    for (; last.status === 200; answered++) last = await post('/allowed', check('ana'))
    expect(answered).toBe(recorder.stats.written)
    expect([last.status, await last.json()]).toEqual([
      503,
      { detail: 'the decision cannot be recorded: the buffer of the decision log is full' },
    ])
    const bulk = Array.from({ length: 20 }, () => check('ana'))
    expect((await post('/allowed/bulk', bulk)).status).toBe(503)
    expect((await post('/allowed', check('ana'), { 'x-explain': 'true' })).status).toBe(503)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain(`zerohop_checks_total{outcome="allow"} ${answered}\n`)
    expect(metrics).toContain('zerohop_checks_total{outcome="undecided"} 3\n')
    expect(recorder.stats).toEqual({ written: answered, refused: 22, lost: 0 })
    await app.close()
    await log.close()
  })
})
