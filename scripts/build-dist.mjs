// Builds dist: JavaScript and declarations of every file (tsc), from that `dist/bundle`, which an installed package
// runs, `dist/cjs` of the light doors for `require`, `dist/reference`, the reference of the API, and the JSON Schemas
// of files. Types are not checked here, which would take twice as long: `npm run typecheck` does that.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { bundleForNode, bundleForPages } from './build-bundle.mjs'
import { buildCommonJs } from './build-cjs.mjs'
import { buildDocsPage } from './build-docs-page.mjs'
import { buildOpenApi, TYPES } from './build-openapi.mjs'
import { buildPolicySchemas, SCHEMAS } from './build-policy-schema.mjs'
import { TSC_ENV, TSC_OPTIONS } from './build-tsc.mjs'

const TSC = 'node_modules/typescript/bin/tsc'
const BUNDLE = 'dist/bundle'
/** Doors that load few packages. */
const LIGHT_DOORS = [
  'index',
  'filters',
  'client',
  'policy',
  'shadow',
  ...['express', 'fastify', 'hono'].map((name) => `middleware/${name}`),
]
const DOORS = [...LIGHT_DOORS, 'embedded', 'server', 'cli/zerohop'].map((name) => `dist/src/${name}.js`)
/** The entries for browsers, apart from the others: they share no file with what needs Node. */
const PAGE_DOORS = ['browser', 'react'].map((name) => `dist/src/${name}.js`)
/** The entry of a thread or a child process, as it is named where it is started. */
const THREAD = /threadUrl\(import\.meta\.url, '\.\/([\w-]+)\.ts'\)/g

/**
 * For `npm run coverage`: files of `dist/src` as they are, with maps back to the sources, and a bundle that only leads
 * there.
 */
const isMapped = process.argv.includes('--source-maps')

// Removes the output of deleted source files, and the types that are made of them. The console has a step of its own.
for (const name of existsSync('dist') ? readdirSync('dist') : [])
  if (name !== 'console') rmSync(join('dist', name), { recursive: true, force: true })
for (const path of [...TYPES, ...SCHEMAS]) rmSync(path, { force: true })
const options = ['-p', 'tsconfig.build.json', '--noCheck', ...TSC_OPTIONS, ...(isMapped ? ['--sourceMap'] : [])]
const { status } = spawnSync(process.execPath, [TSC, ...options], { stdio: 'inherit', env: TSC_ENV })
if (status !== 0) process.exit(status ?? 1)

const forNode = [...DOORS, ...threads()]
const entries = [...forNode, ...PAGE_DOORS]
const names = entries.map((entry) => basename(entry))
if (new Set(names).size < names.length) throw new Error(`two entries of one name: ${names.sort().join(', ')}`)
if (isMapped) lead()
else {
  await bundleForNode(forNode, BUNDLE)
  await bundleForPages(PAGE_DOORS, BUNDLE)
}
await buildOpenApi()
await buildPolicySchemas()
await buildCommonJs(LIGHT_DOORS)
await buildDocsPage()

function lead() {
  mkdirSync(BUNDLE, { recursive: true })
  for (const entry of entries) {
    const text = `export * from '${relative(BUNDLE, entry).replaceAll('\\', '/')}'\n`
    writeFileSync(join(BUNDLE, basename(entry)), text)
  }
}

function threads() {
  const found = new Set()
  const files = readdirSync('dist/src', { recursive: true }).map((file) => join('dist/src', file))
  for (const file of files.filter((name) => name.endsWith('.js')))
    for (const [, name] of readFileSync(file, 'utf8').matchAll(THREAD)) found.add(`${dirname(file)}/${name}.js`)
  return [...found].sort()
}
