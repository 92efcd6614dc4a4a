// The laws that any image keeps, as functions of a drawn history: its answers are those of the definition after every
// revision, and what it came from does not matter. Used by the normal run, by the long run (scripts/test-long.mjs) and
// by the canaries.

import { Image, type KernelSource } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { check } from '../reference/check.ts'
import { listPermissions, permissionsIn } from '../reference/listing.ts'
import type { Policy } from '../reference/policy.ts'
import { type Request, sentAt } from '../reference/request.ts'
import { isSuspended } from '../reference/suspensions.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type Instant, policyIn } from '../support/instants.ts'
import { definedListings, type Listings, makeListings, tenantPermissionsIn } from '../support/listings.ts'
import { toParts } from '../support/parts.ts'
import { FIRST_CHANGES, World } from '../support/world.ts'
import { findPool, type History, listOperations, numbers } from './histories.ts'
import { questions } from './questions.ts'
import { definedAt, makeInstants } from './times.ts'

/** The answer of the image at an instant, or without one where the policy has no times. */
export const ask = (image: Image, request: Request, t?: Instant): boolean =>
  askedIn(image, t, () => image.check(...toParts(request)))

/** Runs `run` with questions of an image that all are of one instant. */
export const askedIn = <T>(image: Image, t: Instant, run: () => T): T =>
  t === undefined ? run() : image.guardAt(t, run)

/** The image and the definition answer one question differently. */
export class Disagreement extends Error {
  readonly request: Request
  readonly revision: number
  /** what the definition says */
  readonly expected: boolean
  readonly at: Instant

  constructor(request: Request, revision: number, expected: boolean, at?: Instant) {
    const when = at === undefined ? '' : ` at ${at}`
    super(`revision ${revision}${when}: ${JSON.stringify(request)} must be ${expected ? 'allowed' : 'denied'}`)
    this.at = at
    this.request = request
    this.revision = revision
    this.expected = expected
  }
}

/** Counts over all histories, so that a run can say what it did. */
export class Tally {
  checks = 0
  allowed = 0
  histories = 0
  /** checks about policies with times, each at an instant */
  inTime = 0
}

/**
 * D12: each listing about a question has exactly what the definition lists, and this is it. @throws an error that names
 * the listing
 */
export function listsAsDefined(images: readonly Image[], policy: Policy, request: Request, t?: Instant) {
  const defined = definedListings(policy, t)
  const lists = (of: Listings) => ({
    users: of.users(request) as string[],
    instances: of.instances(request) as string[],
    actions: of.actions(request),
    tenants: of.tenants(request),
    authorized: of.authorized(request),
  })
  const expected = lists(defined)
  for (const image of images) {
    const listings = makeListings(
      () => image,
      (run) => askedIn(image, t, run),
    )
    requireSame('lists', request, [expected, lists(listings)])
  }
  return expected
}

/** The same of the listings about a user alone. */
export function permitsAsDefined(image: Image, policy: Policy, request: Request, t?: Instant): void {
  const { user, sent } = request
  const inTime = <T>(run: () => T): T => askedIn(image, t, run)
  const [defined, got] = [definedListings(policy, t), makeListings(() => image, inTime)]
  const inTenants = [
    listPermissions(policyIn(policy, t), user, t === undefined ? sent : sentAt(sent, t)),
    inTime(() => tenantPermissionsIn(image, user, sent)),
  ]
  requireSame('permissions in tenants', request, inTenants)
  const { tenant = 'default' } = request.resource
  const inNamed = [
    permittedIn(policyIn(policy, t), { user, tenant, sent: t === undefined ? sent : sentAt(sent, t) }),
    inTime(() => tenantPermissionsIn(image, user, sent, { tenants: [tenant] })),
  ]
  requireSame('permissions in a named tenant', request, inNamed)
  const [onInstances, listed] = [defined, got].map((each) => each.instancePermissions(user, sent))
  requireSame('permissions on instances', request, [onInstances, listed])
  requireSame('tenants of the user', request, [defined.userTenants(user), got.userTenants(user)])
}

/** The permissions in a tenant that is asked for by name: there what everybody has counts (D12). */
function permittedIn(policy: Policy, of: Parameters<typeof permissionsIn>[1]) {
  return isSuspended(policy, of.user) || !policy.tenant.has(of.tenant) ? [] : permissionsIn(policy, of)
}

function requireSame(name: string, request: Request, [defined, got]: readonly unknown[]): void {
  const texts = [defined, got].map((each) => JSON.stringify(each))
  if (texts[0] !== texts[1])
    throw new Error(`${name} of ${JSON.stringify(request)} must be ${texts[0]}, and is ${texts[1]}`)
}

export interface Play {
  readonly history: History
  /** seed of the questions and of the order of cascades */
  readonly seed: number
}

export interface PlayOptions {
  readonly checksPerRevision: number
  readonly kernel?: KernelSource
  /** the definition; canaries pass a wrong one */
  readonly definition?: (policy: Policy, request: Request) => boolean
  readonly tally?: Tally
  /** an image that already went through the first revisions */
  readonly from?: { readonly image: Image; readonly revisions: number }
  /** called after every revision */
  readonly each?: (image: Image, world: World) => void
}

/** Applies the history revision by revision and asks after each. @throws Disagreement */
export function play({ history, seed }: Play, options: PlayOptions): { image: Image; world: World } {
  const { checksPerRevision, kernel = 'release', definition = check, tally = new Tally(), from, each } = options
  const pool = findPool(history)
  const next = numbers(seed)
  const world = new World()
  const image = from?.image ?? Image.build(ENVIRONMENT, makePosition(1), FIRST_CHANGES, { kernel })
  tally.histories++
  for (const [index, edits] of history.revisions.entries()) {
    const changes = runEdits(world, history, edits, next)
    if (from !== undefined && index < from.revisions) continue
    image.apply(deltaTo(image.revision + 1, changes))
    const when = makeInstants(world.policy, next)
    for (const request of questions(world, pool, next, checksPerRevision)) {
      for (const t of when()) {
        const expected = definedAt(world.policy, request, t, definition)
        tally.checks++
        if (t !== undefined) tally.inTime++
        if (expected) tally.allowed++
        if (ask(image, request, t) !== expected) throw new Disagreement(request, image.revision, expected, t)
      }
    }
    each?.(image, world)
  }
  return { image, world }
}

/** The changes of one revision. What a delete cascades to comes before it or after it: both are one revision. */
export function runEdits(
  world: World,
  history: History,
  edits: History['revisions'][number],
  next: (below: number) => number,
): PolicyChange[] {
  const changes: PolicyChange[] = []
  for (const edit of edits) {
    for (const operation of listOperations(world, findPool(history), edit)) {
      const step = world.run(operation)
      changes.push(...(step.length > 1 && next(2) === 0 ? step.toReversed() : step))
    }
  }
  return changes
}

/** The same changes in another order. */
export function shuffled<T>(items: readonly T[], next: (below: number) => number): T[] {
  const result = [...items]
  for (let last = result.length - 1; last > 0; last--) {
    const other = next(last + 1)
    ;[result[last], result[other]] = [result[other]!, result[last]!]
  }
  return result
}
