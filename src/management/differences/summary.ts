// A revision that changed many objects in one line, as its log entry keeps it for history.
import type { Op, PlanEntry } from './entries.ts'

const WORDS: readonly (readonly [Op, string])[] = [
  ['create', 'created'],
  ['update', 'changed'],
  ['move', 'moved'],
  ['delete', 'deleted'],
]

/** `apply plan: 3 created, 1 changed`: what was done, and to how many objects. */
export function formatSummary(done: string, counts: Partial<Readonly<Record<Op, number>>>): string {
  const words = WORDS.flatMap(([op, word]) => (counts[op] ? [`${counts[op]} ${word}`] : []))
  return words.length === 0 ? done : `${done}: ${words.join(', ')}`
}

/** How many objects of a policy file. */
export function countByOp(entries: readonly Pick<PlanEntry, 'op'>[]): Partial<Record<Op, number>> {
  const counts: Partial<Record<Op, number>> = {}
  for (const { op } of entries) counts[op] = (counts[op] ?? 0) + 1
  return counts
}
