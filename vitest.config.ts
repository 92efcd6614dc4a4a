import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/order.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    pool: 'forks',
    // A quarter of the time went into loading the same modules once for each of 180 files: a worker loads them once for all of its files.
    isolate: false,
    // Much of the time is spent waiting for servers of the tests' own: on two cores three files at once, where the default is one.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: { provider: 'v8', include: ['src/**', 'test/reference/**'], reporter: ['text-summary', 'json-summary'] },
  },
})
