// The scope matrix: every route × every kind of key, own and foreign, with the status that it must get. What a key may
// not reach answers like what does not exist, apart from the ids that were sent, and no answer to a foreign key holds
// an id of ours.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccessLevel, KeyLevel } from '../../../src/kinds/api-key.ts'
import type { Bootstrapped } from '../../../src/management/host/bootstrap.ts'
import { type KnownObjects, makeKnownObjects } from '../../support/known-objects.ts'
import { fill, parseSegments, type Route, type Segment } from '../../support/routes.ts'
import { type Answer, type Harness, joinHarness } from './harness.ts'

interface Need {
  readonly level: KeyLevel
  /** set when no wider key may either */
  readonly widest?: KeyLevel
  readonly access: AccessLevel
}

/** Reading takes `read`, anything else `write`, and an environment key is enough, except: */
const NEEDS: Readonly<Record<string, Partial<Need>>> = {
  'GET /v2/api-key/scope': { level: 'tenant', access: 'no_access' },
  'GET /v2/api-key/:p/:e': { level: 'project', access: 'admin' },
  'POST /v2/api-key': { access: 'admin' },
  'DELETE /v2/api-key/:key': { access: 'admin' },
  'POST /v2/api-key/:key/rotate-secret': { access: 'admin' },
  'DELETE /v2/api-key/:key/old-secret': { access: 'admin' },
  'POST /v2/pdps/:p/:e/configs/:config/rotate-api-key': { access: 'admin' },
  'POST /v2/pdps/:p/:e/audit_logs': { widest: 'env' },
  'POST /v2/feed/:p/:e/report': { access: 'read' },
  'POST /v2/feed/:p/:e/head': { access: 'read' },
  'PATCH /v2/orgs/:org': { level: 'org' },
  'PUT /v2/orgs/:org': { level: 'org' },
  'GET /v2/orgs/:org/stats': { level: 'org' },
  'POST /v2/projects': { level: 'org' },
  'PATCH /v2/projects/:p': { level: 'project' },
  'PUT /v2/projects/:p': { level: 'project' },
  'DELETE /v2/projects/:p': { level: 'project', access: 'admin' },
  'POST /v2/projects/:p/envs': { level: 'project' },
  'DELETE /v2/projects/:p/envs/:e': { level: 'project', access: 'admin' },
  'POST /v2/pdps/:p/:e/audit_logs/:log/replay': { access: 'read' },
  'POST /v2/projects/:p/envs/:e/check': { access: 'read' },
  'POST /v2/projects/:p/envs/:e/explain': { access: 'read' },
  'POST /v2/projects/:p/envs/:e/user-permissions': { access: 'read' },
  'POST /v2/projects/:p/envs/:e/authorized-users': { access: 'read' },
  'POST /v2/projects/:p/envs/:e/validate': { access: 'read' },
  'POST /v2/projects/:p/envs/:e/condition-matches': { access: 'read' },
  'POST /v2/projects/:p/envs/:e/plan': { access: 'read' },
  'POST /v2/facts/:p/:e/syncs/:sync/plan': { access: 'read' },
  'POST /v2/projects/:p/envs/:e/proposals/:proposal/plan': { access: 'read' },
  'POST /v2/projects/:p/envs/:e/revisions/:revision/revert/plan': { access: 'read' },
  'GET /v2/facts/:p/:e/tenants/:ref/users': { level: 'tenant' },
  'DELETE /v2/facts/:p/:e/tenants/:ref/users/:user': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/roles': { level: 'tenant' },
  'POST /v2/facts/:p/:e/tenants/:ref/roles': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/permissions': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/roles/:tenant_role': { level: 'tenant' },
  'PATCH /v2/facts/:p/:e/tenants/:ref/roles/:tenant_role': { level: 'tenant' },
  'PUT /v2/facts/:p/:e/tenants/:ref/roles/:tenant_role': { level: 'tenant' },
  'DELETE /v2/facts/:p/:e/tenants/:ref/roles/:tenant_role': { level: 'tenant' },
  'POST /v2/facts/:p/:e/tenants/:ref/roles/:tenant_role/permissions': { level: 'tenant' },
  'DELETE /v2/facts/:p/:e/tenants/:ref/roles/:tenant_role/permissions': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/role_assignments': { level: 'tenant' },
  'POST /v2/facts/:p/:e/tenants/:ref/role_assignments': { level: 'tenant' },
  'PUT /v2/facts/:p/:e/tenants/:ref/role_assignments': { level: 'tenant' },
  'DELETE /v2/facts/:p/:e/tenants/:ref/role_assignments': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/resources': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/decisions': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/history': { level: 'tenant' },
  'POST /v2/facts/:p/:e/tenants/:ref/why': { level: 'tenant', access: 'read' },
  'GET /v2/facts/:p/:e/tenants/:ref/invites': { level: 'tenant' },
  'POST /v2/facts/:p/:e/tenants/:ref/invites': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/invites/:invite': { level: 'tenant' },
  'DELETE /v2/facts/:p/:e/tenants/:ref/invites/:invite': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/access_requests': { level: 'tenant' },
  'POST /v2/facts/:p/:e/tenants/:ref/access_requests': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/requestable_roles': { level: 'tenant' },
  'GET /v2/facts/:p/:e/tenants/:ref/access_requests/:request': { level: 'tenant' },
  'POST /v2/facts/:p/:e/tenants/:ref/access_requests/:request/approve': { level: 'tenant' },
  'POST /v2/facts/:p/:e/tenants/:ref/access_requests/:request/deny': { level: 'tenant' },
  'POST /v2/facts/:p/:e/tenants/:ref/access_requests/:request/cancel': { level: 'tenant' },
  'POST /v2/facts/:p/:e/tenants/:ref/access_requests/:request/revoke': { level: 'tenant' },
  'POST /v2/facts/:p/:e/group_rules/plan': { level: 'env', access: 'read' },
  'POST /v2/projects/:p/envs/:e/copy': { level: 'project' },
  'POST /v2/projects/:p/envs/:e/copy/plan': { level: 'project', access: 'read' },
  'POST /v2/projects/:p/envs/:e/copy/async': { level: 'project' },
  'GET /v2/projects/:p/envs/:e/copy/async/:task/result': { level: 'project', access: 'write' },
}

function requiredAccess({ method, url }: Route): Need {
  return { level: 'env', access: method === 'GET' ? 'read' : 'write', ...NEEDS[`${method} ${url}`] }
}

const LEVELS: readonly KeyLevel[] = ['directory', 'tenant', 'env', 'project', 'org']
const ACCESSES: readonly AccessLevel[] = ['no_access', 'read', 'write', 'admin']

/** A caller: its key, what the key is, and where it belongs. */
interface Caller {
  readonly name: string
  readonly secret: string
  readonly level: KeyLevel
  readonly access: AccessLevel
  /** how far it reaches into what the path of the request names */
  readonly reaches: 'all' | 'environment' | 'project' | 'organization' | 'nothing'
}

let api: Harness
let known: KnownObjects
let foreign: Bootstrapped
let foreignKnown: KnownObjects
let routes: readonly Route[]
const callers: Caller[] = []
/** ids of the first organization, its project and both its environments */
let ours: readonly string[]

beforeAll(async () => {
  api = await joinHarness({})
  foreign = await api.another({ organization: 'foreign' })
  routes = api.routes.filter(({ operation }) => operation !== undefined)
  known = await makeKnownObjects(api)
  foreignKnown = await makeKnownObjects(api, foreign.organization.secret)
  const { organization, project, environments } = api.made
  ours = [organization.id, project.id, ...environments.map(({ id }) => id)]
  for (const level of LEVELS) {
    for (const access of ACCESSES) {
      const secret = `a-key-of-scope-${level}-${access}`
      await api.addKey(level, access, secret)
      callers.push({ name: `own ${level} ${access}`, secret, level, access, reaches: 'all' })
    }
  }
  const other = (name: string, secret: string | undefined, level: KeyLevel, reaches: Caller['reaches']) =>
    callers.push({ name, secret: secret!, level, access: 'admin', reaches })
  other('sibling tenant', await siblingTenantKey(), 'tenant', 'environment')
  other('sibling environment', environments[1]?.secret, 'env', 'project')
  other('sibling project', await siblingProjectKey(), 'project', 'organization')
  other('foreign organization', foreign.organization.secret, 'org', 'nothing')
  other('foreign environment', foreign.environments[0]?.secret, 'env', 'nothing')
})
afterAll(() => api.close())

/** The key of another tenant of the same environment. */
async function siblingTenantKey(): Promise<string> {
  await api.ask('POST', '$F/tenants', { key: 'sibling', name: 'Sibling' })
  const { organization_id, environment_id } = api.place
  const of = { organization_id, environment_id, object_type: 'tenant', tenant_id: 'sibling' }
  return (await api.ask('POST', '/v2/api-key', of)).body.secret
}

/** The key of another project of the same organization. */
async function siblingProjectKey(): Promise<string> {
  const { body: project } = await api.ask('POST', '/v2/projects', { key: 'sibling', name: 'Sibling' })
  const of = { organization_id: api.made.organization.id, project_id: project.id, object_type: 'project' }
  return (await api.ask('POST', '/v2/api-key', of)).body.secret
}

const title = ({ method, url }: Route) => `${method} ${url}`

/** The path with the ids of our own organization, project and environment, or with what `place` gives. */
function makePath({ url }: Route, place: (segment: Segment) => string | undefined = () => undefined): string {
  const own: Readonly<Record<string, string>> = { p: ours[1]!, e: ours[2]!, org: ours[0]! }
  return fill(url, (segment) => place(segment) ?? own[segment.parameter!] ?? known.ref(segment))
}

/** The path of a request that passes the gate and must do no harm: what is to be deleted does not exist. */
function harmless(route: Route): string {
  const last = parseSegments(route.url).at(-1)
  return makePath(route, ({ text }) => (route.method === 'DELETE' && text === last?.text ? 'absent' : undefined))
}

/** Asks as far as the gate: a write carries a body that no schema takes. */
function knock(route: Route, key: string | null, path: string): Promise<Answer> {
  return api.ask(route.method, path, route.method === 'GET' ? undefined : { nonsense: 1 }, { key })
}

/** Asks with a body that would be taken. */
const ask = (route: Route, { secret }: Caller, path: string): Promise<Answer> =>
  api.ask(route.method, path, known.body(route), { key: secret })

/** The text of an answer without what differs from one to the next: the id of an error, and the given refs. */
function formatAnswer({ status, body }: Answer, refs: readonly string[]): string {
  let text = JSON.stringify({ status, ...body, id: '' })
  for (const ref of refs) text = text.replaceAll(ref, '<id>')
  return text
}

/** Whether the path names a place that a key of this reach does not find. */
function misses({ reaches }: Caller, { url }: Route): boolean {
  if (reaches === 'all') return false
  if (reaches === 'environment') return url.includes('/tenants/:ref')
  if (/api-key\/:key|history\/:event/.test(url)) return true
  if (url.includes('/:e')) return true
  if (url.includes('/:p')) return reaches !== 'project'
  return url.includes('/:org') && reaches === 'nothing'
}

describe('the scope matrix', () => {
  it('no key, garbage and a revoked key get 401 on every route', async () => {
    await api.addKey('org', 'admin', 'a-key-that-is-revoked')
    await api.removeKey('a-key-that-is-revoked')
    for (const route of routes) {
      for (const key of [null, 'garbage', 'a-key-that-is-revoked']) {
        const { status, body } = await knock(route, key, makePath(route))
        expect([title(route), key, status, body.error_code]).toEqual([title(route), key, 401, 'UNAUTHORIZED'])
      }
    }
  })

  it('a key that is too narrow gets 403, that of a tenant 404, and any other of ours gets through', async () => {
    for (const route of routes) {
      const { level, widest = 'org', access } = requiredAccess(route)
      for (const caller of callers.filter(({ reaches }) => reaches === 'all')) {
        const at = LEVELS.indexOf(caller.level)
        const wide = at >= LEVELS.indexOf(level) && at <= LEVELS.indexOf(widest)
        const strong = ACCESSES.indexOf(caller.access) >= ACCESSES.indexOf(access)
        const answer = await knock(route, caller.secret, harmless(route))
        const what = `${title(route)} by ${caller.name}: ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 200)}`
        if (wide && strong) expect(isThrough(route, answer), what).toBe(true)
        else if (caller.level === 'tenant' && !wide)
          expect([answer.status, answer.body.error_code], what).toEqual([404, 'NOT_FOUND'])
        else expect([answer.status, answer.body.error_code], what).toEqual([403, 'FORBIDDEN_ACCESS'])
      }
    }
  })

  it('what a key does not reach answers like what does not exist, and tells no id of ours', async () => {
    const absent = ['0', '1', '2', '3', '4', '5'].map((digit) => digit.repeat(32))
    const nowhere = ({ parameter }: Segment) => absent[['p', 'e', 'org', 'key', 'event', 'ref'].indexOf(parameter!)]
    const tenant = (await api.ask('GET', '$F/tenants/default')).body.id
    const atTenant = ({ parameter }: Segment) => (parameter === 'ref' ? tenant : undefined)
    let compared = 0
    for (const route of routes) {
      for (const caller of callers.filter(({ reaches }) => reaches !== 'all')) {
        const { level, widest = 'org' } = requiredAccess(route)
        const out = misses(caller, route)
        const answer = await (out
          ? ask(route, caller, makePath(route, caller.reaches === 'environment' ? atTenant : undefined))
          : knock(route, caller.secret, harmless(route)))
        const what = `${title(route)} by ${caller.name}: ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 200)}`
        const at = LEVELS.indexOf(caller.level)
        if (at < LEVELS.indexOf(level) || at > LEVELS.indexOf(widest)) {
          expect(answer.status, what).toBe(caller.level === 'tenant' ? 404 : 403)
        } else if (out) {
          const missing = await ask(route, caller, makePath(route, reaching(caller, nowhere)))
          expect(answer.status, what).toBe(404)
          expect(formatAnswer(answer, [tenant, ...ours, ...known.ids]), what).toBe(formatAnswer(missing, absent))
          compared++
        } else {
          expect(isThrough(route, answer), what).toBe(true)
          if (caller.reaches === 'nothing')
            for (const id of ours) expect(JSON.stringify(answer.body), what).not.toContain(id)
        }
      }
    }
    expect(compared).toBeGreaterThan(routes.length)
  })

  it('an object of another environment answers like one that does not exist, by id and by key', async () => {
    const random = 'f'.repeat(32)
    let compared = 0
    for (const route of routes) {
      const last = parseSegments(route.url).findLast(({ parameter }) => parameter !== undefined)
      if (last?.parameter === undefined || ['p', 'e', 'org'].includes(last.parameter) || !route.url.includes('/:e'))
        continue
      const id = await foreignId(route)
      if (id === undefined || UPSERTS.has(title(route))) continue
      const body = known.body(route)
      const asked = async (ref: string) =>
        api.ask(
          route.method,
          fill(route.url, (segment) =>
            segment.parameter === last.parameter && segment.kind === last.kind ? ref : known.ref(segment),
          ),
          body,
        )
      const answer = await asked(id)
      expect(answer.status, `${title(route)} of an object of a foreign environment`).toBe(404)
      expect(formatAnswer(answer, [id])).toBe(formatAnswer(await asked(random), [random]))
      compared++
    }
    expect(compared).toBeGreaterThan(10)
  })
})

/** They create what the path names. */
const UPSERTS = new Set(['PUT /v2/facts/:p/:e/users/:ref', 'POST /v2/facts/:p/:e/syncs/:sync/lease'])

/** A key that finds the project keeps it, so that only the environment is missing, or only the tenant. */
const reaching =
  ({ reaches }: Caller, nowhere: (segment: Segment) => string | undefined) =>
  (segment: Segment): string | undefined => {
    if (reaches === 'environment') return segment.parameter === 'ref' ? nowhere(segment) : undefined
    return segment.parameter === 'ref' || (reaches === 'project' && segment.parameter === 'p')
      ? undefined
      : nowhere(segment)
  }

/** There is nothing yet that they could find. */
const EMPTY = new Set([
  'GET /v2/pdps/:p/:e/audit_logs/:log',
  'POST /v2/pdps/:p/:e/audit_logs/:log/replay',
  'GET /v2/history/:event/response',
  'DELETE /v2/api-key/:key/old-secret',
])

/** Past the gate: answered, or refused for the body, or for an object that is not there. */
function isThrough({ method, url, body: schema }: Route, { status, body }: Answer): boolean {
  if (EMPTY.has(`${method} ${url}`)) return status === 404 && !/`(project|environment)/.test(body.message)
  // a stream that the test would wait for
  if (url.endsWith('/audit_logs/stream')) return status === 422 && body.detail[0].loc[0] === 'header'
  if (method === 'GET') return status === 200 || (status === 422 && body.detail[0].loc[0] === 'query')
  if (status === 422) return body.detail[0].loc[0] === 'body'
  if (status === 200) return schema === undefined
  return status === 404 && body.message.includes('`absent`')
}

/** The id that the object of this route has in the environment of the other organization. */
async function foreignId(route: Route): Promise<string | undefined> {
  const segments = parseSegments(route.url)
  const end = segments.findLastIndex(({ parameter }) => parameter !== undefined)
  const url = `/${segments
    .slice(0, end + 1)
    .map(({ text }) => text)
    .join('/')}`
  if (EMPTY.has(`GET ${url}`) || !routes.some((one) => one.method === 'GET' && one.url === url)) return undefined
  const { status, body } = await api.ask('GET', foreignKnown.path(url), undefined, { key: foreign.organization.secret })
  if (status !== 200) throw new Error(`${url} of the foreign environment answered ${status}`)
  return body.id
}
