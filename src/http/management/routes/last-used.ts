// When something was last used: GET /v2/facts/{p}/{e}/last_used/role_assignments, …/permissions and …/users. By the
// decision log; docs/last-used.md defines the answers.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EVERY } from '../../../kinds/kind.ts'
import { isInForce } from '../../../kinds/times.ts'
import { RolePermissions } from '../../../management/last-used/given-permissions.ts'
import { type Asked, findKnown, findLastUsed, type Window } from '../../../management/last-used/last-used.ts'
import { findRoleInTenants } from '../../../management/rules/tenant-roles.ts'
import {
  LastUsedPermissions,
  LastUsedPermissionsQuery,
  LastUsedRoles,
  LastUsedRolesQuery,
  LastUsedUsers,
  LastUsedUsersQuery,
} from '../../../management/schemas/last-used.ts'
import { EVERYBODY } from '../../../model/keys.ts'
import {
  LAST_USED_LOOK_UPS_MAX,
  LAST_USED_LOOKED_AT_MAX,
  LAST_USED_ROWS_DEFAULT,
  LAST_USED_ROWS_PER_PAGE_MAX,
} from '../../../model/limits.ts'
import { parseResourceRole, partKey } from '../../../model/objects.ts'
import type { StoredView, View } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Position, type Query, readText, readWhole } from '../../page.ts'
import { nextCursor, readCursor } from '../cursors.ts'
import { printKnown, printUsed, readUnusedFor } from '../last-used-query.ts'
import { type Part, partsBehind, placeOfParts } from '../ordered-rows.ts'
import { printTime } from '../render/stamps.ts'
import type { RouteContext } from '../route-context.ts'

const LAST_USED = '/v2/facts/:p/:e/last_used'
const config = { operation: 'audit.read', tag: 'PDPs' } as const
type WithQuery = { Querystring: Query }

/** A row, what of it is looked for, and since when it is there. */
interface Candidate<R> {
  readonly row: R
  readonly asked: Asked
  /** ms since 1970: what is younger than the time asked for is not called unused */
  readonly since?: number
}

/** What is looked at before what is used is left out, and where the next page begins behind it. */
interface Looked<R> {
  /** undefined: of no interest */
  readonly candidate: Candidate<R> | undefined
  readonly at: Position
}
type List<R> = (view: StoredView, query: Query, after: Position | undefined, now: number) => Iterable<Looked<R>>

export function lastUsedRoutes(app: FastifyInstance, context: RouteContext): void {
  app.get<WithQuery>(
    `${LAST_USED}/role_assignments`,
    describe(config, 'List when role assignments were last used', {
      querystring: LastUsedRolesQuery,
      response: { 200: LastUsedRoles },
    }),
    (request, reply) => readUsed(context, request, reply, listAssignments),
  )
  app.get<WithQuery>(
    `${LAST_USED}/permissions`,
    describe(config, 'List when permissions were last used', {
      querystring: LastUsedPermissionsQuery,
      response: { 200: LastUsedPermissions },
    }),
    (request, reply) => readUsed(context, request, reply, listPermissions),
  )
  app.get<WithQuery>(
    `${LAST_USED}/users`,
    describe(config, 'List when users were last allowed anything', {
      querystring: LastUsedUsersQuery,
      response: { 200: LastUsedUsers },
    }),
    (request, reply) => readUsed(context, request, reply, listUsers),
  )
}

/** One page. The cursor says which row was the last one that was looked at. */
async function readUsed<R extends object>(
  { store, audit }: RouteContext,
  request: FastifyRequest<WithQuery>,
  reply: FastifyReply,
  list: List<R>,
) {
  const {
    query,
    scope: { environment },
  } = request
  const now = Date.now()
  const window: Window = { now, unusedMs: readUnusedFor(query) }
  const limit = readWhole(query, 'limit', { absent: LAST_USED_ROWS_DEFAULT, min: 1, max: LAST_USED_ROWS_PER_PAGE_MAX })
  const after = readCursor(store, request)
  const isFiltered = window.unusedMs !== undefined
  const most = isFiltered ? LAST_USED_LOOKED_AT_MAX : limit
  const looked: Looked<R>[] = []
  let isMore = false
  let lookUps = 0
  // the view is read in this turn: what is looked up in the decision log comes after it
  for (const one of list(store.view(environment.id), query, after, now)) {
    isMore = looked.length === most || lookUps > LAST_USED_LOOK_UPS_MAX
    if (isMore) break
    looked.push(one)
    lookUps += one.candidate?.asked.uses.length ?? 0
  }
  const known = await findKnown(audit, environment.id, now)
  const places = looked.flatMap(({ candidate }, place) => (candidate === undefined ? [] : [{ candidate, place }]))
  const asked = places.map(({ candidate }) => candidate.asked)
  const found = await findLastUsed(audit, environment.id, asked, known, window)
  const data: (R & ReturnType<typeof printUsed>)[] = []
  let next = isMore ? looked.at(-1)?.at : undefined
  for (const [at, { candidate, place }] of places.entries()) {
    const used = found[at]!
    if (isFiltered && (used.isUnused === false || isYoung(candidate, window))) continue
    if (data.length === limit) {
      next = looked[place - 1]?.at
      break
    }
    data.push({ ...candidate.row, ...printUsed(used) })
  }
  return {
    data,
    ...printKnown(known),
    next: nextCursor(store, request, reply, next === undefined ? {} : { next }) ?? null,
  }
}

const isYoung = ({ since = 0 }: Candidate<unknown>, { now, unusedMs = 0 }: Window): boolean => since > now - unusedMs

/** Role assignments in force; from the narrowest index. @throws INPUT_INVALID */
function* listAssignments(view: StoredView, query: Query, after: Position | undefined, now: number) {
  const [user, role, tenant] = ['user', 'role', 'tenant'].map((name) => readText(query, name))
  const wanted = {
    user: user === undefined || user === EVERYBODY ? user : view.find('user', user)?.key,
    role: role === undefined ? undefined : findRole(view, role),
    tenant: tenant === undefined ? undefined : view.find('tenant', tenant)?.key,
  }
  // what names nothing finds nothing
  const isUnknown = [user, role, tenant].some((sent, place) => sent !== undefined && !Object.values(wanted)[place])
  if (isUnknown) return
  const roles = new RolePermissions(view)
  const range = after === undefined ? {} : { after: Number(after) }
  const rows =
    wanted.user !== undefined
      ? view.byPlaced('assignments_of_user', wanted.user, range)
      : wanted.role !== undefined
        ? view.byPlaced('assignments_of_role', wanted.role, range)
        : wanted.tenant !== undefined
          ? view.byPlaced('assignments_of_tenant', wanted.tenant, range)
          : view.byPlaced('every_assignment', EVERY, range)
  for (const { place: at, object: assignment } of rows) {
    const { user: holder, role: held, tenant: place, resource_instance: instance, created_at: since } = assignment
    const type = instance?.slice(0, instance.indexOf(':'))
    const name = type === undefined ? held : partKey(type, held)
    const isWanted = name === (wanted.role ?? name) && place === (wanted.tenant ?? place)
    if (!isWanted || !isInForce(assignment, now)) {
      yield { candidate: undefined, at }
      continue
    }
    const { permissions, besides } = roles.find(held, type)
    // what follows over relations may lie in another tenant
    const where = type === undefined ? { tenant: place } : {}
    const uses = [...permissions].map((permission) => ({ user: holder, permission, ...where }))
    const row = { user: holder, role: held, tenant: place, resource_instance: instance, given_at: printTime(since) }
    yield { candidate: { row, asked: { uses, besides }, since }, at }
  }
}

/** A role as the index of assignments names it. */
function findRole(view: View, ref: string): string | undefined {
  const part = parseResourceRole(ref)
  if (part === undefined) return findRoleInTenants(view, ref)?.key
  return view.get('resource_role', partKey(part.resource, part.role))?.key
}

function* listPermissions(view: StoredView, query: Query, after: Position | undefined) {
  const ref = readText(query, 'resource')
  const only = ref === undefined ? undefined : view.find('resource', ref)?.key
  if (ref !== undefined && only === undefined) return
  const parts: Part<string>[] = []
  for (const { place: of, object } of view.listPlaced('resource'))
    if (only === undefined || object.key === only)
      for (const { id, key } of object.actions) parts.push({ row: `${object.key}:${key}`, id, of })
  const looked: Part<string>[] = []
  for (const part of partsBehind(parts, after)) {
    looked.push(part)
    const permission = part.row
    yield {
      candidate: { row: { permission }, asked: { uses: [{ permission }] } },
      get at() {
        return placeOfParts(looked.slice(0, looked.indexOf(part) + 1), after)
      },
    }
  }
}

function* listUsers(view: StoredView, query: Query, after: Position | undefined) {
  const ref = readText(query, 'user')
  const only = ref === undefined ? undefined : view.find('user', ref)
  if (ref !== undefined && only === undefined) return
  const range = after === undefined ? {} : { after: Number(after) }
  const all =
    only === undefined
      ? view.byPlaced('every_user', EVERY, range)
      : after === undefined
        ? [{ place: 0, object: only }]
        : []
  for (const { place: at, object } of all) {
    const { key, created_at: since } = object
    yield { candidate: { row: { user: key }, asked: { uses: [{ user: key }] }, since }, at }
  }
}
