// The side of the thread: answers the questions of a `WorkerClient`, until it is asked to close.
import { type MessagePort, parentPort, type TransferListItem } from 'node:worker_threads'
import { closePort } from './close-port.ts'
import { toFailure } from './failure.ts'
import type { FromWorker, ToWorker } from './messages.ts'

export interface ServeOptions<Answer> {
  /** what of an answer is handed over instead of copied */
  readonly transfer?: (answer: Answer) => TransferListItem[]
  /** closes what the thread has open; called once, when everything is answered */
  readonly close?: () => Promise<void>
}

/** Answers one question after the other, in their order. What the handler throws, who asked gets. */
export function serve<Question, Answer>(
  handler: (question: Question) => Answer,
  options: ServeOptions<Answer> = {},
): void {
  const port = requirePort()
  const answer = (id: number, question: Question): void => {
    try {
      sendAnswer(port, id, handler(question), options)
    } catch (error) {
      sendFailure(port, id, error)
    }
  }
  listen<Question>(port, answer, async () => options.close?.())
}

/** The same with a handler that waits for something: several questions may be worked on at once. */
export function serveSlow<Question, Answer>(
  handler: (question: Question) => Promise<Answer>,
  options: ServeOptions<Answer> = {},
): void {
  const port = requirePort()
  const working = new Set<Promise<void>>()
  const answer = (id: number, question: Question): void => {
    const work = handler(question)
      .then((answered) => sendAnswer(port, id, answered, options))
      .catch((error: unknown) => sendFailure(port, id, error))
      .finally(() => working.delete(work))
    working.add(work)
  }
  listen<Question>(port, answer, async () => {
    await Promise.all(working)
    await options.close?.()
  })
}

/** Sends an event, which answers no question, to the threads that listen. */
export function sendEvent<Event>(event: Event): void {
  requirePort().postMessage({ kind: 'event', event } satisfies FromWorker<never, Event>)
}

function requirePort(): MessagePort {
  if (parentPort === null) throw new Error('this file is the entry of a worker thread')
  return parentPort
}

/** An error of `close` ends the thread, which is what it was asked for. */
function listen<Question>(
  port: MessagePort,
  answer: (id: number, question: Question) => void,
  close: () => Promise<void>,
): void {
  let isClosing = false
  port.on('message', (message: ToWorker<Question>) => {
    if (message.kind === 'ask') answer(message.id, message.question)
    else if (!isClosing) {
      isClosing = true
      void close().then(() => closePort(port))
    }
  })
  port.postMessage({ kind: 'ready' } satisfies FromWorker<never>)
}

function sendAnswer<Answer>(port: MessagePort, id: number, answer: Answer, { transfer }: ServeOptions<Answer>): void {
  port.postMessage({ kind: 'answer', id, answer } satisfies FromWorker<Answer>, transfer?.(answer) ?? [])
}

/** Details that cannot be cloned are a defect of one error: who asked hears of that one. */
function sendFailure(port: MessagePort, id: number, error: unknown): void {
  const send = (thrown: unknown): void =>
    port.postMessage({ kind: 'failure', id, failure: toFailure(thrown) } satisfies FromWorker<never>)
  try {
    send(error)
  } catch (cause) {
    send(cause)
  }
}
