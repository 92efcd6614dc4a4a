// The routes of members over a management API that is asked by inject, for tests: clients with its keys, and requests.
import { clientOver, type ManagementClient } from '../../src/client/management-client.ts'
import { MemberRoutes, type MemberRoutesOptions } from '../../src/middleware/members/member-routes.ts'
import type { Member } from '../../src/middleware/members/sessions.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import type { Harness } from '../http/management/harness.ts'

/** The address that clients have of the management API: no answer may have it. */
export const URL_OF_API = 'http://management.internal'
/** The header without which a request is refused. */
export const MARKED = { 'x-requested-with': 'zerohop' }
export const JSON_TYPE = { 'content-type': 'application/json' }

/** A client of the API with one of its keys. `hear` sees each request. */
export const clientWith = (
  api: Harness,
  key: string,
  hear: (request: Request) => void = () => undefined,
): ManagementClient =>
  clientOver(
    async (request) => {
      hear(request)
      const { pathname, search } = new URL(request.url)
      const { statusCode, body, headers } = await api.app.inject({
        method: request.method as 'GET',
        url: pathname + search,
        headers: Object.fromEntries(request.headers),
        ...(request.body === null ? {} : { payload: await request.text() }),
      })
      return new Response(statusCode === 204 ? null : body, {
        status: statusCode,
        headers: headers as Record<string, string>,
      })
    },
    URL_OF_API,
    key,
  )

/** The session of the tests: `tenant/user`. */
export function memberIn(text: string | null | undefined): Member | null {
  if (text === 'trouble') throw new Error('no session')
  const [tenant, user] = text?.split('/') ?? []
  return tenant && user ? { tenant, user } : null
}

/** One request to the routes by themselves. */
export interface Asked {
  readonly as?: string
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly options?: Partial<MemberRoutesOptions<Asked>>
}

/** Asks routes that are made with these options, and those of the request. */
export async function askRoutes(pdp: Pdp, common: Omit<MemberRoutesOptions<Asked>, 'findMember'>, asked: Asked) {
  const { as = 'acme/acme-boss', method = 'GET', path, body, headers = {}, options = {} } = asked
  const routes = new MemberRoutes<Asked>(pdp, { ...common, findMember: async () => memberIn(as), ...options })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request = new Request(`http://app.example${path}`, {
    method,
    headers: { ...MARKED, ...(body === undefined ? {} : JSON_TYPE), ...headers },
    ...(text === undefined ? {} : { body: text }),
  })
  const response = await routes.handle(request, asked, path.split('?')[0]!)
  const answered = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text: answered,
    body: answered === '' ? null : JSON.parse(answered),
  }
}
