// LMDB where it cannot be loaded, as after `node_modules` came from another kind of machine: a command that opens a data
// folder names the reason and the way out in one line; what opens none goes on. Needs the build.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'

const ROOT = process.cwd()

it('without LMDB commands that need a data folder print one line, and others start', () => {
  const folder = temporaryFolder('without-lmdb')
  const modules = join(folder, 'node_modules')
  const broken = join(modules, 'lmdb')
  mkdirSync(broken, { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== 'lmdb') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  writeFileSync(join(broken, 'index.js'), 'throw new Error("No native build was found for platform=x")')
  writeFileSync(join(folder, 'package.json'), '{"name":"zerohop","type":"module"}')
  cpSync(join(ROOT, 'dist/bundle'), join(folder, 'dist/bundle'), { recursive: true })
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'dist/bundle/zerohop.js'), ...args], {
      encoding: 'utf8',
      cwd: folder,
    })
    return { status, stdout, stderr }
  }
  expect(run('serve', '--data', join(folder, 'data'))).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^zerohop: the package `lmdb`, [^\n]* No native build was found for platform=x\. Install it [^\n]*\n$/,
    ),
  })
  expect(run('init', 'policy').status).toBe(0)
  expect(run('validate', 'policy/policy.yaml')).toMatchObject({ status: 0, stderr: '' })
})
