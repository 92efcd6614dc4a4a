import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Much of the time is spent waiting for servers of the tests' own: on two cores three files at once, where the default is one.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: { provider: 'v8', include: ['src/**', 'test/reference/**'], reporter: ['text-summary', 'json-summary'] },
  },
})
