// Builds the console into dist/console with Vite, and fails when it has become too large: what people wait for is the
// first view, and everything is in the package. Types are not checked here: `npm run typecheck` does that.
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/** Bytes, compressed as servers do it: of all files, */
const TOTAL_MAX = 455 * 1024
/** of what stands between an empty cache and a page on which people begin (FIRST_VIEW in console/vite.config.ts), */
const FIRST_VIEW_MAX = 200 * 1024
/** and of what any other page adds to it; pages share most of that. */
const PAGE_MAX = 110 * 1024
/** The graph of resources has React Flow and dagre, and loads when somebody opens it. */
const LARGE = new Map([['resource-graph', 150 * 1024]])
const GZIP_LEVEL = 6

const result = await build({
  root: 'console',
  configFile: join('console', 'vite.config.ts'),
  logLevel: 'warn',
  build: { rolldownOptions: { onLog: print } },
})
const files = new Map(result.output.map((file) => [file.fileName, file]))
const sizes = new Map(
  [...files].map(([name, file]) => [name, gzipSync(file.code ?? file.source, { level: GZIP_LEVEL }).length]),
)

const chunks = [...files.values()].filter(({ type }) => type === 'chunk')
const start = chunks.find(({ isEntry }) => isEntry)
const needs = (chunk) => [...closure(chunk)].flatMap((each) => [each.fileName, ...each.viteMetadata.importedCss])
const shell = new Set(['index.html', ...needs(start)])
const shipped = [...files.keys()].filter((name) => /\.(js|css|html)$/.test(name))
check('the first view', sum(shell), FIRST_VIEW_MAX)
check('all of the console', sum(shipped), TOTAL_MAX)
for (const page of chunks.filter(({ isDynamicEntry }) => isDynamicEntry)) {
  const own = needs(page).filter((name) => !shell.has(name))
  check(`${page.name} beside the shell`, sum(own), LARGE.get(page.name) ?? PAGE_MAX)
}

/** A chunk and what it imports at once. */
function closure(chunk, found = new Set()) {
  if (found.has(chunk)) return found
  found.add(chunk)
  for (const name of chunk.imports) closure(files.get(name), found)
  return found
}

function sum(names) {
  return [...new Set(names)].reduce((total, name) => total + sizes.get(name), 0)
}

function check(what, bytes, max) {
  const kilobytes = (count) => `${(count / 1024).toFixed(0)} KB`
  if (bytes <= max) return
  const text = `${kilobytes(bytes)} compressed, of at most ${kilobytes(max)}`
  console.error(`${what} is too large (${text}): load a page or a library only where it is needed (console/README.md)`)
  process.exit(1)
}

/**
 * Not that `use client` at the top of a library's file means nothing in a page that has no server, and not what took
 * long on a machine that does much else.
 */
function print(level, log, handler) {
  if (!['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS'].includes(log.code)) handler(level, log)
}
