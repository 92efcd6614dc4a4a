// npm run lint:package: packs the tarball and checks the installed package: files and fields of package.json (publint),
// and that TypeScript resolves the types of every package entry (attw). The package is ESM only; kernel.wasm has no
// types.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'zerohop-package-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

run('npm', ['pack', '--silent', '--pack-destination', folder])
const tarball = join(folder, readdirSync(folder)[0])
run('npx', ['--no-install', 'publint', 'run', '--strict', tarball])
run('npx', ['--no-install', 'attw', tarball, '--profile', 'esm-only', '--exclude-entrypoints', 'kernel.wasm'])

/** Ends this process with the exit code of a command that fails. */
function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
