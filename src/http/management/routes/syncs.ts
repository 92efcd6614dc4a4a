// Syncs: /v2/facts/{p}/{e}/syncs. `zerohop sync` takes the lease of one, plans and writes facts in slices, and gives the
// lease back.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Sync } from '../../../kinds/sync.ts'
import { countClaimed } from '../../../management/objects/claims.ts'
import type { Planner } from '../../../management/plan/planner.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import {
  SYNCED_KINDS,
  SyncLeaseRequest,
  SyncPlan,
  SyncPlanRequest,
  SyncQuery,
  SyncRead,
  SyncRelease,
  SyncSlice,
  SyncWritten,
} from '../../../management/schemas/syncs.ts'
import { BULK_BODY_BYTES_MAX, SYNC_FACTS_COUNTED_MAX } from '../../../model/limits.ts'
import { formatInstant } from '../../../model/print-time.ts'
import { describe } from '../../description.ts'
import { everyObject, filtered } from '../collection-pages.ts'
import { listRoute } from '../collection-routes.ts'
import { sendEtag, type Tagged } from '../preconditions.ts'
import { type RouteContext, requestView, write } from '../route-context.ts'

const SYNCS = '/v2/facts/:p/:e/syncs'
const SYNC = `${SYNCS}/:sync`
const reading = { operation: 'facts.read', tag: 'syncs' } as const
const writing = { operation: 'facts.write', tag: 'syncs' } as const
type Named<B = unknown> = { Params: { sync: string }; Body: B }

export function syncRoutes(app: FastifyInstance, management: RouteContext, planner: Planner): void {
  const tagged = (request: FastifyRequest): Tagged => {
    const object = requestView(management, request).require('sync', (request.params as Named['Params']).sync)
    return { kind: 'sync', object, show: () => printSync(object) }
  }
  listRoute(app, management, {
    path: SYNCS,
    tag: 'syncs',
    summary: 'List syncs',
    operation: 'facts.read',
    query: SyncQuery,
    form: 'page',
    rows: ({ view }, page) => filtered(everyObject(view, 'sync'), [], page, true),
    answer: SyncRead,
    print: (_asked, syncs) => syncs.map((one) => printSync(one as Sync)),
  })
  app.get<Named>(SYNC, describe(reading, 'Read a sync', { response: { 200: SyncRead } }), async (request, reply) => {
    const view = requestView(management, request)
    const found = view.require('sync', request.params.sync)
    sendEtag(reply, found)
    const counts = SYNCED_KINDS.map((kind) => [kind, countClaimed(view, kind, found.key, SYNC_FACTS_COUNTED_MAX)])
    return { ...printSync(found), facts: Object.fromEntries(counts.filter(([, count]) => count !== 0)) }
  })
  app.delete<Named>(
    SYNC,
    describe({ ...writing, tagged }, 'Free the name of a sync for another source', { response: { 204: NoBody } }),
    async (request, reply) => {
      await write(management, request, reply, 'deleteSync', { ref: request.params.sync })
      return reply.code(204).send()
    },
  )
  app.post<Named<SyncLeaseRequest>>(
    `${SYNC}/lease`,
    describe(writing, 'Take or renew the lease of a sync', { body: SyncLeaseRequest, response: { 200: SyncRead } }),
    async (request, reply) => {
      const input = { ref: request.params.sync, ...request.body }
      return printSync(await write(management, request, reply, 'leaseSync', input))
    },
  )
  app.post<Named<SyncRelease>>(
    `${SYNC}/release`,
    describe(writing, 'Give the lease of a sync back', { body: SyncRelease, response: { 200: SyncRead } }),
    async (request, reply) => {
      const input = { ref: request.params.sync, ...request.body }
      return printSync(await write(management, request, reply, 'releaseSync', input))
    },
  )
  app.post<Named<SyncSlice>>(
    `${SYNC}/slices`,
    {
      ...describe(writing, 'Write facts of a sync', { body: SyncSlice, response: { 200: SyncWritten } }),
      bodyLimit: BULK_BODY_BYTES_MAX,
    },
    (request, reply) =>
      write(management, request, reply, 'writeSyncSlice', { ref: request.params.sync, ...request.body }),
  )
  app.post<Named<SyncPlanRequest>>(
    `${SYNC}/plan`,
    {
      ...describe(reading, 'Plan facts of a sync', { body: SyncPlanRequest, response: { 200: SyncPlan } }),
      bodyLimit: BULK_BODY_BYTES_MAX,
    },
    async ({ scope, params, body: { items, access } }) => {
      const sync = { claim: params.sync, items, access: access !== false }
      const made = await planner.plan({ environment: scope.environment.id, now: Date.now(), sync })
      return {
        revision: made.revision,
        ...made.sync!,
        ...(sync.access ? { policy: made.diff.policy, access: made.diff.access } : {}),
      }
    },
  )
}

const printSync = ({ id, key, source, runs, lease, created_at, updated_at }: Sync): SyncRead => ({
  id,
  key,
  source,
  runs,
  lease: lease === undefined ? null : { run: lease.run, until: formatInstant(lease.until) },
  created_at: formatInstant(created_at),
  updated_at: formatInstant(updated_at),
})
