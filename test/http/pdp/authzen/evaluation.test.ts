// POST /access/v1/evaluation of OpenID AuthZEN 1.0. Test names carry the number of the rule of the interface that they
// show: A1 … A12.
import { describe, expect, it } from 'vitest'
import { pdpServer } from '../../../../src/server.ts'
import { give } from '../../../pdp/policies.ts'
import {
  action,
  ask,
  document,
  EVALUATION,
  EVALUATIONS,
  imageOfPolicy,
  KEY,
  POLICY,
  send,
  servePolicy,
  user,
} from './policy.ts'

servePolicy()

describe('POST /access/v1/evaluation', () => {
  it('[A11] [A12] answers a decision and nothing else, with the revision that decided it', async () => {
    const allowed = await send(EVALUATION, ask(user('ana'), action('read'), document('plan')))
    expect([allowed.status, allowed.text]).toEqual([200, '{"decision":true}'])
    expect([allowed.headers.get('x-revision'), allowed.headers.get('content-type')]).toEqual(['7', 'application/json'])
    const denied = await send(EVALUATION, ask(user('ben'), action('read'), document('plan')))
    expect([denied.status, denied.text]).toEqual([200, '{"decision":false}'])
  })

  it('takes any text as an id: slashes, braces, names of JavaScript', async () => {
    const own = await send(EVALUATION, ask(user('repos/own{er}'), action('read'), document('a/b:{c}')))
    expect(own.body).toEqual({ decision: true })
    for (const id of ['__proto__', 'constructor', '', '{', '/'.repeat(2000)]) {
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

  it('[D16] takes the subject type `anonymous` for no one who is signed in, whatever the id and the properties are', async () => {
    const shared = imageOfPolicy(8, [...POLICY, give('*', 'reader', 'acme')])
    const [app, own] = [pdpServer(shared, KEY), pdpServer(shared, KEY, { authzen: { subjectTypes: ['anonymous'] } })]
    const answers = async (server: typeof app, path: string, payload: object) => {
      const headers = { authorization: `Bearer ${KEY}`, 'x-explain': 'true' }
      return (await server.inject({ method: 'POST', url: path, headers, payload })).json()
    }
    const nobody = { type: 'anonymous', id: 'ana', properties: { department: 'legal' } }
    const asked = async (does: string, id: string, server = app) =>
      (await answers(server, EVALUATION, ask(nobody, action(does), document(id)))).decision
    expect([await asked('read', 'law'), await asked('read', 'plan'), await asked('edit', 'law')]).toEqual([
      true,
      false,
      false,
    ])
    const item = { action: action('read'), resource: document('law') }
    expect(
      await answers(app, EVALUATIONS, {
        subject: nobody,
        evaluations: [item, { ...item, subject: { type: 'service', id: 'ana' } }],
      }),
    ).toEqual({
      evaluations: [{ decision: true }, { decision: false }],
    })
    const { context } = await answers(app, EVALUATION, ask(nobody, action('read'), document('law')))
    expect(context).toMatchObject({ request: { user: { key: '*', synced: false } }, rbac: { allow: true } })
    const search = (what: string, body: object) => answers(app, `/access/v1/search/${what}`, body)
    expect(
      await search('resource', { subject: nobody, action: action('read'), resource: { type: 'document' } }),
    ).toEqual({
      results: [document('law')],
    })
    expect(await search('action', { subject: nobody, resource: document('law') })).toEqual({
      results: [{ name: 'read' }],
    })
    const about = { action: action('read'), resource: document('law') }
    expect(await search('subject', { subject: { type: 'anonymous' }, ...about })).toEqual({ results: [] })
    expect((await search('subject', { subject: { type: 'user' }, ...about })).results).toHaveLength(3)
    // where they say that it means users, it does
    expect([await asked('read', 'plan', own), await asked('edit', 'law', own)]).toEqual([true, true])
    // what is not a subject is refused as ever, also of this type
    for (const wrong of [{ type: 'anonymous' }, { type: 'anonymous', id: null }, { id: 'ana' }, null]) {
      const headers = { authorization: `Bearer ${KEY}` }
      const payload = { ...about, subject: wrong }
      expect((await app.inject({ method: 'POST', url: EVALUATION, headers, payload })).statusCode).toBe(400)
    }
    await Promise.all([app.close(), own.close()])
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

  it('says why in the context of the answer, when the request asks for it', async () => {
    const explained = (subject: object) =>
      send(EVALUATION, ask(subject, action('edit'), document('plan')), { 'x-explain': 'true' })
    const allowed = await explained(user('ana'))
    expect(allowed.body).toMatchObject({
      decision: true,
      context: { request: { user: { key: 'ana' } }, rbac: { allow: false }, abac: { allow: true, code: 'allow' } },
    })
    const denied = await explained(user('ben'))
    expect(denied.body).toMatchObject({ decision: false, context: { abac: { allow: false } } })
    const unknown = await explained({ type: 'service', id: 'ana' })
    expect(unknown.body).toEqual({ decision: false, context: { code: 'unknown_subject_type' } })
    const many = { evaluations: [ask(user('ana'), action('edit'), document('plan'))] }
    const batch = await send(EVALUATIONS, many, { 'x-explain': 'true' })
    expect(batch.body).toEqual({ evaluations: [{ decision: true }] })
  })
})
