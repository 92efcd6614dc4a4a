// What a kernel is judged by: every conformance case, keys whose hashes are equal, and random histories with 20,000
// questions, with the answers of the definition. Worked out once: a kernel is asked thousands of times.
import fc from 'fast-check'
import type { PolicyChange } from '../../src/log/delta.ts'
import { readCases, type Step, toRequest } from '../conformance/cases.ts'
import { findPool, mixedHistories, numbers } from '../property/histories.ts'
import { type Play, runEdits } from '../property/laws.ts'
import { questions } from '../property/questions.ts'
import { definedAt, makeInstants } from '../property/times.ts'
import { check } from '../reference/check.ts'
import { withoutEverybody } from '../reference/everybody.ts'
import type { Reasons } from '../reference/explain.ts'
import type { TenantPermissions, Way } from '../reference/listing.ts'
import type { Request } from '../reference/request.ts'
import { collisions } from '../support/collisions.ts'
import type { Instant } from '../support/instants.ts'
import { World } from '../support/world.ts'

export interface AskedStep {
  readonly changes: readonly PolicyChange[]
  readonly checks: readonly (readonly [request: Request, allow: boolean, t?: Instant])[]
  /** the same about what users hold themselves, without what everybody does (D16) */
  readonly alone: readonly (readonly [request: Request, allow: boolean, t?: Instant])[]
  /** the instant of everything else; undefined for a policy without times */
  readonly at?: Instant
  readonly undecided: readonly Request[]
  readonly reasons: readonly (readonly [request: Request, reasons: Partial<Reasons>])[]
  readonly roles: readonly (readonly [user: string, tenants: readonly TenantPermissions[]])[]
  readonly users: readonly (readonly [request: Request, users: readonly string[]])[]
  readonly authorized: readonly (readonly [request: Request, users: readonly (readonly [string, readonly Way[]])[]])[]
  readonly instances: readonly (readonly [request: Request, instances: readonly string[]])[]
}

export interface Script {
  readonly name: string
  readonly steps: readonly AskedStep[]
  /** asked after deltas alone: too large to be verified, compacted and built for each mutant */
  readonly isLarge?: boolean
  /** everything that stands at the end */
  readonly contents: readonly PolicyChange[]
}

const CHECKS_PER_REVISION = 40
/** Of these, about what users hold themselves, where everybody has roles. */
const ALONE_PER_REVISION = 10

/**
 * The quick cases, keys with one hash, random histories with as many checks as asked for, and at last the few slow
 * cases.
 */
export function corpus(root: URL, checks: number, seed: number): Script[] {
  const cases = readCases(new URL('test/conformance/cases/', root)).map(({ name, steps }) => makeScript(name, steps))
  const isSlow = ({ steps }: Script) => steps.some(({ changes }) => changes.length > 2000)
  const colliding = collisions().map(({ name, steps }) => makeScript(name, steps))
  return [...cases.filter((each) => !isSlow(each)), ...colliding, ...random(checks, seed), ...cases.filter(isSlow)]
}

export function makeScript(name: string, steps: readonly Step[]): Script {
  const world = new World()
  const asked = steps.map((step): AskedStep => {
    const {
      write = [],
      checks = [],
      undecided = [],
      explains = [],
      permissions = [],
      users = [],
      authorized = [],
      instances = [],
    } = step
    return {
      changes: world.runAll(write),
      checks: checks.map((row) => [toRequest(row), row[3], step.at]),
      alone: [],
      ...(step.at === undefined ? {} : { at: step.at }),
      undecided: undecided.map(toRequest),
      reasons: explains.map((row) => [toRequest(row), readReasons(row[3])]),
      roles: permissions.flatMap(([user, tenants, context]) =>
        typeof user === 'string' && context === undefined
          ? [[user, tenants.map(([tenant, roles, allowed]) => ({ tenant, roles, permissions: allowed }))] as const]
          : [],
      ),
      users: users.map(([action, resource, allowed, context]) => [
        toRequest(['', action, resource, allowed, context]),
        allowed,
      ]),
      authorized: authorized.map(([action, resource, allowed, context]) => [
        toRequest(['', action, resource, allowed, context]),
        allowed,
      ]),
      instances: instances.map((row) => [toRequest(row), row[3]]),
    }
  })
  return { name, steps: asked, contents: world.contents() }
}

/** Without what no kernel says by itself. */
function readReasons(reasons: NonNullable<Step['explains']>[number][3]): Partial<Reasons> {
  if (typeof reasons === 'string') return { rbac: reasons }
  const { not_in_force: _, ...rest } = reasons
  return rest
}

function random(checks: number, seed: number): Script[] {
  const plays: fc.Arbitrary<Play> = fc.record({ history: mixedHistories, seed: fc.nat() })
  const scripts: Script[] = []
  let asked = 0
  for (let round = 0; asked < checks; round++) {
    for (const [index, drawn] of fc.sample(plays, { seed: seed + round, numRuns: 100 }).entries()) {
      if (asked >= checks) break
      const script = scriptOfPlay(`history ${round * 100 + index}`, drawn)
      scripts.push(script)
      for (const step of script.steps) asked += step.checks.length
    }
  }
  return scripts
}

function scriptOfPlay(name: string, { history, seed }: Play): Script {
  const world = new World()
  const next = numbers(seed)
  const pool = findPool(history)
  const steps = history.revisions.map((edits): AskedStep => {
    const changes = runEdits(world, history, edits, next)
    const when = makeInstants(world.policy, next)
    const checks = [...questions(world, pool, next, CHECKS_PER_REVISION)].flatMap((request) =>
      when().map((t) => [request, definedAt(world.policy, request, t, check), t] as const),
    )
    const own = withoutEverybody(world.policy)
    const known =
      own === world.policy ? [] : checks.filter(([{ user }]) => own.user.has(user)).slice(0, ALONE_PER_REVISION)
    const alone = known.map(([request, , t]) => [request, definedAt(own, request, t, check), t] as const)
    return { changes, checks, alone, undecided: [], reasons: [], roles: [], users: [], authorized: [], instances: [] }
  })
  return { name, steps, contents: world.contents() }
}
