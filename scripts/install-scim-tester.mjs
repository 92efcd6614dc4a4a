// Installs scim2-tester, which judges /scim/v2, from PyPI into an environment of its own in a cache folder of the
// account. Without Python, or where PyPI cannot be reached, it ends with 0: the test then skips and says so.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const TESTER = '0.5.2'
const CLIENT = '0.13.2'
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
const folder = join(cache, 'zerohop', `scim-tester-${TESTER}`)

/** The Python that has it, once it is installed. */
export const SCIM_TESTER = join(folder, 'bin', 'python')
const done = join(folder, 'bin', 'installed')

/** Whether it is there, whole. */
export const hasScimTester = () => existsSync(done) && existsSync(SCIM_TESTER)

function install() {
  if (hasScimTester()) return `scim2-tester: ${folder}`
  const skipped = 'the test that needs it will be skipped'
  const run = (program, ...args) =>
    spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 3 * 60_000 }).status === 0
  mkdirSync(dirname(folder), { recursive: true })
  if (!run('python3', '-m', 'venv', '--clear', folder)) return `scim2-tester: none, and no Python with venv: ${skipped}`
  const wanted = [`scim2-tester==${TESTER}`, `scim2-client[httpx2]==${CLIENT}`]
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input']
  if (!run(SCIM_TESTER, '-m', 'pip', 'install', ...quiet, ...wanted))
    return `scim2-tester: PyPI could not be reached: ${skipped}`
  if (!run(SCIM_TESTER, '-c', `open(${JSON.stringify(done)}, 'w').close()`))
    return `scim2-tester: not usable: ${skipped}`
  return `scim2-tester: installed in ${folder}`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(install())
