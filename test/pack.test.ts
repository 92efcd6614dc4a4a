// What a user gets: packs the package, puts it beside its production dependencies in an empty folder, and opens each door there in
// a process of its own. Needs the build (`npm test` makes it).
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from './support/folders.ts'
import { ROOT } from './tidy/source.ts'

interface Manifest {
  exports: Record<string, string | { types: string; default: string }>
  bin: { zerohop: string }
  dependencies: Record<string, string>
  version: string
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
const folder = temporaryFolder('pack')
const dependencies: string[] = []
const installed = join(folder, 'node_modules', 'zerohop')

/** Runs a program, and fails with what it printed when it fails. */
function run(program: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' })
  if (done.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: exit code ${done.status}\n${done.stdout}${done.stderr}`)
  return done.stdout
}

/** Runs a module in the folder of the user and returns what it prints as JSON. */
function inFolder<T>(source: string): T {
  writeFileSync(join(folder, 'program.mjs'), source)
  return JSON.parse(run(process.execPath, ['program.mjs'], folder)) as T
}

beforeAll(() => {
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT),
  ) as { filename: string }[]
  run('tar', ['-xzf', join(folder, packed?.filename ?? '')], folder)
  mkdirSync(join(folder, 'node_modules'))
  renameSync(join(folder, 'package'), installed)
  // what `npm install` would put beside it: the production dependencies and what they need, not ours for development
  const tree = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  for (const [path, { dev }] of Object.entries(tree.packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1]
    if (name === undefined || dev || !existsSync(join(ROOT, path))) continue
    dependencies.push(name)
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true })
    symlinkSync(join(ROOT, path), join(folder, 'node_modules', name), 'junction')
  }
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }')
}, 60_000)

describe('the package', () => {
  it('holds the build, the kernel and the papers, and nothing else', () => {
    expect(readdirSync(installed).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'build',
      'dist',
      'docs',
      'package.json',
    ])
    expect(readdirSync(join(installed, 'docs'))).toEqual(['migration.md'])
    expect(readdirSync(join(installed, 'build'))).toEqual(['release.wasm'])
  })

  it.each(Object.keys(manifest.exports).filter((door) => !/\.\w+$/.test(door)))('opens the door %s', (door) => {
    const target = manifest.exports[door]
    const types = typeof target === 'string' ? '' : (target?.types ?? '')
    expect(readFileSync(join(installed, types), 'utf8')).toContain('export')
    const names = inFolder<string[]>(
      `console.log(JSON.stringify(Object.keys(await import('${join('zerohop', door)}'))))`,
    )
    expect(names.length).toBeGreaterThan(0)
  })

  it('gives what the doors promise', () => {
    const names = inFolder<string[][]>(`
      const doors = [await import('zerohop'), await import('zerohop/embedded')]
      console.log(JSON.stringify(doors.map(Object.keys)))`)
    expect(names[0]).toEqual(expect.arrayContaining(['connect', 'loadImage', 'ZerohopError']))
    expect(names[1]).toEqual(expect.arrayContaining(['open']))
  })

  it('has a kernel that compiles outside', () => {
    const exports = inFolder<string[]>(`
      import { readFileSync } from 'node:fs'
      import { createRequire } from 'node:module'
      const file = createRequire(import.meta.url).resolve('zerohop/kernel.wasm')
      console.log(JSON.stringify(WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(file))).map(({ name }) => name)))`)
    expect(exports.length).toBeGreaterThan(0)
  })

  it('opens `zerohop` where neither LMDB nor Fastify nor prom-client is installed, and only that', () => {
    const program = `
      const failures = {}
      for (const door of ['zerohop', 'zerohop/embedded', 'zerohop/server']) {
        await import(door).catch((error) => { failures[door] = error.message })
      }
      console.log(JSON.stringify(failures))`
    const failures = without(/^(@?lmdb|@?fastify|prom-client)(\/|$)/, () => inFolder<Record<string, string>>(program))
    expect(Object.keys(failures)).toEqual(['zerohop/embedded', 'zerohop/server'])
    expect(failures['zerohop/embedded']).toContain("'lmdb'")
    expect(failures['zerohop/server']).toMatch(/'(@fastify\/rate-limit|fastify|lmdb|prom-client)'/)
  })

  it('has a command that says its version', () => {
    expect(run(process.execPath, [join(installed, manifest.bin.zerohop), '--version'], folder).trim()).toBe(
      manifest.version,
    )
    expect(readFileSync(join(installed, manifest.bin.zerohop), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })
})

/** Does `work` while the packages of that name are not installed beside the user's program. */
function without<T>(name: RegExp, work: () => T): T {
  const links = dependencies.filter((each) => name.test(each)).map((each) => join(folder, 'node_modules', each))
  expect(links.length).toBeGreaterThan(1)
  for (const link of links) renameSync(link, `${link}.away`)
  try {
    return work()
  } finally {
    for (const link of links) renameSync(`${link}.away`, link)
  }
}
