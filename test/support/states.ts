// States × routes: every route of some servers is asked in a state, with a good body, others that a short way may answer,
// a bad body, no key and a wrong key. What each is answered with stands in one table by state, as what is usual (when
// nothing is wrong) or an error; routes join by being registered. Besides, each answer is counted, no callback failed,
// and the server goes on.
import type { FastifyInstance } from 'fastify'
import { ERRORS, type ErrorCode } from '../../src/model/errors.ts'

/** How a route is asked. */
type Sent = 'good' | 'short' | 'bad' | 'no key' | 'wrong key'

/** What a request is answered with: as when nothing is wrong, or with an error of these codes. */
type Answer = 'usual' | readonly ErrorCode[]

/** Of a state: the answer by how a route is asked. What is not named is usual. */
export interface Expected {
  /** routes that ask for a key */
  readonly keyed?: Partial<Record<Sent, Answer>>
  /** routes that ask for none */
  readonly open?: 'usual' | 503
  /** routes that answer checks; as other keyed ones when absent */
  readonly deciding?: Partial<Record<Sent, Answer>>
  /** routes that write; as other keyed ones when absent */
  readonly writing?: Answer
  /** what may be answered as usual all the same: a short way needs no decision, a write may change nothing */
  readonly mayBeUsual?: 'short' | 'writes' | 'all'
  /** the caller is unknown: it learns nothing else, not even what is not offered */
  readonly isOfKey?: true
  /** the key itself is refused, before what it may do, what is asked and what an earlier request did are looked at */
  readonly isFirst?: true
  /** what tells whether requests should be sent here; as other open ones when absent */
  readonly readiness?: 503
}

/** One route of a server, with what can be sent to it. */
export interface ProductRoute {
  readonly server: string
  readonly method: string
  /** as it is registered */
  readonly url: string
  readonly path: string
  readonly good: unknown
  readonly short?: readonly unknown[]
  readonly headers?: Readonly<Record<string, string>>
  readonly config: FastifyInstance['noted'][number]['config']
  readonly writes?: boolean
  /** what is answered to a good body is asked elsewhere: it lasts, or needs more than a path */
  readonly isWithoutGood?: boolean
}

interface GivenAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

type Ask = (route: ProductRoute, body: unknown, headers: Record<string, string>) => Promise<GivenAnswer>

/** What is counted about the servers, read from their metrics. */
interface Counted {
  readonly requests: number
  readonly contained: number
  readonly undecided: number
  readonly refused: number
}

export interface Product {
  readonly routes: readonly ProductRoute[]
  readonly key: string
  readonly ask: Ask
  readonly counted: () => Promise<Counted>
  /** a good body may be refused: what it names was removed by a request before, or never was */
  readonly mayRefuse?: boolean
  /** the member of an error that says what is wrong, as a text; undefined in a body of another form */
  readonly messageOf: (route: ProductRoute, answer: GivenAnswer) => string | undefined
}

const HALF = '{"user":'

/** What is answered while nothing is wrong. */
export interface Usual {
  /** by the name of the request */
  readonly statuses: ReadonlyMap<string, number>
  /** routes that ask for no key */
  readonly open: ReadonlySet<string>
  /** routes that give no answer of their own to a good question: not offered here, moved, or for another key */
  readonly without: ReadonlySet<string>
}

/** One request of the product, and what came of it. */
interface Asked {
  readonly name: string
  readonly route: ProductRoute
  readonly sent: Sent
  readonly answer: GivenAnswer
}

/** Asks everything; the routes are asked in the order in which they stand. */
async function askAll({ routes, key, ask }: Product): Promise<Asked[]> {
  const asked: Asked[] = []
  const right = { authorization: `Bearer ${key}` }
  for (const route of routes) {
    const requests: [Sent, unknown, Record<string, string>][] = [
      ...(route.isWithoutGood ? [] : [['good', route.good, right] as [Sent, unknown, Record<string, string>]]),
      ...(route.short ?? []).map((body): [Sent, unknown, Record<string, string>] => ['short', body, right]),
      ['no key', route.good, {}],
      ['wrong key', route.good, { authorization: 'Bearer permit_key_of_nobody' }],
    ]
    if (route.good !== undefined) requests.push(['bad', HALF, right])
    for (const [at, [sent, body, headers]] of requests.entries()) {
      const answer = await ask(route, body, { ...route.headers, ...headers })
      asked.push({ name: `${route.server} ${route.method} ${route.url}, ${sent} ${at}`, route, sent, answer })
    }
  }
  return asked
}

/** Asks everything while nothing is wrong, and says what is wrong all the same. */
export async function askUsual(product: Product): Promise<{ usual: Usual; problems: string[] }> {
  const { asked, problems } = await counting(product)
  const named = (is: (one: Asked) => boolean) => new Set(asked.filter(is).map(({ route }) => routeName(route)))
  const open = named(({ sent, answer }) => sent === 'no key' && answer.status !== 401 && answer.status !== 403)
  const without = named(({ sent, answer }) => !product.mayRefuse && sent === 'good' && answer.status >= 300)
  for (const { name, route, sent, answer } of asked) {
    const { status } = answer
    const isRight =
      sent === 'good' || sent === 'short'
        ? status < (product.mayRefuse ? 500 : 400) || status === 501 || (status === 403 && route.config?.alwaysAnswers)
        : open.has(routeName(route)) ||
          (sent === 'bad'
            ? [400, 403, product.mayRefuse ? 404 : 400, 422, 501].includes(status)
            : [401, 403, 404].includes(status))
    if (!isRight) problems.push(`${name}: usually ${status}: ${answer.text.slice(0, 200)}`)
  }
  const statuses = new Map(asked.map(({ name, answer }) => [name, answer.status]))
  return { usual: { statuses, open, without }, problems }
}

const routeName = ({ server, method, url }: ProductRoute): string => `${server} ${method} ${url}`

/** Asks everything in a state. Returns what is not as the table says. */
export async function askInState(product: Product, usual: Usual, expected: Expected): Promise<string[]> {
  const { asked, problems } = await counting(product)
  for (const one of asked) {
    const { name, route, sent, answer } = one
    const expectation = findExpected(route, sent, usual, expected)
    const isUsual = answer.status === usual.statuses.get(name)
    if (expectation === 'usual') {
      if (!isUsual && !(product.mayRefuse && sent === 'bad' && dependsOnOthers(one)))
        problems.push(`${name}: ${answer.status} for ${usual.statuses.get(name)}: ${answer.text.slice(0, 200)}`)
    } else if (expectation === 503) {
      if (answer.status !== 503) problems.push(`${name}: ${answer.status} for 503: ${answer.text.slice(0, 200)}`)
    } else if (!(isUsual && mayBeUsual(one, expected)) && (expected.isFirst || !dependsOnOthers(one)))
      problems.push(...listProblems(product, one, expectation))
  }
  return problems
}

function mayBeUsual({ sent, route }: Asked, { mayBeUsual: which }: Expected): boolean {
  return which === 'all' || (which === 'writes' && route.writes === true) || (which === 'short' && sent === 'short')
}

/** What an earlier write would have made is missing, what it would have removed is there: some writes change nothing. */
function dependsOnOthers({ route, sent, answer: { status } }: Asked): boolean {
  return route.writes === true && (sent === 'bad' ? [400, 404, 422].includes(status) : status < 500)
}

function findExpected(route: ProductRoute, sent: Sent, usual: Usual, expected: Expected): Answer | 503 {
  const { keyed = {}, deciding = keyed, open = 'usual', writing, readiness } = expected
  const { alwaysAnswers = false, decides, tellsReadiness } = route.config ?? {}
  const isWithout = usual.without.has(routeName(route))
  if (tellsReadiness && readiness !== undefined) return readiness
  if (usual.open.has(routeName(route))) return alwaysAnswers || isWithout ? 'usual' : open
  const isGood = sent === 'good' || sent === 'short'
  if (route.writes && writing !== undefined && isGood) return writing
  const table = decides ? deciding : keyed
  const expectation = table[isGood ? 'good' : sent] ?? 'usual'
  if (expectation === 'usual' || expected.isFirst) return expectation
  // one that takes another key refuses this one in every state
  if (expected.isOfKey) return usual.statuses.get(`${routeName(route)}, good 0`) === 403 ? 'usual' : expectation
  // whoever has a good key hears about the server, and what is not offered, whatever the state of the image
  const isOfKey = expectation.some((code) => ERRORS[code].class === 'unauthenticated')
  if (isOfKey ? isWithout && alwaysAnswers : isWithout || alwaysAnswers) return 'usual'
  return expectation
}

function listProblems(product: Product, { name, route, answer }: Asked, codes: readonly ErrorCode[]): string[] {
  const statuses: readonly number[] = codes.map((code) => (ERRORS[code].class === 'unauthenticated' ? 401 : 503))
  if (!statuses.includes(answer.status)) return [`${name}: ${answer.status} for ${codes}: ${answer.text.slice(0, 200)}`]
  const message = product.messageOf(route, answer)
  const forms = codes.map(
    (code) => new RegExp(`^${ERRORS[code].message.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '.*')}`),
  )
  const problems: string[] = []
  if (message === undefined || !forms.some((form) => form.test(message)))
    problems.push(`${name}: says ${answer.text.slice(0, 200)} for ${codes}`)
  if (answer.status === 503 && answer.headers['retry-after'] === undefined) problems.push(`${name}: no retry-after`)
  return problems
}

/** Asks everything, and compares what was asked with what is counted. */
async function counting(product: Product): Promise<{ asked: Asked[]; problems: string[] }> {
  const before = await product.counted()
  const asked = await askAll(product)
  const decided = asked.filter(({ route, answer }) => route.config?.decides && answer.status >= 400)
  const wanted: Counted = {
    requests: before.requests + asked.length,
    contained: before.contained,
    undecided: before.undecided + decided.filter(({ answer }) => answer.status >= 500).length,
    refused: before.refused + decided.filter(({ answer }) => answer.status < 500).length,
  }
  let after = await product.counted()
  // an answer is counted when it was sent, which its reader may hear of first
  for (let look = 0; look < LOOKS && JSON.stringify(after) !== JSON.stringify(wanted); look++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    after = await product.counted()
  }
  const problems = (Object.keys(wanted) as (keyof Counted)[]).flatMap((name) =>
    after[name] === wanted[name] ? [] : [`counted ${name}: ${after[name]} for ${wanted[name]}`],
  )
  for (const { name, answer } of asked)
    if (answer.status === 500) problems.push(`${name}: 500: ${answer.text.slice(0, 200)}`)
  return { asked, problems }
}

const LOOKS = 100
