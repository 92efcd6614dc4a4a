// Rows that a program prints, a JSON object on each line. It is started with a list of arguments, and no shell reads
// them. A program that fails gives no rows: what it had printed until then is not used.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { contained } from '../../model/contained.ts'
import { ZerohopError } from '../../model/errors.ts'
import { SYNC_ANSWER_MS, SYNC_COMMAND_ERROR_BYTES } from '../../model/limits.ts'
import { plain } from '../../model/plain-text.ts'
import type { RowBatch, Snapshot } from './source.ts'
import { toSourceError } from './source-failure.ts'
import { jsonRows } from './text-rows.ts'

/** @param folder that of the sync file, in which programs run */
export function openCommand(folder: string): Snapshot {
  return {
    async *read(_name, section) {
      const [program = '', ...words] = section.command ?? []
      try {
        yield* run(program, words, folder)
      } catch (error) {
        throw toSourceError(error, program)
      }
    },
    close: async () => undefined,
  }
}

async function* run(program: string, words: readonly string[], cwd: string): AsyncGenerator<RowBatch, void, undefined> {
  const child = spawn(program, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: SYNC_ANSWER_MS })
  let report = ''
  const hear = (text: string): void => {
    report = (report + text).slice(-SYNC_COMMAND_ERROR_BYTES)
  }
  child.stderr.setEncoding('utf8').on('data', contained('what a program reports', hear))
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  ended.catch(() => undefined) // it is awaited below, unless the rows were not taken
  try {
    yield* jsonRows(child.stdout, program)
    const [code, signal] = await ended
    if (code === 0) return
    const reason = `it ended with ${code === null ? signal : `exit code ${code}`}: ${plain(report.trim())}`
    throw new ZerohopError('SYNC_SOURCE_FAILED', { where: program, reason })
  } finally {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  }
}
