// The common POST /allowed straight on node:http: the same key, body check, decision and answer as the route in
// allowed.ts, without the way through the framework, which costs more than the decision
// (docs/adr/0016-early-answer.md). Whatever is not common (a missing or wrong key, a header that asks for more, a long
// or chunked body, another path, a closing server) takes the route. test/http/pdp/direct.test.ts holds the two
// together.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { contained } from '../../model/contained.ts'
import { BODY_BYTES_MAX } from '../../model/limits.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import type { Taken } from '../../pdp/pdp-source.ts'
import type { EarlyAnswer } from '../early-server.ts'
import { type ErrorForm, toProblem } from '../errors.ts'
import { readBody } from '../intake/body-reader.ts'
import { formatSender } from '../intake/intake.ts'
import { ORDINARY, parseJson } from '../json.ts'
import { repeatedHeader } from '../repeated-headers.ts'
import { answerTo, decide } from './allowed.ts'
import { readCheck } from './check-bodies.ts'
import type { PdpDirectory } from './pdp-keys.ts'
import type { Decisions } from './record-decision.ts'
import { ROWS_HEADER } from './rows-header.ts'

const JSON_TYPE = 'application/json'

export interface DirectOptions {
  readonly directory: PdpDirectory
  readonly errorForm: ErrorForm
  readonly requestId: (request: IncomingMessage) => string
  /** called for each answer */
  readonly count: (status: number, seconds: number) => void
  readonly decisions: Decisions
  /** a time that was sent is kept (PDP_ACCEPT_NOW) */
  readonly acceptNow: boolean
  /** that each answer has */
  readonly headers: Readonly<Record<string, string>>
}

/** Answers the common check; everything else is left to the app, which is made with this. */
export function directAnswer(appOf: () => FastifyInstance, options: DirectOptions): EarlyAnswer {
  return (request, response) => {
    const app = appOf()
    const pdp = app.closing.begun || !isCommon(request) ? undefined : findNow(options.directory, request)
    if (pdp === undefined) return false
    read(app, options, pdp, request, response)
    return true
  }
}

function isCommon(request: IncomingMessage): boolean {
  const { method, url, headers } = request
  if (url !== '/allowed' || method !== 'POST') return false
  if (headers['content-type'] !== JSON_TYPE || headers['x-min-revision'] !== undefined) return false
  const length = headers['content-length']
  return (
    length !== undefined &&
    Number(length) <= BODY_BYTES_MAX &&
    headers['x-explain'] === undefined &&
    headers[ROWS_HEADER] === undefined &&
    headers.expect === undefined &&
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

/** Reads the body and answers; a client that is gone gets no answer. */
function read(
  app: FastifyInstance,
  options: DirectOptions,
  pdp: Pdp,
  request: IncomingMessage,
  response: ServerResponse,
): void {
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
    hold?.release() // it is answered in this turn of the event loop
    if (error === undefined) answer(app, options, pdp, request, response, bytes)
    else if (request.errored === null) refuse(app, options, pdp, request, response, null, performance.now(), error)
  })
}

function answer(
  app: FastifyInstance,
  options: DirectOptions,
  pdp: Pdp,
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
): void {
  // An answer that went well carries an id only when the caller sent one: making one costs a tenth of the request.
  const begun = performance.now()
  const { requestId, decisions } = options
  const sentId = request.headers['x-request-id'] === undefined ? null : requestId(request)
  try {
    const check = readCheck(parseJson(bytes, 'last-wins', ORDINARY))
    pdp.asOneRequest(() => {
      const timed = decisions.timed(pdp, check)
      const allow = decide(pdp, timed, decisions.acceptNow)
      const taken = pdp.take()
      const settled = (error: Error | undefined): void => {
        if (error === undefined) send(options, response, allow, taken, sentId, begun)
        else refuse(app, options, pdp, request, response, sentId, begun, error)
      }
      if (decisions.areRecorded)
        decisions
          .write(pdp, request, sentId, begun, timed, allow)
          .settled(contained('an answer whose decision is recorded', settled, () => response.destroy()))
      else send(options, response, allow, taken, sentId, begun)
    })
  } catch (error) {
    refuse(app, options, pdp, request, response, sentId, begun, error)
  }
}

function send(
  { count, decisions, headers }: DirectOptions,
  response: ServerResponse,
  allow: boolean,
  { revision, environment }: Taken,
  sentId: string | null,
  begun: number,
): void {
  decisions.count(allow ? 'allow' : 'deny', environment)
  const text = answerTo(allow)
  const head = ['x-revision', String(revision), 'content-type', JSON_TYPE, 'content-length', String(text.length)]
  if (sentId !== null) head.push('x-request-id', sentId)
  for (const name in headers) head.push(name, headers[name]!)
  response.writeHead(200, head)
  response.end(text, 'latin1')
  count(200, (performance.now() - begun) / 1000)
}

function refuse(
  app: FastifyInstance,
  { errorForm, requestId, count, decisions, headers }: DirectOptions,
  pdp: Pdp,
  request: IncomingMessage,
  response: ServerResponse,
  sentId: string | null,
  begun: number,
  error: unknown,
): void {
  const id = sentId ?? requestId(request)
  const problem = toProblem(error)
  app.problems.log(error, problem, id)
  const { status, body } = errorForm(problem)
  const text = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    ...headers,
    ...(status === 503 ? { 'retry-after': '1' } : {}),
    ...(request.complete ? {} : { connection: 'close' }),
    'content-type': JSON_TYPE,
    'x-request-id': id,
    ...(pdp.state.revision === undefined ? {} : { 'x-revision': pdp.state.revision }),
    'content-length': text.length,
  })
  response.end(text)
  decisions.ended(status, pdp)
  count(status, (performance.now() - begun) / 1000)
}
