// Runs the bench as a user does.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ROOT } from '../tidy/source.ts'

const run = promisify(execFile)

/** `npm run bench -- …`, without the build. Rejects with `code` and `stderr` when it ends with another code than 0. */
export const runBench = (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  run(process.execPath, ['scripts/bench.mjs', ...args], { cwd: ROOT })
