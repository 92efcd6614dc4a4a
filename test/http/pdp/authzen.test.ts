// OpenID AuthZEN 1.0 over real HTTP. Test names carry the number of the rule of the interface that they show: A1 … A12.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../../src/image/image.ts'
import type { PolicyChange } from '../../../src/log/delta.ts'
import { BULK_CHECKS_MAX } from '../../../src/model/limits.ts'
import { loadImage } from '../../../src/pdp/pdp.ts'
import { pdpServer } from '../../../src/server.ts'
import { give, putRole, putTenant } from '../../pdp/policies.ts'
import { ENVIRONMENT, positionOf } from '../../support/deltas.ts'

const KEY = 'the key of the environment'
const EVALUATION = '/access/v1/evaluation'
const EVALUATIONS = '/access/v1/evaluations'

const set = (
  key: string,
  type: 'userset' | 'resourceset',
  resource: string | null,
  conditions: object,
): PolicyChange => ({
  op: 'put',
  kind: 'condition_set',
  key,
  value: { type, resource, conditions: conditions as never, parent: null },
})
const rule = (user: string, permission: string, resource: string): PolicyChange => ({
  op: 'put',
  kind: 'set_rule',
  key: `${user}/${permission}/${resource}`,
  value: { user_set: user, permission, resource_set: resource },
})
const putDocument = (key: string, tenant: string, attributes: Record<string, never | string>): PolicyChange => ({
  op: 'put',
  kind: 'resource_instance',
  key: `document:${key}`,
  value: { tenant, attributes },
})

/** ana reads every document of `default` by role; who is in a document's department edits it, unless the action is a dry run. */
const POLICY: readonly PolicyChange[] = [
  {
    op: 'put',
    kind: 'resource',
    key: 'document',
    value: { actions: ['read', 'edit', 'shred'], attributes: { department: 'string', due: 'time' } },
  },
  putRole('reader', ['document:read']),
  ...['default', 'acme'].map(putTenant),
  { op: 'put', kind: 'user', key: 'ana', value: { attributes: { department: 'sales' } } },
  { op: 'put', kind: 'user', key: 'ben', value: { attributes: { department: 'legal' } } },
  { op: 'put', kind: 'user', key: 'repos/own{er}', value: {} },
  give('ana', 'reader'),
  give('repos/own{er}', 'reader'),
  putDocument('plan', 'default', { department: 'sales', due: '2025-06-27T00:00Z' }),
  putDocument('law', 'acme', { department: 'legal', due: '2025-06-28T00:00Z' }),
  putDocument('note', 'default', { department: 'legal', due: '2025-06-29T00:00Z' }),
  set('anybody', 'userset', null, {
    allOf: [
      { 'user.department': { equals: { ref: 'resource.department' } } },
      { not: { 'action.dry': { equals: true } } },
    ],
  }),
  set('documents', 'resourceset', 'document', {
    allOf: [{ 'resource.department': { 'not-equals': 'nowhere' } }],
  }),
  rule('anybody', 'document:edit', 'documents'),
  set('late', 'resourceset', 'document', {
    allOf: [{ 'resource.due': { 'less-than': { ref: 'context.time' } } }],
  }),
  set('lawyers', 'userset', null, { allOf: [{ 'user.department': { equals: 'legal' } }] }),
  rule('lawyers', 'document:shred', 'late'),
]

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
  readonly body: any
}

let app: ReturnType<typeof pdpServer>
let base = ''

beforeAll(async () => {
  const image = Image.build(ENVIRONMENT, positionOf(7), POLICY)
  app = pdpServer(loadImage(image.save()), KEY, { authzen: { publicUrl: 'https://pdp.example.com/' } })
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

async function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const all = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers }
  const response = await fetch(base + path, { method: 'POST', headers: all, body: payload })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

const user = (id: string, properties?: object) => ({ type: 'user', id, ...(properties ? { properties } : {}) })
const action = (name: string, properties?: object) => ({ name, ...(properties ? { properties } : {}) })
const document = (id: string, properties?: object) => ({ type: 'document', id, ...(properties ? { properties } : {}) })
const ask = (subject: object, does: object, resource: object, context?: object) => ({
  subject,
  action: does,
  resource,
  ...(context ? { context } : {}),
})
const decisions = (answer: Answer): boolean[] =>
  answer.body.evaluations.map(({ decision }: { decision: boolean }) => decision)

describe('POST /access/v1/evaluation', () => {
  it('[A11] [A12] answers a decision and nothing else, with the revision that decided it', async () => {
    const allowed = await send(EVALUATION, ask(user('ana'), action('read'), document('plan')))
    expect([allowed.status, allowed.text]).toEqual([200, '{"decision":true}'])
    expect([allowed.headers.get('x-revision'), allowed.headers.get('content-type')]).toEqual(['7', 'application/json'])
    const denied = await send(EVALUATION, ask(user('ben'), action('read'), document('plan')))
    expect([denied.status, denied.text]).toEqual([200, '{"decision":false}'])
  })

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
    const body = ask(user('ana'), action('read'), document('plan'))
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
      const { status, text } = await send(EVALUATION, body, { 'content-type': type })
      expect([status, text], type).toEqual([400, 'the content type must be `application/json`'])
    }
    for (const text of ['{"subject":', '', 'null', '"ana"']) {
      const answer = await send(EVALUATION, text)
      expect([answer.status, answer.headers.get('content-type')], text).toEqual([400, 'text/plain; charset=utf-8'])
    }
    const charset = await send(EVALUATION, body, { 'content-type': 'application/json; charset=utf-8' })
    expect(charset.body).toEqual({ decision: true })
  })

  it('refuses a member that occurs twice, as the management API does', async () => {
    const twice =
      '{"subject":{"type":"user","id":"ben","id":"ana"},"action":{"name":"read"},"resource":{"type":"document","id":"plan"}}'
    const { status, text } = await send(EVALUATION, twice)
    expect([status, text]).toEqual([422, expect.stringContaining('`id`')])
  })

  it('[A2] answers 401 without a key and 403 to a wrong one, as text', async () => {
    const body = ask(user('ana'), action('read'), document('plan'))
    const none = await send(EVALUATION, body, { authorization: '' })
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const wrong = await send(EVALUATION, body, { authorization: 'Bearer other' })
    expect(wrong.status).toBe(403)
    for (const { headers, text } of [none, wrong]) {
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(text).toMatch(/^[^{}\n]+$/)
    }
  })

  it('[A11] ignores what it does not know, and echoes a request id exactly as it was sent', async () => {
    const body = { ...ask({ ...user('ana'), extra: 1 }, action('read'), document('plan')), other: [1], options: 5 }
    for (const id of ['bfe9eb29-ab87-4ca3-be83-a1d5d8305716', 'with space and "quotes"', 'x'.repeat(500)]) {
      const { body: answer, headers } = await send(EVALUATION, body, { 'x-request-id': id })
      expect([answer, headers.get('x-request-id')]).toEqual([{ decision: true }, id])
    }
  })

  it('takes any text as an id: slashes, braces, names of JavaScript', async () => {
    const own = await send(EVALUATION, ask(user('repos/own{er}'), action('read'), document('a/b:{c}')))
    expect(own.body).toEqual({ decision: true })
    for (const id of ['__proto__', 'constructor', '', '\ud800', '{', '/'.repeat(2000)]) {
      expect((await send(EVALUATION, ask(user(id), action('read'), document('plan')))).body, id).toEqual({
        decision: false,
      })
      expect((await send(EVALUATION, ask(user('ana'), action(id), document('plan')))).body, id).toEqual({
        decision: false,
      })
    }
  })

  it('knows users alone: a subject of another type is unknown, even under the id of a user', async () => {
    const asked = (type: string) => send(EVALUATION, ask({ type, id: 'ana' }, action('read'), document('plan')))
    expect((await asked('identity')).body).toEqual({ decision: true })
    expect((await asked('service')).body).toEqual({ decision: false })
  })

  it('[A6] lets sent properties complete and override stored attributes, and takes the stored ones when none are sent', async () => {
    const asked = async (subject: object, does: object, resource: object) =>
      (await send(EVALUATION, ask(subject, does, resource))).body.decision
    expect(await asked(user('ana'), action('edit'), document('plan'))).toBe(true)
    expect(await asked(user('ana'), action('edit'), document('note'))).toBe(false)
    expect(await asked(user('ana', { department: 'legal' }), action('edit'), document('note'))).toBe(true)
    expect(await asked(user('ana'), action('edit'), document('note', { department: 'sales' }))).toBe(true)
    expect(await asked(user('ana', { other: 1 }), action('edit'), document('plan', { other: 2 }))).toBe(true)
    expect(await asked(user('ana'), action('edit'), document('nowhere stored', { department: 'sales' }))).toBe(true)
  })

  it('reads the properties of the action', async () => {
    const asked = (dry: boolean) => send(EVALUATION, ask(user('ana'), action('edit', { dry }), document('plan')))
    expect([(await asked(true)).body, (await asked(false)).body]).toEqual([{ decision: false }, { decision: true }])
  })

  it('[D2] decides in the tenant sent, else in that of the stored instance, else in `default`', async () => {
    const asked = async (resource: object) =>
      (await send(EVALUATION, ask(user('ana'), action('read'), resource))).body.decision
    expect(await asked(document('plan', { tenant: 'default' }))).toBe(true)
    expect(await asked(document('plan', { tenant: 'acme' }))).toBe(false)
    expect(await asked(document('law'))).toBe(false)
    expect(await asked(document('law', { tenant: 'default' }))).toBe(true)
    expect(await asked(document('nowhere stored'))).toBe(true)
  })

  it('[A7] reads a time without seconds, and is not moved by context that no rule reads', async () => {
    const asked = async (context: object) =>
      (await send(EVALUATION, ask(user('ben'), action('shred'), document('note'), context))).body.decision
    expect(await asked({ time: '2025-06-29T18:03-07:00' })).toBe(true)
    expect(await asked({ time: '2025-06-28T16:59-07:00' })).toBe(false)
    expect(await asked({ time: 'yesterday' })).toBe(false)
    for (const context of [
      {},
      { whatever: { deep: [1, null] } },
      { time: '2025-06-27T18:03-07:00' },
      { now: 'never' },
    ]) {
      const { body } = await send(EVALUATION, ask(user('ana'), action('read'), document('plan'), context))
      expect(body).toEqual({ decision: true })
    }
  })
})

describe('POST /access/v1/evaluations', () => {
  const reads = (...ids: string[]) => ids.map((id) => ({ resource: document(id) }))
  const ana = { subject: user('ana'), action: action('read') }

  it('answers every item in its order, at one revision', async () => {
    const answer = await send(EVALUATIONS, { ...ana, evaluations: reads('plan', 'law', 'note') })
    expect([answer.status, answer.headers.get('x-revision')]).toEqual([200, '7'])
    expect(answer.text).toBe('{"evaluations":[{"decision":true},{"decision":false},{"decision":true}]}')
  })

  it('ends with the item that settles it under the two short semantics', async () => {
    const asked = async (evaluations_semantic: string) =>
      decisions(
        await send(EVALUATIONS, {
          ...ana,
          evaluations: reads('plan', 'law', 'note'),
          options: { evaluations_semantic },
        }),
      )
    expect(await asked('execute_all')).toEqual([true, false, true])
    expect(await asked('deny_on_first_deny')).toEqual([true, false])
    expect(await asked('permit_on_first_permit')).toEqual([true])
    const wrong = await send(EVALUATIONS, {
      ...ana,
      evaluations: reads('plan'),
      options: { evaluations_semantic: 'all' },
    })
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('evaluations_semantic must be one of')])
  })

  it('[A3] answers an item that lacks or spoils a member with a deny and the reason', async () => {
    const items = [
      { resource: document('plan') },
      {},
      { resource: 'plan' },
      5,
      null,
      { action: {}, resource: document('plan') },
    ]
    const { status, body } = await send(EVALUATIONS, { ...ana, evaluations: items })
    expect(status).toBe(200)
    expect(body.evaluations[0]).toEqual({ decision: true })
    expect(body.evaluations.slice(1)).toEqual(
      [
        'resource is missing',
        'resource must be an object',
        'an evaluation must be an object',
        'an evaluation must be an object',
        'action.name is missing',
      ].map((message) => ({ decision: false, context: { error: { status: 400, message } } })),
    )
    const short = { evaluations_semantic: 'deny_on_first_deny' }
    expect(decisions(await send(EVALUATIONS, { ...ana, evaluations: items, options: short }))).toEqual([true, false])
  })

  it('[A4] answers like one evaluation when there are no items', async () => {
    for (const evaluations of [undefined, null, []]) {
      const { status, body } = await send(EVALUATIONS, { ...ana, resource: document('plan'), evaluations })
      expect([status, body]).toEqual([200, { decision: true }])
    }
    const { status, text } = await send(EVALUATIONS, { ...ana, evaluations: [] })
    expect([status, text]).toEqual([400, 'resource is missing'])
  })

  it('[A5] replaces a default as a whole, never in parts', async () => {
    const body = {
      subject: user('ana', { department: 'legal' }),
      action: action('edit'),
      resource: document('note', { department: 'sales' }),
      context: { a: 1 },
      evaluations: [
        {},
        { subject: user('ana') },
        { resource: document('note') },
        { subject: user('ben'), resource: document('note') },
      ],
    }
    expect(decisions(await send(EVALUATIONS, body))).toEqual([false, true, true, true])
  })

  it('refuses defaults of a wrong type, items that are no list, and too many of them', async () => {
    for (const wrong of [{ subject: 'ana' }, { action: [] }, { resource: 1 }, { context: 'x' }, { options: 1 }]) {
      expect((await send(EVALUATIONS, { ...ana, evaluations: reads('plan'), ...wrong })).status).toBe(400)
    }
    expect((await send(EVALUATIONS, { ...ana, evaluations: {} })).status).toBe(400)
    const many = { ...ana, resource: document('plan'), evaluations: Array(BULK_CHECKS_MAX + 1).fill({}) }
    const { status, text } = await send(EVALUATIONS, many)
    expect([status, text]).toEqual([400, expect.stringContaining(String(BULK_CHECKS_MAX))])
  })
})

describe('POST /access/v1/search', () => {
  const subjects = (resource: object, does = action('read'), rest: object = {}) =>
    send('/access/v1/search/subject', { subject: { type: 'user' }, action: does, resource, ...rest })
  const resources = (subject: object, does = action('read'), rest: object = {}) =>
    send('/access/v1/search/resource', { subject, action: does, resource: { type: 'document' }, ...rest })
  const actions = (subject: object, resource: object, rest: object = {}) =>
    send('/access/v1/search/action', { subject, resource, ...rest })

  it('finds exactly those whom an evaluation allows, as `type` and `id` alone', async () => {
    expect((await subjects(document('plan'))).text).toBe(
      '{"results":[{"type":"user","id":"ana"},{"type":"user","id":"repos/own{er}"}]}',
    )
    expect((await subjects(document('note'), action('edit'))).body).toEqual({ results: [user('ben')] })
    expect((await resources(user('ana'))).body).toEqual({ results: [document('note'), document('plan')] })
    expect((await resources(user('ben'), action('edit'))).body).toEqual({
      results: [document('law'), document('note')],
    })
    expect((await actions(user('ana'), document('plan'))).text).toBe('{"results":[{"name":"edit"},{"name":"read"}]}')
  })

  it('uses the properties and the context that are sent', async () => {
    const time = { context: { time: '2025-06-28T12:00Z' } }
    expect((await resources(user('ben'), action('shred'), time)).body).toEqual({
      results: [document('law'), document('plan')],
    })
    expect((await resources(user('ana', { department: 'legal' }), action('edit'))).body.results).toHaveLength(2)
    expect((await actions(user('ben'), document('law'), time)).body).toEqual({
      results: [{ name: 'edit' }, { name: 'shred' }],
    })
  })

  it('[A8] ignores the id of what is searched for', async () => {
    const subject = { type: 'user', id: 'ben' }
    expect((await subjects(document('plan'), action('read'), { subject })).body.results).toHaveLength(2)
    const resource = { type: 'document', id: 'law' }
    expect((await resources(user('ana'), action('read'), { resource })).body.results).toHaveLength(2)
  })

  it('[A8] answers an empty list for what is unknown', async () => {
    const none = [
      await resources(user('nobody')),
      await resources({ type: 'service', id: 'ana' }),
      await resources(user('ana'), action('fly')),
      await resources(user('ana'), action('read'), { resource: { type: 'spoon' } }),
      await subjects({ type: 'spoon', id: '1' }),
      await subjects(document('plan'), action('read'), { subject: { type: 'service' } }),
      await actions(user('nobody'), document('plan')),
      await actions(user('ana'), { type: 'spoon', id: '1' }),
    ]
    for (const { status, text } of none) expect([status, text]).toEqual([200, '{"results":[]}'])
  })

  it('[A8] answers 400 to an input entity without its id, and to a missing entity', async () => {
    const wrong = [
      await subjects({ type: 'document' }),
      await resources({ type: 'user' }),
      await actions({ type: 'user' }, document('plan')),
      await actions(user('ana'), { type: 'document' }),
      await send('/access/v1/search/subject', { action: action('read'), resource: document('plan') }),
      await send('/access/v1/search/resource', { subject: user('ana'), action: action('read') }),
      await send('/access/v1/search/resource', { subject: user('ana'), resource: { type: 'document' } }),
      await send('/access/v1/search/action', { subject: user('ana') }),
    ]
    for (const { status, headers } of wrong)
      expect([status, headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8'])
  })

  it('[A9] gives the rest by tokens, until the token is empty', async () => {
    const first = await resources(user('ana'), action('read'), { page: { limit: 1 } })
    expect(first.body).toEqual({ results: [document('note')], page: { next_token: expect.stringMatching(/^[\w-]+$/) } })
    const token = first.body.page.next_token
    const second = await resources(user('ana'), action('read'), { page: { token } })
    expect(second.body).toEqual({ results: [document('plan')], page: { next_token: '' } })
    const same = await resources(user('ana'), action('read'), { page: { token, limit: 1 } })
    expect(same.body).toEqual(second.body)
    const names = await actions(user('ana'), document('plan'), { page: { limit: 1 } })
    const rest = await actions(user('ana'), document('plan'), { page: { token: names.body.page.next_token } })
    expect([names.body.results, rest.body]).toEqual([
      [{ name: 'edit' }],
      { results: [{ name: 'read' }], page: { next_token: '' } },
    ])
    const all = await subjects(document('plan'), action('read'), { page: { limit: 100_000 } })
    expect([all.body.results.length, all.body.page]).toEqual([2, { next_token: '' }])
  })

  it('[A9] refuses a token with another question, another limit, or of nobody', async () => {
    const { next_token: token } = (await resources(user('ana'), action('read'), { page: { limit: 1 } })).body.page
    const wrong = [
      await resources(user('ben'), action('read'), { page: { token } }),
      await resources(user('ana'), action('edit'), { page: { token } }),
      await resources(user('ana'), action('read'), { page: { token }, context: { a: 1 } }),
      await resources(user('ana'), action('read'), { page: { token, limit: 2 } }),
      await subjects(document('plan'), action('read'), { page: { token } }),
    ]
    for (const { status } of wrong) expect(status).toBe(400)
    for (const page of [
      { token: 'x' },
      { token: 5 },
      { limit: 0 },
      { limit: 1.5 },
      { limit: '1' },
      'next',
      { token: 'A'.repeat(9000) },
    ]) {
      expect((await resources(user('ana'), action('read'), { page })).status, JSON.stringify(page)).toBe(400)
    }
  })
})

describe('GET /.well-known/authzen-configuration', () => {
  it('[A10] names the configured address, whatever the Host header says, to everybody', async () => {
    const response = await app.inject({ url: '/.well-known/authzen-configuration', headers: { host: 'evil.example' } })
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json'])
    expect(response.json()).toEqual({
      policy_decision_point: 'https://pdp.example.com',
      access_evaluation_endpoint: 'https://pdp.example.com/access/v1/evaluation',
      access_evaluations_endpoint: 'https://pdp.example.com/access/v1/evaluations',
      search_subject_endpoint: 'https://pdp.example.com/access/v1/search/subject',
      search_resource_endpoint: 'https://pdp.example.com/access/v1/search/resource',
      search_action_endpoint: 'https://pdp.example.com/access/v1/search/action',
      capabilities: [],
    })
  })

  it('[A10] names the address that it listens on when none is configured', async () => {
    const plain = pdpServer(loadImage(Image.build(ENVIRONMENT, positionOf(1), POLICY).save()), KEY)
    const own = await plain.listen({ port: 0, host: '127.0.0.1' })
    const response = await fetch(`${own}/.well-known/authzen-configuration`)
    expect(await response.json()).toMatchObject({
      policy_decision_point: own,
      access_evaluation_endpoint: `${own}${EVALUATION}`,
    })
    await plain.close()
  })
})
