import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { defineConfig, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './test/support/order.ts'

/** The suites of the management API that are repeated on two replicas over PostgreSQL. */
const ON_REPLICAS = ['audit', 'concurrent', 'keys'].map((name) => `test/http/management/${name}.test.ts`)
/** All of them, and nothing else: `npm run test:replicas:api`. */
const ALL_ON_REPLICAS = [
  'test/http/management/*.test.ts',
  'test/http/v1/*.test.ts',
  'test/http/scim/{group-rules,groups,users}.test.ts',
]

/** Where test/support/postgres.ts can run a server. */
const isLinux = process.platform === 'linux'
const isOnReplicas = process.env.ZEROHOP_TEST_REPLICAS !== undefined
/** Files that a run leaves out: `--exclude` does not reach the projects. Set by scripts/coverage.mjs. */
const EXCLUDED = process.env.ZEROHOP_TEST_EXCLUDE?.split(',') ?? []
/** Pages of the console in a browser: one server and one browser for all of them. */
const CONSOLE = ['test/console/*.test.ts']
const keptFolder = 'test/support/kept-folder-setup.ts'
const usual: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'usual',
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...CONSOLE, ...EXCLUDED],
    globalSetup: [keptFolder],
  },
}
const inBrowser: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'console', include: CONSOLE, globalSetup: ['test/support/console-setup.ts'] },
}
const onReplicas: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'replicas',
    include: isOnReplicas ? ALL_ON_REPLICAS : ON_REPLICAS,
    env: { ZEROHOP_TEST_REPLICAS: process.env.ZEROHOP_TEST_REPLICAS ?? '2' },
    globalSetup: ['test/support/replicas-setup.ts', keptFolder],
  },
}

/**
 * With ZEROHOP_TEST_COMPILED tests import the files of `dist/src`, which `npm test` has built before: a third of the
 * time of loading them went into transforming each file of `src` once more. Without it they import `src`.
 */
const compiled: Plugin = {
  name: 'compiled',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.')) return null
    const path = relative(join(import.meta.dirname, 'src'), resolve(dirname(importer), source))
    if (path.startsWith('..')) return null
    return { id: join(import.meta.dirname, 'dist/src', path.replace(/\.ts$/, '.js')), external: true }
  },
}

export default defineConfig({
  // as in console/vite.config.ts: what the console takes from src
  resolve: {
    alias: {
      'zerohop/client': join(import.meta.dirname, 'src/client.ts'),
      'zerohop/conditions': join(import.meta.dirname, 'src/model/condition-operators.ts'),
      'zerohop/durations': join(import.meta.dirname, 'src/model/durations.ts'),
      'zerohop/fold-case': join(import.meta.dirname, 'src/model/fold-case.ts'),
      'zerohop/policy-kinds': join(import.meta.dirname, 'src/model/policy-kinds.ts'),
    },
  },
  plugins: process.env.ZEROHOP_TEST_COMPILED === undefined ? [] : [compiled],
  test: {
    projects: isOnReplicas ? [onReplicas] : [usual, inBrowser, ...(isLinux ? [onReplicas] : [])],
    server: { deps: { external: [/\/dist\/src\//] } },
    setupFiles: ['test/support/setup.ts'],
    pool: 'forks',
    // A quarter of the time went into loading the same modules once for each of 180 files: a worker loads them once for all of its files.
    isolate: false,
    // Much of the time is spent waiting for servers of the tests' own: on two cores four files at once, where the default is one.
    maxWorkers: availableParallelism() + 2,
    // More workers than processors: threads of the garbage collector would only take turns with other workers. With much
    // room for what is young, it seldom copies what lives: 4 to 8 % of the processor time of a worker. The memory of each
    // kernel hurries the collector: a heap that begins large, in MB, is marked less often, which takes another 3 to 6 %.
    execArgv: ['--single-threaded-gc', '--min-semi-space-size=64', '--initial-heap-size=600'],
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // one second is the default, which a busy machine may need for one look
    expect: { poll: { timeout: 60_000 } },
    coverage: { provider: 'v8', include: ['src/**', 'test/reference/**'], reporter: ['text-summary', 'json-summary'] },
  },
})
