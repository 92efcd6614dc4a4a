// Zerohop as its users have it: written over the management API, asked over the PDP's HTTP API or by the library that follows the feed.
// Both servers listen on loopback in this process; every session has an organization of its own.
import { randomBytes } from 'node:crypto'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { connect, managementServer, openManagement, pooledPdpServer } from '../../src/server.ts'
import type { TenantPermissions } from '../reference/listing.ts'
import type { Request } from '../reference/request.ts'
import { type Decider, MANAGEMENT_LACKS, type Session } from './deciders.ts'
import { TESTER } from './environments.ts'
import { temporaryFolder } from './folders.ts'
import { type Operation, World } from './world.ts'

interface Servers {
  readonly api: string
  readonly pdp: string
  /** a fresh environment; returns its key and its path */
  environment(): Promise<{ key: string; path: string }>
  close(): Promise<void>
}

async function startServers(): Promise<Servers> {
  const management = await openManagement({ data: temporaryFolder('http'), noExample: true })
  const api = managementServer(management)
  const pdp = pooledPdpServer(management)
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

/** Sends JSON; the answer must be a 2xx. */
async function send(key: string, method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url.slice(0, 200)}: ${response.status} ${text.slice(0, 500)}`)
  return { json: text === '' ? undefined : JSON.parse(text), revision: response.headers.get('x-revision') ?? '' }
}

/** Method, path and body of an operation, for what exists now. */
function requestFor({ policy }: World, operation: Operation): [method: string, path: string, body?: unknown] {
  const [op, kind, object] = operation
  if (kind === 'role_assignment') return [op === 'put' ? 'POST' : 'DELETE', 'facts/role_assignments', object]
  if (kind !== 'user' && kind !== 'role' && kind !== 'tenant' && kind !== 'resource') {
    throw new Error(`no route writes a ${kind} yet`)
  }
  const { key } = object
  const collection = `${kind === 'user' || kind === 'tenant' ? 'facts' : 'schema'}/${kind}s`
  const member = `${collection}/${encodeURIComponent(key)}`
  if (op === 'delete') return ['DELETE', member]
  const exists = policy[kind].has(key)
  // The keys `.` and `..` are dot segments to every URL library: such a user is written by its key in a body, or by its id.
  if (kind === 'user') return exists ? ['PUT', member, { key }] : ['POST', collection, { key }]
  if (kind === 'tenant') return exists ? ['PATCH', member, { name: key }] : ['POST', collection, { key, name: key }]
  if (kind === 'resource') {
    const actions = Object.fromEntries(object.actions.map((action) => [action, {}]))
    return exists ? ['PUT', member, { name: key, actions }] : ['POST', collection, { key, name: key, actions }]
  }
  const { permissions = [], extends: parents = [] } = object as { permissions?: string[]; extends?: string[] }
  const fields = { name: key, permissions, extends: parents }
  return exists ? ['PATCH', member, fields] : ['POST', collection, { key, ...fields }]
}

/** Operations that do not depend on each other: they may be on the way together, and wait for the disk together. */
function batches(operations: readonly Operation[]): Operation[][] {
  const all: Operation[][] = []
  let keys = new Set<string>()
  for (const operation of operations) {
    const [op, kind, object] = operation
    const [first] = all.at(-1) ?? []
    const key = JSON.stringify(object)
    const alone = kind === 'resource' || (op === 'put' && kind === 'role' && (object.extends ?? []).length > 0)
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
async function write(
  servers: Servers,
  env: { key: string; path: string },
  world: World,
  operations: readonly Operation[],
) {
  let revision = 0
  for (const batch of batches(operations)) {
    const sent = batch.map((operation) => {
      const [method, path, body] = requestFor(world, operation)
      const [area, ...rest] = path.split('/')
      world.run(operation)
      return send(env.key, method, `${servers.api}/v2/${area}/${env.path}/${rest.join('/')}`, body)
    })
    for (const answer of await Promise.all(sent)) revision = Math.max(revision, Number(answer.revision))
  }
  return revision
}

const bodyOf = ({ user, action, resource }: Request) => ({ user: { key: user }, action, resource })

function overHttp(servers: Servers, env: { key: string; path: string }): Session {
  const world = new World()
  let revision = 0
  const ask = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const wanted = { 'x-min-revision': String(revision), ...headers }
    return (await send(env.key, 'POST', `${servers.pdp}${path}`, body, wanted)).json
  }
  return {
    async write(operations) {
      revision = Math.max(revision, await write(servers, env, world, operations))
    },
    check: async (request) => (await ask('/allowed', bodyOf(request))).allow,
    bulkCheck: async (requests) => {
      const { allow } = await ask('/allowed/bulk', requests.map(bodyOf))
      return allow.map((each: { allow: boolean }) => each.allow)
    },
    explain: async (request) => {
      return { rbac: (await ask('/allowed', bodyOf(request), { 'x-explain': 'true' })).debug.rbac.code }
    },
    permissions: async (user) => rowsOf(await ask('/user-permissions', { user: { key: user } })),
  }
}

async function overLibrary(servers: Servers, env: { key: string; path: string }): Promise<Session> {
  const world = new World()
  const pdp: Pdp = await connect({ url: servers.api, apiKey: env.key })
  return {
    async write(operations) {
      await pdp.atLeast(await write(servers, env, world, operations), { timeoutMs: 10_000 })
    },
    check: ({ user, action, resource }) => pdp.check(user, action, resource),
    bulkCheck: (requests) => pdp.bulkCheck(requests),
    explain: ({ user, action, resource }) => ({ rbac: pdp.explain(user, action, resource).code }),
    permissions: (user) => rowsOf(pdp.userPermissions(user)),
    close: () => pdp.close(),
  }
}

function rowsOf(permissions: Awaited<ReturnType<Pdp['userPermissions']>>): TenantPermissions[] {
  return Object.values(permissions).map(({ tenant, roles, permissions: allowed }) => {
    return { tenant: tenant.key, roles, permissions: allowed }
  })
}

function httpDecider(
  name: string,
  session: (servers: Servers, env: { key: string; path: string }) => Session | Promise<Session>,
): Decider {
  let started: Promise<Servers> | undefined
  return {
    name,
    lacks: MANAGEMENT_LACKS,
    async open() {
      started ??= startServers()
      const servers = await started
      return session(servers, await servers.environment())
    },
    async close() {
      await (await started)?.close()
    },
  }
}

export const httpDeciders: readonly Decider[] = [
  httpDecider('HTTP PDP', overHttp),
  httpDecider('library over the feed', overLibrary),
]
