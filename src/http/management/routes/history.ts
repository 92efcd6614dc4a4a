// What was done: /v2/history and /v2/activity, read back from the logs. They list accepted writes, and the reading of
// secrets; bodies are not kept. A key sees the logs of what it reaches, also of environments that are deleted; the
// organization's own log only an organization key.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiKey } from '../../../kinds/api-key.ts'
import { leadingFirst, operationSentence } from '../../../kinds/history-words.ts'
import type { HistoryEntry, LogId } from '../../../log/change.ts'
import { readHistory } from '../../../management/history/history.ts'
import { useCases } from '../../../management/host/registry.ts'
import { actorId, actorName, actorType } from '../../../management/rules/actor.ts'
import {
  ActivityQuery,
  ActivityRead,
  ActivityType,
  EventRead,
  HistoryQuery,
} from '../../../management/schemas/history.ts'
import { makeLongPage } from '../../../management/schemas/schema-parts.ts'
import { operationText } from '../../../model/change-words.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { listOf } from '../../../model/json-schema.ts'
import { parseId } from '../../../model/keys.ts'
import { HISTORY_CHANGED_SHOWN } from '../../../model/limits.ts'
import type { View } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { pageBody, type Query, readFlag, readText, readTexts, readTime } from '../../page.ts'
import { matcher } from '../collection-pages.ts'
import { askedPage, nextCursor } from '../cursors.ts'
import { activityRead, historyRead, type LogPlace } from '../render/control.ts'
import type { RouteContext } from '../route-context.ts'

const HISTORY = '/v2/history'
const EVENT = `${HISTORY}/:event`
const ACTIVITY = '/v2/activity'
const config = { operation: 'history.read', tag: 'history' } as const
const activity = { operation: 'history.read', tag: 'activity' } as const
interface Named {
  Params: { event: string }
}

/** What is logged although it changes nothing. */
const READS = ['readSecret', 'export', 'backup'] as const

export function historyRoutes(app: FastifyInstance, management: RouteContext): void {
  const { gate, store } = management
  app.get<{ Querystring: Query }>(
    HISTORY,
    describe(config, 'List the history', { querystring: HistoryQuery, response: { 200: makeLongPage(EventRead) } }),
    async (request, reply) => {
      const { query } = request
      const { page, rows, total, reachable, places, nameOf, ...end } = await listed(management, request, true)
      const isChanged = readFlag(query, 'changed')
      const data = rows.map((entry) => {
        const place = places.get(entry.log)
        const read = historyRead(entry, place, nameOf(entry))
        return isChanged ? { ...read, changed: printChanged(management, entry, place) } : read
      })
      const next = nextCursor(store, request, reply, end, total)
      return { ...pageBody(data, total, page, next), pagination_count: reachable }
    },
  )
  app.get<{ Querystring: Query }>(
    ACTIVITY,
    describe(activity, 'List the activity', {
      querystring: ActivityQuery,
      response: { 200: makeLongPage(ActivityRead) },
    }),
    async (request, reply) => {
      const { page, rows, total, reachable, places, nameOf, ...end } = await listed(management, request, false)
      const data = rows.map((entry) => activityRead(entry, places.get(entry.log), nameOf(entry)))
      const next = nextCursor(store, request, reply, end, total)
      return { ...pageBody(data, total, page, next), pagination_count: reachable }
    },
  )
  app.get(
    `${ACTIVITY}/types`,
    describe(activity, 'List the kinds of activity', { response: { 200: listOf(ActivityType) } }),
    () => [...Object.keys(useCases), ...READS].map((id) => ({ id, description: operationSentence(id) })),
  )
  const requireEntry = (key: ApiKey, ref: string) => {
    const id = parseId(ref)
    const entry = id === undefined ? undefined : store.historyEntry(id)
    const places = listPlaces(store.view(key.organization_id), key)
    if (entry === undefined || !places.has(entry.log)) throw missing(ref)
    return { entry, place: places.get(entry.log) }
  }
  const one = describe(config, 'Read an event of the history', { response: { 200: EventRead } })
  app.get<Named>(EVENT, one, ({ caller, params }) => {
    const { entry, place } = requireEntry(caller.key, params.event)
    return historyRead(entry, place, actorName(gate.control(caller), entry.by))
  })
  app.get<Named>(`${EVENT}/request`, describe(config, 'Read the request of an event'), ({ caller, params }, reply) => {
    requireEntry(caller.key, params.event)
    return reply.type('application/json').send(JSON.stringify('redacted'))
  })
  app.get<Named>(`${EVENT}/response`, describe(config, 'Read the response of an event'), ({ caller, params }) => {
    requireEntry(caller.key, params.event)
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'response of event', ref: params.event })
  })
}

/**
 * The objects that a revision of an environment wrote, without those that only serve others. Those of an organization,
 * such as keys, are in no list.
 */
function printChanged({ store }: RouteContext, { log, revision, by }: HistoryEntry, place: LogPlace | undefined) {
  const changed = place?.env_id ? store.changed(log, revision) : undefined
  if (changed === undefined) return null
  const leading = leadingFirst(
    by.operation,
    changed.filter(({ kind }) => kind !== 'applied_object'),
  )
  return { objects: leading.slice(0, HISTORY_CHANGED_SHOWN), count: leading.length }
}

/** The page that a list of history or activity shows. */
async function listed({ store }: RouteContext, request: FastifyRequest<{ Querystring: Query }>, isHistory: boolean) {
  const { query } = request
  const { key } = request.caller
  const page = askedPage(store, request)
  const view = store.view(key.organization_id)
  const places = listPlaces(view, key)
  const { fits, since } = makeEntryFilter(query, isHistory, (entry) => actorName(view, entry.by))
  const logs = [...places]
    .filter(([, place]) => isPlace(query, place))
    .map(([log]) => log)
    .filter((log) => store.exists(log))
  const found = await readHistory(store, {
    logs,
    leading: key.organization_id,
    fits,
    ...(since === undefined ? {} : { since }),
    page,
  })
  const now = store.view(key.organization_id)
  return { ...found, logs, page, places, nameOf: (entry: HistoryEntry) => actorName(now, entry.by) }
}

/** The logs that the key may read, and where each belongs. */
function listPlaces(view: View, key: ApiKey): ReadonlyMap<LogId, LogPlace> {
  const org_id = key.organization_id
  const places = new Map<LogId, LogPlace>()
  const add = (id: LogId, project_id: string, project_key: string, env_key: string): void => {
    const isOwn =
      key.level === 'org' || (key.level === 'project' ? key.project_id === project_id : key.environment_id === id)
    if (isOwn) places.set(id, { org_id, project_id, project_key, env_id: id, env_key })
  }
  if (key.level === 'org')
    places.set(org_id, { org_id, project_id: null, project_key: null, env_id: null, env_key: null })
  const projects = new Map([...view.list('project')].map((project) => [project.key, project.id]))
  for (const { id, project, environment } of view.list('environment'))
    add(id, projects.get(project) ?? '', project, environment)
  for (const { id, project_id, project, environment } of view.list('deleted_environment'))
    add(id, project_id, project, environment)
  return places
}

/** The filters of places pick whole logs. */
function isPlace(query: Query, { project_id, env_id }: LogPlace): boolean {
  const named = (name: string, id: string | null): boolean => {
    const wanted = readTexts(query, name)
    return wanted.length === 0 || wanted.some((ref) => id !== null && parseId(ref) === id)
  }
  return named('project_id', project_id) && named('env_id', env_id)
}

function makeEntryFilter(query: Query, isHistory: boolean, nameOf: (entry: HistoryEntry) => string) {
  const tests: ((entry: HistoryEntry) => boolean)[] = []
  const among = (name: string, textOf: (entry: HistoryEntry) => string): void => {
    const wanted = readTexts(query, name)
    if (wanted.length > 0) tests.push((entry) => wanted.includes(textOf(entry)))
  }
  among('actor_id', ({ by }) => actorId(by) ?? '')
  among('actor_type', ({ by }) => actorType(by))
  const name = readText(query, 'actor_display_name')
  const isNamed = matcher(name ?? '')
  if (name !== undefined) tests.push((entry) => isNamed(nameOf(entry)))
  const reason = readText(query, 'reason')
  const isReason = matcher(reason ?? '')
  if (reason !== undefined) tests.push(({ by }) => isReason(by.reason ?? null))
  among('ticket', ({ by }) => by.ticket ?? '')
  const since = readTime(query, 'timestamp_from')
  const until = readTime(query, 'timestamp_until')
  if (until !== undefined) tests.push(({ at }) => at <= until)
  if (isHistory) {
    among('method', ({ by }) => by.method ?? '')
    const paths = readTexts(query, 'path')
    if (paths.length > 0) tests.push(({ by }) => paths.some((path) => by.path?.includes(path)))
    const search = readText(query, 'search')
    const finds = matcher(search ?? '')
    if (search !== undefined)
      tests.push(({ by, summary = '' }) =>
        finds(
          operationText(by.operation),
          operationSentence(by.operation),
          by.operation,
          by.path ?? '',
          summary,
          by.reason ?? '',
          by.ticket ?? '',
        ),
      )
    among('status_code', ({ status }) => String(status))
    among('client_ip', ({ by }) => by.address ?? '')
    if (readText(query, 'success') !== undefined && !readFlag(query, 'success')) tests.push(() => false)
  }
  const fits = tests.length === 0 ? undefined : (entry: HistoryEntry) => tests.every((test) => test(entry))
  return { fits, since }
}

function missing(ref: string): ZerohopError {
  return new ZerohopError('OBJECT_NOT_FOUND', { kind: 'event', ref })
}
