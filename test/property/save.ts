// A counterexample as a case file: the operations of its history, revision by revision, and the one question that was answered otherwise.
// scripts/test-long.mjs --save NAME writes it; whoever keeps it gives it its rule and says in one sentence what it shows.
import type { JsonObject } from '../../src/model/objects.ts'
import type { Request } from '../reference/request.ts'
import { type Operation, World } from '../support/world.ts'
import { operationsOf, POOLS } from './histories.ts'
import type { Disagreement, Play } from './laws.ts'

/** The case in which the definition and the image differed. */
export function caseOf({ history }: Play, { request, expected, revision }: Disagreement): object {
  const world = new World()
  const writes = history.revisions.map((edits) =>
    edits.flatMap((edit): readonly Operation[] => {
      const operations = operationsOf(world, POOLS[history.pool], edit)
      world.runAll(operations)
      return operations
    }),
  )
  // The image is at revision 1 before the first of them.
  const steps = writes.slice(0, revision - 1).map((write) => ({ write }))
  const says = 'A counterexample of the long test, yet to be put into words.'
  const last = { ...steps.at(-1), checks: [rowOf(request, expected)] }
  return { $schema: '../case.schema.json', rule: 'D10', says, steps: [...steps.slice(0, -1), last] }
}

function rowOf({ user, action, resource, sent = {} }: Request, expected: boolean): unknown[] {
  const named = (key: string, attributes: JsonObject | undefined) =>
    attributes === undefined ? key : { key, attributes }
  const about = sent.resource === undefined ? resource : { ...resource, attributes: sent.resource }
  const row = [named(user, sent.user), named(action, sent.action), about, expected]
  return sent.context === undefined ? row : [...row, sent.context]
}
