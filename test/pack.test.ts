// What a user gets: packs the package, installs the tarball with npm in an empty folder, and opens each door there in a
// process of its own. Needs the build (`npm test` makes it) and the package registry.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../src/image/image.ts'
import { HELLO } from './pdp/policies.ts'
import { ENVIRONMENT, makePosition } from './support/deltas.ts'
import { temporaryFolder } from './support/folders.ts'
import { ROOT } from './tidy/source.ts'

/** Where the code and the types of an entry of the package are. */
interface Door {
  types: string
  default: string
}

interface Manifest {
  exports: Record<string, string | Door | { import: Door; require: Door }>
  bin: { zerohop: string }
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  peerDependencies: Record<string, string>
  version: string
}

/** As scripts/build-tsc.mjs runs it. */
const TSC = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--checkers', '1', '-p', '.']
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
const folder = temporaryFolder('pack')
const installed = join(folder, 'node_modules', 'zerohop')

/** Runs a program, and fails with what it printed when it fails. */
function run(program: string, args: readonly string[], cwd: string, more: Record<string, string> = {}): string {
  const env = { ...process.env, ...more }
  const done = spawnSync(program, args, { cwd, env, encoding: 'utf8', shell: process.platform === 'win32' })
  if (done.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: exit code ${done.status}\n${done.stdout}${done.stderr}`)
  return done.stdout
}

/** The version of an installed package. */
function readVersion(name: string): string {
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
      names.map((name) => [name, existsSync(join(folder, 'node_modules', name)) ? readVersion(name) : 'absent'])
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
      'policy-test.schema.json',
      'sync.schema.json',
      'policy.schema.json',
    ])
    expect(readdirSync(join(installed, 'build'))).toEqual(['release.wasm'])
    const files = readdirSync(join(installed, 'dist'), { recursive: true }).map(String)
    const [page, built] = [true, false].map((is) => files.filter((file) => file.startsWith('console') === is))
    expect(page!.filter((file) => !/^console\/assets\/[\w.-]+-[\w-]{8}\.(js|css|svg)$/.test(file)).sort()).toEqual([
      'console',
      'console/assets',
      'console/index.html',
      'console/licenses.md',
    ])
    expect(built!.filter((file) => /\.\w/.test(file) && !/(?<!\.test)(\.d\.c?ts|\.c?js)$/.test(file)).sort()).toEqual([
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
      if (!/\.c?(js|ts)$/.test(file)) continue
      const text = readFileSync(join(installed, 'dist', file), 'utf8')
      expect(text.includes(ROOT) || text.includes('sourceMappingURL'), file).toBe(false)
    }
  })

  it('names no file in a way that makes a bundler look for it', () => {
    for (const name of ['bundle', 'cjs'])
      for (const file of readdirSync(join(installed, 'dist', name)).filter((each) => /\.c?js$/.test(each))) {
        const text = readFileSync(join(installed, 'dist', name, file), 'utf8')
        expect(text.match(/new URL\(\s*(["'`])[^"'`]*\1,\s*import\.meta\.url/)?.[0], file).toBe(undefined)
      }
  })

  it.each(Object.keys(manifest.exports).filter((door) => !/\.\w+$/.test(door)))('opens the door %s', (door) => {
    for (const { types } of listDoors(manifest.exports[door]))
      expect(readFileSync(join(installed, types), 'utf8')).toContain('export')
    // a peer, which the application installs
    if (door === './react')
      symlinkSync(join(ROOT, 'node_modules/react'), join(folder, 'node_modules/react'), 'junction')
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

  describe('with require', () => {
    const consumers = join(folder, 'consumers')
    const projects = (name: string) => join(consumers, name)
    const env = { HELLO_IMAGE: join(folder, 'hello.image') }
    beforeAll(() => {
      cpSync(join(ROOT, 'test/consumers'), consumers, { recursive: true })
      writeFileSync(env.HELLO_IMAGE, helloImage())
    })

    it('answers, and says the same of errors and kernels as the ES modules in the same process', () => {
      const program = `
        const { loadImage, ZerohopError } = require('zerohop')
        import('zerohop').then((esm) => {
          const known = []
          for (const load of [loadImage, esm.loadImage])
            try { load('/nowhere') } catch (error) {
              known.push(error instanceof ZerohopError, error instanceof esm.ZerohopError, esm.isZerohopError(error))
            }
          const all = [loadImage, esm.loadImage].map((load) => load(process.env.HELLO_IMAGE).check('ana', 'say', 'hello'))
          const kernels = globalThis[Symbol.for('zerohop.kernels')].size
          console.log(JSON.stringify({ known, all, kernels, same: loadImage === esm.loadImage }))
        })`
      const answered = JSON.parse(run(process.execPath, ['-e', program], consumers, env)) as unknown
      expect(answered).toEqual({ known: Array(6).fill(true), all: [true, true], kernels: 1, same: false })
    })

    it('works in Jest', () => {
      const jest = join(ROOT, 'node_modules/jest/bin/jest.js')
      const options = ['--ci', '--runInBand', '--watchman=false', '--cache=false', '--rootDir', projects('jest')]
      run(process.execPath, [jest, ...options], projects('jest'), env)
    })

    it('works in ts-node', () => {
      const require = createRequire(import.meta.url)
      // it needs the API of the compiler, which the compiler of this project no longer has; types are checked elsewhere
      const compiler = createRequire(require.resolve('@arethetypeswrong/core')).resolve('typescript')
      const tsNode = require.resolve('ts-node/dist/bin.js')
      const options = { ...env, TS_NODE_COMPILER: compiler }
      const printed = run(process.execPath, [tsNode, '--transpileOnly', 'decide.ts'], projects('ts-node'), options)
      expect(JSON.parse(printed)).toEqual([true, false, 'UNKNOWN_NAME'])
    })

    it('has declarations that a CommonJS module of a strict project reads', () => {
      const tsc = [...TSC, '--typeRoots', STRICT.typeRoots[0]!]
      expect(run(process.execPath, tsc, projects('node16'), { GOGC: '400' })).toBe('')
    })
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
    [
      'without Node, also of a page,',
      ['zerohop', 'zerohop/filters', 'zerohop/browser'],
      'bundler',
      { lib: ['ES2022', 'DOM'], types: [] },
    ],
    [
      'with Node',
      ['zerohop', 'zerohop/embedded', 'zerohop/client', 'zerohop/policy', 'zerohop/shadow'],
      'node16',
      { lib: ['ES2022'], types: ['node'] },
    ],
    [
      'of a server',
      ['zerohop', 'zerohop/embedded', 'zerohop/server', 'zerohop/fastify'],
      'nodenext',
      { types: ['node'] },
    ],
  ])('has declarations that a strict project %s reads', (_name, doors, resolution, options) => {
    const files = doors.map((door) => `${door.replace('/', '-')}.ts`)
    for (const [at, door] of doors.entries()) writeFileSync(join(folder, files[at]!), TYPED[door] ?? '')
    const module = resolution === 'bundler' ? 'esnext' : resolution
    const compilerOptions = { target: 'ES2022', module, moduleResolution: resolution, ...STRICT, ...options }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    expect(run(process.execPath, TSC, folder, { GOGC: '400' })).toBe('')
  })

  it('opens all but `zerohop/server` where neither LMDB nor Fastify nor prom-client is installed, and names LMDB when it needs it', () => {
    const program = `
      const failures = {}
      for (const door of ['zerohop', 'zerohop/filters', 'zerohop/policy', 'zerohop/embedded', 'zerohop/server']) {
        await import(door).catch((error) => { failures[door] = error.message })
      }
      const { open } = await import('zerohop/embedded')
      await open({ data: './nothing' }).catch((error) => { failures.open = error.code + ' ' + error.message })
      console.log(JSON.stringify(failures))`
    const failures = without(/^(@?lmdb|@?fastify|prom-client)(\/|$)/, () => inFolder<Record<string, string>>(program))
    expect(Object.keys(failures)).toEqual(['zerohop/server', 'open'])
    expect(failures['zerohop/server']).toMatch(/'(@fastify\/rate-limit|fastify|prom-client)'/)
    expect(failures.open).toMatch(/^LMDB_MISSING the package `lmdb`, .* Cannot find module 'lmdb'\. Install it /)
  })

  it('has a command that says its version', () => {
    expect(run(process.execPath, [join(installed, manifest.bin.zerohop), '--version'], folder).trim()).toBe(
      manifest.version,
    )
    expect(readFileSync(join(installed, manifest.bin.zerohop), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })
})

/** The entries of a door of the package: for `import`, and for `require` where there is one. */
function listDoors(target: Manifest['exports'][string] | undefined): Door[] {
  if (target === undefined || typeof target === 'string') return []
  return 'import' in target ? [target.import, target.require] : [target]
}

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
  'zerohop/filters': `
    import { type Filter, type Mapping, matches, sql, toResource, toSql } from 'zerohop/filters'
    const mapping: Mapping = { tenant: 'org', key: 'id', attributes: { email: { column: sql('lower(email)'), type: 'text' } } }
    const filter: Filter = { format: 2, revision: 1, type: 'row', tenant: 'acme', kind: 'always' }
    typed(toSql(filter, mapping, 'postgres').text), typed(toResource({ id: 'a', org: 'acme', email: 'a' }, mapping))
    typed(matches(filter, { key: null, tenant: 'acme' }))
    // @ts-expect-error: no such dialect
    toSql(filter, mapping, 'oracle')
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
  'zerohop/browser': `
    import { loadSnapshot, type Permissions, permissions, PermissionsError } from 'zerohop/browser'
    const may: Permissions = permissions(await loadSnapshot('/permissions'), { tenant: 'acme' })
    const allow: boolean = may.can('read', { type: 'note', key: 'n1', attributes: { amount: 3 }, relations: {} })
    typed(allow), typed(may.may('read', 'note')), typed(new PermissionsError('ASK_SERVER', '').code)
    // @ts-expect-error: a row has a key, or null
    may.can('read', { type: 'note' })
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
  'zerohop/client': `
    import { type components, createClient, dataOf } from 'zerohop/client'
    const client = createClient({ url: 'http://localhost:8080', apiKey: 'key' })
    const path = { p: 'default', e: 'production' }
    const user = dataOf(await client.POST('/v2/facts/{p}/{e}/users', { params: { path }, body: { key: 'ana' } }))
    typed(user.key), typed(client.revision), user satisfies components['schemas']['User']
    // @ts-expect-error: no such route
    await client.GET('/v2/facts/{p}/{e}/user', { params: { path } })
    // @ts-expect-error: a user has a key
    await client.POST('/v2/facts/{p}/{e}/users', { params: { path }, body: {} })
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
  'zerohop/policy': `
    import type { Pdp } from 'zerohop'
    import { loadPolicy, type PolicyFacts } from 'zerohop/policy'
    const facts: PolicyFacts = { users: [{ key: 'ana' }], role_assignments: [{ user: 'ana', role: 'reader' }] }
    const pdp: Pdp = loadPolicy([new URL('file:///policy.yaml'), { zerohop: 2 as number, roles: [] }], { facts })
    typed(pdp.check('ana', 'read', 'document'))
    // @ts-expect-error: roles are no facts
    loadPolicy('policy.yaml', { facts: { roles: [] } })
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
  'zerohop/shadow': `
    import { loadImage } from 'zerohop'
    import { type Difference, shadow, shadowAsync } from 'zerohop/shadow'
    const pdp = loadImage(new Uint8Array())
    const onDifference = ({ cause, old }: Difference) => (typed(cause), typed(old))
    const can = shadow((user: string, action: string, resource: string) => user === action + resource, pdp, { onDifference })
    const later = shadowAsync(async (id: number) => id > 1, pdp, {
      question: (id) => ({ user: String(id), action: 'read', resource: 'document' }),
    })
    const allow: boolean = can('ana', 'read', 'document')
    typed(allow), typed(await later(1)), typed(can.counts.agreed)
    // @ts-expect-error: an old function that answers later
    shadow(async () => true, pdp)
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
  'zerohop/embedded': `
    import { open, type Zerohop } from 'zerohop/embedded'
    const zerohop: Zerohop = await open({ data: './data' })
    typed(await zerohop.roles.create({ key: 'reader', permissions: ['document:read'] })), typed(zerohop.users.get('ana'))
    // @ts-expect-error: a role has a key
    await zerohop.roles.create({})
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
  'zerohop/fastify': `
    import Fastify from 'fastify'
    import { loadImage } from 'zerohop'
    import { authorization, subjectFromJwt } from 'zerohop/fastify'
    const { allow, subject } = authorization(loadImage(new Uint8Array()), { user: ({ headers }) => headers.host })
    const app = Fastify()
    app.addHook('onRequest', subject)
    const { user, verify } = subjectFromJwt({ issuer: 'https://login.example.com', audience: 'shop', groups: ['realm', 'roles'] })
    app.addHook('onRequest', verify)
    typed(authorization(loadImage(new Uint8Array()), { user }))
    app.get('/', { onRequest: allow('read', () => 'document') }, ({ authorization }) => typed(authorization?.decisions))
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
  'zerohop/server': `
    import { managementServer, openManagement, pooledPdpServer } from 'zerohop/server'
    const management = await openManagement({ data: './data' })
    typed(managementServer(management)), typed(await pooledPdpServer(management).listen({ port: 0 }))
    function typed<T>(_value: T, ..._any: 0 extends 1 & T ? [never] : []): void {}`,
}

/** The bytes of an image in which ana may say hello and ben may not. */
function helloImage(): Buffer {
  return Buffer.from(Image.build(ENVIRONMENT, makePosition(1), HELLO).save())
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
