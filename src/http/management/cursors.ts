// Cursors of lists: where a page ended. One is sealed with a key that follows from the lineage of the log, so it shows
// nothing of what it says, cannot be altered, and dies with a restore; and it is bound to its question: the route, what
// its path and its parameters name, and who sees the same rows. No server keeps anything of it, so each of several
// replicas reads the cursors of the others. Of a data folder it also names the entry with which the log ended, so it is
// refused when the files of the folder were put back. docs/adr/0055-cursors.md and docs/adr/0070-cursors-of-one-history.md.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { CURSOR_LENGTH_MAX, CURSOR_LOGS_MAX } from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'
import { nextLink, sentQuery } from '../next-link.ts'
import { type Page, type Position, type Query, readPage } from '../page.ts'
import { digest } from '../page-token.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Parameters that say which page, or in which form, and not which rows there are. */
const OF_THE_PAGE: ReadonlySet<string> = new Set(['page', 'per_page', 'limit', 'after', 'include_total_count'])

/** The end of a page. */
export interface PageEnd {
  /** where its last row stands; undefined on the last page */
  readonly next?: Position
  /** the total of the page was counted row by row: the pages that follow keep it */
  readonly isCounted?: boolean
  /** the logs that the rows are of, where they are not those of the environment, or of the organization */
  readonly logs?: readonly LogId[]
}

/** What cursors are made with: the lineage of a log, and the answer to who asks what. */
interface Binding {
  readonly log: LogId
  readonly lineage: string
  readonly question: string
}

type Lineages = Pick<Store<UseCases>, 'lineage' | 'head' | 'exists' | 'history' | 'isReplicated'>

/**
 * The page that a request asks for: by `after`, or by its number.
 * @throws INPUT_INVALID; CURSOR_INVALID for a cursor of another list or environment, of other filters, of somebody who sees
 *   other rows, of a data folder that was restored, or that no list gave
 */
export function askedPage(store: Lineages, request: FastifyRequest): Page {
  const query = request.query as Query // as Fastify parses it
  const page = readPage(query)
  const cursor = readAfter(query)
  if (cursor === undefined) return page
  if (query.page !== undefined)
    throw new ZerohopError('INPUT_INVALID', { reason: 'a page is asked for by one of `page` and `after`' }, AT)
  const [after, total] = openCursor(store, bind(store, request), cursor)
  return { ...page, number: 1, offset: 0, after, ...(total === undefined ? {} : { total }) }
}
const AT = { path: ['query', 'after'] }

/** The cursor of the page that follows, which the answer also has as its link; undefined on the last page. */
export function nextCursor(
  store: Lineages,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, isCounted = false, logs }: PageEnd,
  total?: number,
): string | undefined {
  if (next === undefined) return undefined
  const cursor = sealCursor(store, bind(store, request), next, { total: isCounted ? total : undefined, logs })
  reply.header('link', nextLink(request, cursor))
  return cursor
}

/**
 * Where a page of another form begins; undefined for the first one.
 * @param asked what the request asks for, where its parameters also say other things; `makeCursor` was given the same
 * @throws CURSOR_INVALID
 */
export function readCursor(store: Lineages, request: FastifyRequest, asked?: Position): Position | undefined {
  const cursor = readAfter(request.query as Query)
  return cursor === undefined ? undefined : openCursor(store, bind(store, request, asked), cursor)[0]
}

/** The cursor of a page that is in no paginated form. */
export const makeCursor = (store: Lineages, request: FastifyRequest, next: Position, asked: Position): string =>
  sealCursor(store, bind(store, request, asked), next)

/** The last one when it is repeated; an empty one counts as absent, as of every parameter. */
function readAfter({ after }: Query): string | undefined {
  const cursor = typeof after === 'object' ? after.at(-1) : after
  return cursor === '' ? undefined : cursor
}

/**
 * Two callers share cursors where they see the same rows: in an environment whoever reaches it does, but for the tenant
 * that a key or a header names; of an organization a key sees what it reaches.
 */
function bind(store: Lineages, request: FastifyRequest, asked = listFilters(request)): Binding {
  const { caller, ownTenant, params, routeOptions } = request
  // undefined on routes that are about no environment
  const scope = request.scope as FastifyRequest['scope'] | undefined
  const { level, project_id, environment_id, tenant_id = null } = caller.key
  const seen = scope === undefined ? [level, project_id, environment_id, tenant_id] : [ownTenant?.id ?? null]
  const { p, e, ...named } = params as Readonly<Record<string, string>>
  const path = scope === undefined ? { p, e, ...named } : named
  const log = scope?.environment.id ?? caller.organization
  return {
    log,
    lineage: store.lineage(log),
    question: digest([routeOptions.url, path, asked, seen]),
  }
}

/** The parameters that say which rows there are, whatever their order. */
function listFilters(request: FastifyRequest): Position {
  const sent = [...sentQuery(request)].filter(([name, value]) => !OF_THE_PAGE.has(name) && value !== '')
  return sent.map(([name, value]) => `${name}=${value}`).sort()
}

/** What is sealed: the end of the page, its total where the pages that follow keep it, and where logs ended. */
type Sealed = readonly [after: Position, total?: number | null, ends?: readonly LogEnd[]]
type LogEnd = readonly [log: LogId, revision: number, chain: string]

/** Enough of a chain to tell one history from another. */
const CHAIN_LENGTH = 16

interface Kept {
  readonly total?: number | undefined
  readonly logs?: readonly LogId[] | undefined
}

/** The nonce follows from what is sealed, so the same page has the same cursor, and no two texts share a nonce. */
function sealCursor(
  store: Lineages,
  { log, lineage, question }: Binding,
  next: Position,
  { total, logs = [log] }: Kept = {},
): string {
  const { key, nonceKey } = makeKeys(lineage)
  // replicas may be behind each other; a database that was put back has a new lineage
  const ended = store.isReplicated ? [] : logs.slice(0, CURSOR_LOGS_MAX)
  const ends = ended.map((one): LogEnd => {
    const { revision, chain } = store.head(one)
    return [one, revision, chain.slice(0, CHAIN_LENGTH)]
  })
  const text = JSON.stringify(ends.length > 0 || total !== undefined ? [next, total ?? null, ends] : [next])
  const nonce = createHmac('sha256', nonceKey).update(`${question}${text}`).digest().subarray(0, NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(question))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** Whether the log has had this end. One that was trimmed is taken to be of this history. */
function hasEnded(store: Lineages, [log, revision, chain]: LogEnd): boolean {
  if (!store.exists(log)) return true // deleted, with its rows
  const head = store.head(log)
  if (revision >= head.revision) return revision === head.revision && head.chain.startsWith(chain)
  const [entry] = store.history(log, revision + 1, 1)
  return entry?.revision !== revision || entry.chain.startsWith(chain)
}

/** @throws CURSOR_INVALID */
function openCursor(
  store: Lineages,
  { lineage, question }: Binding,
  cursor: string,
): [after: Position, total?: number] {
  const bytes = cursor.length <= CURSOR_LENGTH_MAX ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0)
  const end = bytes.length - TAG_BYTES
  // one text for each cursor: the last character may have bits that no byte has
  if (end <= NONCE_BYTES || bytes.toString('base64url') !== cursor) throw new ZerohopError('CURSOR_INVALID', {}, AT)
  const decipher = createDecipheriv(CIPHER, makeKeys(lineage).key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(question))
    .setAuthTag(bytes.subarray(end))
  let sealed: Sealed
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]).toString()
    sealed = JSON.parse(text) as Sealed // only sealCursor has the key
  } catch (cause) {
    throw new ZerohopError('CURSOR_INVALID', {}, { ...AT, cause })
  }
  const [after, total, ends = []] = sealed
  if (!ends.every((end) => hasEnded(store, end))) throw new ZerohopError('CURSOR_INVALID', {}, AT)
  return typeof total === 'number' ? [after, total] : [after]
}

function makeKeys(lineage: string): { readonly key: Buffer; readonly nonceKey: Buffer } {
  const bytes = Buffer.from(hkdfSync('sha256', lineage, '', 'zerohop cursor', 64))
  return { key: bytes.subarray(0, 32), nonceKey: bytes.subarray(32) }
}
