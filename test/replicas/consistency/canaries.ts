// Defects that a run must find. Each is put into a copy of the build.
import { join } from 'node:path'
import { type Edit, otherBuild } from '../../support/other-build.ts'

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
    // between what a write has folded and its report, so that questions come in between
    { file: WRITER, from: 'follow.tell(moved);', to: `${PAUSE}\nfollow.tell(moved);` },
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

/** The command of a build with the defect. */
export const buildWith = (canary: Canary): string =>
  join(otherBuild(`canary \`${canary}\``, CANARIES[canary]), 'cli/zerohop.js')
