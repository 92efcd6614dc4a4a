// The common POST /allowed and POST /access/v1/evaluation straight on node:http: the same key, body check, decision and
// answer as the routes in allowed.ts and authzen/evaluation.ts, without the way through the framework, which costs more
// than the decision (docs/adr/0016-early-answer.md). Whatever is not common (a missing or wrong key, a header that asks
// for more, a long or chunked body, another path, a closing server) takes the route. test/http/pdp/direct.test.ts
// compares the two.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Batch } from '../../decision-log/recorder.ts'
import { contain, contained } from '../../model/contained.ts'
import { BODY_BYTES_MAX } from '../../model/limits.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import type { Taken } from '../../pdp/pdp-source.ts'
import type { Check } from '../../pdp/request.ts'
import type { EarlyAnswer } from '../early-server.ts'
import type { Problem } from '../errors.ts'
import { readBody, takeArrived } from '../intake/body-reader.ts'
import { formatSender } from '../intake/intake.ts'
import { type Duplicates, ORDINARY, parseJson } from '../json.ts'
import { repeatedHeader } from '../repeated-headers.ts'
import { decide, JSON_TYPE } from './allowed.ts'
import type { PdpDirectory } from './pdp-keys.ts'
import type { Decisions } from './record-decision.ts'
import { ROWS_HEADER } from './rows-header.ts'

/** A check, and the reason to deny it before anything is decided. */
export interface DirectCheck {
  readonly check: Check
  readonly denial?: string
}

/** The answer to a request that is refused, and what is logged of it. */
export interface Refusal {
  readonly problem: Problem
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/** What a route that is answered here has of its own. */
export interface DirectRoute {
  readonly duplicates: Duplicates
  /** whether the id that a caller sent can be answered here; absent: any */
  readonly acceptsId?: (id: string) => boolean
  readonly requestId: (request: IncomingMessage) => string
  /** an answer that went well carries an id also where the caller sent none */
  readonly alwaysSendsId?: true
  /** The check of a body. @throws what the route answers with a refusal */
  readonly readCheck: (body: unknown) => DirectCheck
  /** the answer as it goes over the wire; ASCII */
  readonly formatAnswer: (allow: boolean) => string
  readonly formatRefusal: (error: unknown) => Refusal
  /** called with each answer */
  readonly count: (status: number, seconds: number) => void
}

export interface DirectOptions {
  readonly directory: PdpDirectory
  /** by path */
  readonly routes: ReadonlyMap<string, DirectRoute>
  readonly decisions: Decisions
  /** that each answer has */
  readonly headers: Readonly<Record<string, string>>
}

/** One request that is answered here. */
interface DirectRequest {
  readonly app: FastifyInstance
  readonly route: DirectRoute
  readonly pdp: Pdp
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A decision on its way to the client. */
interface Decided {
  readonly to: DirectRequest
  readonly allow: boolean
  readonly taken: Taken
  readonly id: string | null
  readonly begun: number
  /** the records that are written before the answer is sent */
  readonly batch: Batch | undefined
}

/**
 * Answers the common check; everything else is left to the app, which is made with this.
 *
 * What was read in one turn of the event loop is answered together at its end: a write that finds its client asleep has
 * to wake it, which costs more than all else about a short request, and of writes in a row only the first does. By then
 * most bodies have arrived, and are read without a listener.
 */
export function directAnswer(appOf: () => FastifyInstance, options: DirectOptions): EarlyAnswer {
  let waiting: DirectRequest[] = []
  const answerWaiting = contained('the questions of a turn', () => {
    const all = waiting
    waiting = []
    answerAll(all, options)
  })
  return (request, response) => {
    const route = request.method === 'POST' ? options.routes.get(request.url!) : undefined
    if (route === undefined || !isCommon(request, route)) return false
    const app = appOf()
    const pdp = app.closing.begun ? undefined : findNow(options.directory, request)
    if (pdp === undefined) return false
    if (waiting.push({ app, route, pdp, request, response }) === 1) setImmediate(answerWaiting)
    return true
  }
}

function isCommon(request: IncomingMessage, { acceptsId }: DirectRoute): boolean {
  const { headers } = request
  if (headers['content-type'] !== JSON_TYPE || headers['x-min-revision'] !== undefined) return false
  const { 'content-length': length, 'x-request-id': id } = headers
  return (
    length !== undefined &&
    Number(length) <= BODY_BYTES_MAX &&
    headers['x-explain'] === undefined &&
    headers[ROWS_HEADER] === undefined &&
    headers.expect === undefined &&
    (id === undefined || acceptsId === undefined || acceptsId(String(id))) &&
    repeatedHeader(request) === undefined
  )
}

/** The PDP when it can be asked at once; otherwise the route waits for it, or says why it cannot be asked. */
function findNow(directory: PdpDirectory, request: IncomingMessage): Pdp | undefined {
  try {
    return directory.findNow(request.headers.authorization)
  } catch {
    return undefined
  }
}

/** Answers the requests whose bodies have arrived; each of the others is answered when its body does. */
function answerAll(all: readonly DirectRequest[], options: DirectOptions): void {
  const decided: Decided[] = []
  for (const to of all)
    answering(to, () => {
      const { app, request } = to
      const bytes = takeArrived(request, Number(request.headers['content-length']), app.intake.bodies)
      const one = bytes === undefined ? read(to, options) : decideOne(to, options, bytes)
      if (one !== undefined) decided.push(one)
    })
  options.decisions.flush()
  for (const one of decided) sendRecorded(one, options)
}

/** No one catches what is thrown here: the connection of the request ends. */
function answering(to: DirectRequest, work: () => void): void {
  try {
    work()
  } catch (error) {
    contain('an answer', error)
    to.response.destroy()
  }
}

/** Reads the body, and answers then; a client that is gone gets no answer. */
function read(to: DirectRequest, options: DirectOptions): undefined {
  const { app, request } = to
  const { authorization, 'content-length': announced } = request.headers
  const source = {
    stream: request,
    announced,
    limit: BODY_BYTES_MAX,
    budget: app.intake.bodies,
    keyOf: () => formatSender(options.directory.readKeyId(authorization)),
    isBrief: true,
  }
  readBody(source, (error, bytes, hold) => {
    hold?.release() // it is decided in this turn of the event loop
    if (error !== undefined) {
      if (request.errored === null) refuse(to, options, null, performance.now(), error)
      return
    }
    const decided = decideOne(to, options, bytes)
    if (decided !== undefined) sendRecorded(decided, options)
  })
}

/** Decides, and records the decision when decisions are recorded; undefined when the request has been refused. */
function decideOne(to: DirectRequest, options: DirectOptions, bytes: Buffer): Decided | undefined {
  const begun = performance.now()
  const { route, pdp, request } = to
  const { decisions } = options
  // An answer of POST /allowed carries an id only when the caller sent one: making one costs a tenth of the request.
  const hasId = route.alwaysSendsId || request.headers['x-request-id'] !== undefined
  const id = hasId ? route.requestId(request) : null
  try {
    const { check, denial } = route.readCheck(parseJson(bytes, route.duplicates, ORDINARY))
    return pdp.asOneRequest(() => {
      const timed = decisions.timed(pdp, check)
      const allow = denial === undefined && decide(pdp, timed, decisions.acceptNow)
      const taken = pdp.take()
      const batch = decisions.areRecorded ? decisions.write(pdp, request, id, begun, timed, allow, denial) : undefined
      return { to, allow, taken, id, begun, batch }
    })
  } catch (error) {
    refuse(to, options, id, begun, error)
    return undefined
  }
}

/** Sends the answer, once its record is written when decisions are recorded. */
function sendRecorded(decided: Decided, options: DirectOptions): void {
  const { to, batch, id, begun } = decided
  const settled = (error: Error | undefined): void =>
    answering(to, () => {
      if (error === undefined) send(decided, options)
      else refuse(to, options, id, begun, error)
    })
  if (batch === undefined) settled(undefined)
  else batch.settled(settled)
}

function send({ to, allow, taken, id, begun }: Decided, { decisions, headers }: DirectOptions): void {
  const { route, response } = to
  const { revision, environment } = taken
  decisions.count(allow ? 'allow' : 'deny', environment)
  const text = route.formatAnswer(allow)
  const head = ['x-revision', String(revision), 'content-type', JSON_TYPE, 'content-length', String(text.length)]
  if (id !== null) head.push('x-request-id', id)
  for (const name in headers) head.push(name, headers[name]!)
  // Corked until the answer is whole, so that the connection gets it in one piece: `end` with the text makes two of it.
  const { socket } = response
  socket?.cork()
  response.writeHead(200, head)
  response.write(text, 'latin1')
  socket?.uncork()
  response.end()
  route.count(200, (performance.now() - begun) / 1000)
}

function refuse(
  { app, route, pdp, request, response }: DirectRequest,
  { decisions, headers }: DirectOptions,
  known: string | null,
  begun: number,
  error: unknown,
): void {
  const id = known ?? route.requestId(request)
  const { problem, status, contentType, text } = route.formatRefusal(error)
  app.problems.log(error, problem, id)
  const bytes = Buffer.from(text)
  response.writeHead(status, {
    ...headers,
    ...(status === 503 ? { 'retry-after': '1' } : {}),
    ...(request.complete ? {} : { connection: 'close' }),
    'content-type': contentType,
    'x-request-id': id,
    ...(pdp.imageRevision === undefined ? {} : { 'x-revision': pdp.imageRevision }),
    'content-length': bytes.length,
  })
  response.end(bytes)
  decisions.ended(status, pdp)
  route.count(status, (performance.now() - begun) / 1000)
}
