// The feed on the wire: GET /v2/feed/{p}/{e}/image and …/deltas, and for a PDP of the first API version /v1/feed/… of
// the environment of objects outside of environments. Frames, heartbeats and errors are docs/feed.md; what is sent is
// src/management/feed/local-feed.ts. A stream ends for a reason: the key is dead, the environment is deleted, the log
// forks, the server closes, or the reader is too slow.
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKey } from '../../../kinds/api-key.ts'
import type { LogId, Position } from '../../../log/change.ts'
import { type EndCode, encodeFrame } from '../../../log/codec.ts'
import type { FeedEvent } from '../../../log/feed.ts'
import { readIdentity } from '../../../log/pdp-identity.ts'
import type { Signer } from '../../../log/signature.ts'
import { localFeed, RecentDeltas } from '../../../management/feed/local-feed.ts'
import { followersLag } from '../../../management/objects/pdp-lag.ts'
import { PdpRegistry } from '../../../management/objects/pdp-registry.ts'
import { HeadQuestion, HeadRead, NONCE_PATTERN } from '../../../management/schemas/pdps.ts'
import type { Download, Snapshots } from '../../../management/snapshot/snapshot.ts'
import { inBackground } from '../../../model/contained.ts'
import { isZerohopError, ZerohopError } from '../../../model/errors.ts'
import { isEnded } from '../../../model/key-end.ts'
import { FEED_DRAIN_MS, FOLLOWERS_MAX, IMAGE_OPENINGS_MAX } from '../../../model/limits.ts'
import type { Store } from '../../../store/store.ts'
import type { UseCases } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { cutOffIdle, takesGzip } from '../../download.ts'
import { managementError } from '../../errors.ts'
import type { Metrics } from '../../metrics.ts'
import { ImageDownloads, refuseForNow } from '../image-downloads.ts'
import { type Body, SharedImages } from '../shared-images.ts'
import { pdpRoutes } from './pdps.ts'

export interface FeedRouteDeps {
  readonly store: Store<UseCases>
  readonly snapshots: Snapshots
  readonly metrics?: Metrics
  /** milliseconds in which a reader must take what was sent; default FEED_DRAIN_MS */
  readonly drainMs?: number
  /** images that are sent at once; default IMAGE_DOWNLOADS_MAX */
  readonly imagesMax?: number
  /** open streams; default FOLLOWERS_MAX */
  readonly followersMax?: number
  /** the PDPs that follow; one of its own by default */
  readonly pdps?: PdpRegistry
}

/** An open stream of deltas. */
interface Stream {
  readonly organization: LogId
  readonly environment: LogId
  /** that opened it */
  readonly key: ApiKey
  used(): void
  readonly raw: ServerResponse
  readonly abort: AbortController
  end: EndCode | undefined
  /** the last revision that was written to the connection, and one that left this process */
  written: number
  taken: number
}

const REVISION = { type: 'string', pattern: '^[0-9]{1,15}$', description: 'the current revision of the follower' }
const CHAIN = { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'the chain value of that revision' }
const ABI = { type: 'string', pattern: '^[0-9]{1,9}$', description: 'the image layout that the follower can read' }
/** Only PDPs for clients of the first API version follow it. */
const V1_DELTAS = '/v1/feed/deltas'
/** What a follower reports about itself; a newer one may report more. */
const reader = { type: 'object', properties: { abi: ABI } }
const NONCE = { type: 'string', pattern: NONCE_PATTERN, description: 'chosen at random for this request' }
const question = { type: 'object', properties: { nonce: NONCE }, required: ['nonce'], additionalProperties: false }
const position = {
  type: 'object',
  properties: { after: REVISION, chain: CHAIN },
  required: ['after', 'chain'],
  additionalProperties: false,
}

export function feedRoutes(app: FastifyInstance, deps: FeedRouteDeps): void {
  const { store, snapshots, metrics, drainMs = FEED_DRAIN_MS, followersMax = FOLLOWERS_MAX } = deps
  const streams = new Set<Stream>()
  const { pdps = new PdpRegistry({ now: () => Date.now(), shared: store.pdps }) } = deps
  pdpRoutes(app, store, pdps)
  const encode = frames(snapshots.signer)
  const recent = new RecentDeltas(encode)
  const downloads = new ImageDownloads(deps.imagesMax)
  const shared = new SharedImages()
  const refused = { images: 0, followers: 0 }
  metrics?.gauge('zerohop_feed_followers', () => streams.size)
  metrics?.counter('zerohop_feed_images_refused_total', () => refused.images)
  metrics?.counter('zerohop_feed_followers_refused_total', () => refused.followers)
  const lag = (environment?: LogId) => followersLag(store, pdps, Date.now(), environment)
  metrics?.gauge('zerohop_pdps_behind', () => lag().behind)
  metrics?.gauge('zerohop_pdps_away', () => lag().away)
  metrics?.gauge('zerohop_pdp_lag_revisions', () => lag().revisions)
  const of = metrics?.environments
  of?.gauge('zerohop_environment_pdps_behind', (id) => lag(id).behind)
  of?.gauge('zerohop_environment_pdp_lag_revisions', (id) => lag(id).revisions)
  metrics?.gauge('zerohop_snapshot_bytes', () => snapshots.bytes)
  metrics?.environments.gauge(
    'zerohop_environment_feed_followers',
    (id) => [...streams].filter(({ environment }) => environment === id).length,
  )
  watchKeys(app, store, streams)
  app.addHook('onClose', () => snapshots.close())
  app.addHook('onClose', () => pdps.close())
  const config = { operation: 'feed.read', tag: 'feed' } as const
  const outside = { operation: 'feed.read', tag: 'v1', outside: true } as const

  type For = { Querystring: { abi?: string } }
  const image = async (request: FastifyRequest<For>, reply: FastifyReply) => {
    if (!downloads.admit(reply, readKeyId(request))) {
      refused.images++
      refuseForNow(reply, downloads.count)
    }
    const gzip = takesGzip(request)
    const abi = request.query.abi === undefined ? undefined : Number(request.query.abi)
    for (let attempt = 1; attempt <= IMAGE_OPENINGS_MAX; attempt++) {
      const download = await snapshots.download(request.scope.environment.id, { gzip, abi })
      const body = await shared.open(download)
      if (body !== undefined) return sendImage(reply, download, body, drainMs)
    }
    throw new ZerohopError('CLOSED', { what: 'this image' })
  }
  const download = 'Download the image of an environment'
  app.get<For>('/v2/feed/:p/:e/image', describe(config, download, { querystring: reader }), image)
  app.get<For>('/v1/feed/image', describe(outside, download, { querystring: reader }), image)

  type After = { Querystring: { after: string; chain: string } }
  const deltas = async (request: FastifyRequest<After>, reply: FastifyReply) => {
    if (streams.size >= followersMax) {
      refused.followers++
      refuseForNow(reply, streams.size)
    }
    const environment = request.scope.environment.id
    const { organization } = request.scope
    const abort = new AbortController()
    const feed = localFeed({ store, snapshots, recent }, { environment, organization })
    const after: Position = { revision: Number(request.query.after), chain: request.query.chain }
    const events = feed.deltas(after, abort.signal)[Symbol.asyncIterator]()
    // The first event comes at once, or says that the follower cannot go on from there.
    const first = await events.next().catch((error: unknown) => error as Error)
    if (first instanceof Error) return refuse(reply, first, store.head(environment).revision)
    // Kept-alive connections may still bring requests: a stream that begins now would hold up the closing server.
    if (app.closing.begun) {
      abort.abort()
      await events.return?.()
      throw new ZerohopError('CLOSED', { what: 'the feed' })
    }
    const { key } = request.caller
    const stream: Stream = {
      organization,
      environment,
      key,
      used: () => key.key !== '' && app.keyUse.note(organization, key),
      raw: reply.raw,
      abort,
      end: undefined,
      ...sentUntil(after),
    }
    begin(request, reply)
    streams.add(stream)
    const isV1 = request.routeOptions.url === V1_DELTAS
    const closed = pdps.opened(environment, readIdentity(request.headers), () => countTaken(stream), isV1)
    const follow = async (): Promise<void> => {
      try {
        await pour(stream, first, events, { encode, drainMs })
      } finally {
        streams.delete(stream)
        closed()
      }
    }
    inBackground('a stream of changes', follow())
    return reply
  }
  const describeDeltas = (of: typeof config | typeof outside) =>
    describe({ ...of, lasts: true }, 'Follow the changes of an environment', { querystring: position })
  app.get<After>('/v2/feed/:p/:e/deltas', describeDeltas(config), deltas)
  app.get<After>(V1_DELTAS, describeDeltas(outside), deltas)

  const head = async (id: LogId, nonce: string): Promise<HeadRead> => {
    await store.confirm()
    const signed = { environment: id, lineage: store.lineage(id), ...store.head(id), time: Date.now() }
    const signature = snapshots.signer?.head(signed, nonce)
    return { ...signed, nonce, ...(signature && { signature: Buffer.from(signature).toString('base64') }) }
  }
  const response = { 200: HeadRead }
  app.post<{ Body: HeadQuestion }>(
    '/v2/feed/:p/:e/head',
    describe(config, 'Read the last revision, and report the revision that a PDP applied', {
      body: HeadQuestion,
      response,
    }),
    ({ scope, body: { nonce, instance, revision } }) => {
      const { id } = scope.environment
      if (instance !== undefined) pdps.reported(id, instance, revision === undefined ? {} : { revision })
      return head(id, nonce)
    },
  )
  type Asked = { Querystring: { nonce: string } }
  app.get<Asked>(
    '/v1/feed/head',
    describe(outside, 'Read the last revision', { querystring: question, response }),
    (request, reply) => {
      reply.header('cache-control', 'no-store')
      return head(request.scope.environment.id, request.query.nonce)
    },
  )
}

/**
 * Sends an image with its place in the log. A reader that takes nothing for so long is cut off by the server's own
 * timeout of the socket.
 */
function sendImage(reply: FastifyReply, download: Download, body: Body, drainMs: number): FastifyReply {
  const { position, length, encoding, encoded } = download
  cutOffIdle(reply, drainMs)
  reply
    .header('content-type', 'application/octet-stream')
    .header('cache-control', 'no-store')
    .header('vary', 'accept-encoding')
    .header('x-revision', String(position.revision))
    .header('x-chain', position.chain)
    .header('x-image-bytes', String(length))
    .header('content-length', String(encoded))
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply.send(body)
}

/** The same for both secrets of a key that was rotated. */
const readKeyId = ({ caller: { key } }: FastifyRequest): string => key.secret_of ?? key.id

/** Ends the streams whose key died with a write to the control log, and all when the server closes. */
function watchKeys(app: FastifyInstance, store: Store<UseCases>, streams: Set<Stream>): void {
  const end = (stream: Stream, code: EndCode): void => {
    stream.end ??= code
    stream.abort.abort()
  }
  const stop = store.listen((event) => {
    if (event.event !== 'committed') return
    const { log } = event
    for (const stream of streams) {
      if (stream.organization !== log) continue
      if (store.findApiKey(stream.key.key) !== undefined) {
        if (store.view(log).find('environment', stream.environment) === undefined) end(stream, 'ENVIRONMENT_DELETED')
        continue
      }
      end(stream, store.diedWithEnvironment(stream.key.key) ? 'ENVIRONMENT_DELETED' : 'KEY_UNKNOWN')
    }
  })
  app.addHook('preClose', (done) => {
    stop()
    for (const stream of streams) end(stream, 'CLOSED')
    done()
  })
}

/** Encodes, and signs, each event once, however many followers it goes to. */
function frames(signer: Signer | undefined): (event: FeedEvent) => Uint8Array {
  const made = new WeakMap<FeedEvent, Uint8Array>()
  return (event) => {
    const frame = made.get(event) ?? encodeFrame(event, signer)
    if (event.type !== 'heartbeat') made.set(event, frame)
    return frame
  }
}

function refuse(reply: FastifyReply, error: Error, head: number): FastifyReply {
  if (!isZerohopError(error, 'FEED_GAP', 'FEED_FORK')) throw error
  const { body } = managementError({
    status: 409,
    errorCode: 'CONCURRENT_OPERATION_DISALLOWED',
    message: error.message,
  })
  return reply.code(409).header('x-feed-error', error.code).header('x-revision', String(head)).send(body)
}

function begin(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack()
  reply.raw.writeHead(200, {
    'content-type': 'application/octet-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-request-id': request.id,
    // A stream lasts as long as its connection: kept alive after the end, it would hold up a server that closes.
    connection: 'close',
  })
  reply.raw.flushHeaders()
}

const sentUntil = ({ revision }: Position) => ({ written: revision, taken: revision })

/** The last revision that the connection took. */
function countTaken(stream: Stream): number {
  if (stream.raw.writableLength === 0) stream.taken = stream.written
  return stream.taken
}

/** Writes events until the reader goes or the feed ends; the reason is the last frame. */
async function pour(
  stream: Stream,
  first: IteratorResult<FeedEvent>,
  events: AsyncIterator<FeedEvent>,
  { encode, drainMs }: { readonly encode: (event: FeedEvent) => Uint8Array; readonly drainMs: number },
): Promise<void> {
  const { raw, abort } = stream
  raw.once('close', () => abort.abort())
  raw.on('error', () => abort.abort())
  try {
    for (let next = first; !next.done; next = await events.next()) {
      countTaken(stream)
      if (isEnded(stream.key, Date.now())) {
        stream.end ??= stream.key.secret_of === undefined ? 'KEY_EXPIRED' : 'KEY_UNKNOWN'
        return
      }
      stream.used()
      if (next.value.type !== 'heartbeat') stream.written = next.value.delta.to
      if (raw.write(encode(next.value)) || (await isTaken(raw, 'drain', drainMs))) continue
      // it is behind, and an image may be shorter than what it lacks
      stream.end ??= 'FEED_GAP'
      return
    }
  } catch (error) {
    stream.end ??= findEndCode(error)
  } finally {
    await events.return?.()
    await finish(raw, stream.end, drainMs)
  }
}

/** A frame that would be too long means: take an image. */
function findEndCode(error: unknown): EndCode | undefined {
  if (!isZerohopError(error)) return undefined
  if (error.code === 'LIMIT_EXCEEDED') return 'FEED_GAP'
  const known = ['FEED_GAP', 'FEED_FORK', 'ENVIRONMENT_DELETED', 'CLOSED'] as const
  return known.find((code) => code === error.code)
}

/** Ends a stream, with its reason as the last frame. A reader that does not take it in time is cut off. */
async function finish(raw: ServerResponse, code: EndCode | undefined, drainMs: number): Promise<void> {
  if (raw.destroyed) return
  if (code !== undefined) raw.write(encodeFrame({ type: 'end', code }))
  raw.end()
  if (!raw.writableFinished && !(await isTaken(raw, 'finish', drainMs))) raw.destroy()
}

/** True when the reader took what was sent; false when it went away, or did not take it in time. */
function isTaken(raw: ServerResponse, taken: 'drain' | 'finish', drainMs: number): Promise<boolean> {
  if (raw.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    const settle = (isInTime: boolean): void => {
      clearTimeout(timer)
      raw.off(taken, onTaken)
      raw.off('close', onClose)
      resolve(isInTime)
    }
    const onTaken = (): void => settle(true)
    const onClose = (): void => settle(false)
    const timer = setTimeout(onClose, drainMs)
    raw.once(taken, onTaken)
    raw.once('close', onClose)
  })
}
