// Writes of facts that can be repeated, over HTTP: what the query asks for about duplicates, what is missing, and a report.
// A request that says nothing of it takes the way, and gets the answer, of its route alone.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FactWrite } from '../../management/objects/fact-writes.ts'
import type { On } from '../../management/schemas/fact-writes.ts'
import { ZerohopError } from '../../model/errors.ts'
import { type Query, readText } from '../page.ts'
import { type RouteContext, write } from './route-context.ts'

type Method = FactWrite['method']
const PARAMETER = { POST: 'on_duplicate', DELETE: 'on_missing', PUT: undefined } as const
const WORDS: readonly On[] = ['error', 'ignore']

/** What the query of a write asks for; undefined where it asks for nothing of it. @throws INPUT_INVALID */
export function readSettled(request: FastifyRequest): { readonly on: On | null } | undefined {
  const query = request.query as Query // as Fastify parses it
  const name = PARAMETER[request.method as Method]
  const word = name === undefined ? undefined : readText(query, name)
  const on = WORDS.find((one) => one === word)
  if (word !== undefined && on === undefined) throw unknown(`permitted: ${WORDS.join(', ')}`, name)
  const form = readText(query, 'return')
  if (form !== undefined && form !== 'report') throw unknown('permitted: report', 'return')
  return on === undefined && form === undefined ? undefined : { on: on ?? null }
}

const unknown = (reason: string, name = '') => new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', name] })

/** `FactWrite` without what the query adds. */
type Sent = FactWrite extends infer W
  ? W extends FactWrite
    ? Omit<W, 'on' | 'list'> & Partial<Pick<W, 'list'>>
    : never
  : never

/**
 * Writes the facts of a request as it asks for; undefined where it asks for nothing of it, and nothing is written.
 * @param operation the use case of the route, as history names it
 * @throws INPUT_INVALID for the query, and what the use case throws
 */
export async function writeSettled(
  management: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: string,
  sent: Sent,
) {
  const settled = readSettled(request)
  if (settled === undefined) return undefined
  const call = { list: null, ...sent, ...settled } as FactWrite
  return write(management, request, reply, 'writeFacts', call, { operation })
}

/** The same of one fact: what became of it, beside the fact. */
export async function writeOne<T>(
  management: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: string,
  sent: Sent,
): Promise<{ readonly object: T; readonly shown: { readonly outcome: string } } | undefined> {
  const settlement = await writeSettled(management, request, reply, operation, sent)
  if (settlement === undefined) return undefined
  const { items, object } = settlement
  // what the single call of the kind answers with
  return { object: object as T, shown: { outcome: items[0]?.outcome ?? 'missing' } }
}
