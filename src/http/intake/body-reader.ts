// The one reader of request bodies, of every server. It counts received bytes against the limit of the route and the
// budget of the process, and drops a body that ends early. Each long body is parsed and handled in a turn of the event
// loop of its own, so that a check waits for at most one of them, not for all that arrived together.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { errorCodes } from 'fastify'
import { contain, contained } from '../../model/contained.ts'
import { BODY_AT_ONCE_BYTES } from '../../model/limits.ts'
import type { BodyBudget, Hold } from './body-budget.ts'

export interface BodySource {
  readonly stream: Readable
  /** the header content-length */
  readonly announced: string | undefined
  /** largest body of the route in bytes */
  readonly limit: number
  readonly budget: BodyBudget
  /** the sender: the id of an API key, '' without one; called only when bytes are counted */
  readonly keyOf: () => string
  /** true when the bytes are no longer needed once `done` returns: a short body in one chunk is then not counted */
  readonly isBrief?: boolean
}

/** Called once at the end, with an error or with all bytes. `hold` counts them until it is released. */
export type OnBody = (error: Error | undefined, bytes: Buffer, hold: Hold | undefined) => void

const NOTHING = Buffer.alloc(0)

/**
 * Reads a body and calls `done` exactly once: with all bytes, or with FST_ERR_CTP_BODY_TOO_LARGE (413),
 * FST_ERR_CTP_INVALID_CONTENT_LENGTH (400), BODY_MEMORY_FULL (503) or the error of the stream (400). After an error no
 * bytes are held.
 */
export function readBody(source: BodySource, done: OnBody): void {
  // The members are listed one by one, because copying an object with rest syntax costs more than reading a short body.
  const { stream, announced, budget, keyOf, isBrief = false } = source
  const limit = Math.min(source.limit, budget.bytesOfKey)
  const length = announced === undefined ? undefined : Number(announced)
  if (length !== undefined && length > limit) {
    done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), NOTHING, undefined)
    return
  }
  let bytes: Buffer = NOTHING
  let received = 0
  let hold: Hold | undefined
  let isOver = false
  const fail = (error: Error): void => {
    if (isOver) return
    isOver = true
    hold?.release()
    bytes = NOTHING
    hand(stream, done, error, NOTHING, undefined)
  }
  stream.on('data', (chunk: Buffer) => {
    try {
      if (isOver) return // later bytes are dropped
      const before = received
      received += chunk.length
      if (received > limit) return fail(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
      const isUncounted = isBrief && before === 0 && received === length && received <= BODY_AT_ONCE_BYTES
      if (!isUncounted) {
        hold ??= budget.hold(keyOf())
        hold.add(chunk.length)
      }
      bytes = before === 0 ? chunk : appendChunk(bytes, before, chunk, length ?? limit)
    } catch (error) {
      fail(error as Error)
    }
  })
  const ended = (): void => {
    if (length !== undefined && received !== length) fail(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH())
    if (isOver) return
    isOver = true
    const whole = received === bytes.length ? bytes : bytes.subarray(0, received)
    if (received <= BODY_AT_ONCE_BYTES) hand(stream, done, undefined, whole, hold)
    else takeTurn(() => hand(stream, done, undefined, whole, hold))
  }
  const failed = (error: Error): void => fail(Object.assign(error, { statusCode: 400 }))
  stream.on('end', contained('the end of a body', ended)).on('error', contained('a body that breaks off', failed))
}

/**
 * All of a short body that has arrived already; undefined when `readBody` must read it. Its bytes are not counted: they
 * are no longer needed once the caller returns.
 */
export function takeArrived(request: IncomingMessage, announced: number, budget: BodyBudget): Buffer | undefined {
  if (!request.complete || request.readableLength !== announced) return undefined
  if (announced > BODY_AT_ONCE_BYTES || announced > budget.bytesOfKey) return undefined
  return (request.read() as Buffer | null) ?? undefined
}

/** No one catches what `done` throws, and no one would answer the request: its connection ends. */
function hand(stream: Readable, done: OnBody, error: Error | undefined, bytes: Buffer, hold: Hold | undefined): void {
  try {
    done(error, bytes, hold)
  } catch (thrown) {
    contain('what follows a body', thrown)
    stream.destroy()
  }
}

/** Doubles the room each time, so that a body in many small chunks costs as little memory and copying as one in few. */
function appendChunk(bytes: Buffer, length: number, chunk: Buffer, limit: number): Buffer {
  const needed = length + chunk.length
  let room: Buffer = bytes
  if (needed > room.length) {
    room = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(2 * bytes.length, limit)))
    bytes.copy(room, 0, 0, length)
  }
  chunk.copy(room, length)
  return room
}

/** none of them throws */
const waiting: (() => void)[] = []

/** Calls `work` in a turn of the event loop of its own: ready requests of other connections are served in between. */
function takeTurn(work: () => void): void {
  waiting.push(work)
  if (waiting.length === 1) setImmediate(nextTurn)
}

const nextTurn = contained('the turn of a body', () => {
  waiting[0]?.()
  waiting.shift()
  if (waiting.length > 0) setImmediate(nextTurn)
})
