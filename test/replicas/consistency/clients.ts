// The clients of a run: they write, read, and make, rotate and delete keys at random replicas, and note everything.
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, type Asked, type Cluster, type Json, REPLICAS, type Scope } from './cluster.ts'
import type { Effect, History, Outcome, State } from './history.ts'
import { Pace } from './pace.ts'
import type { Random } from './random.ts'

const USERS_MIN = 8
const USERS_MAX = 60
const ROLES_MAX = 8
/** How many users of one client have the role at once. */
const HELD_ROLES = 3
/** How long a keyed write is tried again. */
const KEYED_MS = 15_000
/** How long a client waits for an answer: some are gone before a replica knows what became of their write. */
const PATIENCE_MS = [1_000, 1_000, 2_000, 5_000, 14_000]
/** Between two operations of a client, under full load: the machine is shared. */
const PAUSE_MS = 25

const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** What the clients believe to be there; it may be wrong after an unknown outcome, which is fine. */
interface Pool {
  readonly scope: Scope
  readonly users: Set<string>
  readonly roles: Set<string>
  /** users with the role `reader` */
  readonly readers: Set<string>
}

interface Write {
  readonly log: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly effect: Effect
  readonly key?: string
  readonly keyed: boolean
}

export class Clients {
  readonly pools: readonly Pool[]
  readonly #cluster: Cluster
  readonly #history: History
  readonly #organization: string
  readonly #pace: Pace
  #isStopped = false

  constructor(cluster: Cluster, history: History, organization: string, scopes: readonly Scope[], pace = new Pace(1)) {
    this.#cluster = cluster
    this.#history = history
    this.#organization = organization
    this.#pace = pace
    this.pools = scopes.map((scope) => ({ scope, users: new Set(), roles: new Set(), readers: new Set() }))
  }

  stop(): void {
    this.#isStopped = true
    this.#pace.end()
  }

  /** A client that works on objects, until `stop`. */
  async work(random: Random): Promise<void> {
    while (!this.#isStopped) {
      const pool = random.pick(this.pools)
      await this.#step(random, pool)
      await this.#pace.rest(random.between(0, 2 * PAUSE_MS))
    }
  }

  /** A client that makes keys and races their revocation, until `stop`. */
  async revoke(random: Random): Promise<void> {
    while (!this.#isStopped) {
      await this.#race(random, random.pick(this.pools))
      await this.#pace.pause(random.between(0, 4 * PAUSE_MS))
    }
  }

  /** A client that gives the role and takes it back, so that followers always have some to forget, until `stop`. */
  async grant(random: Random): Promise<void> {
    const [pool] = this.pools
    const held: string[] = []
    while (!this.#isStopped && pool !== undefined) {
      const user = await this.#create(random, pool)
      await this.#assign(random, pool, user)
      held.push(user)
      const oldest = held.length > HELD_ROLES ? held.shift() : undefined
      if (oldest !== undefined) await this.#unassign(random, pool, oldest)
      await this.#pace.pause(random.between(0, 8 * PAUSE_MS))
    }
  }

  async #step(random: Random, pool: Pool): Promise<void> {
    const { users, readers, roles } = pool
    const known = [...users]
    const what = random.weighted({
      create: users.size < USERS_MIN ? 100 : users.size > USERS_MAX ? 0 : 8,
      update: 30,
      updateAndRead: 30,
      remove: users.size > USERS_MIN ? 5 : 0,
      assign: 9,
      unassign: readers.size > 0 ? 8 : 0,
      role: 4,
      read: 20,
      list: 6,
    })
    if (what === 'create' || known.length === 0) await this.#create(random, pool)
    else if (what === 'update') await this.#update(random, pool, random.pick(known))
    else if (what === 'updateAndRead') {
      const user = random.pick(known)
      const at = await this.#update(random, pool, user)
      await this.#read(pool, user, (at + random.between(1, REPLICAS - 1)) % REPLICAS)
    } else if (what === 'remove') await this.#remove(random, pool, random.pick(known))
    else if (what === 'assign') await this.#assign(random, pool, random.pick(known))
    else if (what === 'unassign') await this.#unassign(random, pool, random.pick([...readers]))
    else if (what === 'role') await this.#role(random, pool, [...roles])
    else if (what === 'read') await this.#read(pool, random.pick(known), random.between(0, REPLICAS - 1))
    else await this.#list(pool, random.between(0, REPLICAS - 1))
  }

  async #create(random: Random, pool: Pool): Promise<string> {
    const id = this.#history.newId()
    const key = `u${id}`
    pool.users.add(key)
    const body = { key, attributes: { v: String(id) } }
    await this.#writeFact(random, pool, 'POST', '/users', { object: `user/${key}`, state: String(id) }, body)
    return key
  }

  /** Returns the replica that answered. */
  #update(random: Random, pool: Pool, user: string, key?: string): Promise<number> {
    const state = String(this.#history.newId())
    const effect = { object: `user/${user}`, state }
    return this.#writeFact(random, pool, 'PATCH', `/users/${user}`, effect, { attributes: { v: state } }, key)
  }

  async #remove(random: Random, pool: Pool, user: string): Promise<void> {
    pool.users.delete(user)
    pool.readers.delete(user)
    await this.#writeFact(random, pool, 'DELETE', `/users/${user}`, { object: `user/${user}`, state: null })
  }

  /** A user gets the role at most once, so that no two assignments are alike. */
  readonly #assigned = new Set<string>()
  async #assign(random: Random, pool: Pool, user: string): Promise<void> {
    const name = `${pool.scope.id} ${user}`
    if (this.#assigned.has(name)) return
    this.#assigned.add(name)
    const effect = { object: `assignment/${user}/reader/default`, state: 'yes' }
    await this.#writeFact(random, pool, 'POST', '/role_assignments', effect, makeAssignment(user))
    pool.readers.add(user)
  }

  async #unassign(random: Random, pool: Pool, user: string): Promise<void> {
    pool.readers.delete(user)
    const effect = { object: `assignment/${user}/reader/default`, state: null }
    await this.#writeFact(random, pool, 'DELETE', '/role_assignments', effect, makeAssignment(user))
  }

  async #role(random: Random, pool: Pool, roles: readonly string[]): Promise<void> {
    const id = this.#history.newId()
    const base = { log: pool.scope.id, keyed: random.chance(0.5) }
    const path = `/v2/schema/${pool.scope.path}/roles`
    const body = { name: String(id) }
    if (roles.length === 0 || (roles.length < ROLES_MAX && random.chance(0.5))) {
      const key = `r${id}`
      pool.roles.add(key)
      const effect = { object: `role/${key}`, state: String(id) }
      await this.#write(random, { ...base, method: 'POST', path, effect, body: { ...body, key } })
      return
    }
    const key = random.pick(roles)
    if (random.chance(0.7)) {
      const effect = { object: `role/${key}`, state: String(id) }
      await this.#write(random, { ...base, method: 'PATCH', path: `${path}/${key}`, effect, body })
    } else {
      pool.roles.delete(key)
      await this.#write(random, {
        ...base,
        method: 'DELETE',
        path: `${path}/${key}`,
        effect: { object: `role/${key}`, state: null },
      })
    }
  }

  async #writeFact(
    random: Random,
    { scope }: Pool,
    method: string,
    path: string,
    effect: Effect,
    body?: unknown,
    key?: string,
  ): Promise<number> {
    const keyed = random.chance(0.5)
    const write = { log: scope.id, method, path: `/v2/facts/${scope.path}${path}`, effect, keyed }
    const { replica } = await this.#write(random, {
      ...write,
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { key }),
    })
    return replica
  }

  /** Sends a write, a keyed one until it is answered, and notes it. */
  async #write(random: Random, write: Write, first = random.between(0, REPLICAS - 1)) {
    const { log, method, path, body, effect, key, keyed } = write
    const id = this.#history.newId()
    const timeoutMs = random.pick(PATIENCE_MS)
    const asked: Asked = { body, once: keyed ? `once-${id}` : undefined, timeoutMs, ...(key && { key }) }
    const begun = performance.now()
    const visited: string[] = []
    let replica = first
    let answer: Answer
    let outcome = 'refused' as Outcome
    for (;;) {
      answer = await this.#cluster.replica(replica).call(method, path, asked)
      visited.push(`${replica}${formatStatus(answer)}`)
      const now = toOutcome(answer)
      const status = answer.kind === 'answered' ? answer.status : 503
      const isAnswered = status < 500
      // An unknown outcome stays one until the write itself is answered for: what refuses a repeated request says
      // nothing about an earlier one that may still be on its way.
      outcome = outcome === 'unknown' && now !== 'ok' ? 'unknown' : now
      if (!keyed || isAnswered || performance.now() - begun > KEYED_MS) break
      this.#history.counts.retried++
      replica = (replica + 1) % REPLICAS
      await pause(random.between(20, 200))
    }
    const [ended, endedAt] = [performance.now(), Date.now()]
    this.#requireExpected(answer, `${method} ${path}`)
    const revision = answer.kind === 'answered' && outcome === 'ok' ? answer.revision : undefined
    const text = `${method} ${path}${keyed ? ' keyed' : ''} at ${visited.join(', ')}`
    const hash = key === undefined ? undefined : hashSecret(key)
    const operation = { id, text, begun, ended, endedAt }
    const isCreation = method === 'POST' && effect.state !== null
    this.#history.add({ ...operation, kind: 'write', log, outcome, revision, effect, isCreation, key: hash })
    if (hash !== undefined && answer.kind === 'answered') this.#noteUse(operation, hash, answer.status)
    return { outcome, replica, body: answer.kind === 'answered' ? (answer.body as Json) : null }
  }

  /** An answer to a request with a key that may be revoked says whether the key was valid. */
  #noteUse(
    operation: { id: number; text: string; begun: number; ended: number; endedAt: number },
    hash: string,
    status: number,
  ): void {
    if (status !== 401 && status >= 300) return
    const seen = new Map([[`key/${hash}`, status === 401 ? null : 'alive']])
    this.#history.add({ ...operation, kind: 'read', log: this.#organization, outcome: 'ok', seen })
  }

  async #read({ scope }: Pool, user: string, replica: number): Promise<void> {
    const path = `/v2/facts/${scope.path}/users/${user}`
    await this.#note(scope.id, path, replica, {}, ({ status, body }) => {
      if (status === 404) return { seen: new Map([[`user/${user}`, null]]) }
      return status === 200 ? { seen: new Map([[`user/${user}`, String(body.attributes.v)]]) } : undefined
    })
  }

  async #list({ scope }: Pool, replica: number): Promise<void> {
    const toUserState = ({ key, attributes }: Json): [string, State] => [`user/${key}`, String(attributes.v)]
    await this.#noteList(scope, `/v2/facts/${scope.path}/users`, 'user/', toUserState, replica)
  }

  /** Reads, at every replica, what there is: for the end of a run. */
  async readAll(): Promise<void> {
    for (const pool of this.pools) {
      const { scope } = pool
      for (let replica = 0; replica < REPLICAS; replica++) {
        await this.#list(pool, replica)
        const toAssignmentState = ({ user, role, tenant }: Json): [string, State] => [
          `assignment/${user}/${role}/${tenant}`,
          'yes',
        ]
        await this.#noteList(
          scope,
          `/v2/facts/${scope.path}/role_assignments`,
          'assignment/',
          toAssignmentState,
          replica,
        )
        // beside those of the clients there is one more: the list says nothing of what it lacks
        const toRoleState = ({ key, name }: Json): [string, State] => [`role/${key}`, name]
        await this.#noteList(scope, `/v2/schema/${scope.path}/roles`, undefined, toRoleState, replica)
      }
    }
  }

  async #noteList(
    scope: Scope,
    path: string,
    all: string | undefined,
    stateOf: (item: Json) => [string, State],
    replica: number,
  ): Promise<void> {
    await this.#note(scope.id, `${path}?per_page=100`, replica, {}, ({ status, body }) => {
      if (status !== 200) return undefined
      const items: Json[] = Array.isArray(body) ? body : body.data
      const seen = new Map<string, State>(items.map(stateOf).filter(([object]) => object !== 'role/reader'))
      return items.length < 100 && all !== undefined ? { seen, all } : { seen }
    })
  }

  async #use(secret: string, replica: number): Promise<void> {
    const object = `key/${hashSecret(secret)}`
    await this.#note(this.#organization, '/v2/api-key/scope', replica, { key: secret }, ({ status }) =>
      status === 200 || status === 401 ? { seen: new Map([[object, status === 401 ? null : 'alive']]) } : undefined,
    )
  }

  async #note(
    log: string,
    path: string,
    replica: number,
    asked: Asked,
    seenIn: (answer: Extract<Answer, { kind: 'answered' }>) => { seen: Map<string, State>; all?: string } | undefined,
  ): Promise<void> {
    const id = this.#history.newId()
    const begun = performance.now()
    const answer = await this.#cluster.replica(replica).call('GET', path, asked)
    const [ended, endedAt] = [performance.now(), Date.now()]
    this.#requireExpected(answer, `GET ${path}`)
    const found = answer.kind === 'answered' ? seenIn(answer) : undefined
    if (found === undefined) {
      this.#history.counts[answer.kind === 'unreached' ? 'unreached' : 'unanswered']++
      return
    }
    const text = `GET ${path} at ${replica}`
    this.#history.add({ id, kind: 'read', text, log, begun, ended, endedAt, outcome: 'ok', ...found })
  }

  /** Makes a key, and revokes it while it is used: by a rotation first, then by a deletion. */
  async #race(random: Random, pool: Pool): Promise<void> {
    const [project_id, environment_id] = pool.scope.path.split('/')
    const log = this.#organization
    const name = String(this.#history.newId())
    const made = await this.#write(random, {
      log,
      method: 'POST',
      path: '/v2/api-key',
      body: { organization_id: this.#organization, project_id, environment_id, object_type: 'env', name },
      effect: { object: `name/${name}`, state: 'made' },
      keyed: random.chance(0.5),
    })
    if (made.outcome !== 'ok') return
    const { id, secret } = made.body as { id: string; secret: string }
    const rotated = await this.#revokeWhileUsed(random, pool, secret, 'POST', `/v2/api-key/${id}/rotate-secret`)
    if (rotated.outcome === 'unknown') return // which secret a deletion would end is not known
    const next = rotated.outcome === 'ok' ? (rotated.body as { secret: string }).secret : undefined
    if (next !== undefined) await this.#use(next, random.between(0, REPLICAS - 1))
    await this.#revokeWhileUsed(random, pool, next ?? secret, 'DELETE', `/v2/api-key/${id}`)
  }

  async #revokeWhileUsed(random: Random, pool: Pool, secret: string, method: string, path: string) {
    const users = [...pool.users]
    const writes =
      users.length === 0
        ? []
        : Array.from({ length: 4 }, async () => {
            await pause(random.between(0, 60))
            await this.#update(random, pool, random.pick(users), secret)
          })
    await pause(random.between(0, 60))
    const effect = { object: `key/${hashSecret(secret)}`, state: null }
    const write = { log: this.#organization, method, path, effect, keyed: random.chance(0.5) }
    const revoked = await this.#write(random, write)
    const at = random.between(0, REPLICAS - 1)
    await Promise.all([this.#use(secret, at), this.#use(secret, (at + 1) % REPLICAS), ...writes])
    return revoked
  }

  #requireExpected(answer: Answer, what: string): void {
    if (answer.kind !== 'answered' || answer.status < 500) return
    // no fault of a run loses history
    if (answer.status === 503 && !String(answer.body?.message).includes('does not continue it')) return
    this.#history.unexpected.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
}

const makeAssignment = (user: string) => ({ user, role: 'reader', tenant: 'default' })

function formatStatus(answer: Answer): string {
  if (answer.kind !== 'answered') return answer.kind === 'lost' ? ' → no answer' : ' → not reached'
  return ` → ${answer.status}${answer.status < 500 ? '' : ` ${answer.body?.message}`}`
}

function toOutcome(answer: Answer): Outcome {
  if (answer.kind !== 'answered') return answer.kind === 'unreached' ? 'refused' : 'unknown'
  if (answer.status < 300) return 'ok'
  if (answer.status < 500) return 'refused'
  return String(answer.body?.message).endsWith('nothing was written') ? 'refused' : 'unknown'
}
