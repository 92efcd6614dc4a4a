// Readers of the feed that go from one replica to another: each goes on where it was, whichever replica it asks. What
// they got must be the record in its order: nothing twice, nothing left out, never back.
import { setTimeout as pause } from 'node:timers/promises'
import { RemoteFeed } from '../../../src/client/http-feed.ts'
import type { Position } from '../../../src/log/change.ts'
import { isZerohopError } from '../../../src/model/errors.ts'
import { url } from '../../support/server.ts'
import { type Cluster, REPLICAS, type Scope } from './cluster.ts'
import type { FeedStep, History } from './history.ts'
import type { Random } from './random.ts'
import type { Log } from './record.ts'
import type { Violation } from './verify.ts'

/** How long a reader stays at one replica. */
const STAY_MS = { least: 300, most: 4_000 }
const AGAIN_MS = 50

/** Reads until the signal, and notes every step. */
export async function readFeed(
  cluster: Cluster,
  scope: Scope,
  apiKey: string,
  after: Position,
  reader: number,
  { feeds }: History,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  let position = after
  while (!signal.aborted) {
    const replica = random.between(0, REPLICAS - 1)
    const feed = new RemoteFeed({ url: url(cluster.replica(replica).port), apiKey })
    const stay = AbortSignal.any([signal, AbortSignal.timeout(random.between(STAY_MS.least, STAY_MS.most))])
    const note = (step: { kind: FeedStep['kind'] } & Record<string, unknown>): void => {
      feeds.push({ reader, at: performance.now(), replica, ...step } as FeedStep)
    }
    note({ kind: 'asks', after: position })
    try {
      for await (const event of feed.deltas(position, stay)) {
        if (event.type === 'heartbeat') {
          note({ kind: 'heartbeat', revision: event.revision })
          continue
        }
        const { from, to, previous, chain, environment } = event.delta
        if (environment !== scope.id) throw new Error(`the feed of ${scope.id} sends a delta of ${environment}`)
        position = { revision: to, chain }
        note({ kind: 'delta', from: { revision: from, chain: previous }, to: position })
      }
    } catch (error) {
      if (!isZerohopError(error)) throw error
      note({ kind: 'ends', code: error.code })
    }
    await pause(AGAIN_MS)
  }
}

/** Each reader by itself: in order, without a gap, resumed where it was, and never back. */
export function verifyFeeds(steps: readonly FeedStep[], log: Log): Violation[] {
  const chains = new Map(log.entries.map(({ revision, chain }) => [revision, chain]))
  const head = log.entries.at(-1)?.revision ?? 0
  const found: Violation[] = []
  const readers = new Map<number, { position: Position | undefined; heard: number; asked: number }>()
  for (const step of steps) {
    const reader = readers.get(step.reader) ?? { position: undefined, heard: 0, asked: 0 }
    readers.set(step.reader, reader)
    const wrong = (rule: string): void => {
      found.push({ rule, text: `${JSON.stringify(step)}; was at ${JSON.stringify(reader)}, the record at ${head}` })
    }
    if (step.kind === 'asks') {
      reader.position ??= step.after
      reader.asked = reader.heard
    } else if (step.kind === 'delta') {
      const { position } = reader
      if (step.from.revision !== position?.revision) wrong('a feed has no gap and nothing twice')
      else if (step.from.chain !== position.chain || step.to.chain !== chains.get(step.to.revision))
        wrong('a feed is the record')
      if (step.to.revision <= step.from.revision) wrong('a feed goes forward')
      reader.position = step.to
    } else if (step.kind === 'heartbeat') {
      // the head was asked for after the reader had asked, so it is not older than what the reader had heard by then
      const least = Math.max(reader.position?.revision ?? 0, reader.asked)
      if (step.revision < least) wrong('a heartbeat never goes back')
      if (step.revision > head) wrong('a heartbeat says what is on record')
      reader.heard = Math.max(reader.heard, step.revision)
      reader.asked = Math.max(reader.asked, step.revision)
    } else if (['FEED_GAP', 'FEED_FORK', 'FRAME_INVALID'].includes(step.code)) wrong('a feed is resumed')
  }
  return found
}
