// Routes for decision records: PDPs send them in batches, and the contract's lists read them back. Fields:
// docs/decision-log.md. They are not policy: no revision, no history.
import type { FastifyInstance } from 'fastify'
import { type AuditWanted, makeFilter } from '../../../decision-log/audit-filter.ts'
import type { AuditRecord } from '../../../decision-log/audit-log.ts'
import { readAudit } from '../../../decision-log/audit-queries.ts'
import { DecisionStreams } from '../../../decision-log/decision-streams.ts'
import {
  AuditCounts,
  AuditCountsQuery,
  AuditLogRead,
  AuditQuery,
  AuditStored,
  AuditStreamQuery,
} from '../../../decision-log/schema.ts'
import { actorName } from '../../../management/rules/actor.ts'
import { makeLongPage } from '../../../management/schemas/schema-parts.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { parseId } from '../../../model/keys.ts'
import { AUDIT_BODY_BYTES_MAX } from '../../../model/limits.ts'
import type { JsonObject } from '../../../model/objects.ts'
import { describe } from '../../description.ts'
import { pageBody, type Query, readFlag, readText, readTexts, readTime } from '../../page.ts'
import type { Scope } from '../auth.ts'
import { askedPage, nextCursor } from '../cursors.ts'
import { printTime } from '../render/stamps.ts'
import type { RouteContext } from '../route-context.ts'
import { countsRead } from './decision-counts.ts'

const AUDIT_LOGS = '/v2/pdps/:p/:e/audit_logs'
const LINES = 'application/x-ndjson'
const EVENTS = 'text/event-stream'

export function auditRoutes(app: FastifyInstance, { store, audit }: RouteContext): void {
  const config = { operation: 'audit.read', tag: 'PDPs' } as const
  const streams = new DecisionStreams(audit)
  app.addHook('preClose', (done) => {
    streams.close()
    done()
  })
  /** The one PDP config of the environment: clients see every PDP that follows the environment as this one. */
  const findConfigId = (scope: Scope): string => {
    const [found] = store.view(scope.organization).by('pdp_configs_of_environment', scope.environment.id, { limit: 1 })
    return found?.id ?? scope.environment.id
  }
  /** As history names them: a person, or an API key that is still there. */
  const askedBy = ({ organization }: Scope, { person, api_key: id }: AuditRecord): string | null => {
    if (person !== undefined) return person
    const control = store.view(organization)
    return control.find('api_key', id) === undefined ? null : actorName(control, { api_key_id: id, operation: '' })
  }
  app.get<{ Querystring: Query }>(
    AUDIT_LOGS,
    describe(config, 'List recorded decisions', {
      querystring: AuditQuery,
      response: { 200: makeLongPage(AuditLogRead) },
    }),
    async (request, reply) => {
      const { scope, query } = request
      const page = askedPage(store, request)
      const pdp = findConfigId(scope)
      requireSort(query)
      const { rows, total, reachable, ...end } = await readAudit(audit, {
        environment: scope.environment.id,
        since: readTime(query, 'timestamp_from'),
        until: readUntil(query),
        ...makeFilter(readWanted(query), pdp),
        page,
      })
      const data = rows.map((record) => auditRead(record, scope, pdp, askedBy(scope, record)))
      const next = nextCursor(store, request, reply, end, total)
      return { ...pageBody(data, total, page, next), pagination_count: reachable }
    },
  )
  app.get<{ Querystring: Query }>(
    `${AUDIT_LOGS}/counts`,
    describe(config, 'Count decisions over time', { querystring: AuditCountsQuery, response: { 200: AuditCounts } }),
    ({ scope, query }) => countsRead(audit, scope.environment.id, query, Date.now()),
  )
  app.get<{ Querystring: Query }>(
    `${AUDIT_LOGS}/stream`,
    describe(config, 'Watch decisions as they are recorded', { querystring: AuditStreamQuery }),
    (request, reply) => {
      const { scope, query, headers } = request
      const pdp = findConfigId(scope)
      const { fits } = makeFilter(readWanted(query), pdp)
      if (!headers.accept?.includes(EVENTS))
        throw new ZerohopError('INPUT_INVALID', { reason: `must be ${EVENTS}` }, { path: ['header', 'accept'] })
      streams.requireRoom()
      reply.hijack()
      const { id } = request
      const admitAgain = () => app.admitAgain(request)
      streams.open({ id, environment: scope.environment.id, admitAgain }, reply.raw, (record) =>
        fits === undefined || fits(record) ? auditRead(record, scope, pdp, askedBy(scope, record)) : undefined,
      )
      return reply
    },
  )
  app.get<{ Params: { log: string } }>(
    `${AUDIT_LOGS}/:log`,
    describe(config, 'Read a recorded decision', { response: { 200: AuditLogRead } }),
    async ({ scope, params }) => {
      const id = parseId(params.log)
      const record = id === undefined ? undefined : await audit.find(scope.environment.id, id)
      if (record === undefined)
        throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'recorded decision', ref: params.log })
      return auditRead(record, scope, findConfigId(scope), askedBy(scope, record))
    },
  )
  app.register(async (lines) => {
    lines.addContentTypeParser(LINES, (request, _payload, done) => lines.readBytes(request, done))
    lines.post<{ Body: Buffer | undefined }>(
      AUDIT_LOGS,
      {
        ...describe({ operation: 'audit.write', tag: 'PDPs', bodyType: LINES }, 'Send recorded decisions', {
          response: { 200: AuditStored },
        }),
        bodyLimit: AUDIT_BODY_BYTES_MAX,
      },
      ({ scope, caller: { key }, body, headers }) => {
        if (!Buffer.isBuffer(body))
          throw new ZerohopError('INPUT_INVALID', { reason: `the body must be ${LINES}` }, { path: ['body'] })
        return audit.append({
          lines: body,
          isCompressed: headers['content-encoding'] === 'gzip',
          environment: scope.environment.id,
          sentBy: { id: key.id, hash: key.key },
        })
      },
    )
  })
}

/** The only sort order may be named explicitly. */
function requireSort(query: Query): void {
  if (![undefined, 'timestamp', 'None'].includes(readText(query, 'sort_by')))
    throw new ZerohopError('INPUT_INVALID', { reason: 'permitted: timestamp' }, { path: ['query', 'sort_by'] })
}

/** The end of the range includes the whole second that is named. */
function readUntil(query: Query): number | undefined {
  const until = readTime(query, 'timestamp_to')
  return until === undefined ? undefined : until + 999
}

/** What is asked for by the parameters of a query. @throws INPUT_INVALID */
function readWanted(query: Query): AuditWanted {
  const values = (name: string): readonly string[] => readTexts(query, name).filter((text) => text !== '')
  return {
    users: values('users'),
    actions: values('action'),
    resources: values('resources'),
    tenants: values('tenant'),
    decision: readText(query, 'decision') === undefined ? undefined : readFlag(query, 'decision'),
    pdps: values('pdp_id'),
  }
}

/** The contract's AuditLogModel. */
function auditRead(
  record: AuditRecord,
  { organization, project, environment }: Scope,
  pdp: string,
  askedBy: string | null,
): AuditLogRead {
  const { user, action, tenant, resource_type: type, resource_key: key, decision, sent } = record
  const attributes = sent === null || typeof sent !== 'object' ? {} : (sent as JsonObject)
  const input = {
    user: { key: user, attributes: attributes.user ?? {} },
    action,
    resource: { type, key, tenant, attributes: attributes.resource ?? {} },
    context: attributes.context ?? {},
  }
  const timestamp = printTime(record.at)
  return {
    id: record.id,
    timestamp,
    created_at: printTime(record.received_at),
    query: `user ${user} ${decision ? 'is' : 'is not'} permitted to ${action} ${key === null ? type : `${type}:${key}`}`,
    user_key: user,
    user_email: record.user_email,
    user_name: record.user_name,
    resource_type: type,
    tenant,
    action,
    decision,
    reason: record.reason,
    org_id: organization,
    project_id: project.id,
    env_id: environment.id,
    pdp_config_id: pdp,
    input,
    result: { allow: decision },
    context: {
      request_id: record.request_id,
      revision: record.revision,
      api_key_id: record.api_key,
      asked_by: askedBy,
      sent_by: record.sent_by,
      resource_key: key,
      instance: record.instance,
      seq: record.seq,
      latency_us: record.latency_us,
    },
    raw_data: {
      engine: 'OPA',
      decision_id: record.id,
      labels: { id: record.instance, version: 'zerohop' },
      timestamp,
      path: 'permit/root',
      input,
      result: { allow: decision },
      metrics: { timer_server_handler_ns: record.latency_us * 1000 },
    },
  }
}
