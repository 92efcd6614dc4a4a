// Validates the graph of `extends` as it will be after a change: no role extends itself over any number of steps, and
// no chain is longer than the limit. The kernel relies on both when it computes rows along this graph, so a policy that
// violates them is refused before anything is stored.
import { EXTENDS_DEPTH_MAX } from '../../../assembly/limits.ts'

/** Direct neighbours in the graph after the change. */
export interface ExtendsGraph {
  parents(role: string): readonly string[]
  children(role: string): readonly string[]
}

/** Why the changed roles are invalid, in words; undefined when they are valid. */
export function extendsFault(graph: ExtendsGraph, changed: Iterable<string>): string | undefined {
  for (const role of changed) {
    const above = levels(role, graph.parents)
    if (above > EXTENDS_DEPTH_MAX || above + levels(role, graph.children) - 1 > EXTENDS_DEPTH_MAX) {
      return `role \`${role}\` would extend itself or be part of a chain of more than ${EXTENDS_DEPTH_MAX} roles`
    }
  }
  return undefined
}

/** The number of roles on the longest chain from `role`, itself included; a cycle gives a number beyond the limit. */
function levels(role: string, next: (role: string) => readonly string[]): number {
  let level: ReadonlySet<string> = new Set([role])
  let count = 0
  while (level.size > 0 && count <= EXTENDS_DEPTH_MAX) {
    count++
    const following = new Set<string>()
    for (const each of level) for (const neighbour of next(each)) following.add(neighbour)
    level = following
  }
  return count
}
