// Start and end of a command: one-line errors, listening, and graceful shutdown on signals.
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { realpathSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isPlain } from '../../http/authzen/public-url.ts'
import { listenBeside } from '../../http/early-server.ts'
import { BodyBudget } from '../../http/intake/body-budget.ts'
import type { IntakeOptions } from '../../http/intake/intake.ts'
import { contained } from '../../model/contained.ts'
import { toErrorLine } from '../../model/error-line.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { SHUTDOWN_MS } from '../../model/limits.ts'
import { VERSION } from '../../model/version.ts'
import { type Env, resolveOpaPort } from '../configuration/env.ts'

/** A server of either factory. */
export interface Listener {
  listen(options: { host: string; port: number }): Promise<string>
  close(): PromiseLike<unknown>
  /** makes clients reconnect elsewhere */
  drain(): Promise<void>
  readonly closing: { announced: boolean }
  /** where it listens */
  addresses(): readonly (AddressInfo | string)[]
  readonly server: Server & { closeAllConnections(): void }
}

/** Prints a one-line error and ends the process. */
export function fail(error: unknown, exitCode = 1): never {
  process.stderr.write(`zerohop: ${toErrorLine(error)}\n`)
  process.exit(exitCode)
}

/**
 * Writes a file that only its owner may read, or leaves what was there: a file takes the place of another one when it is
 * whole. @throws CONFIG_INVALID when it cannot be written
 */
export function writeOut(path: string, data: string | Uint8Array): void {
  try {
    const there = statSync(path, { throwIfNoEntry: false })
    if (there?.isFile() === false)
      writeFileSync(path, data) // a pipe or a device
    else replaceFile(there === undefined ? path : realpathSync(path), data, there?.mode ?? 0o600)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? toErrorLine(error)
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${path}\` cannot be written: ${reason}` }, { cause: error })
  }
}

function replaceFile(path: string, data: string | Uint8Array, mode: number): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, data, { mode })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/**
 * Listens and returns the port.
 * @throws PORT_BUSY, CONFIG_INVALID when the address is not available
 */
export async function listen(app: Listener, host: string, port: number): Promise<number> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new ZerohopError('PORT_BUSY', { port, host })
    if (code !== undefined)
      throw new ZerohopError('CONFIG_INVALID', { reason: `cannot listen on ${host}:${port}: ${code}` })
    throw error
  }
  const bound = (app.server.address() as AddressInfo).port
  if (host === 'localhost') await listenOnAll(app, host, bound)
  return bound
}

/** Listens on the addresses of the name that the app does not listen on yet. */
async function listenOnAll(app: Listener, host: string, port: number): Promise<void> {
  const listening = new Set(app.addresses().map((bound) => (typeof bound === 'string' ? bound : bound.address)))
  for (const { address } of await lookup(host, { all: true }))
    if (!listening.has(address)) await listenBeside(app.server, address, port)
}

/**
 * Opens the OPA-shaped API of a PDP on the port that clients expect. When the default port is busy it is left out, with
 * a warning. Returns the servers that it opened. @throws PORT_BUSY when the port was configured
 */
export async function listenOpa(
  app: { opa(): Listener },
  env: Env,
  log: Logger,
  closers: Closers,
): Promise<readonly Listener[]> {
  const port = resolveOpaPort(env)
  if (port === undefined) return []
  const opa = app.opa()
  try {
    const bound = await listen(opa, env.pdpHost, port)
    closers.addApp(opa)
    log.info({ port: bound }, 'the OPA-style API is listening')
    return [opa]
  } catch (error) {
    await opa.close()
    if (env.opaPort !== undefined || !isZerohopError(error, 'PORT_BUSY')) throw error
    log.warn({ port }, 'the port of the OPA-style API is in use: this process does not serve that API')
    return []
  }
}

/** Closes everything that was opened, in reverse order. */
export class Closers {
  readonly #closers: (() => PromiseLike<unknown>)[] = []
  readonly #apps: Listener[] = []

  add(close: () => PromiseLike<unknown>): void {
    this.#closers.unshift(close)
  }

  addApp(app: Listener): void {
    this.#apps.push(app)
    this.add(() => app.close())
  }

  /** Tells load balancers that the servers end, and goes on for so long: they need a time to hear of it. */
  async announce(ms: number): Promise<void> {
    for (const { closing } of this.#apps) closing.announced = true
    if (this.#apps.length > 0) await pause(ms)
  }

  /**
   * Finishes what is asked, and closes the others too when one fails.
   * @param withinMs connections that are still open after half of it are destroyed: the store closes in the other half
   * @throws the first error
   */
  async close(withinMs = SHUTDOWN_MS): Promise<void> {
    const apps = this.#apps.splice(0)
    const timers = apps.map(({ server }) => setTimeout(() => server.closeAllConnections(), withinMs / 2))
    await Promise.all(apps.map((app) => app.drain()))
    const errors: unknown[] = []
    for (const close of this.#closers.splice(0)) {
      try {
        await close()
      } catch (error) {
        errors.push(error)
      }
    }
    for (const timer of timers) clearTimeout(timer)
    if (errors.length > 0) throw errors[0]
  }
}

/**
 * On SIGTERM: says at `/ready` that it ends, goes on for `drainMs`, finishes what is asked and exits with 0. On SIGINT,
 * from a person at a terminal, without the wait. After the time of `shutdownMs`, or at a second signal, the process
 * kills itself: a normal exit waits for threads, and one of them may hang. No acknowledged write is lost.
 */
export function closeOnSignals(closers: Closers, drainMs: number, withinMs?: number): void {
  const stop = stopper(closers, withinMs)
  const on = (signal: NodeJS.Signals, ms: number): void => {
    const ends = (): void => {
      if (!stop(ms)) kill('ended by a second signal')
    }
    process.on(signal, contained('a signal', ends))
  }
  on('SIGTERM', drainMs)
  on('SIGINT', 0)
}

/** Milliseconds in which a process ends that goes on for the first `drainMs` of them. */
export const shutdownMs = (drainMs: number): number => Math.max(SHUTDOWN_MS, drainMs + SHUTDOWN_MS / 2) - 500

/** Ends the process with that exit code, after a time in which it goes on; false when that has begun already. */
export function stopper(closers: Closers, withinMs?: number, exitCode = 0): (drainMs: number) => boolean {
  let closing = false
  return (drainMs) => {
    if (closing) return false
    closing = true
    const within = withinMs ?? shutdownMs(drainMs)
    const late = contained('the end of the process', () => kill('what was running did not end in time'))
    setTimeout(late, within).unref()
    const end = async (): Promise<void> => {
      await closers.announce(drainMs)
      await closers.close(within - drainMs)
    }
    end().then(
      () => process.exit(exitCode),
      (error) => fail(error),
    )
    return true
  }
}

function kill(line: string): void {
  writeSync(2, `zerohop: ${line}\n`)
  process.kill(process.pid, 'SIGKILL')
}

/** Options shared by all PDP processes: where facts are forwarded to, and shutdown by request. */
export function pdpOptions(env: Env, controlPlane: string | undefined, sameProcess = false) {
  return {
    debug: env.debug,
    acceptNow: env.acceptNow,
    openMetrics: env.openMetrics,
    intake: makeIntake(env),
    ...(env.metricsToken === undefined ? {} : { metricsToken: env.metricsToken }),
    authzen: env.authzen,
    version: VERSION,
    ...(controlPlane === undefined
      ? {}
      : { forward: { controlPlane, sameProcess, timeoutMs: env.forwardTimeoutMs, wait: env.factsWait } }),
    control: { key: env.controlKey, exit: () => void process.kill(process.pid, 'SIGTERM') },
  }
}

let bodies: BodyBudget | undefined

/** The bounds of every server of this process, which share one body budget. */
export function makeIntake({ bodyMemoryBytes, maxConnections }: Env): IntakeOptions {
  bodies ??= new BodyBudget(bodyMemoryBytes)
  return { bodies, ...(maxConnections === undefined ? {} : { maxConnections }) }
}

/** Warns about an insecure address in AuthZEN discovery. */
export function warnOfPublicUrl({ authzen: { publicUrl } }: Env, log: Logger): void {
  if (publicUrl === undefined || !isPlain(publicUrl)) return
  log.warn({ url: publicUrl }, 'PDP_PUBLIC_URL is not https: keys and decisions are sent unencrypted')
}

/** A fresh id. */
export const newId = (): string => randomBytes(16).toString('hex')

/** The address in the form that a person types. */
export function formatUrl(host: string, port: number, secure = false): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `${secure ? 'https' : 'http'}://${name}:${port}`
}
