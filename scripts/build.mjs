// npm run build: the kernel, dist, the console. With the name of a step only that one. A step is skipped when its
// inputs, outputs and tools are byte for byte those of its last run: modification times do not matter, and changed
// outputs are rebuilt.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The installed packages, with versions and checksums. */
const INSTALLED = 'node_modules/.package-lock.json'
/** All of them: what a step imports need not be listed. */
const SCRIPTS = 'scripts'
/** Lies in `dist`, and is built by a step of its own. */
const CONSOLE = 'dist/console'
/** For those who write pages; the build does not read it. */
const CONSOLE_README = 'console/README.md'
const STEPS = {
  kernel: {
    inputs: ['assembly', 'asconfig.json'],
    outputs: ['build/debug.wasm', 'build/kernel.ts', 'build/release.wasm'],
    command: ['scripts/build-kernel.mjs'],
  },
  dist: {
    inputs: [
      'src',
      'assembly/abi.ts',
      'assembly/limits.ts',
      'build/kernel.ts',
      'package.json',
      'tsconfig.json',
      'tsconfig.build.json',
    ],
    outputs: ['dist', 'build/management-api.ts', 'policy.schema.json', 'policy-test.schema.json', 'sync.schema.json'],
    command: ['scripts/build-dist.mjs'],
  },
  console: {
    inputs: ['console', 'docs/console.md', 'src/client.ts', 'src/client', 'src/model'],
    outputs: [CONSOLE],
    command: ['scripts/build-console.mjs'],
  },
}
const STAMP = '.stamp'

process.chdir(join(import.meta.dirname, '..'))
const only = process.argv[2]
for (const [name, step] of Object.entries(STEPS)) if (only === undefined || only === name) run(name, step)

function run(name, { inputs, outputs, command }) {
  const stamp = join('build', name + STAMP)
  const others = outputs.includes(CONSOLE) ? [] : [CONSOLE]
  const before = digest([...inputs, SCRIPTS, INSTALLED], [CONSOLE_README])
  const isBuilt = existsSync(INSTALLED) && existsSync(stamp)
  if (isBuilt && readFileSync(stamp, 'utf8') === `${before} ${digest(outputs, others)}\n`) return
  rmSync(stamp, { force: true })
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, `${before} ${digest(outputs, others)}\n`)
}

/**
 * SHA-256 over the version of Node and the names and contents of all files below the paths; a path that is missing
 * counts as empty, and what is below `without` is left out.
 */
function digest(paths, without = []) {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}\n`)
  for (const path of paths.flatMap((each) => listFiles(each, without))) {
    const content = readFileSync(path)
    hash.update(`${path} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

function listFiles(path, without) {
  if (!existsSync(path) || without.includes(path) || path.endsWith('node_modules')) return []
  if (!statSync(path).isDirectory()) return path.endsWith(STAMP) ? [] : [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => listFiles(`${path}/${name}`, without))
}
