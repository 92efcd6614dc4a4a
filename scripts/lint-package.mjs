// npm run lint:package [-- TARBALL]: packs the package, or takes a tarball that is there, and checks files and fields of
// package.json (publint), and that TypeScript resolves the types of every package entry (attw): of the light doors in
// every way of resolving modules, of the others as ES modules, which they are alone. kernel.wasm has no types.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
const doors = Object.keys(exports).filter((door) => !/\.\w+$/.test(door))
const withRequire = doors.filter((door) => exports[door].require !== undefined)
const esmOnly = doors.filter((door) => exports[door].require === undefined)

const tarball = process.argv[2] ?? pack()
run('npx', ['--no-install', 'publint', 'run', '--strict', tarball])
const attw = (...args) => run('npx', ['--no-install', 'attw', tarball, ...args])
attw('--profile', 'strict', '--entrypoints', ...withRequire)
attw('--profile', 'esm-only', '--entrypoints', ...esmOnly)

/** The path of a tarball in a temporary folder. */
function pack() {
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-package-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  run('npm', ['pack', '--silent', '--pack-destination', folder])
  return join(folder, readdirSync(folder)[0])
}

/** Ends this process with the exit code of a command that fails. */
function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
