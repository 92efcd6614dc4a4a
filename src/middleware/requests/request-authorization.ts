// What the middleware for every framework shares: the user of a request, resolved once, its decisions, and the answer
// to a request that is not allowed. Only errors of Zerohop become answers; every other error is the application's own.
import { type ErrorCode, isZerohopError, type ZerohopError } from '../../model/errors.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { REQUEST_DECISIONS_MAX } from '../../model/limits.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import type {
  ActionObject,
  ActionOf,
  PolicyTypes,
  ResourceIn,
  ResourceObject,
  TypeOf,
  UserIn,
} from '../../pdp/policy-types.ts'
import type { Action, Attributes, Resource } from '../../pdp/request.ts'

export interface AuthorizationOptions<R, P extends PolicyTypes = PolicyTypes> {
  /** the user of an authenticated request; without one the answer is 401, but for `anonymous` */
  readonly user: (request: R) => UserIn<P> | undefined
  /**
   * default false. True: where `user` gives `null` no one is signed in, and what everybody has decides (D16); what that does
   * not allow is 401. Where it gives `undefined` or an empty text the answer is 401 as ever
   */
  readonly anonymous?: boolean
  /** the tenant of the request, for resources that name none; without one D2 (which tenant) determines it */
  readonly tenant?: (request: R) => P['tenants'] | null | undefined
  /** what conditions read as `context.…` */
  readonly context?: (request: R) => Attributes | null | undefined
}

/** A decision about a request, for its log. */
export interface RequestDecision {
  /** 200 allowed, 401 no user, or denied where no one is signed in, 400 not a question, 403 denied, 503 could not decide */
  readonly status: 200 | 400 | 401 | 403 | 503
  /** `*` where no one is signed in; undefined without a user */
  readonly user: string | undefined
  readonly action: string
  readonly resource: { readonly type: string; readonly key: string | undefined; readonly tenant: string | undefined }
  /** undefined when nothing was decided */
  readonly allow: boolean | undefined
  /** code of the error, with status 400 and 503 */
  readonly code: ErrorCode | undefined
  readonly revision: number | undefined
}

/** The resource of a request, or how it is found. */
export type ResourceFor<R, P extends PolicyTypes, T extends TypeOf<P>> =
  | ResourceIn<P, T>
  | ((request: R) => ResourceIn<P, T>)

/** The body of an answer to a request that is not allowed. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: { readonly error: string; readonly message: string }
}

interface Outcome {
  readonly decision: RequestDecision
  readonly error?: ZerohopError
}

/** Who sent a request, and what was decided about it. */
export class RequestAuthorization<out P extends PolicyTypes = PolicyTypes> {
  /** undefined without a user: every check is false then. `null` where no one is signed in, with `anonymous` alone */
  readonly user: UserIn<P> | undefined
  readonly tenant: P['tenants'] | undefined
  /** the first decisions about this request, in order */
  readonly decisions: readonly RequestDecision[] = []
  /** the last decision */
  decision: RequestDecision | undefined
  readonly #pdp: Pdp<P>
  readonly #context: Attributes | undefined

  constructor(pdp: Pdp<P>, user: UserIn<P> | undefined, tenant: P['tenants'] | undefined, context?: Attributes) {
    this.#pdp = pdp
    this.user = user
    this.tenant = tenant
    this.#context = context
  }

  /** `check` of the PDP for the user, in the tenant and with the context of the request. @throws as that does */
  check<T extends TypeOf<P>>(
    action: ActionOf<P, T> | ActionObject<P, T>,
    resource: T | `${T}:${string}` | ResourceObject<P, T>,
  ): boolean {
    const { decision, error } = this.decide(action, resource)
    if (error !== undefined) throw error
    return decision.allow === true
  }

  /** The decision, which is kept for the log, and the error of a check that throws one of Zerohop. */
  decide(action: Action, resource: Resource): Outcome {
    const about = inTenant(resource, this.tenant)
    const outcome = this.#ask(action, about, {
      user: this.user === null ? EVERYBODY : typeof this.user === 'string' ? this.user : this.user?.key,
      action: typeof action === 'string' ? action : String(action?.key),
      resource: named(about),
    })
    this.decision = outcome.decision
    const kept = this.decisions as RequestDecision[]
    if (kept.length < REQUEST_DECISIONS_MAX) kept.push(outcome.decision)
    return outcome
  }

  #ask(action: Action, resource: Resource, about: Pick<RequestDecision, 'user' | 'action' | 'resource'>): Outcome {
    const none = { ...about, allow: undefined, code: undefined, revision: undefined }
    if (this.user === undefined) return { decision: { ...none, status: 401 } }
    const pdp: Pdp = this.#pdp
    try {
      const allow = pdp.check(this.user, action, resource, this.#context)
      const denied = this.user === null ? 401 : 403 // who signs in may be allowed
      return { decision: { ...none, status: allow ? 200 : denied, allow, revision: pdp.revision } }
    } catch (error) {
      if (!isZerohopError(error)) throw error
      const status = error.class === 'invalid' || error.class === 'rejected' ? 400 : 503
      return { decision: { ...none, status, code: error.code }, error }
    }
  }
}

/**
 * What a framework asks about its requests: one `RequestAuthorization` for each, and the answer when it must not go on.
 */
export class Authorizer<R extends object, P extends PolicyTypes> {
  readonly #pdp: Pdp<P>
  readonly #options: AuthorizationOptions<R, P>
  readonly #attach: (request: R, authorization: RequestAuthorization<P>) => void
  readonly #known = new WeakMap<R, RequestAuthorization<P>>()

  /** `attach` puts the authorization where handlers of the framework find it. */
  constructor(
    pdp: Pdp<P>,
    options: AuthorizationOptions<R, P>,
    attach: (request: R, authorization: RequestAuthorization<P>) => void,
  ) {
    this.#pdp = pdp
    this.#options = options
    this.#attach = attach
  }

  /** The answer to a request without a user; undefined when it may go on. @throws what the options throw */
  subject(request: R): Refusal | undefined {
    return this.#of(request).user === undefined ? UNAUTHENTICATED : undefined
  }

  /** The answer to a request that is not allowed; undefined when it may go on. @throws what the options throw */
  decide<T extends TypeOf<P>>(
    request: R,
    action: ActionOf<P, T> | ActionObject<P, T>,
    resource: ResourceFor<R, P, T>,
  ): Refusal | undefined {
    const about = typeof resource === 'function' ? resource(request) : resource
    return refusalOf(this.#of(request).decide(action, about))
  }

  #of(request: R): RequestAuthorization<P> {
    const made = this.#known.get(request) ?? this.#make(request)
    this.#attach(request, made)
    return made
  }

  #make(request: R): RequestAuthorization<P> {
    const { user, anonymous = false, tenant, context } = this.#options
    const found = user(request)
    const who = found === null && anonymous ? null : found || undefined
    if (
      who !== undefined &&
      who !== null &&
      typeof who !== 'string' &&
      typeof (who as { key?: unknown }).key !== 'string'
    )
      throw new TypeError('the option `user` must return a key, an object with a `key`, or nothing: not a promise')
    const where = tenant?.(request) ?? undefined
    if (where !== undefined && typeof where !== 'string')
      throw new TypeError('the option `tenant` must return a key or nothing: not a promise')
    const made = new RequestAuthorization(this.#pdp, who, where, context?.(request) ?? undefined)
    this.#known.set(request, made)
    return made
  }
}

/** The answer when no one is authenticated, or the one who is not signed in may not. */
export const UNAUTHENTICATED: Refusal = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer' },
  body: { error: 'unauthenticated', message: 'this needs a user' },
}

/** The answer to a request that is not allowed; undefined when it is. It never says why it was denied. */
export function refusalOf({ decision, error }: Outcome): Refusal | undefined {
  switch (decision.status) {
    case 200:
      return undefined
    case 401:
      return UNAUTHENTICATED
    case 400:
      return { status: 400, headers: {}, body: { error: 'invalid', message: error?.message ?? '' } }
    case 403:
      return { status: 403, headers: {}, body: { error: 'forbidden', message: 'this user is not allowed to do this' } }
    case 503:
      return {
        status: 503,
        headers: { 'retry-after': '1' },
        body: { error: 'undecided', message: 'it could not be decided whether this is allowed: try again' },
      }
  }
}

/** The resource in the tenant of the request, when it names none itself. */
function inTenant(resource: Resource, tenant: string | undefined): Resource {
  if (tenant === undefined) return resource
  if (typeof resource === 'string') {
    const [type = '', key] = resource.split(/:(.*)/s)
    return { type, key: key ?? null, tenant }
  }
  if (typeof resource !== 'object' || resource === null) return resource
  const { type, key, attributes, relations } = resource // by name: they may be inherited, as those of an entity are
  return {
    type,
    tenant: resource.tenant ?? tenant,
    ...(key === undefined ? {} : { key }),
    ...(attributes === undefined ? {} : { attributes }),
    ...(relations === undefined ? {} : { relations }),
  }
}

/** The names of a resource for a log, also of a malformed one. */
function named(resource: Resource): RequestDecision['resource'] {
  if (typeof resource === 'string') {
    const [type = '', key] = resource.split(/:(.*)/s)
    return { type, key, tenant: undefined }
  }
  return { type: String(resource?.type), key: resource?.key ?? undefined, tenant: resource?.tenant ?? undefined }
}
