// Where the code of a worker thread lies: beside the caller in the build, and in the build when the caller runs from source
// (a test, say), because a worker cannot load TypeScript.

/** URL of a worker's entry file. `from` is the caller's `import.meta.url`, `file` the entry relative to it, as `./name.ts`. */
export function threadUrl(from: string, file: string): URL {
  const source = new URL(file, from)
  if (from.endsWith('.js')) return new URL(source.href.replace(/\.ts$/, '.js'))
  const root = source.href.lastIndexOf('/src/')
  return new URL(`${source.href.slice(0, root)}/dist${source.href.slice(root).replace(/\.ts$/, '.js')}`)
}
