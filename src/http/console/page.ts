// The console as files: `/` leads to `/console/`, which answers with the page of `dist/console`, and so does every
// address below it, because the page has routes of its own. It loads without a session and holds no data. Names of
// files are looked at before the file system is: one plain segment, in `assets` or next to the page, never a path.
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createGzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { takesGzip } from '../download.ts'
import { isConsole } from './console-request.ts'

/**
 * Nothing is loaded from elsewhere or sent elsewhere, no script and no style stands in the page itself, and no page
 * shows this one in a frame.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY', // for browsers that do not know frame-ancestors
} as const

/** Of every file. */
const FILE_HEADERS = {
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** The build gives each file a name that depends on its contents. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const ASKED_AGAIN = 'no-cache'

const PREFIX = '/console/'
const INDEX = 'index.html'
const ASSET = /^assets\/(?!\.)[\w.-]+$/
const BESIDE = /^(?!\.)[\w-]+\.[\w.-]+$/
const NOT_BUILT = 'The console is not built. Run `npm run build`, then load this page again.\n'

/** @param folder the built page; by default that of the package */
export function consolePage(app: FastifyInstance, folder = builtFolder()): void {
  for (const url of ['/', '/console']) app.get(url, (_request, reply) => reply.redirect(PREFIX, 302))
  app.get(`${PREFIX}*`, async (request, reply) => {
    const path = request.url.slice(PREFIX.length).split('?', 1)[0] ?? ''
    const send = (name: string, caching: string) => sendFile(request, reply, join(folder, name), caching)
    const isAsset = path.startsWith('assets/')
    if (ASSET.test(path) && (await send(path, FOR_EVER))) return reply
    if (isAsset || isConsole(request.raw)) return notFound(reply)
    if (BESIDE.test(path) && path !== INDEX) return (await send(path, ASKED_AGAIN)) ? reply : notFound(reply)
    reply.headers(PAGE_HEADERS)
    if (await send(INDEX, ASKED_AGAIN)) return reply
    return reply.code(404).type('text/plain; charset=utf-8').send(NOT_BUILT)
  })
}

/** Sends a file and returns true; returns false when it does not exist. */
async function sendFile(request: FastifyRequest, reply: FastifyReply, path: string, caching: string): Promise<boolean> {
  const { default: send } = await import('@fastify/send') // loaded once the server listens (late-modules.ts)
  const options = {
    root: dirname(path),
    dotfiles: 'ignore',
    index: false,
    acceptRanges: false,
    cacheControl: false,
  } as const
  const { statusCode, headers, stream, type } = await send(request.raw, basename(path), options)
  if (type !== 'file') return false
  reply.code(statusCode).headers({ ...headers, ...FILE_HEADERS, 'cache-control': caching })
  // every file of the page is text, and a browser asks once for most of them: packing them each time costs little
  const isPacked = statusCode === 200 && request.method === 'GET' && takesGzip(request)
  if (isPacked) reply.removeHeader('content-length').header('content-encoding', 'gzip')
  // an error of the first stream ends the second one, and with it the connection
  reply.header('vary', 'accept-encoding').send(isPacked ? pipeline(stream, createGzip(), () => undefined) : stream)
  return true
}

function notFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}

/** Seen from the sources, or from the compiled files, which lie in `dist` themselves. */
function builtFolder(): string {
  const here = new URL('../../../dist/console', import.meta.url)
  return fileURLToPath(existsSync(here) ? here : new URL('../../../../dist/console', import.meta.url))
}
