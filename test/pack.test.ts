// What a user gets: packs the package, installs the tarball with npm in an empty folder, and opens each door there in a
// process of its own. Needs the build (`npm test` makes it) and the package registry.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../src/image/image.ts'
import { HELLO } from './pdp/policies.ts'
import { ENVIRONMENT, positionOf } from './support/deltas.ts'
import { temporaryFolder } from './support/folders.ts'
import { ROOT } from './tidy/source.ts'

interface Manifest {
  exports: Record<string, string | { types: string; default: string }>
  bin: { zerohop: string }
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  peerDependencies: Record<string, string>
  version: string
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
const folder = temporaryFolder('pack')
const installed = join(folder, 'node_modules', 'zerohop')

/** Runs a program, and fails with what it printed when it fails. */
function run(program: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' })
  if (done.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: exit code ${done.status}\n${done.stdout}${done.stderr}`)
  return done.stdout
}

/** The version of an installed package. */
function versionOf(name: string): string {
  return (JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as Manifest).version
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
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }')
  // as a user does who refuses packages for another Node; what `npm ci` fetched before is not fetched again
  const options = ['--engine-strict', '--prefer-offline', '--no-audit', '--no-fund']
  run('npm', ['install', ...options, `./${packed?.filename}`], folder)
})

describe('the package', () => {
  it('installs the versions that are tested here, and no packages for traces', () => {
    const versions = (names: readonly string[]) =>
      names.map((name) => [name, existsSync(join(folder, 'node_modules', name)) ? versionOf(name) : 'absent'])
    const pinned = { ...manifest.dependencies, ...manifest.optionalDependencies }
    expect(Object.fromEntries(versions(Object.keys(pinned)))).toEqual(pinned)
    const traces = Object.keys(manifest.peerDependencies).filter((name) => name !== '@opentelemetry/api') // prom-client has it
    expect(versions(traces)).toEqual(traces.map((name) => [name, 'absent']))
    const nested = readdirSync(join(folder, 'node_modules'), { recursive: true }).map(String)
    for (const name of ['light-my-request', 'msgpackr-extract'])
      expect(nested.filter((path) => path.endsWith(join('node_modules', name)))).toEqual([])
  })

  it('holds the build, the kernel and the papers, and nothing else', () => {
    expect(readdirSync(installed).sort()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'build',
      'deploy',
      'dist',
      'docs',
      'examples',
      'package.json',
    ])
    expect(readdirSync(join(installed, 'build'))).toEqual(['release.wasm'])
    const built = readdirSync(join(installed, 'dist'), { recursive: true }).map(String)
    expect(built.filter((file) => /\.\w/.test(file) && !/(?<!\.test)(\.d\.ts|\.js)$/.test(file)).sort()).toEqual([
      'reference/index.html',
      'reference/openapi.json',
      'reference/scalar.LICENSE',
      'reference/scalar.js.gz',
    ])
  })

  it('has every file to which its README links', () => {
    const links = [...readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
    expect(links.length).toBeGreaterThan(20)
    expect(links.map(([, link = '']) => link).filter((link) => !existsSync(join(installed, link)))).toEqual([])
  })

  it('names no folder of the machine that built it, and no file that is not there', () => {
    for (const file of readdirSync(join(installed, 'dist'), { recursive: true }).map(String)) {
      if (!/\.(js|ts)$/.test(file)) continue
      const text = readFileSync(join(installed, 'dist', file), 'utf8')
      expect(text.includes(ROOT) || text.includes('sourceMappingURL'), file).toBe(false)
    }
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

  it('opens `zerohop` with require too', () => {
    const done = run(process.execPath, ['-e', "console.log(typeof require('zerohop').connect)"], folder)
    expect(done).toBe('function\n')
  })

  it('has a kernel that compiles outside, and answers by it', () => {
    const allowed = inFolder<boolean[]>(`
      import { readFileSync } from 'node:fs'
      import { createRequire } from 'node:module'
      import { loadImage } from 'zerohop'
      const file = createRequire(import.meta.url).resolve('zerohop/kernel.wasm')
      const kernel = new WebAssembly.Module(readFileSync(file))
      globalThis.WebAssembly.Module = class { constructor() { throw new Error('bytes may not be compiled') } }
      Object.defineProperty(WebAssembly.Module, Symbol.hasInstance, { value: (module) => module === kernel })
      const pdp = loadImage(Buffer.from('${helloImage().toString('base64')}', 'base64'), { kernel })
      console.log(JSON.stringify([pdp.check('ana', 'say', 'hello'), pdp.check('ben', 'say', 'hello')]))`)
    expect(allowed).toEqual([true, false])
  })

  it.each([
    ['without Node', ['zerohop'], 'bundler', { lib: ['ES2022', 'DOM'], types: [] }],
    ['with Node', ['zerohop', 'zerohop/embedded'], 'node16', { lib: ['ES2022'], types: ['node'] }],
    ['of a server', ['zerohop', 'zerohop/embedded', 'zerohop/server'], 'nodenext', { types: ['node'] }],
  ])('has declarations that a strict project %s reads', (_name, doors, resolution, options) => {
    const files = doors.map((door) => `${door.replace('/', '-')}.ts`)
    for (const [at, door] of doors.entries()) writeFileSync(join(folder, files[at]!), TYPED[door] ?? '')
    const module = resolution === 'bundler' ? 'esnext' : resolution
    const compilerOptions = { target: 'ES2022', module, moduleResolution: resolution, ...STRICT, ...options }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    expect(run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'], folder)).toBe('')
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

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  typeRoots: [join(ROOT, 'node_modules/@types')],
}

/** Programs whose types are looked at, by the door that they use: `typed` takes anything but `any`. */
const TYPED: Readonly<Record<string, string>> = {
  zerohop: `
    import { connect, type ErrorCode, isZerohopError, loadImage, type Pdp } from 'zerohop'
    const pdp: Pdp = await connect({ url: 'http://localhost:8080', apiKey: 'key', cacheFile: './pdp.image' })
    const allow: boolean = pdp.check({ key: 'ana', attributes: { level: 3 } }, 'read', { type: 'document', key: 'plan' })
    try { loadImage(new Uint8Array()) } catch (error) { if (isZerohopError(error)) error.code satisfies ErrorCode }
    typed(allow), typed(pdp.explain('ana', 'read', 'document').because), typed(pdp.userPermissions('ana'))
    typed(pdp.authorizedUsers({ action: 'read', resource: 'document' })), typed(pdp.resources('ana', 'read', 'document'))
    // @ts-expect-error: a check is asked with three parts
    pdp.check('ana', 'read')
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
  'zerohop/embedded': `
    import { open, type Zerohop } from 'zerohop/embedded'
    const zerohop: Zerohop = await open({ data: './data' })
    typed(await zerohop.roles.create({ key: 'reader', permissions: ['document:read'] })), typed(zerohop.users.get('ana'))
    // @ts-expect-error: a role has a key
    await zerohop.roles.create({})
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
  'zerohop/server': `
    import { managementServer, openManagement, pooledPdpServer } from 'zerohop/server'
    const management = await openManagement({ data: './data' })
    typed(managementServer(management)), typed(await pooledPdpServer(management).listen({ port: 0 }))
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
}

/** The bytes of an image in which ana may say hello and ben may not. */
function helloImage(): Buffer {
  return Buffer.from(Image.build(ENVIRONMENT, positionOf(1), HELLO).save())
}

/** Does `work` while the packages of that name are not installed. */
function without<T>(name: RegExp, work: () => T): T {
  const packages = readdirSync(join(folder, 'node_modules')).flatMap((each) =>
    each.startsWith('@') ? readdirSync(join(folder, 'node_modules', each)).map((part) => `${each}/${part}`) : [each],
  )
  const moved = packages.filter((each) => name.test(each)).map((each) => join(folder, 'node_modules', each))
  expect(moved.length).toBeGreaterThan(1)
  for (const path of moved) renameSync(path, `${path}.away`)
  try {
    return work()
  } finally {
    for (const path of moved) renameSync(`${path}.away`, path)
  }
}
