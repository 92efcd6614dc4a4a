// The routes by which a customer's administrators manage the members of their tenant inside the vendor's product, in
// the form of Fetch: who asks is said by the vendor's session, whether they may is decided by the engine, and the
// management API is asked with a key that stays on the vendor's server. A request never names a tenant. The meaning is
// in docs/middleware.md.
import type { ManagementClient } from '../client/management-client.ts'
import { isZerohopError } from '../model/errors.ts'
import { parsePermission } from '../model/keys.ts'
import { MEMBER_BODY_BYTES_MAX } from '../model/limits.ts'
import { MEMBERS_MARK } from '../model/members.ts'
import type { Pdp } from '../pdp/pdp.ts'
import { answer, type Fields, MemberRefusal, refuse, unavailable } from './member-answers.ts'
import { MEMBER_ROUTES, type MemberRoute, type Need } from './member-table.ts'
import { RequestAuthorization, refusalOf, UNAUTHENTICATED } from './request-authorization.ts'

/** Who sends a request, and for which tenant: what the vendor's own session says. */
export interface Member {
  /** key of the tenant that the session is in */
  readonly tenant: string
  /** key of the user */
  readonly user: string
}

export interface MemberRoutesOptions<R> {
  /** writes with the key of the environment, or of a tenant; a function where each tenant has a key of its own */
  readonly client: ManagementClient | ((tenant: string) => ManagementClient)
  /** what the vendor's session knows about a request; nothing where no one is signed in, or in no tenant */
  readonly findMember: (request: R) => Promise<Member | null | undefined>
  /** the permission to see who has which role, `resource:action`; default is that to manage */
  readonly read?: string
  /** the permission to change it, `resource:action`; default `members:manage` */
  readonly manage?: string
  /** hears why the management API did not do what it was asked for; what it throws is dropped */
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
  readonly #scopes = new WeakMap<ManagementClient, Promise<Scope>>()

  /** @throws TypeError for a permission that is not `resource:action` */
  constructor(pdp: Pdp, options: MemberRoutesOptions<R>) {
    this.#pdp = pdp
    this.#options = options
    const { manage = 'members:manage', read = manage } = options
    this.#permissions = { read: splitPermission('read', read), manage: splitPermission('manage', manage) }
  }

  /**
   * The answer to a request: `path` is what its address has below the place where the routes are mounted, undecoded.
   * @throws what the option `findMember` throws; nothing else
   */
  async handle(request: Request, from: R, path: string): Promise<Response> {
    const found = findRoute(request, path)
    if (found instanceof Response) return found
    const member = await this.#options.findMember(from)
    if (member === null || member === undefined) return refused(UNAUTHENTICATED)
    requireMember(member)
    const { route, names } = found
    const authorization = new RequestAuthorization(this.#pdp, member.user, member.tenant)
    const decide = (need: Need) => {
      const { resource, action } = this.#permissions[need]
      return refusalOf(authorization.decide(action, { type: resource, tenant: member.tenant }))
    }
    const denied = decide(route.needs)
    if (denied !== undefined) return refused(denied)
    try {
      const body = route.body === undefined ? {} : await readBody(request, route.body)
      const query = readQuery(request, route.query ?? [])
      const at = await this.#at(member)
      return await route.run({ ...at, names, body, query, mayManage: () => decide('manage') === undefined })
    } catch (error) {
      if (error instanceof MemberRefusal) {
        if (error.cause !== undefined) this.#tell(error.cause)
        return error.response
      }
      if (isZerohopError(error, 'PATH_INVALID')) return refuse(404, 'not_found', 'there is no such member')
      this.#tell(error)
      return unavailable()
    }
  }

  /** The client of a tenant, and the place in the API that it reaches. */
  async #at({ tenant }: Member) {
    const { client: given } = this.#options
    const client = isClient(given) ? given : given(tenant)
    const scope = this.#scopes.get(client) ?? readScope(client)
    this.#scopes.set(client, scope)
    try {
      return { client, place: { ...(await scope), ref: tenant }, headers: { 'x-as-tenant': tenant } }
    } catch (error) {
      this.#scopes.delete(client)
      throw error
    }
  }

  #tell(error: unknown): void {
    try {
      this.#options.onError?.(error)
    } catch {
      // the request has its answer, whatever the log does
    }
  }
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

/** The route of a request, with the names in its path; or the answer to one that has none. */
function findRoute(
  request: Request,
  path: string,
): Response | { readonly route: MemberRoute; readonly names: readonly string[] } {
  if (
    request.headers.get('sec-fetch-site') === 'cross-site' ||
    request.headers.get(MEMBERS_MARK.name) !== MEMBERS_MARK.value
  )
    return refuse(
      403,
      'forbidden',
      `a request needs the header \`${MEMBERS_MARK.name}: ${MEMBERS_MARK.value}\`, from a page of this site`,
    )
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

function readQuery(request: Request, known: readonly string[]): Readonly<Record<string, string>> {
  const query: Record<string, string> = {}
  for (const [name, value] of new URL(request.url).searchParams) {
    if (!known.includes(name)) throw new MemberRefusal(422, 'invalid', `unknown parameter \`${name.slice(0, 100)}\``)
    if (Object.hasOwn(query, name)) throw new MemberRefusal(422, 'invalid', `\`${name}\` may be sent once`)
    query[name] = value
  }
  return query
}

/** The fields of a JSON body: those that are known, and no others. */
async function readBody(request: Request, known: readonly string[]): Promise<Fields> {
  if (!/^application\/json *(;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw new MemberRefusal(415, 'invalid', 'the body must be `application/json`')
  const sent = parse(await readText(request))
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new MemberRefusal(422, 'invalid', 'the body must be an object')
  const unknown = Object.keys(sent).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new MemberRefusal(422, 'invalid', `unknown field \`${unknown.slice(0, 100)}\``)
  return sent as Fields
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new MemberRefusal(400, 'invalid', 'the body is not JSON')
  }
}

/** The text of a body, within the bound. What is beyond is not read, and not cancelled: the answer comes first. */
async function readText(request: Request): Promise<string> {
  const reader = request.body?.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || value === undefined) return new TextDecoder().decode(joined(chunks, bytes))
    bytes += value.length
    if (bytes > MEMBER_BODY_BYTES_MAX)
      throw new MemberRefusal(413, 'invalid', `the body has more than ${MEMBER_BODY_BYTES_MAX} bytes`)
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
