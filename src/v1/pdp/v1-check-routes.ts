// A PDP for clients of the first API version: POST /allowed over its environment and the global objects of v1, and the
// local cache that these clients read, /local/…. Other routes of the second version are not served here, because they
// would leave out the global objects.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { JSON_TYPE } from '../../http/pdp/allowed.ts'
import type { PdpRouteDeps } from '../../http/pdp/route-deps.ts'
import { ZerohopError } from '../../model/errors.ts'
import { LISTING_PAGE_MAX, V1_LIST_MAX } from '../../model/limits.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import { readV1Check } from './v1-check-body.ts'
import { checkEither, type GlobalObjects } from './v1-global-objects.ts'

export interface V1PdpOptions {
  readonly globalObjects: GlobalObjects
  /** answers checks without a key, because the Node client of v1 sends none; all other routes still require the key */
  readonly keyless?: Pdp
}

/** A role in the form of the local cache. Ids and names are the keys, because the feed has only keys. */
interface LocalRole {
  readonly id: string
  readonly name: string
  readonly org_id: string | null
  readonly metadata: Readonly<Record<string, never>>
  readonly permissions: readonly string[]
}

const ALLOWED = '{"allow":true,"result":true,"query":null,"debug":null}'
const DENIED = '{"allow":false,"result":false,"query":null,"debug":null}'

export function v1PdpRoutes(app: FastifyInstance, deps: PdpRouteDeps, { globalObjects, keyless }: V1PdpOptions): void {
  const authenticate: PdpRouteDeps['authenticate'] = (request, reply, done) => {
    if (keyless === undefined || request.headers.authorization !== undefined)
      return deps.authenticate(request, reply, done)
    request.pdp = keyless
    done()
  }
  app.post('/allowed', { config: { decides: true }, onRequest: authenticate }, (request, reply) => {
    const pdp = request.pdp!
    const check = readV1Check(request.body)
    const { user, action, resource, context } = check
    const timed = { ...context, now: pdp.now }
    const allow = checkEither(pdp, globalObjects, [user, action, resource, timed])
    deps.decisions.record(request, { ...check, context: timed }, allow)
    reply
      .header('x-revision', pdp.imageRevision ?? 0)
      .header('x-revision-outside', globalObjects.revision ?? 0)
      .header('content-type', JSON_TYPE)
      .send(allow ? ALLOWED : DENIED)
  })
  localRoutes(app, deps, globalObjects)
}

function localRoutes(
  app: FastifyInstance,
  { authenticate: onRequest }: PdpRouteDeps,
  globalObjects: GlobalObjects,
): void {
  type One = { Params: { ref: string } }
  /** An answer from both policies: the routes of every PDP take the one of the request once, this takes the other. */
  const fromBoth =
    <R extends FastifyRequest>(answer: (of: readonly Pdp[], request: R) => unknown) =>
    (request: R): unknown => {
      const other = globalObjects.pdp
      if (other === undefined) return answer([request.pdp!], request)
      return other.asOneRequest(() => answer([request.pdp!, other], request))
    }
  const allUsers = (of: readonly Pdp[]): unknown => {
    const keys = new Set(of.flatMap((pdp) => pdp.userKeys(V1_LIST_MAX + 1)))
    if (keys.size > V1_LIST_MAX) throw new ZerohopError('LIMIT_EXCEEDED', { what: 'this list', limit: V1_LIST_MAX })
    const permissions = of.map(readPermissions)
    return [...keys].sort().map((key) => makeUser(of, key, permissions))
  }
  app.get('/local/users', { onRequest }, fromBoth(allUsers))
  const ofUser = (answer: (of: readonly Pdp[], user: string) => unknown) =>
    fromBoth<FastifyRequest<One>>((of, { params }) => answer(of, requireUser(of, params.ref)))
  app.get<One>('/local/users/:ref', { onRequest }, ofUser(makeUser))
  const listTenants = (of: readonly Pdp[], user: string) =>
    [...new Set(of.flatMap((pdp) => pdp.userTenants(user).map(({ key }) => key)))].sort()
  app.get<One>('/local/users/:ref/tenants', { onRequest }, ofUser(listTenants))
  app.get<One>('/local/users/:ref/roles', { onRequest }, ofUser(listRoles))
  app.get(
    '/local/roles',
    { onRequest },
    fromBoth((of) => [...allRoles(of).values()]),
  )
  const roleNamed = fromBoth<FastifyRequest<One>>((of, { params }) => {
    const role = allRoles(of).get(params.ref)
    if (role === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'role', ref: params.ref })
    return role
  })
  for (const path of ['/local/roles/:ref', '/local/roles/by-name/:ref']) app.get<One>(path, { onRequest }, roleNamed)
}

/** @throws OBJECT_NOT_FOUND when neither policy has the user */
function requireUser(of: readonly Pdp[], key: string): string {
  if (of.some((pdp) => pdp.knows(key))) return key
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'user', ref: key })
}

type Permissions = ReadonlyMap<string, readonly string[]>

/** Role → permissions. */
const readPermissions = (pdp: Pdp): Permissions =>
  new Map(pdp.tenantRoles().map(({ key, permissions }) => [key, permissions]))

const makeUser = (of: readonly Pdp[], key: string, permissions = of.map(readPermissions)) => {
  return { id: key, name: null, email: null, metadata: {}, roles: listRoles(of, key, permissions) }
}

/** The roles of a user in tenants; `org_id` is the tenant, as v1 calls it. */
function listRoles(of: readonly Pdp[], user: string, permissions: readonly Permissions[] = of.map(readPermissions)) {
  return of.flatMap((pdp, at): LocalRole[] => {
    const held = pdp.roleAssignments({ user, page: 1, perPage: LISTING_PAGE_MAX })
    return held
      .filter((one) => one.resource_instance === undefined)
      .map(({ role, tenant }) => makeRole(role, permissions[at]?.get(role) ?? pdp.rolePermissions(role), tenant))
  })
}

/** The roles of both policies; roles with the same key are merged. */
function allRoles(of: readonly Pdp[]): Map<string, LocalRole> {
  const roles = new Map<string, LocalRole>()
  for (const { key, permissions } of of.flatMap((pdp) => pdp.tenantRoles())) {
    const before = roles.get(key)?.permissions ?? []
    roles.set(key, makeRole(key, [...new Set([...before, ...permissions])].sort(), null))
  }
  return roles
}

const makeRole = (key: string, permissions: readonly string[], tenant: string | null): LocalRole => {
  return { id: key, name: key, org_id: tenant, metadata: {}, permissions }
}
