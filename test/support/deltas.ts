// Deltas and positions for tests that drive an image without a log.
import type { Delta, PolicyChange } from '../../src/log/delta.ts'

export const ENVIRONMENT = '0123456789abcdef0123456789abcdef'

/** Any chain does, as long as each revision has its own. */
export const makeChain = (revision: number, history = 1): string =>
  history.toString(16).padStart(32, '0') + revision.toString(16).padStart(32, '0')

export const makePosition = (revision: number) => ({ revision, chain: makeChain(revision) })

export function deltaTo(revision: number, changes: readonly PolicyChange[]): Delta {
  const [previous, chain] = [makeChain(revision - 1), makeChain(revision)]
  return { environment: ENVIRONMENT, from: revision - 1, to: revision, previous, chain, changes }
}
