// Defects that a run must find. Each is put into a copy of the build: one place is replaced, and what is no longer
// there is an error, so that a canary cannot be lost by an edit of the source.
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../support/folders.ts'

interface Edit {
  /** below `dist/src`, where each source is a file of its own */
  readonly file: string
  readonly from: string
  readonly to: string
}

const WRITER = 'store/postgres/replica-writer.js'

const PAUSE = 'await new Promise((resolve) => setTimeout(resolve, 40));'

export const CANARIES = {
  'no read index': [
    {
      file: 'store/store.js',
      from: 'if (!this.isReplicated)\n            return Promise.resolve();\n        // one',
      to: 'return Promise.resolve();\n        // one',
    },
  ],
  'joins a question that was sent': [
    { file: 'store/postgres/follow.js', from: 'const running = this.#running;\n', to: 'return this.#running;\n' },
  ],
  'key not looked at again': [{ file: 'store/batch.js', from: 'this.#requireKey(job.key, job.log);', to: ';' }],
  'outcome looked up without a fence': [
    { file: WRITER, from: 'SELECT pg_terminate_backend(pid) FROM', to: 'SELECT pid FROM' },
    {
      file: WRITER,
      from: 'await beginLocked(connection, batch, [...new Set(entries.map(({ number }) => number))], [], true);',
      to: "await connection.script('BEGIN');",
    },
  ],
  'heartbeat without a question': [
    { file: 'management/feed/local-feed.js', from: 'if (await isConfirmed(store, confirmedAt))', to: 'if (true)' },
  ],
  'a loss goes unnoticed': [
    {
      file: 'store/postgres/follow.js',
      from: 'if (own.revision > head.revision || (own.revision === head.revision && own.chain !== head.chain))',
      to: 'if (false)',
    },
  ],
  'fork left out': [{ file: 'management/open.js', from: 'if (store.historyLost !== undefined)', to: 'if (false)' }],
  'folded and not told': [
    { file: 'store/postgres/follow.js', from: 'new Set([...moved, ...this.#untold])', to: 'moved' },
    // between two logs of a write, so that questions come in between
    { file: WRITER, from: 'requireOurs(own.get(log.id),', to: `${PAUSE}\nrequireOurs(own.get(log.id),` },
  ],
  'applied twice': [
    {
      file: WRITER,
      from: 'return this.#resolve(connection, batch, entries);',
      to: "throw new Error('the connection was lost');",
    },
  ],
} as const satisfies Readonly<Record<string, readonly Edit[]>>

export type Canary = keyof typeof CANARIES

/** Those that only a failover finds that loses something. */
export const OF_LOSS: readonly Canary[] = ['a loss goes unnoticed', 'fork left out']

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A copy of the build with the defect; returns its command. */
export function buildWith(canary: Canary): string {
  const folder = temporaryFolder('canary')
  for (const part of ['dist', 'build/release.wasm', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const { file, from, to } of CANARIES[canary]) {
    const path = join(folder, 'dist/src', file)
    const source = readFileSync(path, 'utf8')
    const [before, after, ...more] = source.split(from)
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`canary \`${canary}\`: \`${from}\` is not there once in ${file}`)
    writeFileSync(path, `${before}${to}${after}`)
  }
  return join(folder, 'dist/src/cli/zerohop.js')
}
