// Every way in which Zerohop answers a question, behind one shape, so that one case runs over all of them. The
// reference is one.
import { Image, type KernelSource } from '../../src/image/image.ts'
import type { LogId } from '../../src/log/change.ts'
import { type PolicyChange, toDelta } from '../../src/log/delta.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import { bulkCheck, check } from '../reference/check.ts'
import { explain, type Reasons } from '../reference/explain.ts'
import { permissionsOf, type TenantPermissions } from '../reference/listing.ts'
import type { Request, Sent } from '../reference/request.ts'
import { deltaTo, ENVIRONMENT, positionOf } from './deltas.ts'
import { Environments } from './environments.ts'
import { definedListings, type Listings, listingsOf, tenantPermissionsIn } from './listings.ts'
import { partsOf } from './parts.ts'
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
  /** Applies the operations; when it returns, every question is answered after them. */
  write(operations: readonly Operation[]): Awaitable<void>
  /** others who know what was written, by name, and are asked the same */
  others?: ReadonlyMap<string, Questions>
}

/**
 * What a case may need: listings; limits of one check, beyond which it could not decide; attributes sent with the
 * action; a time of its own; listings of users or actions with relations that are sent.
 */
export type Feature = 'listings' | 'limits' | 'action' | 'now' | 'related_listings'

export interface Decider {
  readonly name: string
  /** features that the decider does not know yet, each with the reason: its cases are skipped */
  readonly lacks?: Partial<Record<Feature, string>>
  /** A fresh environment for a case of these features: nothing in it but the tenant `default`. */
  open(features: ReadonlySet<Feature>): Awaitable<Session>
  /** Ends what the sessions shared. */
  close?(): Awaitable<void>
}

export const reference: Decider = {
  name: 'reference',
  lacks: { limits: 'the definition has no limits: it decides whatever it is asked' },
  open() {
    const world = new World()
    return {
      write: (operations) => void world.runAll(operations),
      check: (request) => check(world.policy, request),
      bulkCheck: (requests) => bulkCheck(world.policy, requests),
      explain: (request) => explain(world.policy, request),
      permissions: (user, sent) => permissionsOf(world.policy, user, sent),
      listings: definedListings(world.policy),
    }
  },
}

/** How an image comes to hold what was written. */
type Way = (image: Image, changes: readonly PolicyChange[], world: World, kernel: KernelSource) => Image

const rebuilt: Way = (image, _, world, kernel) => {
  return Image.build(ENVIRONMENT, positionOf(image.revision + 1), world.contents(), { kernel })
}
const byDelta: Way = (image, changes) => {
  image.apply(deltaTo(image.revision + 1, changes))
  return image
}
const reopened: Way = (...args) => Image.load(byDelta(...args).save())
const compacted: Way = (...args) => byDelta(...args).compact()

export const MANAGEMENT_LACKS = {
  limits: 'writing thousands of objects one by one takes minutes; images are asked instead',
}

/** The questions of a session, to whatever image is the current one. */
const asking = (current: () => Image): Omit<Session, 'write'> => ({
  check: (request) => current().check(...partsOf(request)),
  bulkCheck: (requests) => requests.map((request) => current().check(...partsOf(request))),
  explain: (request) => {
    const { code, rebac, abac, misses, matches, notes } = current().explain(...partsOf(request))
    return { rbac: code, rebac, abac, misses, matches, notes } as Reasons // no case meets a limit
  },
  permissions: (user, sent) => tenantPermissionsIn(current(), user, sent),
  listings: listingsOf(current),
})

function imageDecider(name: string, way: Way, kernel: KernelSource = 'release'): Decider {
  return {
    name,
    open() {
      const world = new World()
      let image = Image.build(ENVIRONMENT, positionOf(1), FIRST_CHANGES, { kernel })
      return {
        ...asking(() => image),
        write(operations) {
          image = way(image, world.runAll(operations), world, kernel)
          image.verify()
        },
      }
    },
  }
}

/** Written through management into a store; `next` makes the image after each step. */
function storeDecider(
  name: string,
  next: (environments: Environments, log: LogId, image: Image) => Promise<Image>,
): Decider {
  const environments = new Environments()
  let last: { readonly log: LogId; readonly hash: string } | undefined
  return {
    name,
    lacks: MANAGEMENT_LACKS,
    async open() {
      const world = new World()
      const [log] = await environments.create()
      let image = Image.load(buildSnapshot((await environments.store()).view(log)).bytes)
      return {
        ...asking(() => image),
        async write(operations) {
          await environments.write(log, world, operations)
          image = await next(environments, log, image)
          last = { log, hash: image.hash() }
        },
      }
    },
    /** @throws when the folder, opened again, does not hold what was written last */
    async close() {
      if (last !== undefined) {
        const store = await environments.reopen()
        const hash = Image.load(buildSnapshot(store.view(last.log)).bytes).hash()
        if (hash !== last.hash) throw new Error(`${name}: what was written last is not what the folder holds`)
      }
      await environments.close()
    },
  }
}

/** Each step of an image is in one of them: built, changed by deltas, compacted; in both builds of the kernel. */
export const imageDeciders: readonly Decider[] = [
  imageDecider('kernel debug', rebuilt, 'debug'),
  imageDecider('kernel by deltas', byDelta),
  imageDecider('image compacted', compacted),
]

export const moreImageDeciders: readonly Decider[] = [
  imageDecider('kernel release', rebuilt),
  imageDecider('kernel debug by deltas', byDelta, 'debug'),
  imageDecider('image reopened', reopened),
]

/** Closing and opening a folder takes as long as twenty cases, and longer with each environment in it. */
const STEPS_TO_REOPEN = 25
let written = 0

export const storeByDeltas = storeDecider('store by deltas', async (environments, log, image) => {
  const store = await environments.store()
  for (const entry of store.entries(log, image.revision)) image.apply(toDelta(entry))
  return image
})

export const storeBySnapshots = storeDecider('store by snapshots', async (environments, log) => {
  const store = await (written++ % STEPS_TO_REOPEN === 0 ? environments.reopen() : environments.store())
  return Image.load(buildSnapshot(store.view(log)).bytes)
})
