// The doors over HTTP: the routes of docs/pdp-api.md, OpenID AuthZEN, the OPA-shaped API, and a PDP for clients of the
// first API version. A question without a time is asked at the time of the server.

import { LISTING_PAGE_MAX } from '../../../src/model/limits.ts'
import type { JsonObject } from '../../../src/model/objects.ts'
import type { UserPermissions } from '../../../src/pdp/pdp-listings.ts'
import { EVERYBODY } from '../../reference/everybody.ts'
import type { Request } from '../../reference/request.ts'
import { listWays } from '../listings.ts'
import type { Asked, Clock } from './asked.ts'
import type { Ask, Desk, ServerName } from './desk.ts'
import { type Door, findLack, Lack } from './door.ts'
import {
  clockLack,
  findAssignments,
  HTTP_CLOCK,
  inOneForm,
  joined,
  joinedPermissions,
  listAssignments,
  listInstancePermissions,
  listTenantPermissions,
  NO_TYPE,
  numbered,
  ROWS,
  toBody,
  withAttributes,
} from './library.ts'

// biome-ignore lint/suspicious/noExplicitAny: whatever a server answers
type Json = any

/** @throws when the answer is not a 2xx */
async function ask(desk: Desk, server: ServerName, path: string, sent: Ask): Promise<Json> {
  const { status, json } = await desk.ask(server, path, sent)
  if (status < 200 || status > 299) throw new Error(`${path}: ${status} ${JSON.stringify(json)?.slice(0, 300)}`)
  return json
}

/** Half a character (a lone surrogate) is in some text: JSON.stringify writes it as an escape. */
const hasHalfCharacter = (request: Request): boolean => /\\ud[89a-f]/.test(JSON.stringify(request))

/** What no body of these routes has. */
const bodyLack = ({ request }: Asked) =>
  findLack(
    [request.sent?.action !== undefined, 'it takes no attributes of the action'],
    [request.resource.isRow === true, 'it takes no marked row'],
  )

type Say = (desk: Desk, asked: Asked) => unknown

/** A door that answers a check in a body of POST /allowed. */
const decides = (name: string, say: Say, clock: Clock = HTTP_CLOCK): Door => ({
  name,
  say: ({ desk }, asked) =>
    bodyLack(asked) ?? (clock === HTTP_CLOCK ? clockLack(asked) : undefined) ?? say(desk, asked),
  right: (asked) => asked.check(clock),
})

const lists = (name: string, say: Say, right: (asked: Asked) => unknown): Door => ({
  name,
  say: ({ desk }, asked) => bodyLack(asked) ?? clockLack(asked) ?? say(desk, asked),
  right,
})

const post = (desk: Desk, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Json> =>
  ask(desk, 'pdp', path, { body, headers })

const aboutUser = ({ user, sent = {} }: Request) => {
  return { user: withAttributes({ key: user }, sent.user), context: sent.context ?? {} }
}

const tenantKeys = (rows: readonly { readonly tenant: { readonly key: string } }[]) =>
  rows.map(({ tenant }) => tenant.key)
const named = (list: readonly { readonly key: string }[]): string[] => list.map(({ key }) => key)
const permissionsFor = (desk: Desk, { request }: Asked): Promise<UserPermissions> =>
  post(desk, '/user-permissions', aboutUser(request))

/** A text too long for the head of a request, and for the filter of a list. */
const LONG = 1024
const isLong = (text: string | undefined): boolean => text !== undefined && text.length > LONG

/** A text that a header can carry as it is. */
const isVisible = (text: string | undefined): boolean => text === undefined || /^[\x21-\x7e]+$/.test(text)

const ROUTES: readonly Door[] = [
  decides('POST /allowed', async (desk, { request }) => (await post(desk, '/allowed', toBody(request))).allow),
  decides('POST /allowed, explained', async (desk, { request }) => {
    return (await post(desk, '/allowed', toBody(request), { 'x-explain': 'true' })).allow
  }),
  decides('POST /allowed/bulk', async (desk, { request }) => {
    const other = { ...toBody(request), resource: { type: NO_TYPE } }
    const { allow } = await post(desk, '/allowed/bulk', [toBody(request), other])
    if (allow[1].allow) throw new Error('POST /allowed/bulk allows what there is not')
    return allow[0].allow
  }),
  decides('POST /nginx_allowed', async (desk, { request }) => {
    const { user, action, resource, sent = {} } = request
    const { type, key, tenant, relations } = resource
    const lack = findLack(
      [key !== undefined, 'it takes no key'],
      [relations !== undefined, 'it takes no relations'],
      [Object.keys(sent).length > 0, 'it takes no attributes'],
      [[user, action, type, tenant].some(isLong), 'it takes no text of any length'],
      [![user, action, type, tenant].every(isVisible), 'its headers take visible characters of ASCII'],
    )
    if (lack !== undefined) return lack
    const headers = {
      'permit-user-key': user,
      'permit-action': action,
      'permit-resource-type': type,
      ...(tenant === undefined ? {} : { 'permit-tenant-id': tenant }),
    }
    const { status, json } = await desk.ask('pdp', '/nginx_allowed', { headers })
    if (status !== (json.allow ? 200 : 403)) throw new Error(`POST /nginx_allowed: ${status} ${JSON.stringify(json)}`)
    return json.allow
  }),
  lists(
    'POST /allowed/all-tenants',
    async (desk, { request }) =>
      tenantKeys((await post(desk, '/allowed/all-tenants', toBody(request))).allowed_tenants),
    (asked) => asked.tenants(HTTP_CLOCK),
  ),
  lists(
    'POST /user-permissions, in tenants',
    async (desk, asked) => listTenantPermissions(await permissionsFor(desk, asked)),
    (asked) => asked.permissions(HTTP_CLOCK),
  ),
  lists(
    'POST /user-permissions, on instances',
    async (desk, asked) => listInstancePermissions(await permissionsFor(desk, asked)),
    (asked) => asked.instancePermissions(HTTP_CLOCK),
  ),
  lists(
    'POST /user-permissions in pages',
    async (desk, asked) => {
      const body = aboutUser(asked.request)
      const joined = await joinedPermissions((page) => post(desk, '/user-permissions', { ...body, ...page }))
      return [listTenantPermissions(joined), listInstancePermissions(joined)]
    },
    (asked) => [asked.permissions(HTTP_CLOCK), asked.instancePermissions(HTTP_CLOCK)],
  ),
  lists(
    'POST /authorized_users',
    async (desk, { request }) =>
      listWays(Object.entries((await post(desk, '/authorized_users', toBody(request))).users)),
    (asked) => asked.authorized(HTTP_CLOCK),
  ),
  lists(
    'POST /user-tenants',
    async (desk, { request }) => named(await post(desk, '/user-tenants', { user: { key: request.user } })),
    (asked) => asked.userTenants(),
  ),
  lists(
    'GET /local/role_assignments',
    async (desk, { request }) => {
      if (hasHalfCharacter(request)) return new Lack('it takes no text that is half a character')
      if (request.user === '') return new Lack('it takes no key')
      if (isLong(request.user)) return new Lack('it takes no text of any length')
      const list = (page: number): Promise<object[]> => {
        const query = new URLSearchParams({ user: request.user, per_page: `${ROWS}`, page: `${page}` })
        // a `+` is refused there: it is a space to some clients
        return ask(desk, 'pdp', `/local/role_assignments?${`${query}`.replaceAll('+', '%20')}`, { method: 'GET' })
      }
      return inOneForm(await numbered(list, ROWS))
    },
    listAssignments,
  ),
]

/** The subject of a question; where no one is signed in its id says nothing. */
export const toSubject = (user: string, properties: JsonObject = {}) =>
  user === EVERYBODY ? { type: 'anonymous', id: 'a visit', properties } : { type: 'user', id: user, properties }

const toEvaluation = ({ user, action, resource, sent = {} }: Request) => {
  const { type, key, tenant } = resource
  return {
    subject: toSubject(user, sent.user),
    action: { name: action, properties: sent.action ?? {} },
    resource: { type, id: key, properties: { ...sent.resource, ...(tenant === undefined ? {} : { tenant }) } },
    context: sent.context ?? {},
  }
}

const authzenLack = (request: Request, needsKey: boolean) =>
  findLack(
    [hasHalfCharacter(request), 'it takes no text that is half a character'],
    [request.resource.relations !== undefined, 'it takes no relations'],
    [request.resource.isRow === true, 'it takes no marked row'],
    // there it names the tenant of the check
    [Object.hasOwn(request.sent?.resource ?? {}, 'tenant'), 'it takes no attribute `tenant`'],
    [needsKey && request.resource.key === undefined, 'it takes no resource without a key'],
  )

const evaluates = (name: string, say: (desk: Desk, asked: Asked) => Promise<boolean>): Door => ({
  name,
  say: ({ desk }, asked) => authzenLack(asked.request, true) ?? clockLack(asked) ?? say(desk, asked),
  right: (asked) => asked.check(HTTP_CLOCK),
})

/** All pages of a search, joined. */
const searches = (what: 'subject' | 'resource' | 'action', limit: number, right: (asked: Asked) => unknown): Door => ({
  name: `AuthZEN search for ${what}s${limit === LISTING_PAGE_MAX ? '' : ' in pages'}`,
  say: ({ desk }, asked) => {
    const { request } = asked
    const lack = authzenLack(request, what !== 'resource') ?? clockLack(asked)
    if (lack !== undefined) return lack
    const body = { ...toEvaluation(request), ...(what === 'subject' ? { subject: { type: 'user' } } : {}) }
    return joined(async ({ after }) => {
      const page = { limit, ...(after == null ? {} : { token: after }) }
      const { results, page: read } = await post(desk, `/access/v1/search/${what}`, { ...body, page })
      const next = read?.next_token
      const keys = results.map((found: { id?: string; name?: string }) => found.id ?? found.name)
      return { keys, next: next === '' ? undefined : next }
    }, limit)
  },
  right,
})

const AUTHZEN: readonly Door[] = [
  evaluates('AuthZEN evaluation', async (desk, { request }) => {
    return (await post(desk, '/access/v1/evaluation', toEvaluation(request))).decision
  }),
  evaluates('AuthZEN evaluations', async (desk, { request }) => {
    const { subject, ...item } = toEvaluation(request)
    const other = { ...item, resource: { type: NO_TYPE, id: 'none' } }
    const { evaluations } = await post(desk, '/access/v1/evaluations', { subject, evaluations: [other, item] })
    if (evaluations[0].decision) throw new Error('AuthZEN evaluations allow what there is not')
    return evaluations[1].decision
  }),
  searches('subject', LISTING_PAGE_MAX, (asked) => asked.users(HTTP_CLOCK)),
  searches('subject', 2, (asked) => asked.users(HTTP_CLOCK)),
  searches('resource', LISTING_PAGE_MAX, (asked) => asked.instances(HTTP_CLOCK)),
  searches('resource', 2, (asked) => asked.instances(HTTP_CLOCK)),
  searches('action', LISTING_PAGE_MAX, (asked) => asked.actions(HTTP_CLOCK)),
]

const data = async (desk: Desk, path: string, input: unknown): Promise<Json> =>
  (await ask(desk, 'opa', `/v1/data/permit/${path}`, { body: { input } })).result

const OPA: readonly Door[] = [
  decides('OPA root', async (desk, { request }) => (await data(desk, 'root', toBody(request))).allow),
  decides('OPA bulk', async (desk, { request }) => {
    const other = { ...toBody(request), resource: { type: NO_TYPE } }
    const { allow } = await data(desk, 'bulk', { checks: [other, toBody(request)] })
    if (allow[0].allow) throw new Error('OPA bulk allows what there is not')
    return allow[1].allow
  }),
  ...(['any_tenant', 'all_tenants'] as const).map((path) =>
    lists(
      `OPA ${path}`,
      async (desk, { request }) => tenantKeys((await data(desk, path, toBody(request))).allowed_tenants),
      (asked) => asked.tenants(HTTP_CLOCK),
    ),
  ),
  lists(
    'OPA user_permissions',
    async (desk, { request }) => {
      const { permissions, tenants } = await data(desk, 'user_permissions', aboutUser(request))
      return [listTenantPermissions(permissions), listInstancePermissions(permissions), named(tenants)]
    },
    (asked) => [asked.permissions(HTTP_CLOCK), asked.instancePermissions(HTTP_CLOCK), asked.userTenants(HTTP_CLOCK)],
  ),
  lists(
    'OPA user_permissions/permissions',
    async (desk, { request }) =>
      listTenantPermissions(await data(desk, 'user_permissions/permissions', aboutUser(request))),
    (asked) => asked.permissions(HTTP_CLOCK),
  ),
  lists(
    'OPA authorized_users',
    async (desk, { request }) =>
      listWays(Object.entries((await data(desk, 'authorized_users', toBody(request))).users)),
    (asked) => asked.authorized(HTTP_CLOCK),
  ),
  lists(
    'OPA role assignments',
    async (desk, { request: { user } }) => {
      if (user === '') return new Lack('it takes no key')
      if (isLong(user)) return new Lack('it takes no text of any length')
      const list = (page: number): Promise<object[]> =>
        data(desk, 'api/role_assignments', { user, page, per_page: ROWS })
      return inOneForm(await numbered(list, ROWS))
    },
    listAssignments,
  ),
]

const local = (desk: Desk, path: string): ReturnType<Desk['ask']> => desk.ask('v1', `/local/${path}`, { method: 'GET' })

/** What a client of the first API version reads about a user that is not stored. */
const NO_USER = 'no such user'

const ofLocalUser = (name: string, path: string, read: (json: Json) => unknown, right: Door['right']): Door => ({
  name,
  say: async ({ desk }, { request }) => {
    if (request.user === '' || request.user.length > 256) return new Lack('it takes no key')
    if (hasHalfCharacter(request)) return new Lack('it takes no text that is half a character')
    const { status, json } = await local(desk, `users/${encodeURIComponent(request.user)}/${path}`)
    if (status === 404) return NO_USER
    if (status !== 200) throw new Error(`GET /local/users/…/${path}: ${status} ${JSON.stringify(json)}`)
    return read(json)
  },
  right: (asked, answer) => (asked.policy.user.has(asked.request.user) ? right(asked, answer) : NO_USER),
})

const V1: readonly Door[] = [
  decides(
    'v1 POST /allowed',
    async (desk, { request }) => {
      const { user, action, resource, sent = {} } = request
      if (user === '') return new Lack('it takes no key')
      if (resource.key === '' || resource.tenant === '') return new Lack('it takes no key') // it means none
      const { key, ...about } = withAttributes(resource, sent.resource)
      const asked = { user: sent.user === undefined ? user : { key: user, attributes: sent.user } }
      const body = { ...asked, action, resource: { ...about, id: key }, context: sent.context ?? {} }
      return (await ask(desk, 'v1', '/allowed', { body })).allow
    },
    'overrides',
  ),
  ofLocalUser(
    'v1 tenants of the user',
    'tenants',
    (json) => json,
    (asked) => [...asked.userTenants()].sort(),
  ),
  ofLocalUser(
    'v1 roles of the user',
    'roles',
    (json) => json.map((role: { id: string; org_id: string }) => `${role.org_id}/${role.id}`).sort(),
    (asked) =>
      findAssignments(asked)
        .filter(({ resource_instance }) => resource_instance == null)
        .map(({ tenant, role }) => `${tenant}/${role}`)
        .sort(),
  ),
]

export const HTTP_DOORS: readonly Door[] = [...ROUTES, ...AUTHZEN, ...OPA, ...V1]
