// POST /access/v1/search/{subject,resource,action}: exactly those whom an evaluation allows.
import { describe, expect, it } from 'vitest'
import { pdpServer } from '../../../../src/server.ts'
import { give, putRole } from '../../../pdp/policies.ts'
import {
  action,
  actions,
  document,
  imageOfPolicy,
  KEY,
  POLICY,
  resources,
  send,
  servePolicy,
  subjects,
  user,
} from './policy.ts'

servePolicy()

describe('POST /access/v1/search', () => {
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

  it('[A8] names once whom several ways allow', async () => {
    const twice = await subjects(document('plan', { department: 'sales' }), action('edit'))
    expect(twice.body).toEqual({ results: [user('ana')] })
    const both = imageOfPolicy(8, [
      ...POLICY,
      putRole('author', ['document:edit', 'document:read']),
      give('ana', 'author'),
    ])
    const app = pdpServer(both, KEY)
    const ask = async (path: string, payload: object) =>
      (await app.inject({ method: 'POST', url: path, headers: { authorization: `Bearer ${KEY}` }, payload })).json()
    const [subject, does, resource] = [user('ana'), action('edit'), document('plan')]
    expect(await ask('/access/v1/search/subject', { subject: { type: 'user' }, action: does, resource })).toEqual({
      results: [user('ana')],
    })
    expect(await ask('/access/v1/search/resource', { subject, action: does, resource: { type: 'document' } })).toEqual({
      results: [document('note'), document('plan')],
    })
    expect(await ask('/access/v1/search/action', { subject, resource })).toEqual({
      results: [{ name: 'edit' }, { name: 'read' }],
    })
    await app.close()
  })

  it('[D13] fails as a whole when one question cannot be decided', async () => {
    const asked = await resources(user('ben', { department: 'x'.repeat(600_000) }), action('edit'))
    expect([asked.status, asked.text]).toEqual([503, expect.stringMatching(/^could not decide about /)])
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
})

describe('a search in pages', () => {
  it('[A9] gives the rest by tokens, until the token is empty', async () => {
    const first = await resources(user('ana'), action('read'), { page: { limit: 1 } })
    expect(first.body).toEqual({ results: [document('note')], page: { next_token: expect.stringMatching(/^[\w-]+$/) } })
    expect(first.text).toMatch(/^\{"page":/) // so that a reader knows of further pages before it has read this one
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
      { limit: -1 },
      { limit: 1.5 },
      { limit: '1' },
      'next',
      { token: 'A'.repeat(9000) },
    ]) {
      expect((await resources(user('ana'), action('read'), { page })).status, JSON.stringify(page)).toBe(400)
    }
  })

  it('[A9] refuses a token with another member of `page`, and takes it with the same ones or none', async () => {
    const page = { limit: 1, properties: { sort: ['a', { by: 1 }] }, x: null }
    const { next_token: token } = (await resources(user('ana'), action('read'), { page })).body.page
    const next = async (more: object) =>
      (await resources(user('ana'), action('read'), { page: { token, ...more } })).status
    for (const same of [{}, { limit: 1 }, page, { properties: page.properties }, { properties: null }])
      expect(await next(same), JSON.stringify(same)).toBe(200)
    for (const other of [
      { limit: 2 },
      { limit: 0 },
      { properties: { sort: ['b'] } },
      { properties: {} },
      { ...page, x: 1 },
      { sort: 'a' },
    ])
      expect(await next(other), JSON.stringify(other)).toBe(400)
    const large = (await resources(user('ana'), action('read'), { page: { limit: 0 } })).body.page.next_token
    const grown = await resources(user('ana'), action('read'), { page: { token: large, limit: 1 } })
    expect(grown.status).toBe(400)
  })

  it('[A9] a page of no result says whether there is any, and the next one begins at the same place', async () => {
    const none = { page: { limit: 0 } }
    for (const search of [
      (rest: object) => subjects(document('plan'), action('read'), rest),
      (rest: object) => resources(user('ana'), action('read'), rest),
      (rest: object) => actions(user('ana'), document('plan'), rest),
    ]) {
      const { status, body } = await search(none)
      const { next_token: token } = body.page
      expect([status, body]).toEqual([200, { page: { next_token: expect.stringMatching(/^[\w-]+$/) }, results: [] }])
      expect((await search({ page: { token } })).body).toEqual(body)
    }
    const empty = await subjects(document('plan'), action('fly'), none)
    expect(empty.body).toEqual({ page: { next_token: '' }, results: [] })
  })

  it('[A9] goes on after the last result of the page before when a write came in between, and says the revision', async () => {
    const { next_token: token } = (await resources(user('ana'), action('read'), { page: { limit: 1 } })).body.page
    const later = pdpServer(
      imageOfPolicy(
        8,
        POLICY.filter(({ key }) => key !== 'document:note'),
      ),
      KEY,
    )
    const answer = await later.inject({
      method: 'POST',
      url: '/access/v1/search/resource',
      headers: { authorization: `Bearer ${KEY}` },
      payload: { subject: user('ana'), action: action('read'), resource: { type: 'document' }, page: { token } },
    })
    expect([answer.json(), answer.headers['x-revision']]).toEqual([
      { results: [document('plan')], page: { next_token: '' } },
      '8',
    ])
    await later.close()
  })

  it('[A9] takes a token of its own making for what it is, a place to go on from: it shows nothing more', async () => {
    const { next_token: token } = (await resources(user('ana'), action('read'), { page: { limit: 1 } })).body.page
    const [question, rest] = JSON.parse(Buffer.from(token, 'base64url').toString())
    const forged = (...parts: unknown[]) => {
      const page = { token: Buffer.from(JSON.stringify(parts)).toString('base64url') }
      return resources(user('ana'), action('read'), { page })
    }
    expect((await forged(question, rest, 1000, '')).body.results).toEqual([document('note'), document('plan')])
    for (const after of ['zzz', '\ud800', 'x'.repeat(2000)])
      expect((await forged(question, rest, 1, after)).body).toEqual({ results: [], page: { next_token: '' } })
    for (const parts of [
      [question, rest, -1, ''],
      [question, rest, '1', ''],
      [question, rest, 1],
      [question, rest, 1, 5],
      [question, 1, 1, ''],
      ['other', rest, 1, ''],
    ])
      expect((await forged(...parts)).status, JSON.stringify(parts)).toBe(400)
  })
})
