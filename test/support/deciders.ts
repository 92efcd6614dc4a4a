// Every way in which Zerohop answers a question, behind one shape, so that one case runs over all of them. The
// reference is one.
import { Image } from '../../src/image/image.ts'
import type { Feature } from '../conformance/cases.ts'
import { MIDNIGHT } from '../property/values.ts'
import { bulkCheck, check } from '../reference/check.ts'
import { explain, explainAt, type ReasonsAt } from '../reference/explain.ts'
import { listPermissions, type TenantPermissions } from '../reference/listing.ts'
import type { Policy } from '../reference/policy.ts'
import { askedAt, type Request, type Sent, sentAt } from '../reference/request.ts'
import { ENVIRONMENT, makePosition } from './deltas.ts'
import { policyIn } from './instants.ts'
import { definedListings, type Listings, makeListings, tenantPermissionsIn } from './listings.ts'
import { toParts } from './parts.ts'
import { Source, Story, type Way, WayLack, waysHere } from './ways.ts'
import { FIRST_CHANGES, type Operation, World } from './world.ts'

type Awaitable<T> = T | Promise<T>

/** What can be asked about one environment. */
export interface Questions {
  check(request: Request): Awaitable<boolean>
  bulkCheck(requests: readonly Request[]): Awaitable<boolean[]>
  /** the reason of each part that the decider can explain */
  explain(request: Request): Awaitable<Partial<ReasonsAt>>
  permissions(user: string, sent?: Sent): Awaitable<TenantPermissions[]>
  /** the other listings, for deciders that do not lack them */
  listings?: Listings
  /** The same, asked at this instant (D15), for deciders that do not lack times. */
  at?(now: number): Questions
  close?(): Awaitable<void>
}

/** One environment, open for writes and questions. */
export interface Session extends Questions {
  /** Applies the operations; when it returns, every question is answered after them. Or why it leads nowhere. */
  write(operations: readonly Operation[]): Awaitable<undefined | WayLack>
  /** others who know what was written, by name, and are asked the same */
  others?: ReadonlyMap<string, Questions>
}

export interface Decider {
  readonly name: string
  /** features that the decider does not know yet, each with the reason: its cases are skipped */
  readonly lacks?: Partial<Record<Feature, string>>
  /** A fresh environment for a case of these features: nothing in it but the tenant `default`. */
  open(features: ReadonlySet<Feature>): Awaitable<Session>
  /** Ends what the sessions shared. */
  close?(): Awaitable<void>
}

/** Answers questions about a policy by the definition, at an instant, or without one where the policy has no times. */
export function definedQuestions(policy: Policy, now?: number): Questions {
  const timed = (request: Request) => askedAt(request, now ?? MIDNIGHT)
  return {
    check: (request) => check(policyIn(policy, now), timed(request)),
    bulkCheck: (requests) => bulkCheck(policyIn(policy, now), requests.map(timed)),
    explain: (request) => (now === undefined ? explain(policy, request) : explainAt(policy, timed(request), now)),
    permissions: (user, sent) =>
      listPermissions(policyIn(policy, now), user, now === undefined ? sent : sentAt(sent, now)),
    listings: definedListings(policy, now),
  }
}

export const reference: Decider = {
  name: 'reference',
  lacks: { limits: 'the definition has no limits: it decides whatever it is asked' },
  open() {
    const world = new World()
    return {
      ...definedQuestions(world.policy),
      at: (now) => definedQuestions(world.policy, now),
      write(operations) {
        world.runAll(operations)
        return undefined
      },
    }
  },
}

export const MANAGEMENT_LACKS = {
  limits: 'writing thousands of objects one by one takes minutes; images are asked instead',
}

/** The questions of a session, to whatever image is the current one; at an instant, or without one. */
function asking(current: () => Image, now?: number): Questions {
  const inTime = <T>(ask: () => T): T => (now === undefined ? ask() : current().guardAt(now, ask))
  const check = (request: Request): boolean => inTime(() => current().check(...toParts(request)))
  return {
    check,
    bulkCheck: (requests) => requests.map(check),
    explain: (request) => {
      const { code, rebac, abac, misses, matches, notes, not_in_force } = inTime(() =>
        current().explain(...toParts(request)),
      )
      return { rbac: code, rebac, abac, misses, matches, notes, not_in_force } as Partial<ReasonsAt> // no case meets a limit
    },
    permissions: (user, sent) => inTime(() => tenantPermissionsIn(current(), user, sent)),
    listings: makeListings(current, inTime),
  }
}

/** One source for all ways that are read from one. */
let opened: Promise<Source> | undefined
function openSource(way: Way): Promise<Source> | undefined {
  if (!way.needsSource) return undefined
  opened ??= Source.open()
  return opened
}

/** The image that comes about in a way. */
const wayDecider = (way: Way): Decider => ({
  name: way.name,
  ...(way.isWrittenByManagement ? { lacks: MANAGEMENT_LACKS } : {}),
  async open() {
    const story = await Story.open([way], 1, await openSource(way))
    const kept = story.ways.get(way)!
    let image = Image.build(ENVIRONMENT, makePosition(1), FIRST_CHANGES)
    return {
      ...asking(() => image),
      at: (now) => asking(() => image, now),
      async write(operations) {
        await story.write(operations)
        const found = await kept.image()
        if (found instanceof WayLack) return found
        image = found
        return undefined
      },
      close: () => story.close(),
    }
  },
  close: () => way.close?.(),
})

/** Every way that can be taken here. */
export const makeDeciders = (ways: readonly Way[]): readonly Decider[] => waysHere(ways).map(wayDecider)

/** Ends the source that they shared. */
export async function closeSource(): Promise<void> {
  await (await opened)?.close()
  opened = undefined
}
