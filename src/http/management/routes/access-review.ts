// Who has what: GET /v2/projects/{p}/envs/{e}/access, in pages or as CSV; …/access/counts by role or by resource; and
// …/access/changes, what was gained and lost between two revisions. docs/access-review.md defines the answers. A thread
// makes them.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ComparedLine, ReviewPlace } from '../../../image/access-review/review.ts'
import { type CsvLine, csvHeader, csvLine } from '../../../management/access-review/csv.ts'
import { type NotedLine, withNotes } from '../../../management/access-review/notes.ts'
import type { ReviewedRevision } from '../../../management/access-review/review-task.ts'
import { Reviewer } from '../../../management/access-review/reviewer.ts'
import { findKnown, findLastUsed, type Window } from '../../../management/last-used/last-used.ts'
import { useOfLine } from '../../../management/last-used/line-uses.ts'
import type { Found, PastRevisions } from '../../../management/past/past-revisions.ts'
import { readAt } from '../../../management/past/read-at.ts'
import {
  AccessChanges,
  AccessCounts,
  AccessPage,
  AccessQuery,
  ChangesQuery,
  CountsQuery,
  FORMATS,
  GROUPINGS,
} from '../../../management/schemas/access-review.ts'
import { REVIEW_CSV_LINES_MAX, REVIEW_LINES_MAX } from '../../../model/limits.ts'
import { withInstants } from '../../../model/print-time.ts'
import { describe } from '../../description.ts'
import { type Query, readFlag, readText } from '../../page.ts'
import {
  fromPosition,
  invalid,
  listAsked,
  type ReviewCursor,
  readByEnd,
  readFilter,
  readLimit,
  readWord,
  toPosition,
} from '../access-query.ts'
import type { Scope } from '../auth.ts'
import { makeCursor, readCursor } from '../cursors.ts'
import { type PrintedUse, printKnown, printUsed, readUnusedFor } from '../last-used-query.ts'
import { printTime } from '../render/stamps.ts'
import type { RouteContext } from '../route-context.ts'

const ACCESS = '/v2/projects/:p/envs/:e/access'
const config = { operation: 'decision.explain', tag: 'environments' } as const
type Asked = { Querystring: Query }

export function accessReviewRoutes(app: FastifyInstance, { store, audit }: RouteContext, past: PastRevisions): void {
  const reviewer = new Reviewer(past.place)
  store.closeWith(reviewer)
  const foundAt = (request: FastifyRequest<Asked>, wanted: Wanted) => resolveRevision(store, past, request, wanted)

  app.get<Asked>(
    ACCESS,
    describe(config, 'List who has access to what', { querystring: AccessQuery, response: { 200: AccessPage } }),
    async (request, reply) => {
      const { query, scope, headers } = request
      const asked = listAsked(query)
      const cursor = fromPosition(readCursor(store, request, asked))
      const limit = readLimit(query)
      const format = readWord(query, 'format', FORMATS, headers.accept?.includes('text/csv') ? 'csv' : 'json')
      const { found, since, now, revision } = foundAt(request, { cursor, since: readText(query, 'since') })
      const isByEnd = readByEnd(query)
      const question = { filter: readFilter(query), changed: readFlag(query, 'changed'), isByEnd, now }
      reply.header('x-revision', String(found.revision))
      const unusedMs = readUnusedFor(query)
      const withUses = unusedMs !== undefined || readFlag(query, 'last_used')
      const noted = async (lines: readonly ComparedLine[]) => {
        const notes = withNotes(store.view(scope.environment.id), lines, { at: found.at, since: since?.at })
        if (!withUses) return { lines: notes }
        return addUses(audit, scope.environment.id, notes, { now: Date.now(), unusedMs })
      }
      if (format === 'json') {
        const { lines, next } = await reviewer.ask({ ...revision, task: 'lines', question, after: cursor, limit })
        const end = next && toPosition({ ...next, revision: found.revision, now })
        const after = end === undefined ? null : makeCursor(store, request, end, asked)
        const page = await noted(lines)
        return {
          ...answered(found),
          since: since?.revision ?? null,
          lines: page.lines.map(withInstants),
          next: after,
          ...('uses' in page ? { uses: page.uses } : {}),
        }
      }
      const ask = async (after: ReviewPlace | undefined) => {
        const page = await reviewer.ask({ ...revision, task: 'lines', question, after, limit: REVIEW_LINES_MAX })
        return { lines: (await noted(page.lines)).lines, next: page.next }
      }
      const first = await ask(cursor) // what cannot be made is refused before the file begins
      const text = writeCsv(first, ask, { scope, found, since, withUses })
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${formatFileName(scope, found)}"`)
      return reply.send(Readable.from(text, { objectMode: false, highWaterMark: 1 }))
    },
  )
  app.get<Asked>(
    `${ACCESS}/counts`,
    describe(config, 'Count users with access', { querystring: CountsQuery, response: { 200: AccessCounts } }),
    async (request) => {
      const by = readWord(request.query, 'by', GROUPINGS, 'role')
      const { found, now, revision } = foundAt(request, {})
      const { groups, ofTenants, complete } = await reviewer.ask({ ...revision, task: 'counts', by, now })
      return { ...answered(found), counts: [...groups], ...(ofTenants && { tenant_roles: ofTenants }), complete }
    },
  )
  app.get<Asked>(
    `${ACCESS}/changes`,
    describe(config, 'Compare access with another revision', {
      querystring: ChangesQuery,
      response: { 200: AccessChanges },
    }),
    async (request) => {
      const page = readText(request.query, 'page')
      const { found, now, revision, ...from } = foundAt(request, { since: readText(request.query, 'since') })
      const since = from.since ?? past.find(request.scope.environment.id, { revision: Math.max(1, found.revision - 1) })
      const between = { ...revision, since: printPosition(since) }
      const { policy, access } = await reviewer.ask({ ...between, task: 'changes', now, page })
      return { ...answered(found), since: since.revision, since_at: printTime(since.at), policy, access }
    },
  )
}

/** The lines with when they were last used; without those that were used in the time asked for. */
async function addUses(
  audit: RouteContext['audit'],
  environment: string,
  lines: readonly NotedLine[],
  window: Window,
): Promise<{ lines: (NotedLine & Partial<PrintedUse>)[]; uses: ReturnType<typeof printKnown> }> {
  const uses = lines.map(useOfLine)
  const asked = uses.map((use) => ({ uses: use === undefined ? [] : [use] }))
  const known = await findKnown(audit, environment, window.now)
  const found = await findLastUsed(audit, environment, asked, known, window)
  const used = lines.flatMap((line, at) => {
    if (uses[at] === undefined) return line
    return found[at]!.isUnused === false ? [] : { ...line, ...printUsed(found[at]!) }
  })
  return { lines: used, uses: printKnown(known) }
}

interface Revisions {
  readonly found: Found
  readonly since: Found | undefined
  /** milliseconds since 1970 that conditions see */
  readonly now: number
  readonly revision: ReviewedRevision
}

/** What a query says besides `at`. */
interface Wanted {
  /** of a page that goes on behind another one */
  readonly cursor?: ReviewCursor | undefined
  readonly since?: string | undefined
}

/**
 * The revisions that a query names; pages keep those of the first. @throws INPUT_INVALID, REVISION_UNKNOWN,
 * REVISION_GONE
 */
function resolveRevision(
  store: RouteContext['store'],
  past: PastRevisions,
  { query, scope: { environment } }: FastifyRequest<Asked>,
  { cursor, since: sent }: Wanted,
): Revisions {
  const asked = readAt(readText(query, 'at'), ['query', 'at'])
  const at = cursor ?? asked
  const from = readAt(sent, ['query', 'since'])
  const found = past.find(environment.id, at ?? { revision: store.head(environment.id).revision })
  if (cursor !== undefined && asked !== undefined && past.find(environment.id, asked).revision !== found.revision)
    throw invalid('after', `is of revision ${found.revision}, and \`at\` names another one`)
  const since = from && past.find(environment.id, from)
  if (since !== undefined && since.revision > found.revision)
    throw invalid('since', 'must be before the revision that answers')
  const now = cursor?.now ?? (at === undefined ? Date.now() : 'instant' in at ? at.instant : found.at)
  const compared = since && { since: printPosition(since) }
  return { found, since, now, revision: { environment: environment.id, at: printPosition(found), ...compared } }
}

const printPosition = ({ revision, chain }: Found) => ({ revision, chain })
const answered = ({ revision, at }: Found) => ({ revision, revision_at: printTime(at) })

interface CsvOf extends Pick<Revisions, 'found' | 'since'> {
  readonly withUses: boolean
  readonly scope: Scope
}

function formatFileName({ environment }: Scope, { revision }: Found): string {
  return `access-${environment.key}-r${revision}.csv`.replaceAll(/[^\w.-]/g, '-')
}

interface NotedPage {
  readonly lines: readonly (NotedLine & Partial<PrintedUse>)[]
  readonly next: ReviewPlace | undefined
}

/** A file in pieces: the next page is asked for when the one before was taken. */
async function* writeCsv(
  first: NotedPage,
  ask: (after: ReviewPlace) => Promise<NotedPage>,
  { scope, found, since, withUses }: CsvOf,
): AsyncGenerator<string> {
  const time = printTime(found.at)
  const head = {
    environment: scope.environment.key,
    revision: found.revision,
    time,
    since: since?.revision ?? null,
    hasUses: withUses,
  }
  yield csvHeader(head)
  let count = 0
  for (let page = first; ; ) {
    yield page.lines.map((line) => csvLine(head, line)).join('')
    count += page.lines.length
    if (page.next === undefined) {
      yield csvLine(head, { ...END, access: 'complete', when: `${count} lines` })
      return
    }
    if (count >= REVIEW_CSV_LINES_MAX) {
      yield csvLine(head, { ...END, access: 'incomplete', when: `${count} lines, and there is more` })
      return
    }
    page = await ask(page.next)
  }
}

/**
 * The last line of a file: it is about nobody, and says that the file is whole. Without it something on the way has cut
 * the file, which an old proxy does without a word.
 */
const END: Omit<CsvLine, 'access' | 'when'> = {
  ...{ user: '', tenant: null, resource: null, resource_instance: null, action: null, source: null, derived: false },
  change: null,
}
