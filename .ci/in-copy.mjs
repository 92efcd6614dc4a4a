// Runs a command in a copy of this folder, with what was built and the same packages: what changes them can then run
// beside what reads them. Nothing is left of the copy.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const LEFT_OUT = ['node_modules', '.git', 'coverage']
const WITH_PACKAGES = ['.', 'console']

const copy = mkdtempSync(join(tmpdir(), 'zerohop-copy-'))
process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

cpSync('.', copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) })
for (const folder of WITH_PACKAGES) {
  const packages = join(process.cwd(), folder, 'node_modules')
  if (existsSync(packages)) symlinkSync(packages, join(copy, folder, 'node_modules'))
}
const [command, ...args] = process.argv.slice(2)
const { status } = spawnSync(command, args, { cwd: copy, stdio: 'inherit' })
process.exitCode = status ?? 1
