// Why a write was made: the headers `x-reason` and `x-ticket` of every route that writes into an environment, in the
// history, and required where the environment says so. The routes are read from the table of routes, so that a new one is
// in it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeFrame } from '../../../src/log/codec.ts'
import { toDelta } from '../../../src/log/delta.ts'
import { writesEnvironment } from '../../../src/management/rules/access.ts'
import { DESCRIPTION_LENGTH_MAX, TICKET_LENGTH_MAX } from '../../../src/model/limits.ts'
import { reasonHeaders } from '../../../src/model/reason-headers.ts'
import { type KnownObjects, makeKnownObjects } from '../../support/known-objects.ts'
import type { Route } from '../../support/routes.ts'
import { type Answer, type Harness, joinHarness } from './harness.ts'

const REASON = 'Zürich 100 % – 東京 🦊, "as agreed"'
const ENVIRONMENT = '/v2/projects/default/envs/development'
const SAID = reasonHeaders({ reason: REASON, ticket: 'OPS-1741' })
const title = ({ method, url }: Route) => `${method} ${url}`
const isRefused = ({ status, body }: Answer) =>
  status === 422 && body.detail[0].loc.join('.') === 'header.x-reason' && /requires a reason/.test(body.detail[0].msg)

let api: Harness
let known: KnownObjects
let writes: readonly Route[]
let v1Writes: readonly Route[]
const envKey = () => api.made.environments[0]!.secret
const head = () => api.store.head(api.environment).revision
const ask = (route: Route, headers: Record<string, string>, options: { key?: string } = {}) =>
  api.ask(route.method, known.path(route.url), known.body(route), { headers, ...options })
const require = (require_reason: boolean, headers = SAID, key?: string) =>
  api.ask('PATCH', ENVIRONMENT, { require_reason }, { headers, ...(key === undefined ? {} : { key }) })
const events = async (query: string) => (await api.ask('GET', `/v2/history?per_page=100&${query}`)).body.data

beforeAll(async () => {
  api = await joinHarness({})
  known = await makeKnownObjects(api)
  const isWrite = ({ operation }: Route) => operation !== undefined && writesEnvironment(operation)
  writes = api.routes.filter(isWrite)
  v1Writes = api.v1Routes.filter(isWrite)
})
afterAll(() => api.close())

describe('the reason and the ticket of a write', () => {
  it('are in the history, found by a part of the reason and by the ticket, and read with the revision', async () => {
    const { headers } = await api.ask('POST', '$F/users', { key: 'reasoned' }, { headers: SAID })
    const revision = Number(headers['x-revision'])
    const [event] = await events(`ticket=OPS-1741&env_id=${api.environment}`)
    expect(event).toMatchObject({ operation: 'createUser', revision, reason: REASON, ticket: 'OPS-1741' })
    for (const query of ['reason=ZÜRICH', 'search=ops-17', 'search=東京', 'ticket=other&ticket=OPS-1741'])
      expect((await events(query)).map((one: { id: string }) => one.id)).toEqual([event.id])
    for (const query of ['reason=Basel', 'ticket=OPS-174', 'ticket=ops-1741']) expect(await events(query)).toEqual([])
    const read = await api.ask('GET', `${ENVIRONMENT}/revisions/${revision}`)
    expect(read.body).toMatchObject({ reason: REASON, ticket: 'OPS-1741' })
    const [activity] = (await api.ask('GET', '/v2/activity?ticket=OPS-1741')).body.data
    expect(activity).toMatchObject({ id: event.id, reason: REASON, ticket: 'OPS-1741' })
  })

  it('are null where none was sent, and the entry is then as it was before there were reasons', async () => {
    const { headers } = await api.ask('POST', '$F/users', { key: 'unreasoned' })
    const revision = Number(headers['x-revision'])
    expect((await events(`env_id=${api.environment}`))[0]).toMatchObject({ revision, reason: null, ticket: null })
    const [entry] = api.store.entries(api.environment, revision - 1, 1)
    expect(Object.keys(entry!.by)).toEqual(['api_key_id', 'request_id', 'address', 'method', 'path', 'operation'])
  })

  it('reach no PDP: a delta does not have them', async () => {
    const before = head()
    await api.ask('POST', '$F/users', { key: 'unseen' }, { headers: reasonHeaders({ reason: 'seven-secret-words' }) })
    const entries = api.store.entries(api.environment, before)
    expect(entries.map(({ by }) => by.reason)).toEqual(['seven-secret-words'])
    const bytes = Buffer.from(encodeFrame({ type: 'delta', delta: toDelta(entries[0]!) }))
    expect([bytes.includes('unseen'), bytes.includes('seven-secret-words')]).toEqual([true, false])
  })

  const long = (length: number) => 'ü'.repeat(length)
  it.each([
    ['empty', { 'x-reason': '' }, 'x-reason', /empty/],
    ['blank', { 'x-reason': '%20%09' }, 'x-reason', /empty/],
    ['an empty ticket', { 'x-ticket': '' }, 'x-ticket', /empty/],
    ['a percent sign alone', { 'x-reason': '100 % sure' }, 'x-reason', /percent-encoded/],
    ['bytes that are no UTF-8', { 'x-reason': '%ff' }, 'x-reason', /percent-encoded/],
    ['half of a character', { 'x-reason': '%F0%9F' }, 'x-reason', /percent-encoded/],
    ['a surrogate', { 'x-reason': '%ED%A0%80' }, 'x-reason', /percent-encoded/],
    ['raw UTF-8', { 'x-reason': 'Zürich' }, 'x-reason', /not ASCII/],
    ['a long reason', reasonHeaders({ reason: long(DESCRIPTION_LENGTH_MAX + 1) }), 'x-reason', /1024/],
    ['a long ticket', reasonHeaders({ ticket: long(TICKET_LENGTH_MAX + 1) }), 'x-ticket', /256/],
  ])('%s is refused, and nothing is written', async (_, headers, name, message) => {
    const before = head()
    const { status, body } = await api.ask('POST', '$F/users', { key: 'refused' }, { headers: headers as typeof SAID })
    expect([status, body.detail[0].loc, head()]).toEqual([422, ['header', name], before])
    expect(body.detail[0].msg).toMatch(message)
  })

  it('of the greatest length are taken', async () => {
    const longest = reasonHeaders({ reason: long(DESCRIPTION_LENGTH_MAX), ticket: long(TICKET_LENGTH_MAX) })
    expect((await api.ask('POST', '$F/users', { key: 'long' }, { headers: longest })).status).toBe(200)
  })
})

describe('an environment that requires a reason', () => {
  it('says so, and its admin of the project alone can change that', async () => {
    await api.addKey('project', 'write', 'a-key-that-requires')
    for (const key of [envKey(), 'a-key-that-requires']) expect((await require(true, SAID, key)).status).toBe(403)
    expect((await api.ask('GET', ENVIRONMENT)).body).not.toHaveProperty('require_reason')
    expect((await require(true)).body).toMatchObject({ require_reason: true })
    expect((await api.ask('GET', ENVIRONMENT)).body).toMatchObject({ require_reason: true })
    // what replaces the environment resets it, and so is refused, too
    const replaced = await api.ask('PUT', ENVIRONMENT, {}, { key: envKey(), headers: SAID })
    expect(replaced.status).toBe(403)
    const same = { name: 'Development', require_reason: true }
    expect((await api.ask('PUT', ENVIRONMENT, same, { key: envKey(), headers: SAID })).status).toBe(200)
    expect((await api.ask('PATCH', ENVIRONMENT, { require_reason: 'yes' }, { headers: SAID })).status).toBe(422)
  })

  it('refuses every route that writes into it without one, and writes nothing', async () => {
    const before = [head(), api.store.head(api.made.organization.id).revision]
    for (const route of writes) {
      for (const headers of [{}, reasonHeaders({ ticket: 'OPS-1' })]) {
        const answer = await ask(route, headers)
        expect(isRefused(answer), `${title(route)}: ${answer.status} ${JSON.stringify(answer.body)}`).toBe(true)
      }
    }
    expect(writes.length).toBeGreaterThan(100)
    for (const route of v1Writes) {
      const answer = await ask(route, {}, { key: envKey() })
      expect(answer.status, `${title(route)}: ${JSON.stringify(answer.body)}`).toBe(422)
      expect(JSON.stringify(answer.body)).toContain('requires a reason')
    }
    expect(v1Writes.length).toBeGreaterThan(3)
    expect([head(), api.store.head(api.made.organization.id).revision]).toEqual(before)
  })

  it('is not written by any other route: what asks for no reason writes nothing into it', async () => {
    const before = head()
    const others = api.routes.filter((one) => one.method !== 'GET' && one.url.includes('/:e') && !writes.includes(one))
    for (const route of others) {
      await ask(route, {})
      expect(head(), title(route)).toBe(before)
    }
    expect(others.length).toBeGreaterThan(10)
  })

  it('refuses a copy into it without one, from an environment that requires none', async () => {
    const from = '/v2/projects/default/envs/production/copy'
    for (const existing of ['development', api.environment]) {
      for (const path of [from, `${from}/async`])
        expect(isRefused(await api.ask('POST', path, { target_env: { existing } }))).toBe(true)
    }
    const body = { target_env: { existing: 'development' }, conflict_strategy: 'overwrite' }
    await api.ask('POST', '/v2/schema/default/production/roles', { key: 'copied' })
    expect((await api.ask('POST', from, body, { headers: SAID })).status).toBe(201)
    expect((await events(`env_id=${api.environment}`))[0]).toMatchObject({
      operation: 'copyEnvironment',
      reason: REASON,
    })
    // out of it nothing is written into it
    const out = { target_env: { existing: 'production' }, conflict_strategy: 'overwrite' }
    expect((await api.ask('POST', `${ENVIRONMENT}/copy`, out)).status).toBe(201)
  })

  it('takes every one of them with a reason, which each of its revisions then has', async () => {
    const before = head()
    let answered = 0
    // what goes last takes nothing away that others are about
    const kept = writes.filter(({ operation }) => operation !== 'environment.delete')
    const isLast = ({ method }: Route) => Number(method === 'DELETE')
    for (const route of kept.toSorted((one, other) => isLast(one) - isLast(other))) {
      const answer = await ask(route, SAID)
      expect(isRefused(answer), title(route)).toBe(false)
      if (answer.status < 300) answered++
      // what a write did to the setting itself is undone
      await require(true)
    }
    for (const route of v1Writes) expect(isRefused(await ask(route, SAID, { key: envKey() }))).toBe(false)
    expect(answered).toBeGreaterThan(40)
    const entries = api.store.entries(api.environment, before)
    expect(entries.length).toBeGreaterThan(30)
    const without = entries.filter(({ by }) => by.reason !== REASON || by.ticket !== 'OPS-1741')
    expect(without.map(({ by }) => `${by.method} ${by.path} ${by.operation}`)).toEqual([])
  })

  it('is deleted with one only', async () => {
    expect(isRefused(await api.ask('DELETE', ENVIRONMENT))).toBe(true)
    expect((await api.ask('DELETE', ENVIRONMENT, undefined, { headers: SAID })).status).toBe(204)
  })
})
