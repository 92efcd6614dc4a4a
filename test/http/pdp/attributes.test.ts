// Attributes and the time of a question over HTTP: strict types (PDP_STRICT_ATTRIBUTES), the time that was sent
// (PDP_ACCEPT_NOW), what is counted, and hostile values. Asked of a listening server, so that the common check takes
// its own way.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../../src/image/image.ts'
import { ATTRIBUTES_BYTES_MAX } from '../../../src/model/limits.ts'
import type { JsonObject } from '../../../src/model/objects.ts'
import { loadImage } from '../../../src/pdp/pdp.ts'
import { pdpServer } from '../../../src/server.ts'
import { ENVIRONMENT, makePosition } from '../../support/deltas.ts'
import { type Operation, World } from '../../support/world.ts'

const KEY = 'the key of the environment'
/** Far enough in the future for the clock of this machine. */
const BEN_UNTIL = Date.UTC(2190, 0, 1)
const POLICY: Operation[] = [
  [
    'put',
    'resource',
    { key: 'doc', actions: ['level', 'not', 'early', 'free', 'read'], attributes: { cost: 'number' } },
  ],
  ['put', 'resource', { key: '__user', actions: [], attributes: { level: 'number', since: 'time' } }],
  ['put', 'user', { key: 'ana' }],
  ['put', 'role', { key: 'reader', permissions: ['doc:free'] }],
  ['put', 'role_assignment', { user: 'ana', role: 'reader', tenant: 'default' }],
  ['put', 'user', { key: 'ben' }],
  ['put', 'role', { key: 'guest', permissions: ['doc:read'] }],
  ['put', 'role_assignment', { user: 'ben', role: 'guest', tenant: 'default', valid_until: BEN_UNTIL }],
  ...Object.entries<JsonObject>({
    level: { 'user.level': { 'greater-than': 3 } },
    not: { not: { 'user.level': { equals: 5 } } },
    early: { 'context.now': { 'less-than': '2020-01-01' } },
  }).flatMap(([key, conditions]): Operation[] => [
    ['put', 'condition_set', { key, type: 'userset', conditions }],
    ['put', 'set_rule', { user_set: key, permission: `doc:${key}`, resource_set: 'doc' }],
  ]),
]

type Options = { strictAttributes?: boolean; acceptNow?: boolean; debug?: boolean }
async function start({ strictAttributes = false, ...options }: Options) {
  const world = new World()
  world.runAll(POLICY)
  const image = Image.build(ENVIRONMENT, makePosition(1), world.contents())
  const app = pdpServer(loadImage(image.save(), { strictAttributes }), KEY, options)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const send = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: text })
    return { status: response.status, body: (await response.json()) as ReturnType<typeof JSON.parse> }
  }
  const metric = async () => {
    const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } })).text()
    return Number(/^zerohop_ill_typed_attributes_total (\d+)$/m.exec(text)?.[1])
  }
  return { app, send, metric }
}
const ask = (action: string, attributes: unknown, context: object = {}, ofResource: object = {}) => ({
  user: { key: 'ana', attributes },
  action,
  resource: { type: 'doc', attributes: ofResource },
  context,
})

describe('a PDP with default settings', () => {
  let pdp: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    pdp = await start({})
  })
  afterAll(() => pdp.app.close())
  const allowed = async (body: unknown) => (await pdp.send('/allowed', body)).body.allow

  it('[D7] does not see an attribute of another type than the declared one, and counts it', async () => {
    expect([await allowed(ask('level', { level: 4 })), await pdp.metric()]).toEqual([true, 0])
    expect([await allowed(ask('level', { level: '4' })), await allowed(ask('not', { level: '5' }))]).toEqual([
      false,
      true,
    ])
    expect(await pdp.metric()).toBeGreaterThanOrEqual(2)
  })

  it('[D8] sets the time of a question itself, whatever was sent', async () => {
    for (const now of [0, '1999-01-01', null]) expect(await allowed(ask('early', {}, { now }))).toBe(false)
    const { body } = await pdp.send('/allowed/bulk', [ask('early', {}, { now: 0 })])
    expect(body.allow[0].allow).toBe(false)
  })

  it('answers hostile values with a decision or a 422, in one form', async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x${index}`, index]))
    const sent = (attributes: string) =>
      `{"user":{"key":"ana","attributes":${attributes}},"action":"level","resource":{"type":"doc"}}`
    const cases: [string, string, number, boolean?][] = [
      ['10,000 attributes beside the one that counts', JSON.stringify({ ...many, level: 4 }), 200, true],
      ['a text of half a megabyte that nobody reads', `{"text":"${'x'.repeat(500_000)}","level":4}`, 200, true],
      ['a text of half a megabyte in its place', `{"level":"${'x'.repeat(500_000)}"}`, 200, false],
      [
        'more values than fit in their place',
        `{"level":["${'x'.repeat(30)}"${`,"${'x'.repeat(30)}"`.repeat(29_000)}]}`,
        503,
      ],
      ['more values than a body may have', `{"level":[${'1,'.repeat(60_000)}1]}`, 422],
      ['deep nesting in its place', `{"level":${deep(31)}}`, 422],
      ['deep nesting beyond what JSON may have', `{"x":${deep(200)}}`, 422],
      ['`__proto__` as a name', '{"__proto__":{"level":4}}', 200, false],
      ['`constructor` as a name', '{"constructor":{"prototype":{"level":4}}}', 200, false],
      ['half a surrogate pair in its place', '{"level":"\\ud800"}', 422],
      ['half a surrogate pair that nobody reads', '{"x":"\\ud800","level":4}', 422],
      ['a number beyond all doubles', '{"level":1e999}', 422],
      ['null', '{"level":null}', 200, false],
      ['a second member of one name', '{"level":1,"level":4}', 200, true],
    ]
    for (const [what, attributes, status, allow] of cases) {
      const answer = await pdp.send('/allowed', sent(attributes))
      expect([what, answer.status, answer.body.allow]).toEqual([what, status, allow])
      if (status === 422)
        expect(answer.body.detail[0], what).toMatchObject({ msg: expect.any(String), loc: expect.any(Array) })
    }
    expect(ATTRIBUTES_BYTES_MAX).toBeLessThan(500_000)
    expect(await allowed(ask('level', { level: 4 }))).toBe(true)
  })
})

describe('a strict PDP', () => {
  let pdp: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    pdp = await start({ strictAttributes: true })
  })
  afterAll(() => pdp.app.close())

  it('[D7] refuses attributes of another type than the declared one, whether they are read or not', async () => {
    const odd: [object, object, (string | number)[]][] = [
      [{ level: '4' }, {}, ['user', 'attributes', 'level']],
      [{ since: 'soon' }, {}, ['user', 'attributes', 'since']],
      [{}, { cost: 'much' }, ['resource', 'attributes', 'cost']],
    ]
    for (const action of ['level', 'free', 'nothing']) {
      for (const [ofUser, ofResource, loc] of odd) {
        const answer = await pdp.send('/allowed', ask(action, ofUser, {}, ofResource))
        expect([action, answer.status, answer.body.detail?.[0]?.loc]).toEqual([action, 422, loc])
        const bulk = await pdp.send('/allowed/bulk', [ask('free', {}), ask(action, ofUser, {}, ofResource)])
        expect(bulk.status).toBe(422)
      }
    }
  })

  it('takes what is of its type, what is not declared, and null', async () => {
    const fine = { level: 4, since: '2026-11-20', other: [{}] }
    expect((await pdp.send('/allowed', ask('level', fine, {}, { cost: 1 }))).body.allow).toBe(true)
    expect((await pdp.send('/allowed', ask('free', { level: null }))).body.allow).toBe(true)
    expect((await pdp.send('/user-permissions', { user: { key: 'ana' } })).status).toBe(200)
  })
})

describe('a PDP that accepts the time that is sent', () => {
  it('[D8] keeps it, and sets its own when none is sent', async () => {
    const pdp = await start({ acceptNow: true })
    const allow = async (context: object) => (await pdp.send('/allowed', ask('early', {}, context))).body.allow
    expect([await allow({ now: 0 }), await allow({ now: '2019-12-31' })]).toEqual([true, true])
    expect([await allow({}), await allow({ now: null }), await allow({ now: '2020-01-01' })]).toEqual([
      false,
      false,
      false,
    ])
    await pdp.app.close()
    const debugging = await start({ acceptNow: true, debug: true })
    expect((await debugging.send('/allowed', ask('early', {}, { now: 0 }))).body.debug.abac.allow).toBe(true)
    await debugging.app.close()
  })

  it('[D15] asks the whole question at it, each of a bulk at its own, and refuses what is not an instant', async () => {
    const pdp = await start({ acceptNow: true })
    const read = (now: unknown) => ({
      user: { key: 'ben' },
      action: 'read',
      resource: { type: 'doc' },
      context: { now },
    })
    const times: unknown[] = [BEN_UNTIL - 1, BEN_UNTIL, new Date(BEN_UNTIL - 1).toISOString(), '2200-01-01']
    const right = [true, false, true, false]
    for (const [at, now] of times.entries())
      expect((await pdp.send('/allowed', read(now))).body.allow, `${now}`).toBe(right[at])
    const bulk = await pdp.send('/allowed/bulk', times.map(read))
    expect(bulk.body.allow.map(({ allow }: { allow: boolean }) => allow)).toEqual(right)
    const listed = async (now: unknown) =>
      (await pdp.send('/user-permissions', { user: { key: 'ben' }, context: { now } })).body['__tenant:default']?.roles
    expect([await listed(BEN_UNTIL - 1), await listed(BEN_UNTIL)]).toEqual([['guest'], []])
    for (const now of ['soon', '2026-13-01', true, {}]) {
      for (const path of ['/allowed', '/user-permissions']) {
        const { status, body } = await pdp.send(path, read(now))
        expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('not an instant')])
      }
    }
    await pdp.app.close()
  })

  it('[D15] which no other PDP does', async () => {
    const pdp = await start({})
    for (const now of [BEN_UNTIL, '2200-01-01', 'soon']) {
      const { body } = await pdp.send('/allowed', {
        user: { key: 'ben' },
        action: 'read',
        resource: { type: 'doc' },
        context: { now },
      })
      expect(body.allow).toBe(true)
    }
    await pdp.app.close()
  })
})
