// Builds promtool, which tests the alert rules of deploy/prometheus, from the Go module proxy into a cache folder of the
// account. Without Go it ends with 0: the test then skips and says so.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const VERSION = 'v0.316.0'
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')

/** Where it lies once it is built. */
export const PROMTOOL = join(cache, 'zerohop', `promtool-${VERSION}`, 'promtool')

function build() {
  if (existsSync(PROMTOOL)) return `promtool: ${PROMTOOL}`
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0)
    return 'promtool: none, and there is no Go to build it: the test of the alert rules will be skipped'
  mkdirSync(dirname(PROMTOOL), { recursive: true })
  // without the ways to find servers, which are most of its dependencies
  const args = ['install', '-tags', 'remove_all_sd', `github.com/prometheus/prometheus/cmd/promtool@${VERSION}`]
  const env = { ...process.env, GOBIN: dirname(PROMTOOL), GOTOOLCHAIN: 'local' }
  const { status } = spawnSync('go', args, { env, stdio: ['ignore', 'inherit', 'inherit'], timeout: 10 * 60_000 })
  if (status === 0 && existsSync(PROMTOOL)) return `promtool: built ${PROMTOOL}`
  return 'promtool: it could not be built: the test of the alert rules will be skipped'
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(build())
