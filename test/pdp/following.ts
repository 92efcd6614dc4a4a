// A follower of a scripted feed with the events that it told, closed after each test.
import { expect, onTestFinished } from 'vitest'
import { type ErrorCode, ZerohopError } from '../../src/model/errors.ts'
import { Follower, type FollowerEvent, type FollowerOptions } from '../../src/pdp/follower.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import type { ScriptedFeed } from './scripted-feed.ts'

export const unreachable = new ZerohopError('FEED_UNREACHABLE', { reason: 'the cable is cut' })
export const code = (code: ErrorCode) => expect.objectContaining({ code })

export function follow(feed: ScriptedFeed, options: Partial<FollowerOptions> = {}) {
  const events: FollowerEvent[] = []
  const follower = new Follower({ feed, onEvent: (event) => events.push(event), ...options })
  const pdp = new Pdp(follower)
  onTestFinished(() => pdp.close())
  return { pdp, follower, events, mayZoeWave: () => pdp.check('zoe', 'wave', 'hello') }
}

/** Why the PDP answers nothing; `none` while it answers. */
export function refusal(pdp: Pdp): string {
  return pdp.refusal?.code ?? 'none'
}
