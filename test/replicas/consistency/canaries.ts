// Defects that a run must find: by their names, what stands in place of the code behind each tag in the sources. Each
// is put into a copy of the build.
import { join } from 'node:path'
import type { Canary } from '../../support/canary.ts'
import { otherBuild } from '../../support/other-build.ts'

const PAUSE = 'await new Promise((resolve) => setTimeout(resolve, 40))'

export const CANARIES = {
  'no read index': { 'read-index': 'return Promise.resolve()' },
  'joins a question that was sent': { 'question-that-was-sent': 'return this.#running' },
  'key not looked at again': { 'key-of-a-write': 'void 0' },
  'outcome looked up without a fence': {
    'fence-of-a-write': 'void lost',
    'locks-of-a-write': "await connection.script('BEGIN')",
  },
  'heartbeat without a question': { 'confirmed-heartbeat': 'true' },
  'a loss goes unnoticed': { 'lost-history': 'false' },
  'fork left out': { 'fork-after-a-loss': '' },
  'folded and not told': {
    'folded-by-a-write': 'moved',
    // between what a write has folded and its report, so that questions come in between
    'report-of-a-write': (code) => `${PAUSE}\n${code}`,
  },
  'applied twice': { 'outcome-of-a-write': "throw new Error('the connection was lost')" },
} as const satisfies Readonly<Record<string, Canary>>

export type CanaryName = keyof typeof CANARIES

/** Those that only a failover finds that loses something. */
export const OF_LOSS: readonly CanaryName[] = ['a loss goes unnoticed', 'fork left out']

/** The command of a build with the defect. */
export const buildWith = async (name: CanaryName): Promise<string> =>
  join(await otherBuild(CANARIES[name]), 'cli/zerohop.js')
