// Stops of servers under load: two servers behind a load balancer that hears of `/ready` late, as those of a cluster do,
// and clients that keep their connections. One server after the other is ended by SIGTERM and started again; a request
// that fails is a fault.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from './eventually.ts'
import { Server, url } from './server.ts'

/** One request of the load, to the port under `port`. */
export interface Asked {
  readonly port: number
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body?: unknown
}

/** A server that is ended and started again. */
export interface Stopped {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** where `/ready` tells of it */
  readonly ready: number
  readonly asked: readonly Asked[]
}

interface Backend {
  readonly stopped: Stopped
  readonly agent: Agent
  server: Server
  /** requests are sent there */
  isIn: boolean
}

export interface StopOptions {
  readonly stops: number
  /** seconds that a server goes on after SIGTERM */
  readonly drainSeconds: number
  /** how long after the first look that says 503 requests are still sent there */
  readonly reactMs: number
}

const LOOK_MS = 100
const CLIENTS = 8
const CLIENT_PAUSE_MS = 3

/** What became of the requests. */
export interface Stops {
  readonly answered: number
  readonly failures: readonly string[]
  readonly codes: readonly (number | null)[]
  /** answers of a server that had said 503 at `/ready` */
  readonly whileEnding: number
}

/** Runs the stops. */
export async function runStops(pair: readonly Stopped[], options: StopOptions): Promise<Stops> {
  const { stops, drainSeconds, reactMs } = options
  const found = { answered: 0, whileEnding: 0, failures: [] as string[], codes: [] as (number | null)[] }
  const begin = ({ command, env, args }: Stopped): Server =>
    new Server(command, { ...env, ZEROHOP_DRAIN_SECONDS: String(drainSeconds) }, args)
  const backends = pair.map((stopped): Backend => {
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
    return { stopped, agent, server: begin(stopped), isIn: false }
  })
  const end = new AbortController()
  const ending = new Set<Backend>()
  const looks = backends.map((backend) => look(backend, ending, reactMs, end.signal))
  const isIn = ({ isIn: isThere }: Backend): boolean => isThere
  await eventually(() => backends.every(isIn), true)
  let turn = 0
  const client = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const there = backends.filter(isIn)
      const backend = there[turn++ % there.length]!
      const { asked } = backend.stopped
      const one = asked[turn % asked.length]!
      const wasEnding = ending.has(backend)
      try {
        const status = await send(one, backend.agent)
        if (status !== 200) found.failures.push(`${one.path}: ${status}`)
        else if (wasEnding) found.whileEnding++
        found.answered++
      } catch (error) {
        found.failures.push(`${one.path}: ${error}`)
      }
      await pause(CLIENT_PAUSE_MS)
    }
  }
  const clients = Array.from({ length: CLIENTS }, client)
  for (let at = 0; at < stops; at++) {
    await eventually(() => backends.every(isIn), true)
    const backend = backends[at % backends.length]!
    found.codes.push(await backend.server.end('SIGTERM'))
    backend.server = begin(backend.stopped)
  }
  end.abort()
  await Promise.all([...clients, ...looks])
  for (const { agent, server } of backends) {
    agent.destroy()
    await server.end('SIGKILL')
  }
  return found
}

/** Looks at `/ready` until the end: a server that is not ready counts as such after some time, a ready one at once. */
async function look(backend: Backend, ending: Set<Backend>, reactMs: number, signal: AbortSignal): Promise<void> {
  let saidAt: number | undefined
  for (; !signal.aborted; await pause(LOOK_MS)) {
    const isReady = await fetch(`${url(backend.stopped.ready)}/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) {
      saidAt = undefined
      ending.delete(backend)
      backend.isIn = true
    } else if (backend.isIn) {
      ending.add(backend)
      saidAt ??= performance.now()
      if (performance.now() - saidAt >= reactMs) backend.isIn = false
    }
  }
}

function send({ port, method, path, key, body }: Asked, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const call = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
    })
    call.once('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
