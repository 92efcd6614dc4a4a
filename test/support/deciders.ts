// Every way in which Zerohop answers a question, behind one shape, so that one case runs over all of them. The reference is one.
import { Image, type KernelSource } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { bulkCheck, check, type Request } from '../reference/check.ts'
import { type Code, explain } from '../reference/explain.ts'
import { permissionsOf, type TenantPermissions } from '../reference/listing.ts'
import { deltaTo, ENVIRONMENT, positionOf } from './deltas.ts'
import { FIRST_CHANGES, type Operation, World } from './world.ts'

type Awaitable<T> = T | Promise<T>

/** One environment, open for writes and questions. */
export interface Session {
  /** Applies the operations; when it returns, every question is answered after them. */
  write(operations: readonly Operation[]): Awaitable<void>
  check(request: Request): Awaitable<boolean>
  bulkCheck(requests: readonly Request[]): Awaitable<boolean[]>
  explain?(request: Request): Awaitable<Code>
  permissions?(user: string): Awaitable<TenantPermissions[]>
  close?(): Awaitable<void>
}

export interface Decider {
  readonly name: string
  /** A fresh environment: nothing in it but the tenant `default`. */
  open(): Awaitable<Session>
  /** Ends what the sessions shared. */
  close?(): Awaitable<void>
}

export const reference: Decider = {
  name: 'reference',
  open() {
    const world = new World()
    return {
      write: (operations) => void world.runAll(operations),
      check: (request) => check(world.policy, request),
      bulkCheck: (requests) => bulkCheck(world.policy, requests),
      explain: (request) => explain(world.policy, request),
      permissions: (user) => permissionsOf(world.policy, user),
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

function imageDecider(name: string, way: Way, kernel: KernelSource = 'release'): Decider {
  return {
    name,
    open() {
      const world = new World()
      let image = Image.build(ENVIRONMENT, positionOf(1), FIRST_CHANGES, { kernel })
      const ask = ({ user, action, resource }: Request) =>
        [user, action, resource.type, resource.tenant ?? 'default'] as const
      return {
        write(operations) {
          image = way(image, world.runAll(operations), world, kernel)
          image.verify()
        },
        check: (request) => image.check(...ask(request)),
        bulkCheck: (requests) => requests.map((request) => image.check(...ask(request))),
        explain: (request) => image.explain(...ask(request)).code,
        permissions: (user) => image.tenantRoles(user),
      }
    },
  }
}

export const imageDeciders: readonly Decider[] = [
  imageDecider('kernel debug', rebuilt, 'debug'),
  imageDecider('kernel release', rebuilt),
  imageDecider('kernel by deltas', byDelta),
  imageDecider('kernel debug by deltas', byDelta, 'debug'),
  imageDecider('image reopened', reopened),
  imageDecider('image compacted', compacted),
]

export const deciders: readonly Decider[] = [reference, ...imageDeciders]
