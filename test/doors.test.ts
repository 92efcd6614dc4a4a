// What each door of the package loads: walks the imports of the build from the door on, dynamic ones too. Needs the
// build.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, readSource } from './tidy/source.ts'

/** The packages that are loaded with a file of the build, and with what it imports. */
function packagesBehind(entry: string, seen = new Set<string>()): string[] {
  const packages = new Set<string>()
  const walk = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const { specifier } of readSource(path, readFileSync(join(ROOT, path), 'utf8')).imports) {
      if (specifier.startsWith('.')) walk(relative(ROOT, join(ROOT, dirname(path), specifier)))
      else if (!specifier.startsWith('node:')) packages.add(specifier)
    }
  }
  walk(entry)
  return [...packages].sort()
}

// As the tests of single files load it, and as a package is installed.
describe.each([
  ['dist/src', 'dist/src/pdp/image-thread.js'],
  ['dist/bundle', 'dist/bundle/image-thread.js'],
])('the doors in %s', (folder, imageThread) => {
  it('`zerohop` loads neither Fastify nor LMDB', () => {
    expect(packagesBehind(`${folder}/index.js`)).toEqual(['msgpackr', 'msgpackr/pack'])
  })

  it('`zerohop/policy` loads no more than a reader of YAML', () => {
    // msgpackr comes with files that the bundle shares with the other doors
    expect(packagesBehind(`${folder}/policy.js`).filter((name) => !name.startsWith('msgpackr'))).toEqual(['yaml'])
  })

  it('`zerohop/shadow` loads no package of its own', () => {
    // msgpackr comes with files that the bundle shares with the other doors
    expect(packagesBehind(`${folder}/shadow.js`).filter((name) => !name.startsWith('msgpackr'))).toEqual([])
  })

  it('`zerohop/filters` loads nothing', () => {
    expect(packagesBehind(`${folder}/filters.js`)).toEqual([])
  })

  it('`zerohop/client` loads only openapi-fetch', () => {
    expect(packagesBehind(`${folder}/client.js`)).toEqual(['openapi-fetch'])
  })

  it('the middleware loads no package, not even its framework; with the first token what verifies it', () => {
    const inSources = folder === 'dist/src' ? '/middleware' : ''
    for (const door of ['express', 'fastify', 'hono'])
      expect(packagesBehind(`${folder}${inSources}/${door}.js`)).toEqual(['jose'])
    const late = [...readFileSync(join(ROOT, 'dist/cjs/express.cjs'), 'utf8').matchAll(/^.*require\("jose"\).*$/gm)]
    expect(late.map(([line]) => line.trim())).toEqual(late.map(() => expect.stringContaining('then(() =>')))
    expect(late.length).toBeGreaterThan(0)
  })

  it('`zerohop/embedded` loads no HTTP, and LMDB only when it opens a folder', () => {
    expect(packagesBehind(`${folder}/embedded.js`)).not.toContain('fastify')
    expect(packagesBehind(`${folder}/embedded.js`)).not.toContain('lmdb')
  })

  it('`zerohop/server` loads Fastify', () => {
    expect(packagesBehind(`${folder}/server.js`)).toContain('fastify')
  })

  it('`zerohop/browser` loads nothing, `zerohop/react` only React', () => {
    expect(packagesBehind(`${folder}/browser.js`)).toEqual([])
    expect(packagesBehind(`${folder}/react.js`)).toEqual(['react'])
  })

  it('`zerohop/server` and the command do not load typebox, which takes a fifth of a second: only its types are used', () => {
    for (const entry of ['dist/src/server.js', 'dist/src/cli/zerohop.js'])
      expect(packagesBehind(entry).filter((name) => name.startsWith('typebox'))).toEqual([])
  })

  it('the thread of an image loads no more than `zerohop`', () => {
    expect(packagesBehind(imageThread)).toEqual(packagesBehind(`${folder}/index.js`))
  })
})

const readBundled = (file: string): string => readFileSync(join(ROOT, 'dist/bundle', file), 'utf8')

/** The text of a file of the bundle and of those that are loaded with it. */
function loadedText(entry: string): readonly string[] {
  const seen = new Set<string>()
  packagesBehind(entry, seen)
  return [...seen].map((path) => readFileSync(join(ROOT, path), 'utf8'))
}

describe('what is loaded at a start', () => {
  it('a member of an enum of the layout is a number in the bundle, not read of an object that each start fills', () => {
    for (const path of ['dist/bundle/index.js', 'dist/bundle/writer-thread.js', 'dist/cjs/index.cjs'])
      expect(loadedText(path).join('')).not.toMatch(/\w+\["NextOfType"\] = |\bRole\.NextOfType\b/)
  })

  it('`zerohop` loads no limit that only servers read', () => {
    expect(loadedText('dist/bundle/index.js').join('')).not.toContain('SIGN_IN_LINK_MS')
  })

  it('the thread of an export is one file, and has no kernel', () => {
    const texts = loadedText('dist/bundle/export-thread.js')
    expect(texts).toHaveLength(1)
    expect(texts[0]).not.toContain('WebAssembly')
  })
})

describe('the doors in dist/cjs', () => {
  it('require no more than the ES modules', () => {
    const required = (door: string) =>
      [...readFileSync(join(ROOT, `dist/cjs/${door}.cjs`), 'utf8').matchAll(/\brequire\("([^"]+)"\)/g)]
        .map(([, name = '']) => name)
        .filter((name) => !name.startsWith('node:'))
    expect(required('index').sort()).toEqual(['msgpackr', 'msgpackr/pack'])
    expect(required('policy').filter((name) => !name.startsWith('msgpackr'))).toEqual(['yaml'])
    expect(required('client')).toEqual([])
    for (const door of ['express', 'fastify', 'hono']) expect(new Set(required(door))).toEqual(new Set(['jose']))
  })
})

it('`zerohop/client` makes a client where it is required', () => {
  const { createClient } = createRequire(import.meta.url)('../dist/cjs/client.cjs') as typeof import('../src/client.ts')
  expect(createClient({ url: 'http://127.0.0.1:1', apiKey: 'key' }).revision).toBe(0)
})

describe('the commands', () => {
  it('`zerohop pdp` loads no LMDB and no schemas of the management API', () => {
    const packages = packagesBehind('dist/src/cli/commands/pdp.js')
    expect(packages).toContain('fastify')
    expect(packages).not.toContain('lmdb')
    expect(packages).not.toContain('typebox')
  })

  it('`zerohop pdp` loads no route and no use case of the management API, in the bundle either', () => {
    const [, chunk = ''] = /import\("\.\/(chunk-pdp-[^"]+)"\)/.exec(readBundled('zerohop.js'))!
    const files = new Set([chunk])
    for (const file of files)
      for (const [, imported = ''] of readBundled(file).matchAll(/^(?:import|export) .*"\.\/([^"]+)";$/gm))
        files.add(imported)
    const sources = [
      ...[...files]
        .map(readBundled)
        .join('\n')
        .matchAll(/^\/\/ dist\/src\/(\S+)/gm),
    ].map(([, source = '']) => source)
    expect(sources).toContain('http/pdp/direct-allowed.js')
    expect(sources.filter((source) => /^(management\/(objects|host|schemas)|http\/management)\//.test(source))).toEqual(
      [],
    )
  })
})
