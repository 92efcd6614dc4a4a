// Hooks around an answer, which must not throw: after the answer no one is there to hear of it, and before it is sent
// an error would replace the answer by one that says something else. An error is counted and told, and the answer stays
// as it is.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { contain, contained } from '../model/contained.ts'

/** Calls back when an answer was sent, or its connection ended. */
export function whenAnswered(app: FastifyInstance, hear: (request: FastifyRequest, reply: FastifyReply) => void): void {
  const hook = contained('a hook after an answer', hear)
  app.addHook('onResponse', (request, reply, done) => {
    hook(request, reply)
    done()
  })
}

/** Calls back once, when this answer was handed to the connection, or its connection ended. */
export function whenWritten({ raw }: FastifyReply, hear: () => void): void {
  let isHeard = false
  const listener = contained('the end of an answer', () => {
    if (isHeard) return
    isHeard = true
    hear()
  })
  raw.once('finish', listener)
  raw.once('close', listener)
}

/** Completes each answer before it is sent: its headers, or its payload when `complete` returns another one. */
export function beforeSending(
  app: FastifyInstance,
  complete: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => unknown,
): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    let other: unknown
    try {
      other = complete(request, reply, payload)
    } catch (error) {
      contain('a hook before an answer', error)
    }
    done(null, other === undefined ? payload : other)
  })
}

/** Holds each answer back until `wait` calls back; with an error that is answered instead. */
export function holdSending(
  app: FastifyInstance,
  wait: (request: FastifyRequest, done: (error?: Error) => void) => void,
): void {
  app.addHook('onSend', (request, _reply, _payload, done) => {
    try {
      wait(request, done)
    } catch (error) {
      done(error as Error) // it may not be sent: what it waits for is not done
    }
  })
}
