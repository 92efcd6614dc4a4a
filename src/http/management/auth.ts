// Who is asking, and for which environment. A key is found by the SHA-256 of its secret and compared in constant time;
// what was found is remembered only as long as the control log of its organization gets nothing but sessions of members, so a
// rotated key is dead at once. What a key may do is src/management/rules/access.ts. Foreign objects are missing, with the same answer as
// objects that do not exist.
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKey } from '../../kinds/api-key.ts'
import type { Environment } from '../../kinds/environment.ts'
import type { Project } from '../../kinds/project.ts'
import type { Tenant } from '../../kinds/tenant.ts'
import type { LogId, UserActor } from '../../log/change.ts'
import { hashSecret, sameHash } from '../../management/objects/api-key.ts'
import {
  isForTenants,
  type Operation,
  type Rights,
  reachesEnvironment,
  reachesProject,
  requireAccess,
} from '../../management/rules/access.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { requireNotEnded } from '../../model/key-end.ts'
import { parseId } from '../../model/keys.ts'
import { AUTH_CACHE_MAX } from '../../model/limits.ts'
import { environmentKey } from '../../model/objects.ts'
import type { Store } from '../../store/store.ts'
import type { StoredView, UseCases } from '../../store/view.ts'
import { findGlobal, V1_ENVIRONMENT } from '../../v1/use-cases/global-environment.ts'
import { isConsole } from '../console/console-request.ts'
import { KeyChanges } from '../key-changes.ts'
import type { OperatorCheck } from '../metrics.ts'
import { requireRequired } from './requirements.ts'

/** What stands for the caller everywhere: an API key, or the rights of a user in the form of one. */
export type CallerKey = ApiKey & Rights

/** The key of a request and its organization. */
export interface Caller {
  readonly key: CallerKey
  readonly organization: LogId
  /** a person who has no key: then `key` is on no record */
  readonly user?: UserActor
  /** the stored user whom the person is, wherever it is one: in access requests the person acts as that user */
  readonly actsAs?: { readonly user: string; readonly since: number }
  /** a command of the operator, which has no key either */
  readonly isSystem?: true
}

/** The environment that a request is about. */
export interface Scope {
  readonly organization: LogId
  readonly project: Project
  readonly environment: Environment
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Admits a request again that stays open: its key, its session or its environment may be gone.
     * @throws as when it came
     */
    admitAgain(request: FastifyRequest): Promise<void>
  }
  interface FastifyRequest {
    caller: Caller
    /** set on routes below `/:p/:e` */
    scope: Scope
    /**
     * the tenant that the path names, of the key or of the header `x-as-tenant`: the request sees and changes what is
     * its own
     */
    ownTenant: Tenant | undefined
    /** true for a request with the operator's token instead of a key, which has no caller */
    isOperator: boolean
  }
  interface FastifyContextConfig {
    /** what the route does: a row of src/management/rules/access.ts */
    operation?: Operation
    /** about the environment of objects outside of environments, of the organization of the key: see outside() */
    outside?: true
    /** the route looks itself for the environment that the path names: a repeated request may find it gone */
    mayBeGone?: true
    /** a request without a body is one with an empty object */
    bodyIsOptional?: true
    /** the operator's token will do as well */
    forOperators?: true
  }
}

/** Names a tenant: the request may do what a key of that tenant may, and no more. */
const AS_TENANT = 'x-as-tenant'

const BEARER = /^bearer +([\x21-\x7e]+) *$/i

/** The secret of an Authorization header; undefined without a header or a bearer. */
function findBearer(header: string | undefined): string | undefined {
  return header === undefined ? undefined : BEARER.exec(header)?.[1]
}

type Keys = Pick<Store<UseCases>, 'findApiKey' | 'diedWithEnvironment' | 'view' | 'head' | 'entries'>
/** Hears that a key of an organization is used. */
type OnKeyUse = (organization: LogId, key: ApiKey) => void
interface Known<T> {
  readonly revision: number
  readonly value: T
}

/** Finds callers and scopes; one for a server. */
export class Gate {
  readonly #store: Keys
  readonly #callers = new Map<string, Known<Caller>>()
  readonly #scopes = new Map<string, Known<Scope>>()
  /** each for one request of the same process */
  readonly #tickets = new Map<string, Caller>()

  readonly #changes: KeyChanges
  readonly #used: OnKeyUse

  /** @param used hears of each use of a key */
  constructor(store: Keys, used: OnKeyUse = () => {}) {
    this.#store = store
    this.#changes = new KeyChanges(store, (hash) => this.#callers.has(hash))
    this.#used = used
  }

  /**
   * @param follows whether a PDP asks, which then learns that its environment is deleted; for others the key is unknown
   * @throws KEY_MISSING, KEY_UNKNOWN, KEY_EXPIRED, KEY_REVOKED, ENVIRONMENT_DELETED
   */
  caller(authorization: string | undefined, follows = false): Caller {
    const secret = findBearer(authorization)
    if (secret === undefined) throw new ZerohopError('KEY_MISSING')
    const system = this.#tickets.get(secret)
    if (system !== undefined) {
      this.#tickets.delete(secret)
      return system
    }
    return this.callerOf(hashSecret(secret), follows)
  }

  /** The caller whose key has a secret of this hash. @throws as `caller`, but KEY_MISSING */
  callerOf(hash: string, follows = false): Caller {
    const known = this.#callers.get(hash)
    const caller =
      known && this.#isCurrent(known, known.value.organization) ? known.value : this.#findCaller(hash, follows)
    requireNotEnded(caller.key, Date.now())
    this.#used(caller.organization, caller.key)
    return caller
  }

  #findCaller(hash: string, follows: boolean): Caller {
    const found = this.#store.findApiKey(hash)
    if (found === undefined || !sameHash(found.key.key, hash)) {
      throw new ZerohopError(follows && this.#store.diedWithEnvironment(hash) ? 'ENVIRONMENT_DELETED' : 'KEY_UNKNOWN')
    }
    const { key, organization } = found
    const { secret_of, expires_at } = key
    // an old secret stands for its key, and ends by itself
    const main = secret_of === undefined ? key : this.#store.view(organization).find('api_key', secret_of)
    if (main === undefined) throw new ZerohopError('KEY_UNKNOWN')
    const caller =
      secret_of === undefined ? found : { key: { ...main, key: hash, secret_of, expires_at }, organization }
    return this.#remember(this.#callers, hash, caller, organization)
  }

  /** What one request may send in the place of an API key, to do in the organization what its keys may do. */
  systemTicket(organization: LogId): string {
    const ticket = randomBytes(32).toString('base64url')
    const place = { organization_id: organization, project_id: null, environment_id: null }
    const stored = { id: organization, key: '', created_at: 0, updated_at: 0 }
    const key = { ...stored, ...place, level: 'org', access: 'write', owner: 'member', name: null } as const
    this.#tickets.set(ticket, { key, organization, isSystem: true })
    return ticket
  }

  /** The organization's control log. */
  control(caller: Caller): StoredView {
    return this.#store.view(caller.organization)
  }

  /** @throws OBJECT_NOT_FOUND unless the key reaches it */
  project(caller: Caller, ref: string): Project {
    const project = this.control(caller).find('project', ref)
    if (project === undefined || !reachesProject(caller.key, project)) throw missing('project', ref)
    return project
  }

  /** Ids of the environments that the key reaches. */
  environments(caller: Caller): string[] {
    const { level, environment_id: own, project_id } = caller.key
    if (level !== 'org' && level !== 'project') return own === null ? [] : [own]
    const view = this.control(caller)
    const project = project_id === null ? undefined : view.find('project', project_id)
    if (level === 'project' && project === undefined) return []
    const all = project === undefined ? view.list('environment') : view.by('environments_of_project', project.key)
    return [...all].map(({ id }) => id)
  }

  /** @throws OBJECT_NOT_FOUND unless the key reaches it */
  scope(caller: Caller, projectRef: string, environmentRef: string): Scope {
    // a user may have other rights in another session
    const { id, project_id, environment_id } = caller.key
    const own = environment_id ?? project_id ?? ''
    const name = `${id}${own}.${projectRef.length}:${projectRef}${environmentRef}`
    const known = this.#scopes.get(name)
    if (known && this.#isCurrent(known, caller.organization)) return known.value
    const project = this.project(caller, projectRef)
    const view = this.control(caller)
    const ref = parseId(environmentRef)
    const byId = ref === undefined ? undefined : view.find('environment', ref)
    const environment =
      byId?.project === project.key ? byId : view.get('environment', environmentKey(project.key, environmentRef))
    if (environment === undefined || !reachesEnvironment(caller.key, project, environment)) {
      throw missing('environment', environmentRef)
    }
    const scope = { organization: caller.organization, project, environment }
    return this.#remember(this.#scopes, name, scope, caller.organization)
  }

  /**
   * The tenant of a key of level `tenant`. The key names it by its id: a new tenant of the same key is another.
   * @throws OBJECT_NOT_FOUND when it was deleted, and when the path names another one
   */
  ownTenant({ key }: Caller, ref: string | undefined): Tenant {
    const view = this.#store.view(key.environment_id ?? '')
    const tenant = view.find('tenant', key.tenant_id ?? '')
    if (tenant === undefined) throw missing('tenant', ref ?? key.tenant_id ?? '')
    if (ref !== undefined && view.find('tenant', ref)?.id !== tenant.id) throw missing('tenant', ref)
    return tenant
  }

  /** The environment of the key of a directory, whose requests name none. @throws OBJECT_NOT_FOUND */
  ownScope(caller: Caller): Scope {
    const view = this.control(caller)
    const { environment_id: id } = caller.key
    const environment = id === null ? undefined : view.find('environment', id)
    if (environment === undefined) throw missing('environment', id ?? '')
    return { organization: caller.organization, project: view.require('project', environment.project), environment }
  }

  /**
   * The tenant of a request that is to be carried out as one of its own administrators: it reaches then what a key of
   * the tenant reaches, whatever its key may do.
   * @throws NOT_OF_TENANT on a route that is about no tenant; OBJECT_NOT_FOUND when the path names another one
   */
  asTenant(scope: Scope | undefined, ref: string | undefined, named: string): Tenant {
    if (scope === undefined || ref === undefined) throw new ZerohopError('NOT_OF_TENANT')
    const view = this.#store.view(scope.environment.id)
    const tenant = view.find('tenant', ref)
    if (tenant === undefined || view.find('tenant', named)?.id !== tenant.id) throw missing('tenant', ref)
    return tenant
  }

  /**
   * Where the first API version keeps objects outside of environments. A PDP of that version follows it besides the
   * environment of its key, which is why the key of an environment reaches it here, to read and in its own organization
   * only.
   * @throws OBJECT_NOT_FOUND while there is none, KEY_TOO_NARROW for the key of a project
   */
  outside(caller: Caller): Scope {
    if (caller.key.level === 'project')
      throw new ZerohopError('KEY_TOO_NARROW', { what: 'follow objects outside of environments' })
    const view = this.control(caller)
    const environment = findGlobal(view)
    if (environment === undefined) throw missing('environment', V1_ENVIRONMENT)
    return { organization: caller.organization, project: view.require('project', environment.project), environment }
  }

  #isCurrent(known: Known<unknown>, organization: LogId): boolean {
    return known.revision >= this.#changes.last(organization)
  }

  #remember<T>(map: Map<string, Known<T>>, name: string, value: T, organization: LogId): T {
    if (map.size >= AUTH_CACHE_MAX) map.clear()
    map.set(name, { revision: this.#changes.last(organization), value })
    return value
  }
}

/** What a PDP asks for. */
const FOLLOWING: readonly Operation[] = ['scope.read', 'feed.read']

/**
 * The caller of a request of the console. With `reply` the session is renewed.
 * @throws SESSION_MISSING, CSRF_REFUSED, KEY_REVOKED
 */
export type CookieCaller = (request: FastifyRequest, reply?: FastifyReply) => Promise<Caller>

/**
 * Puts the gate before every route of `app`: each must name its operation, and those with `:p` and `:e` get their
 * scope. Requests of the console are authenticated by `cookieCaller` alone, all others by their bearer key alone.
 */
export function guard(app: FastifyInstance, gate: Gate, isOperator: OperatorCheck, cookieCaller?: CookieCaller): void {
  app.decorateRequest('caller')
  app.decorateRequest('scope')
  app.decorateRequest('ownTenant', undefined)
  app.decorateRequest('isOperator', false)
  app.decorate('admitAgain', async (request) => {
    const { operation } = request.routeOptions.config
    if (isConsole(request.raw) && cookieCaller === undefined) throw new ZerohopError('KEY_MISSING')
    const caller = isConsole(request.raw)
      ? await cookieCaller!(request)
      : gate.caller(request.headers.authorization, FOLLOWING.includes(operation!))
    admit(request, gate, caller, operation!)
  })
  app.addHook('onRoute', ({ config, method, url }) => {
    const operation = config?.operation
    if (operation === undefined) throw new Error(`route ${method} ${url} names no operation`)
    if (operation !== 'scope.read' && isForTenants(operation) && !url.includes('/:p/:e/tenants/:ref'))
      throw new Error(`route ${method} ${url} is for tenants and names none`)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const operation = request.routeOptions.config.operation
    if (operation === undefined) return done()
    if (isConsole(request.raw)) {
      if (cookieCaller === undefined) return done(new ZerohopError('KEY_MISSING'))
      cookieCaller(request, reply)
        .then((caller) => admit(request, gate, caller, operation))
        .then(() => done(), done)
      return
    }
    request.isOperator = request.routeOptions.config.forOperators === true && isOperator(request.headers.authorization)
    if (request.isOperator) return done()
    try {
      const follows = FOLLOWING.includes(operation)
      admit(request, gate, gate.caller(request.headers.authorization, follows), operation)
      done()
    } catch (error) {
      if (isZerohopError(error, 'KEY_EXPIRED')) reply.header('x-feed-error', error.code)
      done(error as Error)
    }
  })
}

/** Sets caller and scope of a request. @throws KEY_TOO_NARROW, OBJECT_NOT_FOUND */
function admit(request: FastifyRequest, gate: Gate, caller: Caller, operation: Operation): void {
  request.caller = caller
  const named = request.headers[AS_TENANT]
  if (named !== undefined && !isForTenants(operation)) throw new ZerohopError('NOT_OF_TENANT')
  requireAccess(caller.key, operation)
  const { p, e, ref } = request.params as { p?: string; e?: string; ref?: string }
  const { outside, mayBeGone } = request.routeOptions.config
  if (outside) request.scope = gate.outside(caller)
  else if (caller.key.level === 'directory') request.scope = gate.ownScope(caller)
  else if (p !== undefined && e !== undefined && !mayBeGone) request.scope = gate.scope(caller, p, e)
  if (caller.key.level === 'tenant') request.ownTenant = gate.ownTenant(caller, ref)
  // undefined on routes that are about no environment
  const scope: Scope | undefined = request.scope
  if (named !== undefined) request.ownTenant = gate.asTenant(scope, ref, String(named))
  if (scope !== undefined) requireRequired(request, scope.environment, operation)
}

function missing(kind: string, ref: string): ZerohopError {
  return new ZerohopError('OBJECT_NOT_FOUND', { kind, ref })
}
