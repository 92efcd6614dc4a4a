// Where the code of a worker thread or a child process lies. It cannot load TypeScript: its code is next to the caller
// in the build, or, when the caller runs from source, in the bundle, which starts fastest.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ZerohopError } from '../model/errors.ts'

/**
 * URL of a worker's entry file. `from` is the caller's `import.meta.url`, `file` the entry relative to it, as
 * `./name.ts`.
 * @throws PACKAGE_FILE_MISSING when a bundler has moved the caller without it
 */
export function threadUrl(from: string | undefined, file: string): URL {
  const name = file.slice(2).replace(/\.ts$/, '.js')
  // a bundler that makes a CommonJS file leaves no `import.meta.url`
  const source = from !== undefined && URL.canParse(file, from) ? new URL(file, from) : undefined
  if (from === undefined || source === undefined) throw missing(name, 'it is not known where this code is')
  const root = source.href.slice(0, source.href.lastIndexOf('/src/'))
  const url = /\.[cm]?js$/.test(from) ? new URL(name, source) : new URL(`${root}/dist/bundle/${name}`)
  if (!existsSync(url)) throw missing(name, `there is no ${url.protocol === 'file:' ? fileURLToPath(url) : url.href}`)
  return url
}

const missing = (file: string, reason: string): ZerohopError =>
  new ZerohopError('PACKAGE_FILE_MISSING', { file, reason })
