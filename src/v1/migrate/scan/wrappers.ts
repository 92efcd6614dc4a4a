// Calls of the v1 client inside write() or read(): as its argument, `permit.write(permit.api.syncUser(user))`, or in a
// callback that gets the client, `permit.write(async (api) => api.syncUser(user))`. A stream that writes the result of
// some other `api` does not count.
import { argumentsAt, CALLS, insteadOf, oneLine, plain, type Use } from './calls.ts'

const DIRECT = /\.\s*(write|read)(?:Async)?\s*\(\s*(?:await\s+)?(?=([\w.?\s]*\bapi\s*\??\.\s*)(\w+)\s*\()/gi
/** A function with one parameter: a function or arrow, a lambda of Java or Python, a func of Go. */
const FUNCTIONS = [
  /function\b[^(]{0,80}\(\s*(\w+)[^)]{0,200}\)/,
  /func\s*\(\s*(\w+)[^)]{0,200}\)/,
  /lambda\s+(\w+)\s*:/,
  /\(?\s*(?:[\w<>.]{1,80}\s+)?(\w+)\s*(?::[^=)]{0,200})?\)?\s*(?:=>|->)/,
]
const CALLBACK = new RegExp(
  `\\.\\s*(write|read)(?:Async)?\\s*\\(\\s*(?:async\\s+)?(?:${FUNCTIONS.map(({ source }) => source).join('|')})`,
  'gi',
)
/** Usual names of a client variable. */
const CLIENT = /permit|authorizon|zerohop/i
/** Usual names of objects that write and read bytes. */
const STREAM =
  /^(?:std(?:out|err|in)|fs|fp?|files?|res|resp|response|reply|socket|stream|writer|reader|out|console|w|r|buf|buffer)$/i
/** Characters before a dot that are searched for the receiver of a call. */
const RECEIVER_LENGTH = 120
/** Characters of a callback that are searched for calls when its end is not found. */
const CALLBACK_LENGTH = 2_000

/** Every write() or read() around a call of the v1 client. */
export function* wrappers(code: string): Generator<Use> {
  yield* direct(code)
  yield* callbacks(code)
}

function* direct(code: string): Generator<Use> {
  for (const match of code.matchAll(DIRECT)) {
    const [whole, wrapper = '', client = '', call = ''] = match
    const receiver = receiverAt(code, match.index)
    const isSame = namesOf(client).slice(0, -1).join('.') === receiver.join('.')
    if (!(isSame && receiver.length > 0) && !isClientCall(receiver, call)) continue
    const found = `${whole.slice(1).trimStart()}${client}${call}(…))`
    yield use(match, wrapper, oneLine(found), call)
  }
}

function* callbacks(code: string): Generator<Use> {
  for (const match of code.matchAll(CALLBACK)) {
    const [whole, wrapper = ''] = match
    const parameter = match.slice(2).find((name) => name !== undefined)
    if (parameter === undefined) continue
    const receiver = receiverAt(code, match.index)
    const call = callIn(bodyAt(code, match.index + whole.indexOf('(') + 1), parameter, receiver)
    if (call === undefined) continue
    yield use(match, wrapper, `${oneLine(whole.slice(1).trimStart())} … ${parameter}.${call}(…))`, call)
  }
}

function use(match: RegExpExecArray, wrapper: string, found: string, call: string): Use {
  const at = match.index + 1 + match[0].slice(1).search(/\S/)
  return { at, kind: 'wrapper', found, instead: `no ${wrapper}() around it: await ${insteadOf(call)}` }
}

/** The call on the callback's parameter that shows that it is the client. */
function callIn(body: string, parameter: string, receiver: readonly string[]): string | undefined {
  for (const [, call = ''] of body.matchAll(new RegExp(`\\b${parameter}\\s*\\??\\.\\s*(\\w+)`, 'g')))
    if (isClientCall(receiver, call)) return call
  return undefined
}

/** Whether the receiver of `receiver.write(… api.call(…))` is a client, judged by its name or by that of the call. */
function isClientCall(receiver: readonly string[], call: string): boolean {
  if (receiver.some((name) => CLIENT.test(name))) return true
  return Object.hasOwn(CALLS, plain(call)) && !STREAM.test(receiver.at(-1) ?? '')
}

/** The names before the dot at `at`, as in `this.permit`. */
function receiverAt(code: string, at: number): string[] {
  const before = code.slice(Math.max(0, at - RECEIVER_LENGTH), at)
  return namesOf(/[\w$]+(?:\s*\??\.\s*[\w$]+)*\s*\??$/.exec(before)?.[0] ?? '')
}

const namesOf = (text: string): string[] => text.split(/[^\w$]+/).filter((name) => name !== '')

/** The arguments of a call whose opening bracket is before `at`. */
function bodyAt(code: string, at: number): string {
  const last = argumentsAt(code, at).at(-1)
  return code.slice(at, last?.[1] ?? at + CALLBACK_LENGTH)
}
