// The scope matrix: every route × every kind of key, own and foreign, with the status that it must get. What a key may not reach answers
// like what does not exist, apart from the ids that were sent, and no answer to a foreign key holds an id of ours.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccessLevel, KeyLevel } from '../../../src/model/objects.ts'
import type { Bootstrapped } from '../../../src/pap/bootstrap.ts'
import { goodValue } from '../../support/bad-input.ts'
import { FIELDS, knownRef, makeKnownObjects } from '../../support/known-objects.ts'
import { fill, type Route, type Segment, segmentsOf } from '../../support/routes.ts'
import { type Answer, type Harness, openHarness } from './harness.ts'

interface Need {
  readonly level: KeyLevel
  readonly access: AccessLevel
}

/** Reading takes `read`, anything else `write`, and an environment key is enough, except: */
const NEEDS: Readonly<Record<string, Partial<Need>>> = {
  'GET /v2/api-key/scope': { access: 'no_access' },
  'GET /v2/api-key/:p/:e': { access: 'write' },
}

function needOf({ method, url }: Route): Need {
  return { level: 'env', access: method === 'GET' ? 'read' : 'write', ...NEEDS[`${method} ${url}`] }
}

const LEVELS: readonly KeyLevel[] = ['env', 'project', 'org']
const ACCESSES: readonly AccessLevel[] = ['no_access', 'read', 'write', 'admin']

/** A caller: its key, what the key is, and where it belongs. */
interface Caller {
  readonly name: string
  readonly secret: string
  readonly level: KeyLevel
  readonly access: AccessLevel
  /** how far it reaches into what the path of the request names */
  readonly reaches: 'all' | 'project' | 'organization' | 'nothing'
}

let api: Harness
let foreign: Bootstrapped
let routes: readonly Route[]
const callers: Caller[] = []
/** ids of the first organization, its project and both its environments */
let ours: readonly string[]

beforeAll(async () => {
  api = await openHarness({})
  foreign = await api.another({ organization: 'foreign' })
  routes = api.routes.filter(({ operation }) => operation !== undefined)
  await makeKnownObjects(api.ask)
  await makeKnownObjects((method, path, body) => api.ask(method, path, body, { key: foreign.organization.secret }))
  const { organization, project, environments } = api.made
  ours = [organization.id, project.id, ...environments.map(({ id }) => id)]
  for (const level of LEVELS) {
    for (const access of ACCESSES) {
      const secret = `a-key-of-${level}-${access}`
      await api.addKey(level, access, secret)
      callers.push({ name: `own ${level} ${access}`, secret, level, access, reaches: 'all' })
    }
  }
  const other = (name: string, secret: string | undefined, level: KeyLevel, reaches: Caller['reaches']) =>
    callers.push({ name, secret: secret!, level, access: 'admin', reaches })
  other('sibling environment', environments[1]?.secret, 'env', 'project')
  other('foreign organization', foreign.organization.secret, 'org', 'nothing')
  other('foreign environment', foreign.environments[0]?.secret, 'env', 'nothing')
})
afterAll(() => api.close())

const title = ({ method, url }: Route) => `${method} ${url}`

/** The path with the ids of our own project and environment; an object that is to be deleted is one that does not exist. */
function pathOf({ method, url }: Route, place: (parameter: string) => string | undefined = () => undefined): string {
  const [p, e] = [ours[1]!, ours[2]!]
  const last = segmentsOf(url).at(-1)
  return fill(url, (segment: Segment) => {
    const { parameter } = segment
    const given = place(parameter!)
    if (given !== undefined) return given
    if (parameter === 'p') return p
    if (parameter === 'e') return e
    if (parameter === 'org') return ours[0]!
    return method === 'DELETE' && segment.text === last?.text ? 'absent' : knownRef(segment)
  })
}

/** Asks as far as the gate: a write carries a body that no schema takes. */
function knock(route: Route, key: string | null, path = pathOf(route)): Promise<Answer> {
  return api.ask(route.method, path, route.method === 'GET' ? undefined : { nonsense: 1 }, { key })
}

/** The text of an answer without what differs from one to the next: the id of an error, and the given refs. */
function textOf({ status, body }: Answer, refs: readonly string[]): string {
  let text = JSON.stringify({ status, ...body, id: '' })
  for (const ref of refs) text = text.replaceAll(ref, '<id>')
  return text
}

/** Whether the path names a place that a key of this reach does not find. */
function misses({ reaches }: Caller, { url }: Route): boolean {
  if (reaches === 'all') return false
  if (url.includes('/:e')) return true
  if (url.includes('/:p')) return reaches === 'nothing'
  return url.includes('/:org') && reaches === 'nothing'
}

describe('the scope matrix', () => {
  it('no key, garbage and a revoked key get 401 on every route', async () => {
    await api.addKey('org', 'admin', 'a-key-that-is-revoked')
    await api.removeKey('a-key-that-is-revoked')
    for (const route of routes) {
      for (const key of [null, 'garbage', 'a-key-that-is-revoked']) {
        const { status, body } = await knock(route, key)
        expect([title(route), key, status, body.error_code]).toEqual([title(route), key, 401, 'UNAUTHORIZED'])
      }
    }
  })

  it('a key that is too narrow gets 403, any other of ours gets through', async () => {
    for (const route of routes) {
      const { level, access } = needOf(route)
      for (const caller of callers.filter(({ reaches }) => reaches === 'all')) {
        const wide = LEVELS.indexOf(caller.level) >= LEVELS.indexOf(level)
        const strong = ACCESSES.indexOf(caller.access) >= ACCESSES.indexOf(access)
        const answer = await knock(route, caller.secret)
        const what = `${title(route)} by ${caller.name}: ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 200)}`
        if (wide && strong) expect(isThrough(route, answer), what).toBe(true)
        else expect([answer.status, answer.body.error_code], what).toEqual([403, 'FORBIDDEN_ACCESS'])
      }
    }
  })

  it('what a key does not reach answers like what does not exist, and tells no id of ours', async () => {
    const absent = ['0'.repeat(32), '1'.repeat(32), '2'.repeat(32)]
    const nowhere = (parameter: string) => absent[['p', 'e', 'org'].indexOf(parameter)]
    let compared = 0
    for (const route of routes) {
      for (const caller of callers.filter(({ reaches }) => reaches !== 'all')) {
        const { level } = needOf(route)
        const answer = await knock(route, caller.secret)
        const what = `${title(route)} by ${caller.name}: ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 200)}`
        if (LEVELS.indexOf(caller.level) < LEVELS.indexOf(level)) {
          expect(answer.status, what).toBe(403)
        } else if (misses(caller, route)) {
          const missing = await knock(route, caller.secret, pathOf(route, reaching(caller, nowhere)))
          expect(answer.status, what).toBe(404)
          expect(textOf(answer, ours), what).toBe(textOf(missing, absent))
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
      const last = segmentsOf(route.url).findLast(({ parameter }) => parameter !== undefined)
      if (last?.parameter === undefined || ['p', 'e', 'org'].includes(last.parameter) || !route.url.includes('/:e'))
        continue
      const id = await foreignId(route)
      if (id === undefined || UPSERTS.has(title(route))) continue
      const body = route.body === undefined ? undefined : goodValue(route.body, FIELDS)
      const asked = async (ref: string) =>
        api.ask(
          route.method,
          fill(route.url, (segment) =>
            segment.parameter === last.parameter && segment.kind === last.kind ? ref : knownRef(segment),
          ),
          body,
        )
      const answer = await asked(id)
      expect(answer.status, `${title(route)} of an object of a foreign environment`).toBe(404)
      expect(textOf(answer, [id])).toBe(textOf(await asked(random), [random]))
      compared++
    }
    expect(compared).toBeGreaterThan(10)
  })
})

/** They create what the path names. */
const UPSERTS = new Set(['PUT /v2/facts/:p/:e/users/:ref'])

/** A key that finds the project keeps it, so that only the environment is missing. */
const reaching =
  ({ reaches }: Caller, nowhere: (parameter: string) => string | undefined) =>
  (parameter: string): string | undefined =>
    reaches === 'project' && parameter === 'p' ? undefined : nowhere(parameter)

/** Past the gate: answered, or refused for the body, or for an object that is not there. */
function isThrough({ method }: Route, { status, body }: Answer): boolean {
  if (method === 'GET') return status === 200 || (status === 422 && body.detail[0].loc[0] === 'query')
  if (status === 422) return body.detail[0].loc[0] === 'body'
  return (
    status === 404 && !/`(project|environment|organization)/.test(body.message) && body.message.includes('`absent`')
  )
}

/** The id that the object of this route has in the environment of the other organization. */
async function foreignId(route: Route): Promise<string | undefined> {
  const segments = segmentsOf(route.url)
  const end = segments.findLastIndex(({ parameter }) => parameter !== undefined)
  const url = `/${segments
    .slice(0, end + 1)
    .map(({ text }) => text)
    .join('/')}`
  if (!routes.some((one) => one.method === 'GET' && one.url === url)) return undefined
  const { status, body } = await api.ask('GET', fill(url, knownRef), undefined, { key: foreign.organization.secret })
  if (status !== 200) throw new Error(`${url} of the foreign environment answered ${status}`)
  return body.id
}
