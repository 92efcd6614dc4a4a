// A real MariaDB server for a test: its own process, data in a temporary folder, TCP on loopback only. The binaries are
// Debian's (.ci/prepare installs them); where there are none the tests are skipped, and say so.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createConnection } from 'mysql2/promise'
import { memoryFolder } from './folders.ts'
import { account } from './postgres-binaries.ts'
import { freePort } from './server.ts'

const SERVER = '/usr/sbin/mariadbd'
const PATIENCE_MS = 60_000
/** What ends the server when this process is gone: then the standard input of the shell ends. */
const WATCHDOG = 'read -r _; kill -KILL "$0"'

export interface MariaDb {
  readonly port: number
  stop(): Promise<void>
}

/**
 * For `describe.skipIf`: true, with the reason printed, without MariaDB. In CI as root on Debian that is an error.
 */
export function withoutMariaDb(): boolean {
  if (existsSync(SERVER) && process.platform === 'linux') return false
  if (process.env.CI === 'true' && process.getuid?.() === 0 && existsSync('/etc/debian_version'))
    throw new Error(`no MariaDB: there is no ${SERVER}`)
  process.stdout.write(`skipped: no MariaDB: there is no ${SERVER}\n`)
  return true
}

/** Starts a server that is ready for connections without a password, with an empty database `test`. */
export async function startMariaDb(): Promise<MariaDb> {
  const parent = memoryFolder('mariadb')
  const { uid, gid } = account()
  if (uid !== undefined) chownSync(parent, uid, gid)
  const data = join(parent, 'data')
  const quiet = ['--no-defaults', `--datadir=${data}`, '--innodb-log-file-size=4M', '--innodb-buffer-pool-size=16M']
  execFileSync('mkdir', [data], { uid, gid })
  const port = await freePort()
  const child = spawn(
    SERVER,
    [
      ...quiet,
      // without the tables of accounts, which a script of another package makes: all on loopback may do all
      '--skip-grant-tables',
      '--skip-networking=0',
      `--port=${port}`,
      `--socket=${join(parent, 'socket')}`,
      '--bind-address=127.0.0.1',
      '--innodb-flush-log-at-trx-commit=0',
      '--character-set-server=utf8mb4',
    ],
    { uid, gid, cwd: parent, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-10_000)
  })
  const watchdog = spawn('sh', ['-c', WATCHDOG, String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  await ready(child, port, () => output)
  return { port, stop: () => stop(child, watchdog) }
}

async function ready(child: ChildProcess, port: number, output: () => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`MariaDB does not start:\n${output()}`)
    try {
      const connection = await createConnection({ host: '127.0.0.1', port, user: 'root' })
      await connection.query('CREATE DATABASE IF NOT EXISTS test CHARACTER SET utf8mb4')
      await connection.end()
      return
    } catch {
      await pause(50)
    }
  }
}

async function stop(child: ChildProcess, watchdog: ChildProcess): Promise<void> {
  for (const each of [child, watchdog]) {
    const ended = once(each, 'exit')
    if (each.exitCode === null && each.kill('SIGKILL')) await ended
  }
}
