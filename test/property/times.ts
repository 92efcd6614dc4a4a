// Times of grants in random worlds (D15), and the instants at which such worlds are asked: before, at and after each
// start and end, a year on, and back again.
import type { Policy } from '../reference/policy.ts'
import { askedAt, type Request } from '../reference/request.ts'
import { policyAt } from '../reference/times.ts'
import { type Instant, policyIn } from '../support/instants.ts'
import type { Operation } from '../support/world.ts'
import { numbers } from './numbers.ts'
import { MIDNIGHT, type Next } from './values.ts'

/** Instants that are in turn after a revision. */
const IN_TURN = 6

const HOUR = 3_600_000
const YEAR = 365 * 24 * HOUR

/** Where grants begin and end: few instants, so that they meet. Conditions ask for those around midnight. */
export const BORDERS = [0, MIDNIGHT - HOUR, MIDNIGHT, MIDNIGHT + 1, MIDNIGHT + HOUR, MIDNIGHT + YEAR]

interface Times {
  readonly valid_from?: number
  readonly valid_until?: number
}

/** Half of all grants have none; a start, an end, or both. */
function drawTimes(next: Next): Times {
  const kind = next(8)
  const at = next(BORDERS.length - 1)
  const [first, last] = [BORDERS[at]!, BORDERS[at + 1 + next(BORDERS.length - 1 - at)]!]
  if (kind < 4) return {}
  if (kind === 4) return { valid_from: first }
  return kind === 5 ? { valid_until: last } : { valid_from: first, valid_until: last }
}

/** The operations, in which each grant that is written has times that follow from the seed. */
export function withTimes(operations: readonly Operation[], seed: number): readonly Operation[] {
  const next = numbers(seed)
  return operations.map(([op, kind, object]): Operation => {
    if (op === 'put' && kind === 'user' && object.suspension !== undefined)
      return [op, kind, { ...object, suspension: drawTimes(next) }]
    const isGrant = op === 'put' && (kind === 'role_assignment' || kind === 'relationship_tuple')
    if (!isGrant) return [op, kind, object] as Operation
    const { valid_from: _, valid_until: __, ...named } = object as typeof object & Times
    return [op, kind, { ...named, ...drawTimes(next) }] as Operation
  })
}

/** The starts and ends of what is stored, in order. */
export function bordersIn({ role_assignment, relationship_tuple, user }: Policy): number[] {
  const all = new Set<number>()
  const suspensions = [...user.values()].map(({ suspension = {} }) => suspension)
  for (const { valid_from, valid_until } of [
    ...role_assignment.values(),
    ...relationship_tuple.values(),
    ...suspensions,
  ]) {
    if (valid_from !== undefined) all.add(valid_from)
    if (valid_until !== undefined) all.add(valid_until)
  }
  return [...all].sort((a, b) => a - b)
}

/** Before, at and after each start and end, and a year on. */
export function instantsAround(policy: Policy): readonly number[] {
  const borders = bordersIn(policy)
  return [...borders.flatMap((border) => [border - 1, border, border + 1]), (borders.at(-1) ?? 0) + YEAR]
}

/**
 * So many instants at which to ask about a policy, in any order, and at last the first of them again. Of a policy without
 * times: no instant, as ever.
 */
export function instants(policy: Policy, next: Next, count: number): readonly Instant[] {
  const borders = bordersIn(policy)
  if (borders.length === 0) return [undefined]
  const drawn = Array.from({ length: count }, (): Instant => {
    const border = borders[next(borders.length)]!
    return [border - 1, border, border + 1, border, border - 1, borders.at(-1)! + YEAR][next(6)]
  })
  return [...drawn, drawn[0]]
}

/**
 * Of some of them the one at which most is in force: with little of it, a change matters little. Of a policy without times
 * midnight.
 */
export function busiestInstant(policy: Policy, next: Next): number {
  const inForceAt = (t: number): number => {
    const { role_assignment, relationship_tuple } = policyAt(policy, t)
    return role_assignment.size + relationship_tuple.size
  }
  const drawn = instants(policy, next, IN_TURN).map((t = MIDNIGHT) => [t, inForceAt(t)] as const)
  return drawn.reduce((best, each) => (each[1] > best[1] ? each : best))[0]
}

/** Instants of a run, and with each call the next two of them: questions go on to later ones and back. */
export function makeInstants(policy: Policy, next: Next): () => readonly Instant[] {
  const all = instants(policy, next, IN_TURN)
  let at = 0
  return () => {
    at++
    return all.length === 1 ? all : [all[at % all.length], all[(at + 1) % all.length]]
  }
}

/** What is defined about a question at an instant. */
export const definedAt = <T>(
  policy: Policy,
  request: Request,
  t: Instant,
  define: (policy: Policy, request: Request) => T,
): T => define(policyIn(policy, t), t === undefined ? request : askedAt(request, t))
