// Installs the packages of the lock file as `npm ci` does, with half the processor time. The lock file names no address,
// so that it holds for every registry; npm then reads the list of all versions of each package, only to find where its
// file is. Here the usual addresses are written beside the lock file meanwhile. What is installed has the checksums of
// the lock file, as ever. Where a registry has other addresses, or anything else fails, `npm ci` runs as it is.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'

/** npm prefers it to package-lock.json. */
const WITH_ADDRESSES = 'npm-shrinkwrap.json'
const FOLDER = 'node_modules/'

writeFileSync(WITH_ADDRESSES, withAddresses(readFileSync('package-lock.json', 'utf8')))
let ended = 1
try {
  ended = install()
} finally {
  rmSync(WITH_ADDRESSES, { force: true })
}
process.exitCode = ended === 0 ? 0 : install()

function install() {
  return spawnSync('npm', ['ci'], { stdio: 'inherit' }).status ?? 1
}

/** The text of a lock file in which each package of the registry has its address. */
function withAddresses(text) {
  const lock = JSON.parse(text)
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().replace(/\/$/, '')
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (entry.integrity === undefined || entry.resolved !== undefined) continue
    const name = entry.name ?? place.slice(place.lastIndexOf(FOLDER) + FOLDER.length)
    entry.resolved = `${registry}/${name}/-/${name.slice(name.indexOf('/') + 1)}-${entry.version}.tgz`
  }
  return JSON.stringify(lock)
}
