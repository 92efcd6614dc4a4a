// The packed package, the bundlers and the runtimes in one folder, with the programs that they run. What npm cannot
// bring (a platform without Bun, a registry without Deno) is said and left out.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PROGRAMS = 'test/consumers/runtimes'
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/** @returns the names of the packages that are missing */
export function install(folder, runners) {
  cpSync(PROGRAMS, folder, { recursive: true, filter: (path) => !path.endsWith('node_modules') })
  npm(['ci', ...QUIET], folder)
  const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], '.'))
  npm(['install', '--no-save', ...QUIET, `./${packed.filename}`], folder)
  for (const { application } of runners) if (application !== undefined) copyExample(folder, application)
  return new Set(runners.map((each) => each.package).filter((name) => findVersion(folder, name) === undefined))
}

/** The version of an installed package; undefined when it is missing, or when its program does not start. */
export function findVersion(folder, name) {
  if (name === 'node') return process.versions.node
  const file = join(folder, 'node_modules', name, 'package.json')
  if (!existsSync(file)) return undefined
  if (['bun', 'deno'].includes(name)) {
    const { status } = spawnSync(join(folder, 'node_modules/.bin', name), ['--version'], { stdio: 'ignore' })
    if (status !== 0) return undefined
  }
  return JSON.parse(readFileSync(file, 'utf8')).version
}

function copyExample(folder, application) {
  const to = join(folder, application)
  cpSync('examples/next/app', join(to, 'app'), { recursive: true })
  mkdirSync(join(to, 'app/follow'), { recursive: true })
  cpSync(join(PROGRAMS, 'follow.mjs'), join(to, 'follow.mjs'))
  cpSync(join(PROGRAMS, 'next-route.js'), join(to, 'app/follow/route.js'))
}

function npm(args, cwd) {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args[0]}: exit code ${status}\n${stderr}`)
  return stdout
}
