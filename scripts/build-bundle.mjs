// Joins the files of `dist/src` to those of `dist/bundle`. Node needs about a millisecond for each file that it loads,
// and a server has hundreds. Packages stay outside.
import { basename, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { readEnumSource } from './enum-sources.mjs'

/** These are loaded for themselves, with as few files as there can be. */
const CORE = 'dist/src/index.js'
const COMMAND = 'dist/src/cli/zerohop.js'
/** What they share with CORE is a file of its own: they need no kernel. */
const WITHOUT_KERNEL = [COMMAND, 'dist/src/client.js', 'dist/src/filters.js']
const SERVER = 'dist/src/server.js'
/** A PDP alone loads nothing of what manages: what both servers need is a file of its own, too. */
const PDP = 'dist/src/cli/commands/pdp.js'
/**
 * Threads that somebody waits for: each store starts a writer before its first answer, each question about the past and
 * each export with facts starts one. A thread compiles all that it loads once more, so each of these is one file with nothing else in it.
 */
const AWAITED_THREADS = ['host/writer-thread', 'past/past-thread', 'policy-file/export-thread'].map(
  (name) => `dist/src/management/${name}.js`,
)

const enums = {
  name: 'enums',
  load: (id) => {
    const code = readEnumSource(id)
    return code === null ? null : { code, moduleType: 'ts' }
  },
}

/** The entries of Node, and what they share. */
export async function bundleForNode(entries, folder) {
  const shared = entries.filter((entry) => !AWAITED_THREADS.includes(entry))
  await bundleTogether(shared, folder)
  for (const thread of AWAITED_THREADS) await bundle([thread], folder, { ...FOR_NODE, plugins: [keepPlaces(folder)] })
}

const FOR_NODE = { platform: 'node', target: 'node20' }

/**
 * The entries of Node and the files that they share: one with what CORE alone needs, one with what those without a
 * kernel need of it, one each for the rest of the command, of a PDP and of the server. Threads load nothing of the latter two.
 */
async function bundleTogether(entries, folder) {
  const imports = new Map()
  const closures = new Map()
  const isIn = (entry, id) => {
    if (!closures.has(entry)) closures.set(entry, collectImports(resolve(entry), imports))
    return closures.get(entry).has(id)
  }
  const isInOthers = (besides, id) => entries.some((entry) => entry !== besides && isIn(entry, id))
  const own = new Set(entries.map((entry) => resolve(entry)))
  const sharedFile = (id) => {
    // an entry may await at its top level: what it loads meanwhile must not import the same file
    if (own.has(id)) return null
    if (isIn(CORE, id)) return WITHOUT_KERNEL.some((entry) => isIn(entry, id)) ? 'model' : 'core'
    if (isIn(COMMAND, id)) return isInOthers(COMMAND, id) ? null : 'command'
    if (!isIn(SERVER, id) || isInOthers(SERVER, id)) return null
    return isIn(PDP, id) ? 'pdp-server' : 'server'
  }
  await bundle(entries, folder, {
    ...FOR_NODE,
    plugins: [
      {
        name: 'imports',
        moduleParsed: ({ id, importedIds }) => {
          imports.set(id, importedIds)
        },
      },
      keepPlaces(folder),
    ],
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: sharedFile, debugName: 'shared by entries' }],
    },
  })
}

/** The entries for browsers, apart from the others: they share no file with what needs Node. */
export const bundleForPages = (entries, folder) => bundle(entries, folder, { platform: 'browser', target: 'es2022' })

async function bundle(entries, folder, { platform, target, plugins = [], codeSplitting }) {
  const build = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [basename(entry, '.js'), entry])),
    platform,
    plugins: [enums, ...plugins],
    external: (id) => !/^[./]/.test(id),
    transform: { target },
    // each limit is a number where it is read: the library need not load those of the servers
    optimization: { inlineConst: { mode: 'all' } },
    // `sideEffects: false` is said to those who use the package
    treeshake: { moduleSideEffects: true },
    preserveEntrySignatures: 'allow-extension', // without it groups take whole closures
    checks: { moduleLevelDirective: false }, // 'use client' stays where it was
    logLevel: 'warn',
  })
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name]-[hash].js',
    codeSplitting,
    comments: { annotation: false, jsdoc: false }, // the declarations have them
  })
  await build.close()
}

/** The file and all that it imports, but for what it imports when it is needed. */
function collectImports(entry, imports) {
  const closure = new Set()
  const open = [entry]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (closure.has(id) || !imports.has(id)) continue
    closure.add(id)
    open.push(...imports.get(id))
  }
  return closure
}

/**
 * Rewrites `import.meta.url` in the bundle, so that files found relative to a module are still found. Entries of
 * threads are beside the bundle, under their own names. A call, because other bundlers take what is written as
 * `new URL('file', import.meta.url)` for a file that they must find and copy, and fail when it does not exist.
 */
function keepPlaces(folder) {
  return {
    name: 'places',
    transform: (code, id) => {
      if (!code.includes('import.meta.url') || code.includes('threadUrl(import.meta.url')) return null
      const place = JSON.stringify(relative(folder, id).replaceAll('\\', '/'))
      const placed = code.replaceAll('import.meta.url', `sourceUrl(${place}, import.meta.url)`)
      return { code: `const sourceUrl = (file, from) => new URL(file, from).href\n${placed}`, map: null }
    },
  }
}
