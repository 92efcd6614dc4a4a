// The routes by which a customer's administrators manage the members of their tenant inside the vendor's product, in
// the form of Fetch: who asks is said by the vendor's session, whether they may is decided by the engine, and the
// management API is asked with a key that stays on the vendor's server. A request never names a tenant. The meaning is
// in docs/middleware.md.
import type { ManagementClient } from '../../client/management-client.ts'
import { isZerohopError } from '../../model/errors.ts'
import { parsePermission } from '../../model/keys.ts'
import { DESCRIPTION_LENGTH_MAX } from '../../model/limits.ts'
import { MEMBERS_MARK } from '../../model/members.ts'
import { reasonHeaders } from '../../model/reason-headers.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import { RequestAuthorization, refusalOf, UNAUTHENTICATED } from '../requests/request-authorization.ts'
import { answer, MemberRefusal, refuse, unavailable } from './answers.ts'
import { isUserKey, type MemberRoute, type Need } from './call.ts'
import { readBody, readQuery } from './input.ts'
import { MEMBER_ROUTES } from './route-table.ts'
import { type Member, MemberSessions } from './sessions.ts'

export interface MemberRoutesOptions<R> {
  /** writes with the key of the environment, or of a tenant; a function where each tenant has a key of its own */
  readonly client: ManagementClient | ((tenant: string) => ManagementClient)
  /** what the vendor's session knows about a request; nothing where no one is signed in, or in no tenant */
  readonly findMember: (request: R) => Promise<Member | null | undefined>
  /** the permission to see who has which role, `resource:action`; default is that to manage */
  readonly read?: string
  /** the permission to change it, `resource:action`; default `members:manage` */
  readonly manage?: string
  /** the permission to make, change and delete roles of the tenant, `resource:action`; default is `manage` */
  readonly manageRoles?: string
  /**
   * Why a change is made, for the history: `done` says what is done, such as "gave role `clerk` to `ben`", and the default is
   * "members page: ana gave role `clerk` to `ben`". With nothing, that of the client is sent.
   */
  readonly reason?: (done: string, member: Member, request: R) => string | null | undefined
  /** the page to which a browser goes that has signed in at `/login`; without it that route is 404 */
  readonly loginPage?: string
  /** hears why the management API did not do what it was asked for; default: a warning of the process. What it throws is dropped */
  readonly onError?: (error: unknown) => void
}

/** Where the key of a client reaches. */
interface Scope {
  readonly p: string
  readonly e: string
}

/** The routes of one application. `R` is a request of its framework. */
export class MemberRoutes<R> {
  readonly #pdp: Pdp
  readonly #options: MemberRoutesOptions<R>
  readonly #permissions: Readonly<Record<Need, { readonly resource: string; readonly action: string }>>
  readonly #sessions: MemberSessions | undefined
  readonly #scopes = new WeakMap<ManagementClient, Promise<Scope>>()

  /** @throws TypeError for a permission that is not `resource:action`, and for sessions without a client of their own */
  constructor(pdp: Pdp, options: MemberRoutesOptions<R>) {
    this.#pdp = pdp
    this.#options = options
    const { manage = 'members:manage', read = manage, manageRoles = manage } = options
    const { client, loginPage } = options
    if (loginPage !== undefined && !isClient(client))
      throw new TypeError('with `loginPage`, `client` must be one client, with the key of the environment')
    this.#sessions = loginPage !== undefined && isClient(client) ? new MemberSessions(client, loginPage) : undefined
    this.#permissions = {
      read: splitPermission('read', read),
      manage: splitPermission('manage', manage),
      manageRoles: splitPermission('manageRoles', manageRoles),
    }
  }

  /**
   * The answer to a request: `path` is what its address has below the place where the routes are mounted, undecoded.
   * @throws what the option `findMember` throws; nothing else
   */
  async handle(request: Request, from: R, path: string): Promise<Response> {
    const sessions = path.replace(/^\//, '') === 'login' ? this.#sessions : undefined
    if (sessions !== undefined && request.method === 'GET') {
      const own = await this.#findOwn(from)
      return this.#contained(() => sessions.begin(request, own)) // a link, which has no header
    }
    const unmarked = refuseUnmarked(request)
    if (unmarked !== undefined) return unmarked
    if (sessions !== undefined && request.method === 'DELETE') return this.#contained(() => sessions.end(request))
    const found = findRoute(request, path)
    if (found instanceof Response) return found
    const own = await this.#findOwn(from)
    return this.#contained(async () => {
      const member = own ?? (await this.#sessions?.find(request))
      return member === undefined ? refused(UNAUTHENTICATED) : this.#answer({ request, from, member, ...found })
    })
  }

  /** Who is signed in to the product. @throws what the option throws, TypeError for what is not a member */
  async #findOwn(from: R): Promise<Member | undefined> {
    const own = (await this.#options.findMember(from)) ?? undefined
    if (own !== undefined) requireMember(own)
    return own
  }

  async #answer({ request, from, member, route, names }: Asked<R>): Promise<Response> {
    const authorization = new RequestAuthorization(this.#pdp, member.user, member.tenant)
    const decide = (need: Need) => {
      const { resource, action } = this.#permissions[need]
      return refusalOf(authorization.decide(action, { type: resource, tenant: member.tenant }))
    }
    const denied = route.needs === null ? undefined : decide(route.needs)
    if (denied !== undefined) return refused(denied)
    if (!isUserKey(member.user)) return refuse(403, 'forbidden', 'this user is not known')
    const body = route.body === undefined ? {} : await readBody(request, route.body)
    const query = readQuery(request, route.query ?? [])
    const reason = route.method === 'GET' ? undefined : this.#reason(route.done(names, body), member, from)
    const { client, scope } = await this.#reach(member)
    return route.run({
      client,
      place: { ...scope, ref: member.tenant },
      headers: { 'x-as-tenant': member.tenant, 'x-acting-user': member.user, ...reasonHeaders({ reason }) },
      user: member.user,
      names,
      body,
      query,
      may: (need) => decide(need) === undefined,
    })
  }

  /** Why a change is made, for the history. */
  #reason(done: string, member: Member, from: R): string | undefined {
    const { reason = formatReason } = this.#options
    return reason(done, member, from)?.slice(0, DESCRIPTION_LENGTH_MAX)
  }

  /** The answer, also where the management API gave none: it has nothing of the key or the address. */
  async #contained(answered: () => Promise<Response>): Promise<Response> {
    try {
      return await answered()
    } catch (error) {
      if (error instanceof MemberRefusal) return error.response
      if (isZerohopError(error, 'PATH_INVALID')) return refuse(404, 'not_found', 'there is nothing of that name')
      this.#tell(error)
      return unavailable()
    }
  }

  /** The client of a tenant, and the place in the API that it reaches. */
  async #reach({ tenant }: Member) {
    const { client: given } = this.#options
    const client = isClient(given) ? given : given(tenant)
    const scope = this.#scopes.get(client) ?? readScope(client)
    this.#scopes.set(client, scope)
    try {
      return { client, scope: await scope }
    } catch (error) {
      this.#scopes.delete(client)
      throw error
    }
  }

  #tell(error: unknown): void {
    try {
      ;(this.#options.onError ?? warn)(error)
    } catch {
      // the request has its answer, whatever the log does
    }
  }
}

const formatReason = (done: string, { user }: Member): string => `members page: ${user} ${done}`

/** One line in the log of a process, where the application has none for it. */
function warn(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  globalThis.process?.emitWarning(`zerohop: the routes of members: ${reason}`, { code: 'ZEROHOP_MEMBERS' })
}

const isClient = (given: ManagementClient | ((tenant: string) => ManagementClient)): given is ManagementClient =>
  typeof given !== 'function'

/** The environment that the key of a client is for: what it does there is narrowed to the tenant of each request. */
async function readScope(client: ManagementClient): Promise<Scope> {
  const { data, response } = await client.GET('/v2/api-key/scope')
  if (data === undefined) throw new Error(`the scope of the key was answered with status ${response.status}`)
  const { project_id, environment_id } = data
  if (project_id == null || environment_id == null)
    throw new Error('the key of the client is not the key of an environment or of a tenant')
  return { p: project_id, e: environment_id }
}

function splitPermission(option: string, permission: string) {
  const split = parsePermission(permission)
  if (split === undefined)
    throw new TypeError(
      `the option \`${option}\` must be a permission such as \`members:manage\`, not \`${permission}\``,
    )
  return split
}

function requireMember(member: Member): void {
  const { user, tenant } = member
  if (typeof user !== 'string' || user === '' || typeof tenant !== 'string' || tenant === '')
    throw new TypeError('the option `findMember` must return the keys of a user and of a tenant, or nothing')
}

const refused = ({
  status,
  body,
  headers,
}: {
  status: number
  body: object
  headers: Readonly<Record<string, string>>
}) => answer(status, body, headers)

/** The answer to a request that a page of another site may have sent; undefined to any other. */
function refuseUnmarked(request: Request): Response | undefined {
  const { name, value } = MEMBERS_MARK
  if (request.headers.get('sec-fetch-site') !== 'cross-site' && request.headers.get(name) === value) return undefined
  return refuse(403, 'forbidden', `a request needs the header \`${name}: ${value}\`, from a page of this site`)
}

interface Asked<R> extends Found {
  readonly request: Request
  readonly from: R
  readonly member: Member
}

interface Found {
  readonly route: MemberRoute
  /** what stands in its path for each `*` */
  readonly names: readonly string[]
}

/** The route of a request; or the answer to one that has none. */
function findRoute(request: Request, path: string): Response | Found {
  const parts = splitPath(path)
  const at = parts === undefined ? [] : MEMBER_ROUTES.filter((route) => fits(route.path, parts))
  if (parts === undefined || at.length === 0) return refuse(404, 'not_found', 'there is no such route')
  const route = at.find(({ method }) => method === request.method)
  if (route === undefined) {
    const allow = at.map(({ method }) => method).join(', ')
    return answer(405, { error: 'method', message: `this route takes ${allow}` }, { allow })
  }
  return { route, names: parts.filter((_, index) => route.path[index] === '*') }
}

const fits = (path: readonly string[], parts: readonly string[]): boolean =>
  path.length === parts.length && path.every((part, index) => part === '*' || part === parts[index])

/** The decoded parts of a path; undefined when one of them is empty or cannot be decoded. */
function splitPath(path: string): readonly string[] | undefined {
  try {
    const parts = path.replace(/^\//, '').split('/').map(decodeURIComponent)
    return parts.includes('') ? undefined : parts
  } catch {
    return undefined
  }
}
