// What AuthZEN refuses, and how: a status and one line of text. What it echoes, and what it ignores.
import { once } from 'node:events'
import { request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { pdpServer } from '../../../../src/server.ts'
import { action, address, ask, document, EVALUATION, imageOfPolicy, KEY, send, servePolicy, user } from './policy.ts'

const ALLOWED = ask(user('ana'), action('read'), document('plan'))

servePolicy()

describe('a request that AuthZEN refuses', () => {
  it.each([
    ['subject', { action: action('read'), resource: document('plan') }],
    ['action', { subject: user('ana'), resource: document('plan') }],
    ['resource', { subject: user('ana'), action: action('read') }],
    ['subject.type', ask({ id: 'ana' }, action('read'), document('plan'))],
    ['subject.id', ask({ type: 'user' }, action('read'), document('plan'))],
    ['action.name', ask(user('ana'), {}, document('plan'))],
    ['resource.type', ask(user('ana'), action('read'), { id: 'plan' })],
    ['resource.id', ask(user('ana'), action('read'), { type: 'document' })],
    ['subject', { ...ask(user('ana'), action('read'), document('plan')), subject: 'ana' }],
    ['subject', { ...ask(user('ana'), action('read'), document('plan')), subject: null }],
    ['action.name', ask(user('ana'), { name: 123 }, document('plan'))],
    ['resource.id', ask(user('ana'), action('read'), { type: 'document', id: 5 })],
    ['subject.properties', ask({ type: 'user', id: 'ana', properties: [] }, action('read'), document('plan'))],
    ['resource.properties.tenant', ask(user('ana'), action('read'), document('plan', { tenant: 5 }))],
    ['context', { ...ask(user('ana'), action('read'), document('plan')), context: 'now' }],
    ['the body', []],
  ])('[A1] [A2] answers 400 and one line of text about a missing or wrong %s', async (what, body) => {
    const { status, headers, text } = await send(EVALUATION, body)
    expect([status, headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8'])
    expect(text).toMatch(new RegExp(`^${what} (is missing|must be )[^\\n]*$`))
  })

  it('[A2] answers 400 to another content type, to no JSON and to nothing', async () => {
    const types = [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'json',
      '',
      'application/jsonp',
    ]
    for (const type of [...types, 'application/json, text/plain']) {
      const { status, text } = await send(EVALUATION, ALLOWED, { 'content-type': type })
      expect([status, text], type).toEqual([400, 'the content type must be `application/json`'])
    }
    for (const text of ['{"subject":', '', 'null', '"ana"']) {
      const answer = await send(EVALUATION, text)
      expect([answer.status, answer.headers.get('content-type')], text).toEqual([400, 'text/plain; charset=utf-8'])
    }
    const charset = await send(EVALUATION, ALLOWED, { 'content-type': 'application/json; charset=utf-8' })
    expect(charset.body).toEqual({ decision: true })
  })

  it('[A2] answers 400 to a body that is too deep, to bad UTF-8 and to invalid numbers', async () => {
    const attribute = (value: string) =>
      `{"subject":{"type":"user","id":"ben","properties":{"department":${value}}},"action":{"name":"edit"},"resource":{"type":"document","id":"note"}}`
    expect((await send(EVALUATION, attribute('"legal"'))).body).toEqual({ decision: true })
    for (const value of ['['.repeat(40) + ']'.repeat(40), '1e999', '"\\ud800"', Buffer.from([0x22, 0xff, 0x22])]) {
      const body = typeof value === 'string' ? attribute(value) : Buffer.concat([Buffer.from(attribute('1')), value])
      const { status, headers } = await send(EVALUATION, body)
      expect([status, headers.get('content-type')], String(value)).toEqual([400, 'text/plain; charset=utf-8'])
    }
  })

  it('[A2] answers 400 to what two readers of JSON could understand differently, wherever it stands', async () => {
    const surrogate = { text: '"a\\ud800b"', says: 'must be text without unpaired' }
    const number = { text: '-1e999', says: 'must be a number that a double can hold' }
    for (const [place, { text: value, says }, body] of [
      ['subject.id', surrogate, { ...ALLOWED, subject: { type: 'user', id: 'X' } }],
      ['resource.properties.a.1', surrogate, ask(user('ana'), action('read'), document('plan', { a: ['b', 'X'] }))],
      ['ignored', surrogate, { ...ALLOWED, ignored: 'X' }],
      ['context.n', number, { ...ALLOWED, context: { n: 'X' } }],
      ['ignored.0.n', number, { ...ALLOWED, ignored: [{ n: 'X' }] }],
    ] as const) {
      const { status, text } = await send(EVALUATION, JSON.stringify(body).replace('"X"', value))
      expect([status, text], place).toEqual([400, expect.stringMatching(new RegExp(`^${place} ${says}`))])
    }
    const name = await send(EVALUATION, JSON.stringify({ ...ALLOWED, X: 1 }).replace('"X"', '"\\udfff"'))
    expect([name.status, name.text]).toEqual([400, expect.stringContaining('member name')])
    for (const fine of ['"\\ud83d\\ude00"', '1.7976931348623157e308', '1e-400']) {
      const body = JSON.stringify({ ...ALLOWED, context: { n: 'X' } }).replace('"X"', fine)
      expect((await send(EVALUATION, body)).body, fine).toEqual({ decision: true })
    }
    const twice =
      '{"subject":{"type":"user","id":"ben","\\u0069d":"ana"},"action":{"name":"read"},"resource":{"type":"document","id":"plan"}}'
    const { status, text } = await send(EVALUATION, twice)
    expect([status, text]).toEqual([400, expect.stringContaining('`id`')])
  })

  it('[A2] answers 401 with a challenge to no key, a wrong one and one of another form; /allowed keeps its 403', async () => {
    const realm = 'Bearer realm="zerohop"'
    for (const [authorization, wanted] of [
      ['', realm],
      ['Bearer other', `${realm}, error="invalid_token"`],
      ['Bearer', `${realm}, error="invalid_token"`],
      ['Basic YTpi', `${realm}, error="invalid_token"`],
      [KEY, `${realm}, error="invalid_token"`],
    ] as const) {
      for (const path of [EVALUATION, '/access/v1/evaluations', '/access/v1/search/resource']) {
        const { status, headers, text } = await send(path, ALLOWED, { authorization })
        expect([status, headers.get('www-authenticate')], authorization).toEqual([401, wanted])
        expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
        expect(text).toMatch(/^[^{}\n]+$/)
      }
    }
    expect((await send('/allowed', {}, { authorization: 'Bearer other' })).status).toBe(403)
  })

  it('[A2] answers 500 as text that says nothing about the inside, and 413 with the same text as everywhere', async () => {
    const recorder = {
      flush: () => undefined,
      add: () => {
        throw new Error('a secret of the inside')
      },
    }
    const broken = pdpServer(imageOfPolicy(), KEY, { decisionLog: { recorder } })
    const headers = { authorization: `Bearer ${KEY}` }
    const answer = await broken.inject({ method: 'POST', url: EVALUATION, headers, payload: ALLOWED })
    expect([answer.statusCode, answer.body]).toEqual([500, 'unexpected error'])
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    await broken.close()
    const large = await send(EVALUATION, { ...ALLOWED, more: 'x'.repeat(2 ** 20) })
    expect([large.status, large.text]).toEqual([413, 'Request body is too large'])
  })

  it('[A11] counts a member that is null as absent, and answers none', async () => {
    const body = {
      subject: { ...user('ana'), properties: null },
      action: { ...action('read'), properties: null },
      resource: { ...document('plan'), properties: null },
      context: null,
      evaluations: null,
      options: null,
      page: null,
    }
    expect((await send(EVALUATION, body)).text).toBe('{"decision":true}')
    expect((await send('/access/v1/evaluations', body)).text).toBe('{"decision":true}')
    expect((await send('/access/v1/search/action', { ...body, action: null })).text).toBe(
      '{"results":[{"name":"edit"},{"name":"read"}]}',
    )
  })

  it('[A11] ignores what it does not know, and echoes a request id exactly as it was sent', async () => {
    const body = { ...ask({ ...user('ana'), extra: 1 }, action('read'), document('plan')), other: [1], options: 5 }
    for (const id of ['bfe9eb29-ab87-4ca3-be83-a1d5d8305716', 'with space and "quotes"', 'x'.repeat(500)]) {
      const { body: answer, headers } = await send(EVALUATION, body, { 'x-request-id': id })
      expect([answer, headers.get('x-request-id')]).toEqual([{ decision: true }, id])
    }
  })
  it('[A11] echoes the bytes of a request id on every answer, whatever they are', async () => {
    const id = 'caf\u00e9 \u0080 "it"' // as HTTP gives bytes above 127
    for (const [key, status] of [
      [KEY, 200],
      ['wrong', 401],
    ] as const) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': id }
      const call = request(`${address()}${EVALUATION}`, { method: 'POST', headers })
      call.end(Buffer.from(JSON.stringify(ALLOWED)))
      const [answer] = await once(call, 'response')
      expect([answer.statusCode, answer.headers['x-request-id']]).toEqual([status, id])
      expect(await textOf(answer)).not.toBe('')
    }
    for (const [body, status] of [
      ['{', 400],
      ['{}', 400],
      ['', 400],
    ] as const) {
      const answer = await send(EVALUATION, body, { 'x-request-id': 'of mine' })
      expect([answer.status, answer.headers.get('x-request-id')]).toEqual([status, 'of mine'])
    }
  })

  it('answers other methods with 405 and the one that there is', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(`${address()}${EVALUATION}`, { method })
      expect([answer.status, answer.headers.get('allow')], method).toEqual([405, 'POST'])
    }
  })

  it('[A2] answers 404 and 405 below /access/v1 as its other errors: one line of text, with the request id', async () => {
    for (const [method, path, status] of [
      ['GET', EVALUATION, 405],
      ['GET', '/access/v1/search/subject?x', 405],
      ['POST', '/access/v1/nothing', 404],
      ['GET', '/access/v1', 404],
      ['DELETE', '/access/v1/search/subject/x', 404],
    ] as const) {
      const answer = await fetch(address() + path, { method, headers: { 'x-request-id': 'of mine' } })
      const { headers } = answer
      expect([answer.status, headers.get('content-type'), headers.get('x-request-id')], path).toEqual([
        status,
        'text/plain; charset=utf-8',
        'of mine',
      ])
      expect(await answer.text(), path).toMatch(/^[^{}\n]+$/)
      expect(headers.get('allow'), path).toBe(status === 405 ? 'POST' : null)
    }
    const elsewhere = await fetch(`${address()}/access/v2/evaluation`)
    expect([elsewhere.status, elsewhere.headers.get('content-type')]).toEqual([404, 'application/json'])
  })
})
