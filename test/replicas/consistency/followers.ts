// The followers of a run: one at each replica, asked all the time for users who have a role or had it.
import { setTimeout as pause } from 'node:timers/promises'
import { RemoteFeed } from '../../../src/client/http-feed.ts'
import type { Image } from '../../../src/image/image.ts'
import { isZerohopError } from '../../../src/model/errors.ts'
import { Follower } from '../../../src/pdp/follower.ts'
import type { FollowerEvent } from '../../../src/pdp/follower-options.ts'
import { Pdp } from '../../../src/pdp/pdp.ts'
import { url } from '../../support/server.ts'
import type { Clients } from './clients.ts'
import type { Cluster, Scope } from './cluster.ts'
import type { History } from './history.ts'
import type { Random } from './random.ts'

export const MAX_STALENESS_MS = 6_500
const CHECK_MS = 60
/** The newest: who lost the role must be asked for until long after that. */
const CHECKED_USERS = 50

/** A follower at each replica, of the first environment. */
export async function follow(
  cluster: Cluster,
  [scope]: readonly Scope[],
  onEvent?: (follower: number, event: FollowerEvent) => void,
): Promise<Pdp[]> {
  const answer = await cluster.replica(0).call('GET', `/v2/api-key/${scope?.path}`)
  const apiKey = answer.kind === 'answered' ? (answer.body.secret as string) : ''
  return Promise.all(
    cluster.replicas.map(async ({ port }, at) => {
      const follower = new Follower({
        feed: new RemoteFeed({ url: url(port), apiKey }),
        maxStalenessMs: MAX_STALENESS_MS,
        onEvent: (event) => onEvent?.(at, event),
      })
      const pdp = new Pdp(follower)
      followers.set(pdp, follower)
      await pdp.ready()
      return pdp
    }),
  )
}

/** What holds the image of a follower. */
const followers = new WeakMap<Pdp, Follower>()

/** The image by which it answers. */
export const findImage = (pdp: Pdp): Image | undefined => followers.get(pdp)?.peek()

export const allows = (pdp: Pdp, user: string): boolean => pdp.check(user, 'read', { type: 'doc', tenant: 'default' })

/** Asks a follower for users who have the role, or had it. */
export async function watch(
  pdp: Pdp,
  follower: number,
  clients: Clients,
  history: History,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const pool = clients.pools[0]
  if (pool === undefined) return
  const asked: string[] = []
  while (!signal.aborted) {
    await pause(random.between(CHECK_MS / 2, CHECK_MS * 2))
    for (const user of pool.readers) if (!asked.includes(user)) asked.push(user)
    for (const user of asked.slice(-CHECKED_USERS)) {
      const begun = performance.now()
      history.counts.checks++
      try {
        if (!allows(pdp, user)) continue
        history.allowed.push({ follower, log: pool.scope.id, object: `assignment/${user}/reader/default`, begun })
      } catch (error) {
        if (!isZerohopError(error, 'STALE', 'NOT_READY')) throw error
        history.counts.stale++
        break // and so it would for each of them
      }
    }
  }
}
