// [D9] What cannot be compared exactly is refused in attributes and context by every door of a PDP, whether a rule reads it
// or not. Asked of a listening server, so that the common check takes its own way.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../../src/image/image.ts'
import { loadImage } from '../../../src/pdp/pdp.ts'
import { pdpServer } from '../../../src/server.ts'
import { HELLO } from '../../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../../support/deltas.ts'

const KEY = 'the key of the environment'
let app: ReturnType<typeof pdpServer>
let url: string
beforeAll(async () => {
  app = pdpServer(loadImage(Image.build(ENVIRONMENT, makePosition(1), HELLO).save()), KEY)
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

async function ask(path: string, body: string) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body })
  const answer = (await response.json()) as ReturnType<typeof JSON.parse>
  return { status: response.status, place: answer.detail?.[0]?.loc, answer }
}

const NUMBERS = ['1e400', '-1e+400', `1${'0'.repeat(309)}`, `1${'0'.repeat(250)}e99`, '10E308']
const TEXTS = ['"\\ud800"', '"x\\uDFFFy"', '"\\udc00\\ud800"']
const EXACT = ['1e308', '"\\ud83d\\ude00"', '"1e400"', '0.000001e-400', `"${'9'.repeat(400)}"`]
const check = (attributes: string, context = '{}') =>
  `{"user":{"key":"ana","attributes":${attributes}},"action":"say","resource":{"type":"hello"},"context":${context}}`

describe('[D9] an attribute that no rule reads', () => {
  it.each([...NUMBERS, ...TEXTS])('is refused when it is %s', async (value) => {
    const inUser = { status: 422, place: ['body', 'user', 'attributes', 'x'] }
    expect(await ask('/allowed', check(`{"x":${value}}`))).toMatchObject(inUser)
    const nested = await ask('/allowed', check('{}', `{"a":[{"b":${value}}]}`))
    expect(nested).toMatchObject({ status: 422, place: ['body', 'context', 'a', 0, 'b'] })
    const second = `[${check('{}')},${check(`{"x":${value}}`)}]`
    expect(await ask('/allowed/bulk', second)).toMatchObject({
      status: 422,
      place: ['body', 1, ...inUser.place.slice(1)],
    })
    const listed = `{"user":{"key":"ana","attributes":{"x":${value}}}}`
    for (const path of ['/user-permissions', '/user-tenants']) expect((await ask(path, listed)).status, path).toBe(422)
    expect((await ask('/v1/data/permit/root', `{"input":${check(`{"x":${value}}`)}}`)).status).not.toBe(200)
  })

  it.each(EXACT)('counts as always when it is %s', async (value) => {
    expect(await ask('/allowed', check(`{"x":${value}}`))).toMatchObject({ status: 200, answer: { allow: true } })
  })

  it('is refused by its name, too', async () => {
    const place = ['body', 'user', 'attributes']
    expect(await ask('/allowed', check('{"\\ud800":1}'))).toMatchObject({ status: 422, place })
  })
})

it('[D9] a key with half of a surrogate pair is unknown', async () => {
  const body = check('{}').replace('"ana"', '"\\ud800"')
  expect(await ask('/allowed', body)).toMatchObject({ status: 200, answer: { allow: false } })
})
