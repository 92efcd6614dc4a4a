// Runs `zerohop serve`, `api` and `pdp` in this process, with all that their commands put together: a process of their
// own costs most of a second of processor time to load what is loaded here already. They end as a signal would end them.
// For tests of what they answer; that they are processes is asked in test/cli/commands.test.ts.
import { pino } from 'pino'
import { vi } from 'vitest'
import { runApi } from '../../src/cli/commands/api.ts'
import { type PdpCommandOptions, runPdp } from '../../src/cli/commands/pdp.ts'
import { runServe } from '../../src/cli/commands/serve.ts'
import { readEnv } from '../../src/cli/configuration/env.ts'
import type { ExampleName } from '../../src/management/host/example-policies.ts'
import { eventually } from './eventually.ts'
import { printedBy } from './printed.ts'
import { AT_ONCE, answersOk, type Ports, type Running, running, url } from './server.ts'

/** What a command that serves listens to until it ends. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** A command that serves here. Its output is kept. */
export class ServerHere implements Running {
  #output = ''
  #stop: (() => void) | undefined

  readonly log = pino({ level: 'info' }, { write: (text: string) => this.#keep(text) })

  get output(): string {
    return this.#output
  }

  #keep(text: string): void {
    this.#output += text
  }

  /** Starts it: `command` resolves when it listens. */
  async start(command: () => Promise<void>): Promise<void> {
    const before = SIGNALS.map((signal) => process.listeners(signal))
    this.#keep(await printedBy(command))
    running.add(this)
    for (const [at, signal] of SIGNALS.entries())
      for (const listener of process.listeners(signal).filter((each) => !before[at]!.includes(each))) {
        process.removeListener(signal, listener)
        if (signal === 'SIGTERM') this.#stop = listener as () => void
      }
  }

  /** Ends it as SIGTERM does; returns the exit code. */
  async end(): Promise<number> {
    running.delete(this)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const exit = vi.spyOn(process, 'exit')
    try {
      const ended = new Promise<number>((resolve) => {
        exit.mockImplementation((code) => resolve(Number(code ?? 0)) as never)
      })
      this.#stop?.()
      // a command that does not end in time kills its process
      clearTimeout(timers.mock.results[0]?.value as NodeJS.Timeout)
      timers.mockRestore()
      return await ended
    } finally {
      timers.mockRestore()
      exit.mockRestore()
    }
  }
}

/** Management API and PDP on one data folder, with the example policy or without; ready when it returns. */
export async function serveHere(
  data: string,
  ports: Ports,
  example: boolean | ExampleName = false,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServerHere> {
  const server = new ServerHere()
  const env = readEnv({
    ...AT_ONCE,
    ZEROHOP_DATA: data,
    ZEROHOP_API_PORT: `${ports.api}`,
    PDP_PORT: `${ports.pdp}`,
    ...variables,
  })
  await server.start(() => runServe(env, { example, verify: false }, server.log))
  await eventually(answersOk(`${url(ports.pdp)}/ready`), true)
  return server
}

/** The management API alone. */
export async function apiHere(data: string, port: number): Promise<ServerHere> {
  const server = new ServerHere()
  const env = readEnv({ ...AT_ONCE, ZEROHOP_DATA: data, ZEROHOP_API_PORT: `${port}` })
  await server.start(() => runApi(env, { example: false, verify: false }, server.log))
  return server
}

/** A PDP alone, with these variables, PDP_PORT among them. */
export async function pdpHere(
  variables: Readonly<Record<string, string>>,
  options: PdpCommandOptions = {},
): Promise<ServerHere> {
  const server = new ServerHere()
  const env = readEnv({ ...AT_ONCE, ...variables })
  await server.start(() => runPdp(env, options, server.log))
  await eventually(answersOk(`${url(env.pdpPort)}/ready`), true)
  return server
}
