// Start and end of a command: one-line errors, listening, and graceful shutdown on signals.
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { writeFileSync, writeSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import type { Logger } from 'pino'
import { isPlain } from '../../http/authzen/public-url.ts'
import { listenBeside } from '../../http/early-server.ts'
import { BodyBudget } from '../../http/intake/body-budget.ts'
import type { IntakeOptions } from '../../http/intake/intake.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { SHUTDOWN_MS } from '../../model/limits.ts'
import { VERSION } from '../../model/version.ts'
import { type Env, opaPortOf } from '../configuration/env.ts'

/** A server of either factory. */
export interface Listener {
  listen(options: { host: string; port: number }): Promise<string>
  close(): PromiseLike<unknown>
  /** makes clients reconnect elsewhere; servers without it just close */
  drain?(): Promise<void>
  /** where it listens */
  addresses(): readonly (AddressInfo | string)[]
  readonly server: Server & { closeAllConnections(): void }
}

/** Prints a one-line error and ends the process. */
export function fail(error: unknown, exitCode = 1): never {
  process.stderr.write(`zerohop: ${lineOf(error)}\n`)
  process.exit(exitCode)
}

/** An error as one line, without stack and internal details. */
export function lineOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (isZerohopError(error, 'INTERNAL') && error.cause instanceof Error)
    return `${message}: ${firstLine(error.cause.message)}`
  return firstLine(message)
}

/** Writes a file that only its owner may read. @throws CONFIG_INVALID when it cannot be written */
export function writeOut(path: string, data: string | Uint8Array): void {
  try {
    writeFileSync(path, data, { mode: 0o600 })
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? lineOf(error)
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${path}\` cannot be written: ${reason}` }, { cause: error })
  }
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? ''
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
  const port = opaPortOf(env)
  if (port === undefined) return []
  const opa = app.opa()
  try {
    const bound = await listen(opa, env.pdpHost, port)
    closers.addApp(opa)
    log.info({ port: bound }, 'the OPA-shaped API is open')
    return [opa]
  } catch (error) {
    await opa.close()
    if (env.opaPort !== undefined || !isZerohopError(error, 'PORT_BUSY')) throw error
    log.warn({ port }, 'the port of the OPA-shaped API is in use: this process does not serve it')
    return []
  }
}

/** Closes everything that was opened, in reverse order. */
export class Closers {
  readonly #closers: (() => PromiseLike<unknown>)[] = []

  add(close: () => PromiseLike<unknown>): void {
    this.#closers.unshift(close)
  }

  addApp(app: Listener): void {
    this.add(async () => {
      // Connections that are still open after half the time are destroyed, so that the store can close in the other
      // half.
      const timer = setTimeout(() => app.server.closeAllConnections(), SHUTDOWN_MS / 2)
      await app.drain?.()
      await app.close()
      clearTimeout(timer)
    })
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close()
  }
}

/**
 * On SIGTERM or SIGINT: drains and exits with 0; after SHUTDOWN_MS, or at a second signal, the process kills itself. It
 * is killed because a normal exit waits for threads, one of which may hang. No acknowledged write is lost.
 */
export function closeOnSignals(closers: Closers, withinMs = SHUTDOWN_MS - 500): void {
  const stop = stopper(closers, withinMs)
  const onSignal = (): void => {
    if (!stop()) kill('ended by a second signal')
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** Ends the process with that exit code; false when that has begun already. */
export function stopper(closers: Closers, withinMs = SHUTDOWN_MS - 500, exitCode = 0): () => boolean {
  let closing = false
  return () => {
    if (closing) return false
    closing = true
    setTimeout(() => kill('what was running did not end in time'), withinMs).unref()
    closers.close().then(
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
    intake: intakeOf(env),
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
export function intakeOf({ bodyMemoryBytes, maxConnections }: Env): IntakeOptions {
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
export function urlOf(host: string, port: number, secure = false): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `${secure ? 'https' : 'http'}://${name}:${port}`
}
