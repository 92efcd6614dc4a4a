// Starts the built command as its own process on free ports and a temporary folder, as an operator would, and ends it.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SHORT_LIVED } from './short-lived.ts'

const COMMAND = fileURLToPath(new URL('../../dist/bundle/zerohop.js', import.meta.url))
/** The same, file by file: for a test that changes one of them. */
export const UNBUNDLED = fileURLToPath(new URL('../../dist/src/cli/zerohop.js', import.meta.url))
const PATIENCE_MS = 60_000
/** A test has no load balancer that must hear of the end. */
export const AT_ONCE = { ZEROHOP_DRAIN_SECONDS: '0' }

export interface Keys {
  readonly organization: string
  readonly environments: { readonly development: string; readonly production: string }
}

/** Ends with a signal, and says with which exit code. */
export interface Running {
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** A running command. Its output is kept, so that a test that fails can show it. */
export class Server implements Running {
  readonly #child: ChildProcess
  #output = ''

  constructor(command: string, env: Record<string, string>, args: readonly string[] = [], program = COMMAND) {
    const { PATH = '', HOME = '' } = process.env
    this.#child = spawn(process.execPath, [...SHORT_LIVED, program, command, ...args], {
      env: { PATH, HOME, ...AT_ONCE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString()
      })
    }
    running.add(this)
  }

  get output(): string {
    return this.#output
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** The id of the process. */
  get pid(): number {
    return this.#child.pid ?? 0
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Waits until `probe` answers with something true. */
  async until<T>(probe: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + PATIENCE_MS
    let trouble: unknown
    while (Date.now() < deadline) {
      if (this.ended) throw new Error(`the command ended:\n${this.#output}`)
      try {
        const answer = await probe()
        if (answer) return answer
      } catch (error) {
        trouble = error
      }
      await pause(20)
    }
    throw new Error(`the command did not get there in ${PATIENCE_MS} ms: ${trouble}\n${this.#output}`)
  }

  /** Ends the process; returns its exit code, null when the signal ended it. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    running.delete(this)
    if (!this.ended) {
      const ended = once(this.#child, 'exit')
      this.#child.kill(signal)
      await ended
    }
    return this.#child.exitCode
  }
}

/** What `endServers` ends. */
export const running = new Set<Running>()
process.once('exit', () => {
  for (const server of running) if (server instanceof Server) void server.end('SIGKILL')
})

/** A killed process does not write what it ran: `npm run coverage` ends servers in order. */
const END: NodeJS.Signals = process.env.NODE_V8_COVERAGE === undefined ? 'SIGKILL' : 'SIGTERM'

/** Ends every server that a test left running. */
export async function endServers(): Promise<void> {
  // those that serve here take turns with `process.exit`
  for (const server of running) if (!(server instanceof Server)) await server.end()
  await Promise.all([...running].map((server) => server.end(END)))
}

/**
 * Below the ports that a system gives to outgoing connections: one of those may be taken before a server is there. A run
 * beside another one has other ports (.ci/run).
 */
const PORTS_FIRST = Number(process.env.ZEROHOP_TEST_PORTS ?? 20_000)
const PORTS_OF_WORKER = 1_000
const portsBefore = PORTS_FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % 10) * PORTS_OF_WORKER
let portsTaken = randomInt(PORTS_OF_WORKER)

/** A port of this worker's own that nobody listens on, another one with each call. */
export async function freePort(): Promise<number> {
  const port = portsBefore + (portsTaken++ % PORTS_OF_WORKER)
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}

export const url = (port: number): string => `http://127.0.0.1:${port}`

export function readKeys(data: string): Keys {
  return JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8')) as Keys
}

/** Whether an address answers that it is well. */
export const answersOk = (address: string, key?: string) => async () => {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  const response = await fetch(address, { headers })
  await response.arrayBuffer()
  return response.ok
}

export interface Ports {
  readonly api: number
  readonly pdp: number
}

/** Management API and PDP in one process; ready when it returns. */
export async function startServe(
  data: string,
  ports: Ports,
  args: readonly string[] = ['--no-example'],
): Promise<Server> {
  const env = { ZEROHOP_DATA: data, ZEROHOP_API_PORT: String(ports.api), PDP_PORT: String(ports.pdp) }
  const server = new Server('serve', env, args)
  const keys = await server.until(async () => readKeys(data))
  await server.until(answersOk(`${url(ports.api)}/v2/api-key/scope`, keys.organization))
  await server.until(answersOk(`${url(ports.pdp)}/ready`))
  return server
}

/** The management API alone. */
export async function startApi(data: string, port: number): Promise<Server> {
  const server = new Server('api', { ZEROHOP_DATA: data, ZEROHOP_API_PORT: String(port) }, ['--no-example'])
  const keys = await server.until(async () => readKeys(data))
  await server.until(answersOk(`${url(port)}/v2/api-key/scope`, keys.organization))
  return server
}

/** A PDP alone, following the management API at `apiPort`. */
export async function startPdp(data: string, port: number, key: string, apiPort: number): Promise<Server> {
  const env = { ZEROHOP_DATA: data, PDP_PORT: String(port), PDP_API_KEY: key, PDP_CONTROL_PLANE: url(apiPort) }
  const server = new Server('pdp', env)
  await server.until(answersOk(`${url(port)}/ready`))
  return server
}
