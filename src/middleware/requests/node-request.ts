// A request of node:http in the form of Fetch, for the frameworks that have the former.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { MEMBER_BODY_BYTES_MAX } from '../../model/limits.ts'

export interface NodeRequest {
  readonly method: string
  /** path and query */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** the stream of a body, or what a parser of the application has made of it */
  readonly body: unknown
}

/**
 * The request. Of a body that is longer than the routes take, only enough is read to tell so: the stream is left as it
 * is, because ending it would end the connection before its answer.
 */
export async function nodeRequest({ method: sentMethod, url, headers, body }: NodeRequest): Promise<Request> {
  // who sends it says its host; no route reads that
  const address = `http://localhost/?${url.slice(url.indexOf('?') + 1 || url.length)}`
  const method = sentMethod === 'TRACE' ? 'HEAD' : sentMethod // Fetch has none; neither has a route
  const sent = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !name.startsWith(':') && !HOPS.has(name)) sent.set(name, String(value))
  if (method === 'GET' || method === 'HEAD') return new Request(address, { method, headers: sent })
  return new Request(address, { method, headers: sent, body: await readBody(body) })
}

/** About the connection and the length of a body: they are not those of a request that is made anew. */
const HOPS: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding', 'host', 'upgrade'])

async function readBody(body: unknown): Promise<string | Uint8Array<ArrayBuffer>> {
  if (typeof body === 'string') return body
  if (!isStream(body)) return JSON.stringify(body) ?? ''
  if (body.readableEnded) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  return new Promise((resolve, reject) => {
    const end = () => {
      body.off('data', take)
      resolve(new Uint8Array(Buffer.concat(chunks)))
    }
    const take = (chunk: Uint8Array) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MEMBER_BODY_BYTES_MAX) end()
    }
    body.on('data', take)
    body.once('end', end)
    body.once('error', reject)
    body.once('close', () => reject(new Error('the request ended before its body')))
  })
}

const isStream = (body: unknown): body is Readable =>
  typeof body === 'object' && body !== null && typeof (body as { pipe?: unknown }).pipe === 'function'
