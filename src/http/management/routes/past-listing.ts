// Listings of an environment as it was: what a user may do, and who may do something. They are those of a PDP, with
// `at` beside the question; who may do something is a page of users, each with what allows it.
import { setImmediate as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { PastRevisions } from '../../../management/past/past-revisions.ts'
import {
  AuthorizedUsersPage,
  AuthorizedUsersQuestion,
  PermissionsQuestion,
  UserPermissionsRead,
} from '../../../management/schemas/past-listing.ts'
import { EVERYBODY } from '../../../model/keys.ts'
import { PAGE_ROWS_DEFAULT } from '../../../model/limits.ts'
import { withInstants } from '../../../model/print-time.ts'
import type { InstancePermissions, TenantPermissions } from '../../../pdp/pdp-listings.ts'
import { describe } from '../../description.ts'
import { requireExactIn } from '../../exact-attributes.ts'
import {
  type PageOfBody,
  type PermissionsQuery,
  readPageOfBody,
  readPermissionsQuery,
  readUsersQuery,
} from '../../pdp/check-bodies.ts'
import { printTime } from '../render/stamps.ts'
import type { RouteContext } from '../route-context.ts'
import { type PastPdp, pastPdp } from './past.ts'

const ENVIRONMENT = '/v2/projects/:p/envs/:e'
const config = { operation: 'decision.explain', tag: 'environments' } as const

export function pastListingRoutes(app: FastifyInstance, management: RouteContext, past: PastRevisions): void {
  app.post<{ Body: PermissionsQuestion }>(
    `${ENVIRONMENT}/user-permissions`,
    describe(config, 'List the permissions of a user at a revision', {
      body: PermissionsQuestion,
      response: { 200: UserPermissionsRead },
    }),
    async ({ scope, body }, reply) => {
      const asked = readPermissionsQuery(body)
      requireExactIn(body)
      const page = readPageOfBody(body, scope.environment.id)
      const [revision, at] = page?.kept ?? []
      const from = await pastPdp(
        management,
        past,
        scope,
        typeof revision === 'number' ? revision : body.at,
        asked.context,
      )
      const now = typeof at === 'number' ? at : from.now
      const { rows, next } = await listPermissions({ ...from, pdp: from.pdp.at(now), now }, asked, page)
      const { found } = from
      reply.header('x-revision', String(found.revision))
      return {
        ...{ revision: found.revision, revision_at: printTime(found.at) },
        tenants: rows.filter(isOfTenant).map(tenantRead),
        instances: rows.filter(isOfInstance).map(instanceRead),
        next,
      }
    },
  )
  app.post<{ Body: AuthorizedUsersQuestion }>(
    `${ENVIRONMENT}/authorized-users`,
    describe(config, 'List the users who can do something at a revision', {
      body: AuthorizedUsersQuestion,
      response: { 200: AuthorizedUsersPage },
    }),
    async ({ scope, body }, reply) => {
      const { action, resource, context } = readUsersQuery(body)
      requireExactIn(body)
      const { pdp, found, now } = await pastPdp(management, past, scope, body.at, context)
      const seen = { now, ...context }
      const page = { after: body.after ?? null, limit: body.limit ?? PAGE_ROWS_DEFAULT, context: seen }
      const { keys, next = null } = pdp.users(action, resource, page)
      const users: AuthorizedUsersPage['users'][number][] = []
      // who is in no table may do what everyone may (D16)
      const isShared = body.after === undefined || body.after === null
      const shared = isShared && pdp.check(EVERYBODY, action, resource, seen) ? [EVERYBODY] : []
      for (const user of [...shared, ...keys]) {
        const { because } = pdp.explain(user, action, resource, seen)
        users.push({ user, because: because.map(withInstants) })
        await pause() // an explanation may take milliseconds, and other requests wait
      }
      reply.header('x-revision', String(found.revision))
      return { revision: found.revision, revision_at: printTime(found.at), users, next }
    },
  )
}

/** The entries of the page, or of the whole when none is asked for. */
async function listPermissions(
  { pdp, found, now }: PastPdp,
  { user, filter, context }: PermissionsQuery,
  page: PageOfBody | undefined,
): Promise<{ readonly rows: readonly Row[]; readonly next: string | null }> {
  const seen = { now, ...context }
  if (page === undefined) {
    const { parts } = await pdp.userPermissionsInTurns(user, filter, seen, (part) => Object.values(part))
    return { rows: parts.flat(), next: null }
  }
  const { limit, after, nextToken } = page
  const { permissions, next } = pdp.userPermissionsPage(user, { ...filter, limit, after }, seen)
  const rows = Object.values(permissions)
  return { rows, next: next === undefined ? null : nextToken(next, found.revision, now) }
}

type Row = TenantPermissions | InstancePermissions
const isOfInstance = (row: Row): row is InstancePermissions => 'resource' in row
const isOfTenant = (row: Row): row is TenantPermissions => !isOfInstance(row)

function tenantRead({ tenant, roles, permissions }: TenantPermissions): UserPermissionsRead['tenants'][number] {
  return { tenant: tenant.key, roles: [...roles], permissions: [...permissions] }
}

function instanceRead(row: InstancePermissions): UserPermissionsRead['instances'][number] {
  const { resource, tenant, roles, permissions } = row
  const place = { resource: resource.type, resource_instance: resource.key, tenant: tenant.key }
  return { ...place, roles: [...roles], permissions: [...permissions] }
}
