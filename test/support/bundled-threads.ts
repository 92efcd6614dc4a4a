// With ZEROHOP_TEST_COMPILED tests run `dist/src`, whose threads would begin with `dist/src` too: hundreds of files,
// again for each of the hundreds of stores that tests open. Here they begin with the same code in `dist/bundle`, as those
// of `src` and of an installed package do, which takes half the time. Other builds (other-build.ts) keep theirs.
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const threads = createRequire(import.meta.url)('node:worker_threads') as typeof import('node:worker_threads')
const ROOT = join(import.meta.dirname, '../..')
const COMPILED = pathToFileURL(join(ROOT, 'dist/src/')).href
const BUNDLE = pathToFileURL(join(ROOT, 'dist/bundle/')).href

class BundledWorker extends threads.Worker {
  constructor(entry: string | URL, options?: ConstructorParameters<typeof threads.Worker>[1]) {
    const isCompiled = entry instanceof URL && entry.href.startsWith(COMPILED)
    super(isCompiled ? new URL(basename(entry.pathname), BUNDLE) : entry, options)
  }
}

if (process.env.ZEROHOP_TEST_COMPILED !== undefined) {
  Object.assign(threads, { Worker: BundledWorker })
  syncBuiltinESMExports()
}
