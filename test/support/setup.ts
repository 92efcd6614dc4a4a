// Runs before every test file. Modules are loaded once for many test files (vitest.config.ts), so what a module has to
// tidy up after each file is called here: a hook at the top of a module would belong to the first file that loads it.
import { afterAll, expect } from 'vitest'
import './bundled-threads.ts'
import { measure } from './cost.ts'
import { eventually } from './eventually.ts'
import { removeTemporaryFolders } from './folders.ts'

/** Servers that listen and processes that run, of this worker. */
const running = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap' || kind === 'ProcessWrap').length

const measured = measure()
// hooks run in reverse: this is the last
afterAll(() => measured(expect.getState().testPath ?? ''))

const before = running()
// Every test ends what it starts, or it would still run during the next files of this worker.
afterAll(() => eventually(() => Math.max(0, running() - before), 0))

// not when the process exits: vitest ends its workers by a signal
afterAll(removeTemporaryFolders)
