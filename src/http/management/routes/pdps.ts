// The PDPs that follow an environment: /v2/pdps/{p}/{e}, and the reports by which they are known better:
// /v2/feed/{p}/{e}/report. They are told apart by what they say of themselves: it decides nothing.
import type { FastifyInstance } from 'fastify'
import type { LogId } from '../../../log/change.ts'
import { makeLagReader } from '../../../management/objects/pdp-lag.ts'
import type { PdpRegistry } from '../../../management/objects/pdp-registry.ts'
import type { KnownPdp } from '../../../management/objects/pdp-sightings.ts'
import { PdpQuery, PdpRead, PdpReport } from '../../../management/schemas/pdps.ts'
import { makePage, NoBody } from '../../../management/schemas/schema-parts.ts'
import type { Store } from '../../../store/store.ts'
import type { UseCases } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Position, pageBody, type Query, readFlag, readText } from '../../page.ts'
import { askedPage, nextCursor } from '../cursors.ts'
import { comparePositions, ordered } from '../ordered-rows.ts'
import { printTime } from '../render/stamps.ts'

export function pdpRoutes(app: FastifyInstance, store: Store<UseCases>, registry: PdpRegistry): void {
  app.get<{ Querystring: Query }>(
    '/v2/pdps/:p/:e',
    describe({ operation: 'environment.read', tag: 'PDPs' }, 'List the PDPs that follow an environment', {
      querystring: PdpQuery,
      response: { 200: makePage(PdpRead) },
    }),
    async (request, reply) => {
      const { scope, query } = request
      const page = askedPage(store, request)
      const filters = (['connected', 'stale'] as const).filter((name) => readText(query, name) !== undefined)
      const wanted = filters.map((name) => [name, readFlag(query, name)] as const)
      const known = await registry.list(scope.environment.id)
      const print = makePrinter(store, scope.environment.id, Date.now())
      const pdps = known
        .map((pdp) => ({ id: pdp.id, row: print(pdp) }))
        .filter(({ row }) => wanted.every(([name, value]) => row[name] === value))
        .map(({ id, row }) => ({ row, at: byNeed(row, id) }))
        .sort((one, other) => comparePositions(one.at, other.at))
      const { rows, total, ...end } = ordered(pdps, page)
      return pageBody(rows, total, page, nextCursor(store, request, reply, end))
    },
  )
  app.post<{ Body: PdpReport }>(
    '/v2/feed/:p/:e/report',
    describe({ operation: 'feed.read', tag: 'feed' }, 'Report the revision that a PDP applied', {
      body: PdpReport,
      response: { 204: NoBody },
    }),
    ({ scope, body: { instance, ...report } }, reply) => {
      registry.reported(scope.environment.id, instance, report)
      return reply.code(204).send()
    },
  )
}

/** Stale ones first, then by name. */
const byNeed = ({ stale, name }: PdpRead, id: string): Position => [stale ? 0 : 1, name ?? '', id]

/** How a PDP is printed. `now`: ms since 1970 */
function makePrinter(store: Store<UseCases>, environment: LogId, now: number): (pdp: KnownPdp) => PdpRead {
  const lagOfPdp = makeLagReader(store, environment, now)
  return (pdp) => {
    const { instance, name, version, apiVersion, isConnected, revision, isApplied, firstSeenAgoMs, lastSeenAgoMs } = pdp
    const { revisions: lag, since, isStale: stale } = lagOfPdp(pdp)
    return {
      instance: instance ?? null,
      name,
      version,
      api_version: apiVersion,
      connected: isConnected,
      stale,
      revision,
      revision_is: isApplied ? 'applied' : 'sent',
      lag,
      lag_since: since === undefined ? null : printTime(since),
      first_seen_at: printTime(now - firstSeenAgoMs),
      last_seen_at: printTime(now - lastSeenAgoMs),
    }
  }
}
