// A counterexample as a case file: the operations of its history, as few as still show it, and the one question that
// was answered otherwise. scripts/test-long.mjs --save NAME writes it; whoever keeps it gives it its rule and says in
// one sentence what it shows.
import { Image } from '../../src/image/image.ts'
import type { KernelSource } from '../../src/kernel/module.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { check } from '../reference/check.ts'
import type { Request } from '../reference/request.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { FIRST_CHANGES, type Operation, World } from '../support/world.ts'
import { findPool, listOperations } from './histories.ts'
import { ask, type Disagreement, type Play } from './laws.ts'
import { definedAt } from './times.ts'

/** An operation and the revision that it belongs to. */
type Written = readonly [revision: number, operation: Operation]

/** The case in which the definition and the image differed; with a kernel, without what makes no difference to that. */
export function toCase({ history }: Play, found: Disagreement, kernel?: KernelSource): object {
  const { request, expected, revision, at } = found
  const world = new World()
  // The image is at revision 1 before the first of them.
  const all = history.revisions.slice(0, revision - 1).flatMap((edits, index) =>
    edits.flatMap((edit) => {
      const operations = listOperations(world, findPool(history), edit)
      world.runAll(operations)
      return operations.map((operation): Written => [index, operation])
    }),
  )
  const shows = (some: readonly Written[]) => kernel !== undefined && differs(some, found, kernel)
  const steps = groupSteps(shows(all) ? fewest(all, shows) : all).map((write) => ({ write: write.map(named) }))
  const says = 'A counterexample of the long test, yet to be put into words.'
  const last = { ...(at === undefined ? {} : { at }), ...steps.at(-1), checks: [toRow(request, expected)] }
  return { $schema: '../case.schema.json', rule: 'D10', says, steps: [...steps.slice(0, -1), last] }
}

/** A delete names what is stored, without its times. */
function named([op, kind, object]: Operation): Operation {
  const { valid_from: _, valid_until: __, ...names } = object as typeof object & Times
  return [op, kind, op === 'delete' ? names : object] as Operation
}

interface Times {
  readonly valid_from?: unknown
  readonly valid_until?: unknown
}

function groupSteps(written: readonly Written[]): Operation[][] {
  const steps = new Map<number, Operation[]>()
  for (const [revision, operation] of written) steps.set(revision, [...(steps.get(revision) ?? []), operation])
  return [...steps.values()]
}

/**
 * Does the image that follows these operations still answer otherwise than the definition, which still says the same?
 */
function differs(written: readonly Written[], found: Disagreement, kernel: KernelSource): boolean {
  const { request, expected, at } = found
  const world = new World()
  const image = Image.build(ENVIRONMENT, makePosition(1), FIRST_CHANGES, { kernel })
  try {
    for (const step of groupSteps(written)) image.apply(deltaTo(image.revision + 1, world.runAll(step)))
    return definedAt(world.policy, request, at, check) === expected && ask(image, request, at) !== expected
  } catch {
    return false // an operation names an object that is not written any longer
  }
}

/** Leaves out ever smaller parts of the list as long as what is left still shows it. */
function fewest<T>(all: readonly T[], shows: (some: readonly T[]) => boolean): readonly T[] {
  let left = all
  for (let size = all.length >> 1; size > 0; size = size === 1 ? 0 : size >> 1) {
    for (let at = left.length - size; at > -size; at -= size) {
      const without = left.toSpliced(Math.max(at, 0), Math.min(size, size + at))
      if (shows(without)) left = without
    }
  }
  return left
}

function toRow({ user, action, resource, sent = {} }: Request, expected: boolean): unknown[] {
  const named = (key: string, attributes: JsonObject | undefined) =>
    attributes === undefined ? key : { key, attributes }
  const about = sent.resource === undefined ? resource : { ...resource, attributes: sent.resource }
  const row = [named(user, sent.user), named(action, sent.action), about, expected]
  return sent.context === undefined ? row : [...row, sent.context]
}
