// Every way in which Zerohop answers a question, behind one shape, so that one case runs over all of them. The
// reference is one.
import { Image } from '../../src/image/image.ts'
import type { Feature } from '../conformance/cases.ts'
import { MIDNIGHT } from '../property/values.ts'
import { bulkCheck, check } from '../reference/check.ts'
import { explain, type Reasons } from '../reference/explain.ts'
import { listPermissions, type TenantPermissions } from '../reference/listing.ts'
import type { Policy } from '../reference/policy.ts'
import { askedAt, type Request, type Sent } from '../reference/request.ts'
import { ENVIRONMENT, makePosition } from './deltas.ts'
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
  explain(request: Request): Awaitable<Partial<Reasons>>
  permissions(user: string, sent?: Sent): Awaitable<TenantPermissions[]>
  /** the other listings, for deciders that do not lack them */
  listings?: Listings
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

/** Answers questions about a policy by the definition. */
export const definedQuestions = (policy: Policy): Questions => ({
  check: (request) => check(policy, askedAt(request, MIDNIGHT)),
  bulkCheck: (requests) =>
    bulkCheck(
      policy,
      requests.map((request) => askedAt(request, MIDNIGHT)),
    ),
  explain: (request) => explain(policy, request),
  permissions: (user, sent) => listPermissions(policy, user, sent),
  listings: definedListings(policy),
})

export const reference: Decider = {
  name: 'reference',
  lacks: { limits: 'the definition has no limits: it decides whatever it is asked' },
  open() {
    const world = new World()
    return {
      ...definedQuestions(world.policy),
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

/** The questions of a session, to whatever image is the current one. */
const asking = (current: () => Image): Omit<Session, 'write'> => ({
  check: (request) => current().check(...toParts(request)),
  bulkCheck: (requests) => requests.map((request) => current().check(...toParts(request))),
  explain: (request) => {
    const { code, rebac, abac, misses, matches, notes } = current().explain(...toParts(request))
    return { rbac: code, rebac, abac, misses, matches, notes } as Reasons // no case meets a limit
  },
  permissions: (user, sent) => tenantPermissionsIn(current(), user, sent),
  listings: makeListings(current),
})

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
