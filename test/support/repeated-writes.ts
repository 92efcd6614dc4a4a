// Random histories of writes over connections that are cut: each write has an idempotency key and is sent until it is
// answered. What is answered, and what is there in the end, must be as if each had been sent once.
import { randomUUID } from 'node:crypto'
import { createConnection } from 'node:net'
import fc from 'fast-check'
import { expect } from 'vitest'

/** The fault that answers are kept after the write, and not with it: who asks again at once is not known. */
export const ANSWERS_AFTER_THEIR_WRITE = {
  'answers-with-their-write': (code: string) =>
    `setImmediate(() => { this.#tables.root.transactionSync(() => { ${code} }) })`,
}

/** How an attempt ends: before the request is sent as a whole, as soon as it is sent, with the answer unread, or with it. */
const ENDS = ['before', 'during', 'after', 'whole'] as const
type End = (typeof ENDS)[number]

export type Step =
  | { readonly do: 'create' | 'delete' | 'change' | 'assign' | 'unassign'; readonly user: number; readonly cuts: Cuts }
  | { readonly do: 'key'; readonly user: number; readonly cuts: Cuts }
  | { readonly do: 'restart' }
/** the ends of the attempts that fail, and whether the next one is sent meanwhile */
type Cuts = readonly { readonly end: Exclude<End, 'whole'>; readonly isBeside: boolean }[]

const cuts = fc.array(
  fc.record({ end: fc.constantFrom('before', 'during', 'during', 'after'), isBeside: fc.boolean() } as const),
  { maxLength: 3 },
)
const written = fc.record({
  do: fc.constantFrom('create', 'create', 'delete', 'change', 'assign', 'unassign', 'key'),
  user: fc.nat({ max: 3 }),
  cuts,
} as const) as fc.Arbitrary<Step>
export const histories = (length: number): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.oneof({ weight: 40, arbitrary: written }, { weight: 1, arbitrary: fc.constant({ do: 'restart' } as Step) }),
    {
      minLength: length,
      maxLength: length,
    },
  )

export interface Serving {
  /** ports of the servers that have the data; each attempt goes to the next one */
  readonly ports: () => readonly number[]
  readonly key: string
  readonly organization: () => string
  /** resolves when no request is being carried out */
  readonly settled: () => Promise<void>
  readonly restart: () => Promise<void>
  /** revision of the environment, and the number of API keys */
  readonly look: () => Promise<{ readonly revision: number; readonly keys: number; readonly users: readonly string[] }>
}

interface Person {
  name: number
  hasRole: boolean
}

/** Sends the writes of a history, and compares each answer and the end with the definition. */
export async function repeatWrites(serving: Serving, steps: readonly Step[], round: string): Promise<void> {
  const people = new Map<number, Person>()
  const before = await serving.look()
  let [revision, keys, names, turn] = [before.revision, before.keys, 0, 0]
  const port = () => serving.ports()[turn++ % serving.ports().length] ?? 0
  for (const step of steps) {
    if (step.do === 'restart') {
      await serving.restart()
      continue
    }
    const person = people.get(step.user)
    const key = `u${round}_${step.user}`
    const user = `/v2/facts/default/development/users/${key}`
    const roles = '/v2/facts/default/development/role_assignments'
    const assignment = { user: key, role: 'admin', tenant: 'default' }
    let [method, path, body, status]: [string, string, object | undefined, number] = ['POST', user, undefined, 200]
    if (step.do === 'create') [path, body, status] = [user.replace(`/${key}`, ''), { key }, person ? 409 : 200]
    else if (step.do === 'delete') [method, status] = ['DELETE', person ? 204 : 404]
    else if (step.do === 'change') [method, body, status] = ['PATCH', { first_name: `n${++names}` }, person ? 200 : 404]
    else if (step.do === 'key') {
      const of = { organization_id: serving.organization(), object_type: 'org' }
      ;[path, body] = ['/v2/api-key', { ...of, name: `k${++names}` }]
    } else {
      const isGiven = step.do === 'assign'
      const has = person?.hasRole === true
      const isRefused = !person || isGiven === has
      ;[method, path, body] = [isGiven ? 'POST' : 'DELETE', roles, assignment]
      status = !isRefused ? (isGiven ? 200 : 204) : person && isGiven ? 409 : 404
    }
    const answer = await sendUntilAnswered(port, serving.key, { method, path, body }, step.cuts)
    await serving.settled()
    expect([step, answer.status, answer.text.slice(0, 300)]).toEqual([step, status, expect.anything()])
    if (status < 300 && step.do !== 'key') revision++
    if (step.do === 'key') keys++
    if (status >= 300) continue
    if (step.do === 'create') people.set(step.user, { name: 0, hasRole: false })
    else if (step.do === 'delete') people.delete(step.user)
    else if (person && step.do === 'change') person.name = names
    else if (person && step.do !== 'key') person.hasRole = step.do === 'assign'
  }
  const after = await serving.look()
  const expected = [...people].map(
    ([n, { name, hasRole }]) => `u${round}_${n} ${name === 0 ? '' : `n${name}`} ${hasRole ? 'admin' : ''}`,
  )
  const here = after.users.filter((user) => user.startsWith(`u${round}_`))
  expect([here.toSorted(), after.revision, after.keys]).toEqual([expected.toSorted(), revision, keys])
}

interface Request {
  readonly method: string
  readonly path: string
  readonly body: object | undefined
}
interface Answer {
  readonly status: number
  readonly text: string
}

/** Sends a request with one key, first as often as it is cut, then until there is an answer. */
async function sendUntilAnswered(port: () => number, key: string, request: Request, ends: Cuts): Promise<Answer> {
  const once = randomUUID()
  const beside: Promise<unknown>[] = []
  for (const { end, isBeside } of ends) {
    const sent = send(port(), key, once, request, end)
    if (isBeside) beside.push(sent)
    else await sent
  }
  const [answer] = await Promise.all([send(port(), key, once, request, 'whole'), ...beside])
  if (answer === undefined) throw new Error('there was no answer')
  // whoever asks again gets the same
  const again = await send(port(), key, once, request, 'whole')
  if (answer.status < 300) expect(again).toEqual(answer)
  return answer
}

/** One attempt over a connection of its own; undefined when it was cut. */
function send(port: number, key: string, once: string, request: Request, end: End): Promise<Answer | undefined> {
  const body = request.body === undefined ? '' : JSON.stringify(request.body)
  const head = [
    `${request.method} ${request.path} HTTP/1.1`,
    ...['host: localhost', 'connection: close', `authorization: Bearer ${key}`, `idempotency-key: ${once}`],
    ...(body === '' ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
  ]
  const text = `${head.join('\r\n')}\r\n\r\n${body}`
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    const cut = () => {
      socket.destroy()
      resolve(undefined)
    }
    let received = ''
    socket.on('error', (error) => (end === 'whole' ? reject(error) : cut()))
    socket.on('connect', () => {
      if (end === 'before') socket.write(text.slice(0, text.length - 1 - body.length), cut)
      else socket.write(text, end === 'during' ? cut : undefined)
    })
    socket.on('data', (bytes) => {
      if (end === 'after') cut()
      else received += bytes
    })
    socket.on('end', () => {
      const at = received.indexOf('\r\n\r\n')
      socket.destroy()
      if (end !== 'whole') return resolve(undefined)
      resolve({ status: Number(received.slice(9, 12)), text: received.slice(at + 4) })
    })
  })
}
