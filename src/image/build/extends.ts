// The graph of `extends` as it will be: no role extends itself over any number of steps, and no chain is longer than the limit. The
// kernel computes rows along this graph and relies on both, so a policy without them is refused before anything is stored.
import { EXTENDS_DEPTH_MAX } from '../../../assembly/abi.ts'

/** Direct neighbours in the graph as it will be. */
export interface ExtendsGraph {
  parents(role: string): readonly string[]
  children(role: string): readonly string[]
}

/** Why the changed roles cannot stand as they are; undefined when they can. */
export function troubleOf(graph: ExtendsGraph, changed: Iterable<string>): string | undefined {
  for (const role of changed) {
    const above = levels(role, graph.parents)
    if (above > EXTENDS_DEPTH_MAX || above + levels(role, graph.children) - 1 > EXTENDS_DEPTH_MAX) {
      return `role \`${role}\` would extend itself or be part of a chain of more than ${EXTENDS_DEPTH_MAX} roles`
    }
  }
  return undefined
}

/** Roles on the longest chain from `role` on, itself included; a circle has no longest chain and ends beyond the limit. */
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
