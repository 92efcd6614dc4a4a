// The facts of an environment that one writer claims, as lines of JSON in the order of their names:
// GET /v2/facts/{p}/{e}/stream. One revision, however long the reader takes; what is behind the reader is not read.
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type ClaimedKind, isClaimedKind, readNames } from '../../../kinds/claims.ts'
import type { Objects } from '../../../kinds/index.ts'
import { printClaimLine, printLastLine } from '../../../management/objects/claim-lines.ts'
import { claimedRange, requireClaimName } from '../../../management/objects/claims.ts'
import { FactStreamQuery } from '../../../management/schemas/claims.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { FACT_STREAM_BYTES_PER_TURN, FACT_STREAM_MS, FACT_STREAMS_MAX, FACTS_TAKEN_MS } from '../../../model/limits.ts'
import type { Walk } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { cutOffIdle } from '../../download.ts'
import { type Query, readText } from '../../page.ts'
import { type RouteContext, requestView } from '../route-context.ts'

export function factStreamRoutes(app: FastifyInstance, management: RouteContext): void {
  const running = new Set<Lines<ClaimedKind>>()
  // the reader goes on with another server, or with this one when it is back
  app.addHook('preClose', (done) => {
    for (const lines of running) lines.destroy()
    done()
  })
  app.get<{ Querystring: Query }>(
    '/v2/facts/:p/:e/stream',
    describe(
      { operation: 'facts.read', tag: 'environments' },
      'The facts that a sync or a directory claims, as lines',
      {
        querystring: FactStreamQuery,
      },
    ),
    async (request, reply) => {
      const named = readText(request.query, 'claim') ?? ''
      const after = readText(request.query, 'after')
      const kind = readKind(request.query)
      const claim = requireClaimName(named, ['query', 'claim'])
      if (running.size >= FACT_STREAMS_MAX) throw new ZerohopError('EXPORT_BUSY', { running: running.size })
      const range = claimedRange(kind, claim, readAfter(kind, after))
      const lines = new Lines(requestView(management, request).walk(kind, range), kind, claim)
      running.add(lines)
      lines.once('close', () => running.delete(lines))
      // an answer that is never begun has nothing that would end it
      reply.raw.once('close', () => lines.destroy())
      cutOffIdle(reply, FACTS_TAKEN_MS)
      reply.header('x-revision', String(lines.revision)).header('cache-control', 'no-store')
      return reply.header('content-type', 'application/x-ndjson').send(lines)
    },
  )
}

/** @throws INPUT_INVALID */
function readKind(query: Query): ClaimedKind {
  const kind = readText(query, 'kind') ?? ''
  if (isClaimedKind(kind)) return kind
  const reason = `\`${kind}\` is not a kind of facts that have claims`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', 'kind'] })
}

/** @throws INPUT_INVALID */
function readAfter(kind: ClaimedKind, key: string | undefined): readonly string[] | undefined {
  if (key === undefined) return undefined
  const names = readNames(kind, key)
  if (names !== undefined) return names
  throw new ZerohopError('INPUT_INVALID', { reason: `no ${kind} has such a key` }, { path: ['query', 'after'] })
}

/** Reads on when the reader has taken what there was. */
class Lines<K extends ClaimedKind> extends Readable {
  readonly revision: number
  readonly #walk: Walk<Objects[K]>
  readonly #kind: K
  readonly #claim: string
  readonly #limit: NodeJS.Timeout
  #rows = 0

  constructor(walk: Walk<Objects[K]>, kind: K, claim: string) {
    super({ highWaterMark: FACT_STREAM_BYTES_PER_TURN })
    this.revision = walk.revision
    this.#walk = walk
    this.#kind = kind
    this.#claim = claim
    // a reader who takes a little now and then would keep the pages of that revision for ever
    this.#limit = setTimeout(() => this.destroy(), FACT_STREAM_MS)
    this.#limit.unref()
  }

  override _read(): void {
    try {
      const text = this.#next()
      // one turn of the event loop for each piece: other requests are served in between
      setImmediate(() => {
        if (!this.destroyed) this.push(text)
      })
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#limit)
    this.#walk.close()
    done(error)
  }

  #isAtEnd = false

  /** The next lines; null behind the last one. */
  #next(): string | null {
    if (this.#isAtEnd) return null
    let text = ''
    while (text.length < FACT_STREAM_BYTES_PER_TURN) {
      const fact = this.#walk.next()
      if (fact === undefined) {
        this.#isAtEnd = true
        return `${text}${printLastLine(this.revision, this.#rows)}\n`
      }
      this.#rows++
      text += `${printClaimLine(this.#kind, fact, this.#claim)}\n`
    }
    return text
  }
}
