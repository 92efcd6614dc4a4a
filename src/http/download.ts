// What answers with much in them share: they are packed for clients that take it, and a reader that stops reading is cut
// off, because it holds a file, memory or a place among few.
import type { IncomingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/** Whether a client takes gzip; `gzip;q=0` says that it does not. */
export const takesGzip = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(headers['accept-encoding'] ?? ''))

/** Ends the connection of an answer when its reader takes nothing for so long. */
export function cutOffIdle({ raw: { socket } }: FastifyReply, ms: number): void {
  if (socket instanceof Socket) socket.setTimeout(ms) // a request that is injected has one without a timeout
}
