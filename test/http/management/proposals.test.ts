// Proposals: one proposes changes of the policy, another one applies them. Whoever proposed must not get round that by
// another key, by rotation or by another door; what is applied is what was looked at, once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Proposal } from '../../../src/kinds/proposal.ts'
import { withoutRequest } from '../../../src/log/change.ts'
import { writesEnvironment, writesPolicy } from '../../../src/management/rules/access.ts'
import { BULK_BODY_BYTES_MAX, PROPOSAL_BYTES_MAX, PROPOSALS_MAX } from '../../../src/model/limits.ts'
import { reasonHeaders } from '../../../src/model/reason-headers.ts'
import { makeKnownObjects } from '../../support/known-objects.ts'
import type { Route } from '../../support/routes.ts'
import { type Answer, type Harness, joinHarness } from './harness.ts'

const E = '/v2/projects/default/envs/development'
const P = `${E}/proposals`
const REASONS = reasonHeaders({ reason: 'Zürich joins', ticket: 'OPS-1741' })

let api: Harness
/** secrets of keys that the organization's key made */
let author: string
let approver: string
const makeKey = async (access_level: string, key?: string) => {
  const { organization_id, environment_id } = api.place
  const of = { organization_id, environment_id, object_type: 'env', access_level }
  const { status, body } = await api.ask('POST', '/v2/api-key', of, key === undefined ? {} : { key })
  expect(status).toBe(200)
  return body as { id: string; secret: string }
}
const makeRole = (key: string) => ({ op: 'create', kind: 'role', key, value: {} })
const propose = (changes: readonly object[], key = author, headers: Record<string, string> = {}) =>
  api.ask('POST', P, { changes }, { key, headers })
const decide = (id: string, what: 'apply' | 'reject' | 'withdraw', key: string, body: object | undefined = undefined) =>
  api.ask('POST', `${P}/${id}/${what}`, what === 'apply' ? (body ?? {}) : body, { key })
const read = async (id: string) => (await api.ask('GET', `${P}/${id}`)).body
const head = () => api.store.head(api.environment).revision
const code = ({ status, body }: Answer) => `${status} ${body.message ?? body.detail?.[0]?.msg ?? ''}`

beforeAll(async () => {
  api = await joinHarness()
  author = (await makeKey('admin')).secret
  approver = (await makeKey('write')).secret
  await api.ask('POST', '$S/resources', { key: 'doc', actions: { read: {} } })
  await api.ask('POST', '$S/roles', { key: 'reader' })
  for (const key of ['ana', 'ben']) await api.ask('POST', '$F/users', { key })
  await api.ask('POST', '$F/role_assignments', { user: 'ana', role: 'reader', tenant: 'default' })
})
afterAll(() => api.close())

const GIVE = { op: 'update', kind: 'role', key: 'reader', value: { permissions: ['doc:read'] } }
const TAKE = { op: 'update', kind: 'role', key: 'reader', value: { permissions: [] } }

describe('a proposal', () => {
  it('changes nothing until another one applies it, who is shown what it does and for whom', async () => {
    const before = await api.ask('GET', '$S/roles/reader')
    const { status, body } = await propose([GIVE], author, REASONS)
    expect([status, body.state, body.outdated, body.summary]).toEqual([201, 'proposed', false, '1 changed'])
    expect(body).toMatchObject({ request: { changes: [GIVE] }, reason: 'Zürich joins', ticket: 'OPS-1741', end: null })
    const rows = async (key: string) => (await api.ask('GET', P, undefined, { key })).body.data
    expect([body.own, (await rows(author)).at(-1).own, (await rows(approver)).at(-1).own]).toEqual([true, true, false])
    expect(body.access.gained).toMatchObject({ users: 1, decisions: 1 })
    expect((await api.ask('GET', '$S/roles/reader')).body).toEqual(before.body)
    const plan = await api.ask('POST', `${P}/${body.id}/plan`, {}, { key: approver })
    expect(plan.body).toMatchObject({ changes: [{ op: 'update', kind: 'role', key: 'reader' }], access: body.access })
    const applied = await decide(body.id, 'apply', approver, { expected: { policy: body.policy, access: body.access } })
    expect([applied.status, applied.body.revision]).toEqual([200, head()])
    expect((await api.ask('GET', '$S/roles/reader')).body.permissions).toEqual(['doc:read'])
    expect(await read(body.id)).toMatchObject({ state: 'applied', outdated: false, end: { revision: head() } })
    const [event] = (await api.ask('GET', `/v2/history?env_id=${api.environment}`)).body.data
    expect(event).toMatchObject({ operation: 'applyProposal', revision: head(), reason: 'Zürich joins' })
    expect(event.actor_id).not.toBe(body.actor_id)
    // the revision can be taken back like any other
    expect((await api.ask('POST', `${E}/revisions/${head()}/revert`, {})).status).toBe(200)
  })

  it('may be a policy file, and is listed by its state', async () => {
    const policy = { zerohop: 2, roles: [{ key: 'filed' }] }
    const { body } = await api.ask('POST', P, { policy }, { key: author })
    const states = async (query: string) => {
      const { data, total_count } = (await api.ask('GET', `${P}?${query}`)).body
      expect(data).toHaveLength(total_count)
      return data.map(({ id, state }: Proposal) => [id, state])
    }
    expect(await states('state=proposed')).toEqual([[body.id, 'proposed']])
    await decide(body.id, 'reject', approver)
    expect(await states('state=proposed')).toEqual([])
    expect(await states('state=rejected&state=withdrawn')).toEqual([[body.id, 'rejected']])
    expect((await api.ask('GET', `${P}?state=open`)).status).toBe(422)
  })

  it('is refused where nothing would change, and unless it is one of both', async () => {
    for (const body of [{ changes: [TAKE] }, { changes: [] }, {}, { policy: { zerohop: 2 }, changes: [GIVE] }])
      expect((await api.ask('POST', P, body)).status).toBe(422)
    expect((await api.ask('POST', P, { changes: [GIVE], expected: {} })).status).toBe(422)
  })

  it('is bounded: its body, its bytes, and how many are open', async () => {
    const text = (length: number) => [{ ...makeRole('long'), value: { description: 'x'.repeat(length) } }]
    expect((await propose(text(BULK_BODY_BYTES_MAX))).status).toBe(413)
    const many = Array.from({ length: 1_100 }, (_, at) => ({
      ...makeRole(`r${at}`),
      value: { description: 'x'.repeat(1_000) },
    }))
    expect(code(await propose(many))).toMatch(new RegExp(`^422 .*${PROPOSAL_BYTES_MAX}`))
    const other = await api.another()
    const log = other.environments[0]!.id
    const party = { api_key_id: null, ids: [], name: 'test' }
    const plan = {
      revision: 1,
      entries: [{ op: 'create', kind: 'role', key: 'a', fields: {} }],
      more: 0,
      fingerprints: {},
      diff: {},
    }
    const make = () =>
      api.store.commit(log, 'createProposal', { party, request: {}, plan } as never, withoutRequest('test'))
    const first = (await make()).result as Proposal
    for (let made = 1; made < PROPOSALS_MAX; made++) await make()
    await expect(make()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
    await api.store.commit(log, 'withdrawProposal', { ref: first.id, party }, withoutRequest('test'))
    await make()
    expect(api.store.view(log).get('proposal', first.id)).toBeUndefined()
    expect(api.store.view(log).count('proposal')).toBe(PROPOSALS_MAX)
  })
})

describe('whoever proposed it', () => {
  it('neither applies nor rejects it, by no key of theirs, and alone withdraws it', async () => {
    const { id: authorId } = (await api.ask('GET', `/v2/api-key?search=`)).body.data.at(-2)
    const { body: proposal } = await propose([makeRole('own')])
    expect(proposal.actor_id).toBe(authorId)
    const second = await makeKey('admin', author)
    const third = await makeKey('write', second.secret)
    await api.ask('DELETE', `/v2/api-key/${second.id}`)
    const rotated = await api.ask('POST', `/v2/api-key/${authorId}/rotate-secret`, { keep_old_seconds: 3600 })
    expect(rotated.status).toBe(200)
    const before = head()
    const keys = { same: author, rotated: rotated.body.secret, made: third.secret, maker: api.made.organization.secret }
    for (const [name, key] of Object.entries(keys)) {
      for (const what of ['apply', 'reject'] as const)
        expect(code(await decide(proposal.id, what, key)), `${what} by ${name}`).toMatch(/^403 .*someone else decides/)
    }
    expect(code(await decide(proposal.id, 'withdraw', approver))).toMatch(/^403 only the one who proposed/)
    expect([(await read(proposal.id)).state, head()]).toEqual(['proposed', before])
    expect((await decide(proposal.id, 'withdraw', rotated.body.secret)).body.state).toBe('withdrawn')
    author = rotated.body.secret
  })

  it('is stored with it: it stays someone else when their key is deleted', async () => {
    const gone = await makeKey('write')
    const { body } = await propose([makeRole('orphaned')], gone.secret)
    await api.ask('DELETE', `/v2/api-key/${gone.id}`)
    expect((await decide(body.id, 'apply', approver)).status).toBe(200)
  })
})

describe('it is applied once, as it was looked at', () => {
  it('not again, not after it was rejected or withdrawn, and not in another environment', async () => {
    const { body: proposal } = await propose([makeRole('once')])
    const elsewhere = proposal.id
    for (const what of ['apply', 'reject', 'withdraw', 'plan'])
      expect(
        (await api.ask('POST', `/v2/projects/default/envs/production/proposals/${elsewhere}/${what}`, {})).status,
      ).toBe(404)
    expect((await decide(proposal.id, 'apply', approver)).status).toBe(200)
    for (const what of ['apply', 'reject', 'withdraw'] as const)
      expect(code(await decide(proposal.id, what, what === 'withdraw' ? author : approver))).toBe(
        '409 the proposal is applied already',
      )
    const { body: rejected } = await propose([makeRole('never')])
    await decide(rejected.id, 'reject', approver)
    expect(code(await decide(rejected.id, 'apply', approver))).toBe('409 the proposal is rejected already')
    expect((await api.ask('GET', '$S/roles/never')).status).toBe(404)
  })

  it('by one of two who apply it at once', async () => {
    const other = (await makeKey('write')).secret
    for (let round = 0; round < 3; round++) {
      const { body } = await propose([makeRole(`race${round}`)])
      const before = head()
      const answers = await Promise.all([approver, other, approver].map((key) => decide(body.id, 'apply', key)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
      expect(head()).toBe(before + 1)
    }
  })

  it('not when what it changes is not as it was, which is shown', async () => {
    const { body } = await propose([GIVE])
    await api.ask('PATCH', '$S/roles/reader', { description: 'other' })
    expect(await read(body.id)).toMatchObject({ state: 'proposed', outdated: true })
    expect((await api.ask('GET', P)).body.data.at(-1)).toMatchObject({ id: body.id, outdated: true })
    for (const force of [false, true])
      expect(code(await decide(body.id, 'apply', approver, { force }))).toMatch(
        /^409 changed since the plan was made: role/,
      )
    expect((await api.ask('GET', '$S/roles/reader')).body.permissions).toEqual([])
    await decide(body.id, 'withdraw', author)
  })

  it('not when more access changes than was shown, unless whoever applies it has seen that', async () => {
    const { body } = await propose([GIVE])
    await api.ask('POST', '$F/role_assignments', { user: 'ben', role: 'reader', tenant: 'default' })
    expect(code(await decide(body.id, 'apply', approver))).toMatch(/^409 more access changes than the plan says/)
    const { policy, access } = (await api.ask('POST', `${P}/${body.id}/plan`, {}, { key: approver })).body
    expect((await decide(body.id, 'apply', approver, { expected: { policy, access } })).status).toBe(200)
  })
})

describe('an environment that requires approval', () => {
  const require = (require_approval: boolean) => api.ask('PATCH', E, { require_approval })
  const isRefused = ({ status, body }: Answer) =>
    status === 403 && JSON.stringify(body).includes('changed by proposals')

  it('refuses every route that writes policy, by whatever key, and takes proposals; facts stay writable', async () => {
    const { body: before } = await propose([makeRole('earlier')])
    expect((await require(true)).body.require_approval).toBe(true)
    expect((await api.ask('PATCH', E, { require_approval: false }, { key: author })).status).toBe(403)
    const routes = [...api.routes, ...api.v1Routes].filter(({ operation }) => operation && writesPolicy(operation))
    expect(routes.length).toBeGreaterThan(50)
    const revision = head()
    for (const route of routes) {
      const path = route.url.replace(':p', 'default').replace(':e', 'development').replaceAll(/:\w+/g, 'x')
      // an organization's key writes objects outside of environments at /v1
      const key = route.url.startsWith('/v1/') ? approver : undefined
      const answer = await api.ask(route.method, path, {}, key === undefined ? {} : { key })
      expect(isRefused(answer), `${route.method} ${route.url}: ${answer.status} ${JSON.stringify(answer.body)}`).toBe(
        true,
      )
    }
    const from = '/v2/projects/default/envs/production/copy'
    for (const path of [from, `${from}/async`])
      expect(isRefused(await api.ask('POST', path, { target_env: { existing: 'development' } }))).toBe(true)
    expect(head()).toBe(revision)
    expect((await api.ask('POST', '$F/users', { key: 'still' })).status).toBe(200)
    const { body: made } = await propose([makeRole('later')])
    for (const { id } of [before, made]) {
      expect((await decide(id, 'apply', author)).status).toBe(403)
      expect((await decide(id, 'apply', approver)).status).toBe(200)
    }
    await require(false)
    expect((await api.ask('POST', '$S/roles', { key: 'direct' })).status).toBe(200)
  })

  it('lets no other write change the policy: an export stays the same', async () => {
    const other = await joinHarness({})
    const known = await makeKnownObjects(other)
    const exported = async () => (await other.ask('GET', `${E}/export`)).body
    await other.ask('PATCH', E, { require_approval: true })
    const before = await exported()
    const isOther = ({ operation, url }: Route) =>
      operation !== undefined &&
      writesEnvironment(operation) &&
      !writesPolicy(operation) &&
      operation !== 'environment.delete' &&
      !(operation === 'environment.write') &&
      !url.startsWith('/v1/')
    const routes = other.routes.filter(isOther)
    let answered = 0
    // what goes last takes nothing away that others are about
    const isLast = ({ method }: Route) => Number(method === 'DELETE')
    for (const route of routes.toSorted((one, two) => isLast(one) - isLast(two))) {
      const { status } = await other.ask(route.method, known.path(route.url), known.body(route))
      if (status < 300) answered++
    }
    expect(answered).toBeGreaterThan(15)
    expect(await exported()).toEqual(before)
  })
})
