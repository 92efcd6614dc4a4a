// The load generator: HTTP over raw sockets with keep-alive and no pipelining, in a process of its own so that the
// server has a core to itself. Two ways: closed (each connection asks again as soon as it has its answer) for
// throughput, and paced (a fixed rate, latency counted from the moment a request was due, so that a stall is not left
// out) for latency.
import { fork } from 'node:child_process'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { everyTick } from './metronome.mjs'

/**
 * @typedef {object} Load
 * @property {number} port
 * @property {string} method
 * @property {string} path
 * @property {string} key bearer key
 * @property {boolean} [isKeyed] each request has an idempotency key of its own, made of its number
 * @property {string} body `%d` in it becomes a number that grows with every request, from `first` on
 * @property {number} [first]
 * @property {number} connections
 * @property {number} ms how long
 * @property {number} [perSecond] paced load at this rate
 * @property {number[]} [expect] the statuses that count as right, default 200
 *
 * @typedef {{ requests: number, perSecond: number, latencies: number[], last: number, sample: string, cpu: number }}
 * Loaded
 *   latencies in milliseconds; cpu is the share of a core that this side took
 */

/** A process that generates loads, sequentially or several at a time. */
export class LoadGenerator {
  #child = fork(fileURLToPath(import.meta.url), ['generate'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  #waiting = new Map()
  #next = 0

  constructor() {
    this.#child.on('message', ({ id, result, failure }) => {
      const { resolve, reject } = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (failure) reject(new Error(failure))
      else resolve(result)
    })
    this.#child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the load generator ended'))
    })
  }

  /** @returns {Promise<Loaded>} */
  run(/** @type {Load} */ load) {
    return new Promise((resolve, reject) => {
      const id = this.#next++
      this.#waiting.set(id, { resolve, reject })
      this.#child.send({ id, load })
    })
  }

  close() {
    this.#child.kill()
  }
}

if (process.argv[2] === 'generate' && process.send) {
  process.on('message', ({ id, load }) => {
    generate(load).then(
      (result) => process.send({ id, result }),
      (error) => process.send({ id, failure: error.message }),
    )
  })
  process.on('disconnect', () => process.exit())
}

/** @returns {Promise<Loaded>} */
async function generate(load) {
  const expect = load.expect ?? [200]
  const state = {
    load,
    expect,
    number: load.first ?? 0,
    request: undefined,
    latencies: [],
    sample: '',
    failure: undefined,
  }
  const lines = await Promise.all(Array.from({ length: load.connections }, () => openLine(load.port)))
  const before = process.cpuUsage()
  const start = performance.now()
  const work = load.perSecond ? paced(state, lines) : closed(state, lines, start)
  await work
  const seconds = (performance.now() - start) / 1000
  const used = process.cpuUsage(before)
  for (const line of lines) line.socket.destroy()
  if (state.failure) throw new Error(state.failure)
  const { latencies, number, sample } = state
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    latencies,
    last: number,
    sample,
    cpu: (used.user + used.system) / 1e6 / seconds,
  }
}

/** Without a promise per request: the generator must cost much less than the server, or it would limit the result. */
function closed(state, lines, start) {
  const end = start + state.load.ms
  return Promise.all(
    lines.map(
      (line) =>
        new Promise((resolve) => {
          let due = performance.now()
          const answered = (status, text) => {
            judge(state, status, text, due)
            due = performance.now()
            if (due < end && !state.failure) line.ask(nextRequest(state), answered)
            else resolve()
          }
          line.ask(nextRequest(state), answered)
        }),
    ),
  )
}

/**
 * Each request is due at its own moment, whatever became of those before it: while no connection is free it waits, and
 * its latency grows.
 */
async function paced(state, lines) {
  const { perSecond, ms } = state.load
  const free = [...lines]
  const due = []
  let pending = 0
  let drained = () => undefined
  const dispatch = () => {
    while (free.length > 0 && due.length > 0) {
      const line = free.pop()
      const moment = due.shift()
      pending++
      line.ask(nextRequest(state), (status, text) => {
        judge(state, status, text, moment)
        free.push(line)
        pending--
        dispatch()
        if (pending === 0) drained()
      })
    }
  }
  await everyTick({ perSecond, total: Math.round((ms / 1000) * perSecond) }, (moment) => {
    if (state.failure) return
    due.push(moment)
    dispatch()
  })
  if (pending > 0)
    await new Promise((resolve) => {
      drained = resolve
    })
}

function judge(state, status, text, due) {
  state.latencies.push(performance.now() - due)
  state.sample ||= text
  if (!state.expect.includes(status)) {
    state.failure ??= `${state.load.method} ${state.load.path} answered ${status}: ${text.slice(0, 200)}`
  }
}

function nextRequest(state) {
  const { method, path, key, body, isKeyed = false } = state.load
  if (state.request) return state.request
  const number = String(state.number++).padStart(7, '0')
  const numbered = body.replace('%d', number)
  const request = requestFor(method, path, key, numbered, isKeyed ? `idempotency-key: bench-${number}\r\n` : '')
  if (numbered === body) state.request = request
  return request
}

/** @param headers more of them, each with its line end */
export function requestFor(method, path, key, body, headers = '') {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${headers}`
  return Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

/** One keep-alive connection that asks one thing at a time. */
export async function openLine(port) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let waiting
  let received = ''
  /** length and status line of the last answer: an equal one is not parsed again */
  let known = { length: -1, status: 0, text: '' }
  const settle = (status, text) => {
    const answered = waiting
    waiting = undefined
    answered?.(status, text)
  }
  socket.on('data', (chunk) => {
    if (received === '' && chunk.length === known.length && chunk[9] === known.first && chunk[11] === known.third) {
      settle(known.status, known.text)
      return
    }
    received += chunk.toString('latin1')
    const answer = readAnswer(received)
    if (answer === undefined) return
    known = { length: received.length, first: received.charCodeAt(9), third: received.charCodeAt(11), ...answer }
    received = ''
    settle(answer.status, answer.text)
  })
  const broken = () => settle(0, 'the connection broke')
  socket.on('error', broken).on('close', broken)
  const ask = (request, answered) => {
    waiting = answered
    socket.write(request)
  }
  return { socket, ask }
}

function readAnswer(received) {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = received.slice(0, end).toLowerCase()
  const at = head.indexOf('content-length: ')
  if (head.startsWith('http/1.1 204')) return { status: 204, text: '' } // which never has a body
  if (at < 0) return { status: 0, text: 'the answer has no content-length' }
  const length = Number.parseInt(head.slice(at + 16), 10)
  if (received.length < end + 4 + length) return undefined
  return { status: Number(received.slice(9, 12)), text: received.slice(end + 4) }
}
