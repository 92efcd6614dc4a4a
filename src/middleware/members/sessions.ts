// Sessions of the routes of members, for a product that has none where they are mounted: the server of the vendor begins
// one (`POST /v2/auth/elements_login_as`), the browser brings its token to `GET /login`, and from then on a cookie says
// who asks. Each request looks the token up, so a session that was ended is over at once.
import type { ManagementClient } from '../../client/management-client.ts'
import { answer, dataIn, refuse } from './answers.ts'

/** Who sends a request, and for which tenant: what the vendor's own session says. */
export interface Member {
  /** key of the tenant that the session is in */
  readonly tenant: string
  /** key of the user */
  readonly user: string
}

/** `__Host-`: browsers take it over TLS alone, for this host alone, and no other host can set it. */
const COOKIE = '__Host-zerohop-members'
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Strict'
const TOKEN = /^zh_elements_[0-9A-Za-z]{20,100}$/

export class MemberSessions {
  readonly #client: ManagementClient
  readonly #page: string

  /** `page` is where the browser goes when it has signed in. */
  constructor(client: ManagementClient, page: string) {
    this.#client = client
    this.#page = page
  }

  /** Who has signed in with the cookie of a request; undefined without a session. @throws Error when that is not known */
  async find(request: Request): Promise<Member | undefined> {
    const token = readCookie(request)
    return token === undefined ? undefined : (await this.#lookUp(token))?.member
  }

  /**
   * Takes the token of the address into a cookie. `own` is who is signed in to the product: it must be the same user in
   * the same tenant, so that no one can be signed in as somebody else by a link.
   */
  async begin(request: Request, own: Member | undefined): Promise<Response> {
    const token = new URL(request.url).searchParams.get('token') ?? ''
    const session = TOKEN.test(token) ? await this.#lookUp(token) : undefined
    if (session === undefined) return refuse(401, 'unauthenticated', 'the link has ended: open the page again')
    const { member, end } = session
    if (own !== undefined && (own.user !== member.user || own.tenant !== member.tenant))
      return refuse(403, 'forbidden', 'the link is of another user')
    return answer(303, null, {
      location: this.#page,
      'set-cookie': `${COOKIE}=${token}; ${ATTRIBUTES}; Expires=${end.toUTCString()}`,
      'referrer-policy': 'no-referrer',
    })
  }

  /** Ends the session of a request, if it has one. @throws Error when it is not known whether it has ended */
  async end(request: Request): Promise<Response> {
    const token = readCookie(request)
    if (token !== undefined) {
      const { response, error } = await this.#client.POST('/v2/auth/elements_logout', { body: { token } })
      if (response.status !== 404) dataIn({ response, error })
    }
    return answer(204, null, { 'set-cookie': `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0` })
  }

  async #lookUp(token: string) {
    const { data, error, response } = await this.#client.POST('/v2/auth/elements_session', { body: { token } })
    if (response.status === 404) return undefined
    const { user, tenant, expires_at } = dataIn({ data, error, response })
    return { member: { user, tenant }, end: new Date(expires_at) }
  }
}

/** The token in the cookie; undefined without one, and when there are several. */
function readCookie(request: Request): string | undefined {
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim())
  const [own, another] = cookies.filter((cookie) => cookie.startsWith(`${COOKIE}=`))
  const token = own?.slice(COOKIE.length + 1)
  return another === undefined && token !== undefined && TOKEN.test(token) ? token : undefined
}
