// What is logged about answers that went wrong: each defect with its stack, and "not now" once in a while, however many
// requests there are.
import { Writable } from 'node:stream'
import pino from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { ProblemLog } from '../../src/http/problem-log.ts'
import { Image } from '../../src/image/image.ts'
import { type ErrorCode, ZerohopError } from '../../src/model/errors.ts'
import { PROBLEM_LOG_MS } from '../../src/model/limits.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import { pdpServer } from '../../src/server.ts'
import { HELLO } from '../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'

const lines: Record<string, unknown>[] = []
const stream = new Writable({
  write(chunk, _, done) {
    lines.push(JSON.parse(String(chunk)))
    done()
  },
})
const pdp = loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save())
const app = pdpServer(pdp, 'key', { logger: pino(stream) })
afterAll(() => app.close())

const body = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })
const listLines = (code: string) => lines.filter((line) => line.code === code)

describe('the log of a PDP', () => {
  it('says that it cannot answer now, without a stack', async () => {
    const base = await app.listen({ host: '127.0.0.1', port: 0 })
    const headers = { authorization: 'Bearer key', 'content-type': 'application/json' }
    const ask = (path: string, more: object = {}) =>
      fetch(base + path, { method: 'POST', headers: { ...headers, ...more }, body }).then(({ status }) => status)
    expect(await ask('/allowed', { 'x-min-revision': '99', 'x-min-revision-timeout': '0' })).toBe(503)
    await pdp.close()
    for (const path of ['/allowed', '/user-permissions']) expect(await ask(path)).toBe(503)
    expect(listLines('REVISION_TIMEOUT')).toEqual([expect.objectContaining({ level: 40 })])
    expect(listLines('CLOSED')[0]).toMatchObject({ level: 40, msg: 'the PDP is closed' })
    for (const line of lines) expect(line).not.toHaveProperty('err')
  })

  it('says so once in a while for each reason, and then how often', () => {
    let now = 0
    const log = new ProblemLog(pino(stream), () => now)
    const write = (code: ErrorCode) => log.log(new ZerohopError(code), { status: 503, code, message: code }, 'id')
    lines.length = 0
    for (let times = 0; times < 100; times++) write('STALE')
    write('NOT_READY')
    now = PROBLEM_LOG_MS
    write('STALE')
    expect(lines.map(({ code, suppressed }) => [code, suppressed])).toEqual([
      ['STALE', undefined],
      ['NOT_READY', undefined],
      ['STALE', 99],
    ])
  })

  it('says each defect, with its stack', async () => {
    app.problems.log(new TypeError('a defect'), { status: 500, message: 'unexpected error' }, 'one')
    app.problems.log(new TypeError('a defect'), { status: 500, message: 'unexpected error' }, 'two')
    app.problems.log(new Error('wrong'), { status: 422, message: 'wrong' }, 'three')
    expect(lines.filter(({ level }) => level === 50).map(({ request_id }) => request_id)).toEqual(['one', 'two'])
    expect(lines.at(-1)).toMatchObject({ err: { stack: expect.stringContaining('a defect') } })
  })
})
