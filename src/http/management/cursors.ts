// Cursors of lists: where a page ended. One is sealed with a key that follows from the lineage of the log, so it shows
// nothing of what it says, cannot be altered, and dies with a restore; and it is bound to its question: the route, what
// its path and its parameters name, and who sees the same rows. No server keeps anything of it, so each of several
// replicas reads the cursors of the others. docs/adr/0055-cursors.md.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { CURSOR_LENGTH_MAX } from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'
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
}

/** What cursors are made with: the lineage of a log, and the answer to who asks what. */
interface Binding {
  readonly lineage: string
  readonly question: string
}

type Lineages = Pick<Store<UseCases>, 'lineage'>

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
  const [after, total] = openCursor(bind(store, request), cursor)
  return { ...page, number: 1, offset: 0, after, ...(total === undefined ? {} : { total }) }
}
const AT = { path: ['query', 'after'] }

/** The cursor of the page that follows, which the answer also has as its link; undefined on the last page. */
export function nextCursor(
  store: Lineages,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, isCounted = false }: PageEnd,
  total?: number,
): string | undefined {
  if (next === undefined) return undefined
  const cursor = sealCursor(bind(store, request), isCounted && total !== undefined ? [next, total] : [next])
  reply.header('link', `<?${nextQuery(request, cursor)}>; rel="next"`)
  return cursor
}

/**
 * Where a page of another form begins; undefined for the first one.
 * @param asked what the request asks for, where its parameters also say other things; `makeCursor` was given the same
 * @throws CURSOR_INVALID
 */
export function readCursor(store: Lineages, request: FastifyRequest, asked?: Position): Position | undefined {
  const cursor = readAfter(request.query as Query)
  return cursor === undefined ? undefined : openCursor(bind(store, request, asked), cursor)[0]
}

/** The cursor of a page that is in no paginated form. */
export const makeCursor = (store: Lineages, request: FastifyRequest, next: Position, asked: Position): string =>
  sealCursor(bind(store, request, asked), [next])

/** The last one when it is repeated; an empty one counts as absent, as of every parameter. */
function readAfter({ after }: Query): string | undefined {
  const cursor = typeof after === 'object' ? after.at(-1) : after
  return cursor === '' ? undefined : cursor
}

/** The query of the request with another `after`: a reference that holds behind any proxy. */
function nextQuery(request: FastifyRequest, cursor: string): string {
  const query = sentQuery(request)
  query.delete('page')
  query.set('after', cursor)
  return query.toString()
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
  return {
    lineage: store.lineage(scope?.environment.id ?? caller.organization),
    question: digest([routeOptions.url, path, asked, seen]),
  }
}

/** The parameters that say which rows there are, whatever their order. */
function listFilters(request: FastifyRequest): Position {
  const sent = [...sentQuery(request)].filter(([name, value]) => !OF_THE_PAGE.has(name) && value !== '')
  return sent.map(([name, value]) => `${name}=${value}`).sort()
}

/** As it was sent. */
function sentQuery({ raw: { url = '' } }: FastifyRequest): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at))
}

/** The nonce follows from what is sealed, so the same page has the same cursor, and no two texts share a nonce. */
function sealCursor({ lineage, question }: Binding, parts: readonly Position[]): string {
  const { key, nonceKey } = makeKeys(lineage)
  const text = JSON.stringify(parts)
  const nonce = createHmac('sha256', nonceKey).update(`${question}${text}`).digest().subarray(0, NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(question))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** @throws CURSOR_INVALID */
function openCursor({ lineage, question }: Binding, cursor: string): [after: Position, total?: number] {
  const bytes = cursor.length <= CURSOR_LENGTH_MAX ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0)
  const end = bytes.length - TAG_BYTES
  // one text for each cursor: the last character may have bits that no byte has
  if (end <= NONCE_BYTES || bytes.toString('base64url') !== cursor) throw new ZerohopError('CURSOR_INVALID', {}, AT)
  const decipher = createDecipheriv(CIPHER, makeKeys(lineage).key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(question))
    .setAuthTag(bytes.subarray(end))
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]).toString()
    return JSON.parse(text) as [Position, number?] // only sealCursor has the key
  } catch (cause) {
    throw new ZerohopError('CURSOR_INVALID', {}, { ...AT, cause })
  }
}

function makeKeys(lineage: string): { readonly key: Buffer; readonly nonceKey: Buffer } {
  const bytes = Buffer.from(hkdfSync('sha256', lineage, '', 'zerohop cursor', 64))
  return { key: bytes.subarray(0, 32), nonceKey: bytes.subarray(32) }
}
