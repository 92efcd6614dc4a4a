// Builds dist/cjs for programs that use `require`: each light door as one CommonJS file, and its declarations as
// .d.cts. Worker threads run the ES modules of the bundle. What must be one in a process that loads both builds is
// found through global symbols: the class of errors (src/model/errors.ts) and the compiled kernel
// (src/kernel/module.ts).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { BUILT_ENUMS, readEnumSource } from './enum-sources.mjs'

const OUT = 'dist/cjs'
/** A relative import in a declaration: `./file.ts` of the same tree. */
const IMPORT = /((?:from|import\()\s*['"])(\.[^'"]+?)\.(?:ts|js)(['"])/g

/** Builds `dist/cjs/DOOR.cjs` and its declarations from `dist/src`, with the bundle beside. */
export async function buildCommonJs(doors) {
  await build({
    entryPoints: doors.map((door) => ({ in: `dist/src/${door}.js`, out: basename(door) })),
    outdir: OUT,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    supported: { 'dynamic-import': false }, // what is imported late is the CommonJS build of a package too
    plugins: [
      { name: 'packages inside', setup: bundleOpenapiFetch },
      { name: 'enums', setup: inlineEnums },
    ],
    define: { 'import.meta.url': 'moduleUrl' },
    banner: {
      js: "const moduleUrl = require('node:url').pathToFileURL(__dirname + '/../bundle/index.js').href;",
    },
    logLevel: 'warning',
  })
  const seen = new Set()
  for (const door of doors) declare(`dist/src/${door}.d.ts`, seen)
}

/** Its own CommonJS build has the default export one level deeper than Node and esbuild look for it. */
function bundleOpenapiFetch({ onResolve }) {
  onResolve({ filter: /^openapi-fetch$/ }, ({ path }) => ({ path: fileURLToPath(import.meta.resolve(path)) }))
}

function inlineEnums({ onLoad }) {
  onLoad({ filter: BUILT_ENUMS }, ({ path }) => ({ contents: readEnumSource(path), loader: 'ts' }))
}

/** Copies a declaration and those that it imports; imports name the copies. */
function declare(path, seen) {
  if (seen.has(path)) return
  seen.add(path)
  const text = readFileSync(path, 'utf8')
  for (const [, , specifier] of text.matchAll(IMPORT)) declare(`${join(dirname(path), specifier)}.d.ts`, seen)
  const copy = join(OUT, relative('dist', path)).replace(/\.d\.ts$/, '.d.cts')
  mkdirSync(dirname(copy), { recursive: true })
  writeFileSync(copy, text.replace(IMPORT, '$1$2.cjs$3'))
}
