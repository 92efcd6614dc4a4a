// Runs before every test file. Modules are loaded once for many test files (vitest.config.ts), so what a module has to tidy up after each file
// is called here: a hook at the top of a module would belong to the first file that loads it.
import { afterAll } from 'vitest'
import { removeTemporaryFolders } from './folders.ts'

// not when the process exits: vitest ends its workers by a signal
afterAll(removeTemporaryFolders)
