// The app that both servers share: how it reads JSON, and how it closes.
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { httpApp } from '../../src/http/app.ts'
import { ERROR_CODE_OF, managementError, pdpError, STATUS_OF_CLASS, toProblem } from '../../src/http/errors.ts'
import { BULK, type Duplicates, type JsonLimits, ORDINARY, parseJson } from '../../src/http/json.ts'
import { ERRORS, type ErrorCode, ZerohopError } from '../../src/model/errors.ts'
import { JSON_DEPTH_MAX, JSON_MEMBERS_BULK_MAX, JSON_MEMBERS_MAX } from '../../src/model/limits.ts'

describe('parseJson', () => {
  const parse = (text: string, duplicates: Duplicates = 'refuse', limits: JsonLimits = ORDINARY) =>
    parseJson(Buffer.from(text), duplicates, limits)

  it.each([
    '{}',
    '[]',
    '"a"',
    '0',
    'null',
    '{"a":{"b":[{"a":1},{"a":2}]},"b":"{\\"a\\":1,\\"a\\":2}"}',
    '{"":1,"\\\\":2,"\\"":3,":":4}',
    ' \n{ "a" : "x:y" , "b" : "\\\\" } ',
    '{"😀":"😀"}',
  ])('reads %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it.each(['{"a":1,"a":1}', '[{"x":{"a":1,"b":{},"a":1}}]', '{"a":1,"\\u0061":2}', '{"__proto__":1,"__proto__":2}'])(
    'refuses the second member of %s, or lets the last one win',
    (text) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'JSON_DUPLICATE' }))
      expect(JSON.stringify(parse(text, 'last-wins'))).toBe(JSON.stringify(JSON.parse(text)))
    },
  )

  it('counts depth outside strings, at the limit and one beyond', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}"[[[["${']'.repeat(depth)}`
    expect(() => parse(nested(JSON_DEPTH_MAX))).not.toThrow()
    expect(() => parse(nested(JSON_DEPTH_MAX + 1))).toThrow(expect.objectContaining({ code: 'JSON_TOO_DEEP' }))
  })

  const members = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`
  const many = (count: number): string => `[${Array(count).fill(members(10)).join()}]`

  it.each([
    ['members of one object', members(JSON_MEMBERS_MAX + 1), ORDINARY],
    [
      'items of one list',
      `[${Array(JSON_MEMBERS_MAX + 1)
        .fill('[]')
        .join()}]`,
      ORDINARY,
    ],
    ['members of all objects', many(JSON_MEMBERS_MAX / 10), ORDINARY],
    ['members of one object of a bulk', `[1,${members(JSON_MEMBERS_MAX + 1)}]`, BULK],
    [
      'items of one list of a bulk',
      `[${Array(JSON_MEMBERS_MAX + 1)
        .fill('{}')
        .join()}]`,
      BULK,
    ],
    [
      'members of all objects of a bulk',
      `[${Array(JSON_MEMBERS_BULK_MAX / 10_000)
        .fill(members(10_000))
        .join()}]`,
      BULK,
    ],
  ])('refuses too many %s without parsing them', (_, text, limits) => {
    const parsed = vi.spyOn(JSON, 'parse')
    try {
      expect(() => parse(text, 'refuse', limits)).toThrow(expect.objectContaining({ code: 'JSON_TOO_MANY_MEMBERS' }))
      expect(parsed).not.toHaveBeenCalled()
    } finally {
      parsed.mockRestore()
    }
  })

  it('reads as many members as the limits allow, and commas and braces in texts do not count', () => {
    expect(Object.keys(parse(members(JSON_MEMBERS_MAX)) as object)).toHaveLength(JSON_MEMBERS_MAX)
    const list = `[${Array(JSON_MEMBERS_MAX).fill(1).join()}]`
    const lists = Math.floor(JSON_MEMBERS_BULK_MAX / JSON_MEMBERS_MAX) - 1
    expect(parse(`[${Array(lists).fill(list).join()}]`, 'refuse', BULK)).toHaveLength(lists)
    const text = JSON.stringify('{[,'.repeat(JSON_MEMBERS_MAX))
    expect(parse(text)).toBe(JSON.parse(text))
  })

  it('looks for a duplicate among the first members only: finding one costs more than parsing', () => {
    const behind = `[${Array(4).fill(members(10_000)).join()},{"a":1,"a":2}]`
    expect(() => parse(behind, 'refuse', BULK)).toThrow(
      expect.objectContaining({ code: 'JSON_INVALID', message: expect.stringContaining('appears twice') }),
    )
    expect(parse(behind, 'last-wins', BULK)).toHaveLength(5)
  })

  it.each(['{', '"', '"\\', '{"a":}', '\u{feff}{}', '{"a":1}x', "{'a':1}", 'NaN'])('refuses %j', (text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'JSON_INVALID' }))
  })

  it('makes members called `__proto__` members, and changes no prototype', () => {
    const value = parse('{"__proto__":{"polluted":true}}') as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('errors over HTTP', () => {
  const CONTRACT = [
    'INVALID_INPUT',
    'UNEXPECTED_ERROR',
    'NOT_FOUND',
    'DUPLICATE_ENTITY',
    'FORBIDDEN_ACCESS',
    'INVALID_PERMISSION_FORMAT',
    'CONCURRENT_OPERATION_DISALLOWED',
    'PAGINATION_SIZE_OVERREACHED',
    'UNAUTHORIZED',
    'MISMATCH_RESOURCE_INSTANCES_TENANTS',
    'MISMATCH_RELATION_TYPE',
    'MISSING_RESOURCE_ATTRIBUTE',
    'MISMATCH_ATTRIBUTES_TYPES',
  ]

  it.each(Object.keys(ERRORS) as ErrorCode[])('%s has a status, and an error_code of the closed list', (code) => {
    const problem = toProblem(new ZerohopError(code))
    expect(problem.status).toBe(STATUS_OF_CLASS[ERRORS[code].class].status)
    expect(CONTRACT).toContain(ERROR_CODE_OF[code] ?? problem.errorCode)
    const { status, body } = managementError(problem)
    expect(status).toBe(problem.status)
    expect(Object.keys(body as object)).toEqual(
      status === 422 ? ['detail'] : ['id', 'title', 'error_code', 'message', 'support_link', 'additional_info'],
    )
  })

  it('what nobody expected tells nothing of our insides', () => {
    for (const error of [
      new Error('secret path /var/x'),
      'text',
      undefined,
      new ZerohopError('DATA_READ_ONLY', { path: '/var/x' }),
    ]) {
      expect(JSON.stringify(managementError(toProblem(error)))).not.toContain('/var/x')
      expect(toProblem(error)).toMatchObject({ status: 500, message: 'unexpected error' })
    }
  })

  it('on a PDP a wrong key is 403 and a missing one 401, in `{detail}`', () => {
    expect(pdpError(toProblem(new ZerohopError('KEY_UNKNOWN')))).toEqual({
      status: 403,
      body: { detail: 'this API key is not known' },
    })
    expect(pdpError(toProblem(new ZerohopError('KEY_MISSING'))).status).toBe(401)
  })
})

describe('closing', () => {
  const agents: Agent[] = []
  afterEach(() => {
    for (const agent of agents.splice(0)) agent.destroy()
  })

  it('answers what it has begun, closes busy keep-alive connections with it, and ends', async () => {
    const app = httpApp({ errorForm: managementError, duplicates: 'refuse' })
    let begun = () => {}
    const started = new Promise<void>((resolve) => {
      begun = resolve
    })
    app.get('/slow', async () => {
      begun()
      await setTimeout(50)
      return { done: true }
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const agent = new Agent({ keepAlive: true })
    agents.push(agent)
    const sent = request({ port, host: '127.0.0.1', path: '/slow', agent })
    sent.end()
    await started
    const closed = app.close()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(200)
    expect(response.headers.connection).toBe('close')
    await closed
  })
})
