// Where several replicas share one log of record, a request is answered from everything that was acknowledged before it
// came, at whatever replica (docs/replicas.md). A caller who would rather have an answer than the newest one says so.
import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { userId } from '../../management/rules/actor.ts'
import { ACTING_USER } from '../../management/rules/tenant-roles.ts'
import { ZerohopError } from '../../model/errors.ts'
import { IDEMPOTENCY_KEY_LENGTH_MAX, METRICS_CONFIRM_MS } from '../../model/limits.ts'
import type { Asking, Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'

/** Whether requests wait for the newest state; `local` never asks the database before a read. */
export type Reads = 'linearizable' | 'local'

/** Ends in an answer that a PDP believes for good, so it always asks. */
const FINAL = ['feed.read', 'scope.read'] as const

/** Puts the question for the newest state before every route of `app`. Call it before `guard`. */
export function confirmReads(app: FastifyInstance, store: Store<UseCases>, reads: Reads): void {
  if (!store.isReplicated) return
  app.addHook('onRequest', async (request) => {
    const { operation } = request.routeOptions.config
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    // they are looked at while the database is away too; while it answers, a revoked key does not see them
    if (operation === 'metrics.read') return confirmSoon(store)
    const isFinal = FINAL.some((one) => one === operation)
    if (isRead && !isFinal && readConsistency(request, reads) === 'local') return
    await store.confirm()
  })
}

/** Asks for the newest state, and goes on without it when the database does not answer at once. */
async function confirmSoon(store: Store<UseCases>): Promise<void> {
  const timeout = new AbortController()
  const late = delay(METRICS_CONFIRM_MS, undefined, { signal: timeout.signal, ref: false }).catch(() => {})
  await Promise.race([store.confirm().catch(() => {}), late])
  timeout.abort()
}

/** @throws WAIT_INVALID */
function readConsistency(request: FastifyRequest, reads: Reads): Reads {
  const header = request.headers['x-consistency']
  if (header === undefined) return reads
  if (header === 'local' || header === 'linearizable') return header
  throw new ZerohopError('WAIT_INVALID', { header: 'x-consistency', expected: '`local` or `linearizable`' })
}

const asked = new WeakSet<FastifyRequest>()

/**
 * Who asks for the first write of a request: of replicas also the key, which another one may have revoked. The idempotency
 * key covers that write alone: no route makes two that depend on each other.
 * @throws WAIT_INVALID when the idempotency key has a wrong form
 */
export function toAsking({ isReplicated }: Store<UseCases>, request: FastifyRequest): Asking {
  const { key, organization, user, isSystem } = request.caller
  const isOfKey = isReplicated && user === undefined && !isSystem
  const asking = isOfKey ? { key: { organization, hash: key.key } } : {}
  const sent = request.headers['idempotency-key']
  if (sent === undefined || request.method === 'GET' || asked.has(request)) return asking
  if (typeof sent !== 'string' || sent.length > IDEMPOTENCY_KEY_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(sent)) {
    const expected = `1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} printable characters`
    throw new ZerohopError('WAIT_INVALID', { header: 'idempotency-key', expected })
  }
  asked.add(request)
  const { method, url, body = null } = request
  // one API key may act for several users: an answer given to one of them may not be repeated to another
  const users = [request.headers[ACTING_USER], user && userId(user)].filter((each) => each !== undefined)
  const text = JSON.stringify([method, url, Buffer.isBuffer(body) ? body.toString('latin1') : body, ...users])
  const fingerprint = hash('sha256', text)
  return { ...asking, once: { caller: key.id, key: sent, fingerprint } }
}
