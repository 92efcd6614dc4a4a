// Zerohop as its users have it: written over the management API, asked over the PDP's HTTP API or by the library that
// follows the feed. Both servers listen on loopback in this process; every session has an organization of its own.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { ROWS_HEADER } from '../../src/http/pdp/rows-header.ts'
import { LISTING_PAGE_MAX } from '../../src/model/limits.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import type { UserPermissions } from '../../src/pdp/pdp-listings.ts'
import { connect, managementServer, openManagement, pooledPdpServer } from '../../src/server.ts'
import type { Feature } from '../conformance/cases.ts'
import { EVERYBODY } from '../reference/everybody.ts'
import type { ReasonsAt } from '../reference/explain.ts'
import type { Request, Sent } from '../reference/request.ts'
import { toCall } from './calls.ts'
import { type Commit, commitsFor } from './commits.ts'
import { type Decider, MANAGEMENT_LACKS, type Questions } from './deciders.ts'
import { toSubject } from './doors/http.ts'
import {
  listInstancePermissions,
  listTenantPermissions,
  toBody,
  toCheck,
  toUser,
  withAttributes,
} from './doors/library.ts'
import { TESTER } from './environments.ts'
import { memoryFolder } from './folders.ts'
import { type Listings, listWays } from './listings.ts'
import { type Operation, type OperationKind, operationKey, World } from './world.ts'

interface Environment {
  readonly key: string
  readonly path: string
}

interface Servers {
  readonly api: string
  readonly pdp: string
  /** a fresh environment; returns its key and its path */
  environment(): Promise<Environment>
  close(): Promise<void>
}

async function startServers(): Promise<Servers> {
  const management = await openManagement({ data: memoryFolder('http'), noExample: true })
  const api = managementServer(management)
  const pdp = pooledPdpServer(management, { acceptNow: true })
  return {
    api: await api.listen({ host: '127.0.0.1', port: 0 }),
    pdp: await pdp.listen({ host: '127.0.0.1', port: 0 }),
    async environment() {
      const organization = randomBytes(16).toString('hex')
      const { result } = await management.store.commit(organization, 'bootstrap', { noExample: true }, TESTER)
      const { id, secret } = result.environments[0]!
      return { key: secret, path: `${result.project.id}/${id}` }
    },
    async close() {
      await pdp.close()
      await api.close()
      await management.store.close()
    },
  }
}

/** Takes half of the processor time of `fetch`, for ten thousands of small requests. */
const agent = new Agent({ keepAlive: true })

/** Sends JSON; the answer must be a 2xx. */
async function send(key: string, method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
  const json = body === undefined ? undefined : JSON.stringify(body)
  // Node says no length of its own of the body of a DELETE
  const length = json === undefined ? {} : { 'content-length': Buffer.byteLength(json) }
  const all = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...length, ...headers }
  const sent = request(url, { method, agent, headers: all })
  sent.end(json)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = await text(response)
  const { statusCode = 0 } = response
  if (statusCode < 200 || statusCode > 299)
    throw new Error(`${method} ${url.slice(0, 200)}: ${statusCode} ${answer.slice(0, 500)}`)
  return {
    json: answer === '' ? undefined : JSON.parse(answer),
    revision: String(response.headers['x-revision'] ?? ''),
  }
}

/** Of each of these, one may be what another one names. */
const NAME_EACH_OTHER: readonly OperationKind[] = [
  'resource',
  'role',
  'tenant_role',
  'resource_role',
  'relation',
  'condition_set',
]

/** Operations that do not depend on each other: they may be on the way together, and wait for the disk together. */
function batches(operations: readonly Operation[]): Operation[][] {
  const all: Operation[][] = []
  let keys = new Set<string>()
  for (const operation of operations) {
    const [op, kind] = operation
    const [first] = all.at(-1) ?? []
    const key = operationKey(operation)
    const alone = NAME_EACH_OTHER.includes(kind)
    if (first === undefined || alone || first[0] !== op || first[1] !== kind || keys.has(key) || keys.size >= 64) {
      all.push([])
      keys = new Set()
    }
    all.at(-1)!.push(operation)
    keys.add(key)
    if (alone) all.push([])
  }
  return all
}

/** Writes over the management API; returns the revision of the last write. */
async function write({ api }: Servers, env: Environment, world: World, operations: readonly Operation[]) {
  let revision = 0
  const run = async (commits: readonly Commit[]) => {
    for (const commit of commits) {
      const [method, path, body] = toCall(commit)
      const url = path.replace('$S', `schema/${env.path}`).replace('$F', `facts/${env.path}`)
      const answer = await send(env.key, method, `${api}/v2/${url}`, body)
      revision = Math.max(revision, Number(answer.revision))
    }
  }
  for (const batch of batches(operations)) {
    const sent = batch.map((operation) => {
      const commits = commitsFor(world, operation)
      world.run(operation)
      return run(commits)
    })
    await Promise.all(sent)
  }
  return revision
}

/** What says that the resource is a marked row: nothing in a body does. */
const rowHeader = ({ resource: { isRow = false } }: Request): Record<string, string> =>
  isRow ? { [ROWS_HEADER]: 'true' } : {}

/** Asks after everything up to `revision`, which somebody else wrote. */
type Follower = Questions & { follow(revision: number): Promise<void> }

function overHttp(servers: Servers, env: Environment): Follower {
  let revision = 0
  const asking = (now?: number) =>
    questionsOver((path, body, headers = {}) => {
      const wanted = { 'x-min-revision': String(revision), ...headers }
      return send(env.key, 'POST', `${servers.pdp}${path}`, askedThen(body, now), wanted).then(({ json }) => json)
    })
  return {
    ...asking(),
    async follow(written) {
      revision = Math.max(revision, written)
    },
    at: asking,
  }
}

/** A body, or a list of them, with the instant of the question, which the servers accept; without one as it is. */
function askedThen(body: unknown, now: number | undefined): unknown {
  if (now === undefined) return body
  const timed = (each: { context?: object }) => ({ ...each, context: { ...each.context, now } })
  return Array.isArray(body) ? body.map(timed) : timed(body as { context?: object })
}

type Ask = (path: string, body: unknown, headers?: Record<string, string>) => Promise<ReturnType<typeof JSON.parse>>

function questionsOver(ask: Ask): Questions {
  return {
    check: async (request) => (await ask('/allowed', toBody(request), rowHeader(request))).allow,
    bulkCheck: async (requests) => {
      // the header is of all questions of a request
      const bulk = async (isRow: boolean): Promise<Map<Request, boolean>> => {
        const some = requests.filter(({ resource }) => (resource.isRow ?? false) === isRow)
        const [first] = some
        if (first === undefined) return new Map()
        const { allow } = await ask('/allowed/bulk', some.map(toBody), rowHeader(first))
        return new Map(some.map((request, at) => [request, allow[at].allow]))
      }
      const [others, rows] = [await bulk(false), await bulk(true)]
      return requests.map((request) => (others.get(request) ?? rows.get(request))!)
    },
    explain: async (request) => {
      const {
        rbac,
        rebac,
        abac,
        not_in_force = [],
      } = (await ask('/allowed', toBody(request), { 'x-explain': 'true', ...rowHeader(request) })).debug
      // Where neither an instance nor a relation is named, the answer leaves roles on instances out.
      const code = rebac?.code ?? (abac.code === 'user_not_synced' ? abac.code : 'no_such_instance')
      return {
        rbac: rbac.code,
        rebac: code,
        abac: abac.code,
        misses: abac.nearest_misses,
        notes: abac.notes,
        not_in_force: not_in_force.map(fromInstants),
      }
    },
    permissions: async (user, sent) => listTenantPermissions(await ask('/user-permissions', aboutUser(user, sent))),
    listings: listingsOver(ask),
  }
}

/** A grant with its times in ms since 1970, as the library gives them. */
const fromInstants = ({ valid_from: from, valid_until: until, ...grant }: Record<string, string>) => ({
  ...grant,
  ...(from === undefined ? {} : { valid_from: Date.parse(from) }),
  ...(until === undefined ? {} : { valid_until: Date.parse(until) }),
})

const aboutUser = (user: string, { user: attributes, context = {} }: Sent = {}) => {
  return { user: withAttributes({ key: user }, attributes), context }
}

/** Listings by whichever route has them: those of the contract, or a search of AuthZEN, which knows instances only. */
function listingsOver(ask: Ask): Listings {
  const names = (tenants: readonly { readonly key: string }[]) => tenants.map(({ key }) => key)
  const search = async (what: 'subject' | 'resource' | 'action', { user, action, resource, sent = {} }: Request) => {
    const { type, key, tenant } = resource
    const properties = { ...sent.resource, ...(tenant === undefined ? {} : { tenant }) }
    const { results } = await ask(`/access/v1/search/${what}`, {
      subject: what === 'subject' ? { type: 'user' } : toSubject(user, sent.user),
      action: { name: action },
      resource: { type, ...(key === undefined ? {} : { id: key }), properties },
      context: sent.context ?? {},
      page: { limit: LISTING_PAGE_MAX },
    })
    return results.map((found: { id?: string; name?: string }) => found.id ?? found.name)
  }
  const authorized = async (request: Request) =>
    listWays(Object.entries((await ask('/authorized_users', toBody(request))).users))
  return {
    instancePermissions: async (user, sent) =>
      listInstancePermissions(await ask('/user-permissions', aboutUser(user, sent))),
    authorized,
    users: async (request) => {
      const { resource } = request
      if (resource.key !== undefined) return search('subject', request)
      const users = (await authorized(request)).map(([user]) => user)
      // it has one line for everybody, where a search names each: of an instance that is not stored, as it takes no type alone
      return users.includes(EVERYBODY) ? search('subject', { ...request, resource: { ...resource, key: '-' } }) : users
    },
    instances: (request) => search('resource', request),
    actions: async (request) => {
      const { type, key, tenant = 'default' } = request.resource
      if (key !== undefined) return search('action', request)
      const entries: UserPermissions = await ask('/user-permissions', aboutUser(request.user, request.sent))
      const entry = entries[`__tenant:${tenant}`]
      // what everybody has is in the tenants of the user alone, and a search finds it: of an instance, as above
      if (entry === undefined) return search('action', { ...request, resource: { ...request.resource, key: '-' } })
      return entry.permissions.filter((each) => each.startsWith(`${type}:`)).map((each) => each.slice(type.length + 1))
    },
    tenants: async (request) => {
      const { allowed_tenants: found } = await ask('/allowed/all-tenants', toBody(request))
      return names(found.map(({ tenant }: { tenant: { key: string } }) => tenant))
    },
    userTenants: async (user) => names(await ask('/user-tenants', { user: { key: user } })),
  }
}

async function overLibrary(servers: Servers, env: Environment): Promise<Follower> {
  const pdp: Pdp = await connect({ url: servers.api, apiKey: env.key })
  return {
    ...questionsTo(pdp),
    async follow(written) {
      await pdp.atLeast(written, { timeoutMs: 60_000 })
    },
    at: (now) => questionsTo(pdp.at(now)),
    close: () => pdp.close(),
  }
}

function questionsTo(pdp: Pdp): Questions {
  return {
    check: (request) => {
      const { user, action, resource, context } = toCheck(request)
      return pdp.check(user, action, resource, context)
    },
    bulkCheck: (requests) => pdp.bulkCheck(requests.map(toCheck)),
    explain: (request) => {
      const { user, action, resource, context } = toCheck(request)
      const { code, rebac, abac, misses, matches, notes, not_in_force } = pdp.explain(user, action, resource, context)
      return { rbac: code, rebac, abac, misses, matches, notes, not_in_force } as ReasonsAt // no case meets a limit
    },
    permissions: (user, sent) => listTenantPermissions(permissionsIn(pdp, user, sent)),
    listings: makeListings(pdp),
  }
}

const permissionsIn = (pdp: Pdp, user: string, { user: attributes, context }: Sent = {}) =>
  pdp.userPermissions(toUser(user, attributes), {}, context)

function makeListings(pdp: Pdp): Listings {
  const names = (tenants: readonly { readonly key: string }[]) => tenants.map(({ key }) => key)
  return {
    instancePermissions: (user, sent) => listInstancePermissions(permissionsIn(pdp, user, sent)),
    users: (request) => {
      const { action, resource, context } = toCheck(request)
      return pdp.users(action, resource, { context: context ?? null }).keys
    },
    instances: (request) => {
      const { user, action, resource, context } = toCheck(request)
      return pdp.resources(user, action, resource.type, { ...resource, context: context ?? null }).keys
    },
    actions: (request) => {
      const { user, resource, context } = toCheck(request)
      return pdp.actions(user, resource, context)
    },
    tenants: (request) => {
      const { user, action, resource, context } = toCheck(request)
      return names(pdp.tenants(user, action, resource, context))
    },
    authorized: (request) => {
      const { action, resource, context } = toCheck(request)
      return listWays(Object.entries(pdp.authorizedUsers({ action, resource, context: context ?? null }).users))
    },
    userTenants: (user) => names(pdp.userTenants(toUser(user))),
  }
}

/**
 * In a body of POST /allowed an action is a key, without attributes, and a PDP sets the time of a question itself. No
 * route lists users or actions with relations that are sent.
 */
const ALLOWED_LACKS: readonly Feature[] = ['action', 'now', 'related_listings']

let started: Promise<Servers> | undefined

/** Written once over the management API, then every question is asked of both. */
export const httpDecider: Decider = {
  name: 'HTTP PDP and library over the feed',
  lacks: MANAGEMENT_LACKS,
  async open(features) {
    started ??= startServers()
    const servers = await started
    const env = await servers.environment()
    const library = await overLibrary(servers, env)
    const pdp = overHttp(servers, env)
    const world = new World()
    return {
      ...library,
      others: new Map(ALLOWED_LACKS.some((feature) => features.has(feature)) ? [] : [['over HTTP', pdp]]),
      async write(operations) {
        const revision = await write(servers, env, world, operations)
        for (const follower of [library, pdp]) await follower.follow(revision)
        return undefined
      },
    }
  },
  async close() {
    await (await started)?.close()
    started = undefined
  },
}
